"""Advice through the daemon: on the result, on the audit line, in the metrics, on the report's page.

Usage: advice_test.py PLIMSOLLD PLIMSOLL_CLIENTS PLIMSOLL PROSPECTOR_REPORT"""

import http.server
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

import daemon_harness
from daemon_harness import Daemon, wait_for

PLIMSOLL = REPORT = ""
LOOP = """
    for (let i = 0; i < 12; ++i) await host.get(`/v1/items/gu3st${i}`);
    for (let i = 0; i < 6; ++i) await host.get(`/v1/parts/gu3st${i}`);
    console.log('done')"""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = b'{"name":"gu3st"}'
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def profile_of(origin, advice, retention):
    return {"base_url": origin, "allowed_callers": ["ann"], "advice": advice,
            "advice_retention": retention, "catalog": ["GET /v1/parts?limit"],
            "allow": ["GET /v1/items/*", "GET /v1/items", "GET /v1/parts/*"]}


class Advice(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        daemon_harness.adopt_orphans()
        cls.api = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        cls.api.daemon_threads = True
        threading.Thread(target=cls.api.serve_forever, daemon=True).start()
        cls.folder = tempfile.TemporaryDirectory()
        profiles = pathlib.Path(cls.folder.name) / "grants.json"
        origin = f"http://127.0.0.1:{cls.api.server_address[1]}"
        profiles.write_text(json.dumps({"profiles": {
            "quiet": profile_of(origin, "off", "detailed"),
            "watched": profile_of(origin, "operator", "detailed"),
            "told": profile_of(origin, "caller", "detailed"),
            "summed": profile_of(origin, "caller", "aggregate"),
            "forgotten": profile_of(origin, "caller", "none")}}))
        profiles.chmod(0o600)
        cls.daemon = Daemon(PLIMSOLL_GRANTS_FILE=str(profiles), SANDBOX_WASM_POOL="1").__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.daemon.__exit__()
        cls.api.shutdown()
        cls.folder.cleanup()

    def run_with(self, profile):
        """The result's message, and the audit line."""
        before = len(self.daemon.audit())
        status, body, _ = self.daemon.call("Run", {"protocol": 2, "javascript": {
            "code": LOOP, "grantProfile": profile}}, "ann")
        self.assertEqual(status, 200, body)
        [line] = wait_for("an audit line", lambda: self.daemon.audit()[before:], 10)
        return body, line

    def test_the_caller_is_told_what_its_code_can_mend(self):
        body, line = self.run_with("told")
        [finding] = body["javascript"]["advice"]
        self.assertEqual(
            {key: finding[key] for key in ("pattern", "severity", "remedy", "method", "route",
                                           "suggestedMethod", "suggestedRoute", "extraCalls")},
            {"pattern": "fan_out", "severity": "medium", "remedy": "use_granted_route",
             "method": "GET", "route": "/v1/items/*", "suggestedMethod": "GET",
             "suggestedRoute": "/v1/items", "extraCalls": 11})
        self.assertEqual([one["remedy"] for one in line["advice"]],
                         ["use_granted_route", "grant_route"])
        self.assertEqual(line["advice"][1]["grant_route"], "GET /v1/parts?limit")

    def test_each_setting_keeps_what_it_says(self):
        results = []
        for profile, told, kept in (("quiet", 0, None), ("watched", 0, "list"), ("told", 1, "list"),
                                    ("summed", 1, "sum"), ("forgotten", 1, None)):
            body, line = self.run_with(profile)
            result = body["javascript"]
            self.assertEqual(len(result.pop("advice", [])), told, profile)
            self.assertEqual(line["advice_findings"], 2 if kept else None, profile)
            self.assertEqual(line["advice_extra_calls"], 16 if kept else None, profile)
            self.assertEqual(line["advice"] is not None, kept == "list", profile)
            results.append((result, body["record"]["resultSha256"]))
        for result in results[1:]:
            self.assertEqual(result, results[0])

    def test_metrics_count_by_words_of_ours(self):
        self.run_with("watched")
        page = self.daemon.metrics()
        self.assertRegex(page, r'plimsoll_advice_total\{profile="watched",pattern="fan_out",'
                               r'severity="medium",remedy="use_granted_route"\} \d')
        self.assertNotIn('plimsoll_advice_total{profile="quiet"', page)
        self.assertNotIn("gu3st", page)

    def test_the_client_shows_the_advice(self):
        token = pathlib.Path(self.folder.name) / "token"
        token.write_text(self.daemon.tokens["ann"])
        token.chmod(0o600)
        done = subprocess.run(
            [PLIMSOLL, "run", "--remote", f"http://127.0.0.1:{self.daemon.port}", "--token-file", token,
             "--grant-profile", "told", "--json", "-e", LOOP], capture_output=True, timeout=60,
            check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        [finding] = json.loads(done.stdout)["advice"]
        self.assertEqual(finding["suggested_route"], "/v1/items")
        self.assertIn("called 12 times with success", finding["detail"])

    def test_the_report_shows_it_and_nothing_of_the_guests(self):
        self.run_with("watched")
        stream = self.daemon.audit_path.read_bytes()
        self.assertNotIn(b"gu3st", stream)
        done = subprocess.run([REPORT, "-o", "-"], input=stream, capture_output=True, timeout=60,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b" 0 unreadable", done.stderr)
        page = done.stdout.decode()
        self.assertIn("GET /v1/items/*", page)
        self.assertIn("&quot;GET /v1/parts?limit&quot;", page)


if __name__ == "__main__":
    daemon_harness.PLIMSOLLD, daemon_harness.CLIENTS, PLIMSOLL, REPORT = sys.argv[1:5]
    unittest.main(argv=sys.argv[:1], verbosity=2)
