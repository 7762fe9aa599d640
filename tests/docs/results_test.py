"""Each refusal that a daemon can be brought to has its reason and its code in one row of
docs/run-results.md.  Usage: results_test.py BIN"""

import http.client
import json
import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests" / "e2e"))
import daemon_harness  # noqa: E402
from daemon_harness import SERVICE, Daemon, reason_of  # noqa: E402

PAGE = (SOURCE / "docs" / "run-results.md").read_text()


def codes():
    """reason -> its codes."""
    rows = re.findall(r"^\| `([A-Z]+)` \| [1-7] \| ((?:`[a-z_]+`(?:, )?)+) \|", PAGE, re.MULTILINE)
    return {reason.lower(): re.findall(r"`(\w+)`", cell) for reason, cell in rows}


class Refusals(unittest.TestCase):
    def documented(self, answer, reason, code):
        body = answer[1]
        self.assertEqual((reason_of(body), body["code"]), ([reason], code), answer)
        self.assertIn(code, codes()[reason])

    def raw(self, daemon, body, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=30)
        connection.request("POST", SERVICE + "Run", body, {
            "Content-Type": "application/json",
            "Authorization": "Bearer " + daemon.tokens["ann"]} | headers)
        answer = connection.getresponse()
        status, text = answer.status, answer.read()
        connection.close()
        return status, json.loads(text)

    def test_every_reason_has_a_row(self):
        self.assertEqual(set(codes()), set(daemon_harness.REASONS.values()))

    def test_refusals_are_as_the_page_says(self):
        with Daemon() as daemon:
            run = daemon.run
            for answer, reason, code in (
                    (self.raw(daemon, b"{"), "request", "invalid_argument"),
                    (self.raw(daemon, b"x" * (9 << 20)), "request", "resource_exhausted"),
                    (self.raw(daemon, b"{}", **{"Content-Encoding": "br"}), "request",
                     "unimplemented"),
                    (run("1", protocol=0), "request", "invalid_argument"),
                    (daemon.call("Run", {}, token="0" * 64), "permission", "unauthenticated"),
                    (run("1", caller="bob"), "permission", "permission_denied"),
                    (run("1", protocol=9), "protocol", "unimplemented"),
                    (daemon.call("OpenSession", {"protocol": 2}), "unsupported", "unimplemented"),
                    (run("1", minimumIsolation="vm"), "isolation", "failed_precondition"),
                    (run("1", softwareRule={"mode": "exact", "identities": ["x"]}), "environment",
                     "failed_precondition")):
                self.documented(answer, reason, code)

    def test_a_caller_that_comes_too_often_is_told_when_to_come_back(self):
        with Daemon(SANDBOX_RATE_PER_MIN="1", SANDBOX_RATE_BURST="1") as daemon:
            daemon.run("1")
            status, body, headers = daemon.run("1")
            self.documented((status, body), "capacity", "resource_exhausted")
            self.assertGreater(int(headers["retry-after"]), 0)
            self.assertIn("google.rpc.RetryInfo", [one["type"] for one in body["details"]])

    def test_a_daemon_without_a_provider_refuses(self):
        with Daemon(SANDBOX_PROVIDER="") as daemon:
            self.documented(daemon.run("1"), "unsupported", "failed_precondition")

    def test_a_timeout_beyond_the_ceiling_is_cut(self):
        with Daemon() as daemon:
            self.assertEqual(daemon.run("1", timeoutMs=3_000_000)[0], 200)


if __name__ == "__main__":
    BIN = pathlib.Path(sys.argv[1]).resolve()
    daemon_harness.PLIMSOLLD, daemon_harness.CLIENTS = BIN / "plimsolld", BIN / "plimsoll-clients"
    unittest.main(argv=sys.argv[:1], verbosity=2)
