"""The queries of the dashboard and of the alerts ask for what a daemon's /metrics page has, and
docs/operations.md has a row for each metric and each reason of a refusal.

Usage: metrics_test.py BIN"""

import json
import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests" / "e2e"))
import daemon_harness  # noqa: E402
from daemon_harness import Daemon  # noqa: E402

PAGE = (SOURCE / "docs" / "operations.md").read_text()
DASHBOARD = json.loads((SOURCE / "deploy" / "grafana-dashboard.json").read_text())
ALERTS = (SOURCE / "deploy" / "prometheus" / "alerts.yaml").read_text()
AUDIT_LINE = (SOURCE / "src" / "audit" / "audit_line.cc").read_text()
NOT_FILLED = "not filled yet"

# What Prometheus adds to every series, and the metric that it makes itself.
SCRAPED = {"job", "instance"}
UP = {"up": [{}]}
WORDS = {"sum", "rate", "increase", "changes", "histogram_quantile", "vector", "by",
         "or", "unless", "offset", "le"}
SELECTOR = re.compile(r"\b(up|(?:plimsoll|process)_\w+)(\{[^}]*\})?")
SAMPLE = re.compile(r"^(\w+)(?:\{(.*)\})? \S+$", re.MULTILINE)
PAIR = re.compile(r'(\w+)(=~|!~|!=|=)"([^"]*)"')


def parse_page(page):
    """name -> the label sets of its samples."""
    samples = {}
    for name, labels in SAMPLE.findall(page):
        samples.setdefault(name, []).append({k: v for k, _, v in PAIR.findall(labels)})
    return samples


def reasons():
    """The words of AuditRefusal, from the one function that writes them."""
    body = AUDIT_LINE.split("to_string(AuditRefusal refusal)")[1]
    return set(re.findall(r'return "(\w+)"', body)) - {"none"}


def complaints(query, samples, known_reasons):
    """What in a query no series of the page can answer."""
    found = []
    labels = set(SCRAPED)
    for name, matchers in SELECTOR.findall(query):
        if name not in samples:
            found.append(f"no series {name}")
            continue
        has = set().union(*samples[name])
        labels |= has
        for label, operator, value in PAIR.findall(matchers):
            if label in SCRAPED:
                continue
            values = {sample.get(label) for sample in samples[name]}
            if label == "reason":
                values |= known_reasons
            if label == "outcome":
                values |= {"ok", "failed", "canceled"}
            if label not in has:
                found.append(f"{name} has no label {label}")
            elif operator in ("=", "=~") and not set(value.split("|")) <= values:
                found.append(f"{name} has no {label} {value}")
    bare = re.sub(r'"[^"]*"|\{[^}]*\}|\[[^\]]*\]|\$\w+', " ", SELECTOR.sub(" ", query))
    for group in re.findall(r"\bby \(([^)]*)\)", query):
        for label in re.findall(r"\w+", group):
            if label not in labels:
                found.append(f"by an unknown label {label}")
        bare = bare.replace(f"({group})", " ")
    found += [f"an unknown word {word}" for word in re.findall(r"\b[a-zA-Z_]\w*", bare)
              if word not in WORDS and not re.fullmatch(r"5m", word)]
    return found


def dashboard_queries():
    for panel in DASHBOARD["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"], target["legendFormat"]


def rows(heading):
    """First cell -> last cell, of the table with that heading."""
    table = PAGE.split(heading, 1)[1].split("\n\n", 1)[0]
    cells = [[cell.strip() for cell in line.strip("| ").split(" | ")]
             for line in table.splitlines() if line.startswith("| `")]
    return {row[0].strip("`"): row[-1].strip("| ") for row in cells}


class Metrics(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with Daemon(SANDBOX_RATE_PER_MIN="6", SANDBOX_RATE_BURST="9") as daemon:
            daemon.run("console.log(1)")
            daemon.run("1", minimumIsolation="vm")
            daemon.run("1", protocol=9)
            daemon.run("1", caller="bob")
            daemon.call("Run", {}, token="0" * 64)
            for _ in range(12):
                daemon.run("1", caller="eve")
            cls.page = daemon.metrics()
        cls.samples = parse_page(cls.page) | UP
        cls.reasons = reasons()

    def check(self, query):
        return complaints(query, self.samples, self.reasons)

    def test_the_dashboard_asks_for_what_there_is(self):
        queries = list(dashboard_queries())
        self.assertGreater(len(queries), 15)
        for title, query, legend in queries:
            self.assertEqual(self.check(query), [], title)
            for label in re.findall(r"\{\{(\w+)\}\}", legend):
                grouped = re.search(r"\bby \(([^)]*)\)", query)
                names = [name for name, _ in SELECTOR.findall(query)]
                there = (set(re.findall(r"\w+", grouped[1])) if grouped else
                         SCRAPED.union(*self.samples[names[0]]))
                self.assertIn(label, there, title)
        for variable in DASHBOARD["templating"]["list"]:
            if variable["type"] == "query":
                selector, label = re.fullmatch(r"label_values\((.*), (\w+)\)",
                                               variable["query"]).groups()
                self.assertEqual((self.check(selector), label), ([], variable["name"]))

    def test_the_alerts_ask_for_what_there_is(self):
        queries = re.findall(r"^ +expr: (.*)$", ALERTS, re.MULTILINE)
        self.assertEqual(len(queries), len(re.findall(r"- alert:", ALERTS)))
        self.assertGreater(len(queries), 8)
        for query in queries:
            self.assertEqual(self.check(query), [], query)

    def test_the_dashboard_shows_every_series_of_the_service(self):
        shown = {name for _, query, _ in dashboard_queries() for name, _ in SELECTOR.findall(query)}
        there = {name for name in self.samples if name.startswith("plimsoll_")}
        self.assertEqual(there - shown, set())

    def test_the_page_of_docs_has_every_metric(self):
        documented = rows("| Metric | Labels |")
        kinds = dict(re.findall(r"^# TYPE (\w+) (\w+)$", self.page, re.MULTILINE))
        self.assertEqual(set(documented), set(kinds))
        for name, meaning in documented.items():
            if meaning == NOT_FILLED:
                self.assertNotIn(name, self.samples, "it is filled now")

    def test_the_page_of_docs_has_every_reason(self):
        self.assertGreater(len(self.reasons), 10)
        self.assertEqual(set(rows("| Reason of a refusal |")), self.reasons)
        seen = {labels["reason"] for labels in self.samples["plimsoll_refusals_total"]}
        self.assertTrue({"isolation", "protocol", "scope", "unauthenticated", "rate"} <= seen, seen)
        self.assertEqual(seen - self.reasons, set())

    def test_the_page_of_docs_names_every_alert(self):
        self.assertEqual(set(re.findall(r"`(Plimsoll[A-Z]\w+)`", PAGE)),
                         set(re.findall(r"- alert: (\w+)", ALERTS)))

    def test_a_query_for_what_is_not_there_is_found(self):
        for query in ("plimsoll_run_total", 'plimsoll_runs_total{outcom="ok"}',
                      'plimsoll_refusals_total{reason="isolatoin"}', "sum by (caller) (up)",
                      'plimsoll_refusals_total{reason=~"isolation|rat"}',
                      "rat(up[5m])", "plimsol_runs_total"):
            self.assertNotEqual(self.check(query), [], query)


if __name__ == "__main__":
    BIN = pathlib.Path(sys.argv[1]).resolve()
    daemon_harness.PLIMSOLLD, daemon_harness.CLIENTS = BIN / "plimsolld", BIN / "plimsoll-clients"
    unittest.main(argv=sys.argv[:1], verbosity=2)
