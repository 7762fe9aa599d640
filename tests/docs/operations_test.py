"""What docs/operations.md says of a daemon's life, its audit stream and its settings holds.

Usage: operations_test.py BIN"""

import base64
import http.client
import json
import os
import pathlib
import re
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests" / "e2e"))
import daemon_harness  # noqa: E402
from daemon_harness import Daemon  # noqa: E402

BIN = pathlib.Path()
SPIN = "const t=Date.now();while(Date.now()-t<{ms});console.log('done')"


def wait_for(test, what, holds, seconds=30):
    deadline = time.monotonic() + seconds
    while not holds():
        test.assertLess(time.monotonic(), deadline, f"not within {seconds} s: {what}")
        time.sleep(0.01)


class Probe:
    """One connection that stays open."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def status(self, path):
        self.connection.request("GET", path)
        answer = self.connection.getresponse()
        answer.read()
        return answer.status


class Lifecycle(unittest.TestCase):
    def begin(self, daemon, code, answers):
        runner = threading.Thread(target=lambda: answers.append(
            daemon.run(code, timeoutMs=25000)))
        runner.start()
        wait_for(self, "it runs", lambda: "plimsoll_runs_in_flight 1" in daemon.metrics())
        return runner

    def test_health_and_readiness_need_no_token(self):
        with Daemon() as daemon:
            probe = Probe(daemon.port)
            self.assertEqual((probe.status("/healthz"), probe.status("/readyz")), (200, 200))
            probe.connection.close()

    def test_a_drain_refuses_new_runs_says_so_and_lets_the_run_end(self):
        with Daemon() as daemon:
            answers = []
            runner = self.begin(daemon, SPIN.format(ms=15000), answers)
            daemon.process.send_signal(signal.SIGTERM)
            wait_for(self, "not ready", lambda: self.status(daemon, "/readyz") == 503)
            self.assertEqual(self.status(daemon, "/healthz"), 200)
            status, body, headers = daemon.run("console.log(1)")
            self.assertEqual((status, body["code"], daemon_harness.reason_of(body)),
                             (503, "unavailable", ["capacity"]))
            self.assertEqual(headers["retry-after"], "1")
            wait_for(self, "an audit line", lambda: [line["refusal"] for line in daemon.audit()] ==
                     ["draining"])
            self.assertIn("plimsoll_runs_in_flight 1", daemon.metrics())
            self.assertIsNone(daemon.process.poll(), "it did not wait for the run")
            runner.join()
            self.assertEqual(answers[0][0], 200, answers)
            self.assertEqual(base64.b64decode(answers[0][1]["javascript"]["stdout"]), b"done\n")
            self.assertEqual(daemon.process.wait(30), 0)
            self.assertEqual(daemon.audit()[-1]["outcome"], "ok")

    def status(self, daemon, path):
        probe = Probe(daemon.port)
        try:
            return probe.status(path)
        finally:
            probe.connection.close()

    def test_a_second_signal_cancels_what_runs(self):
        daemon_harness.adopt_orphans()
        others = daemon_harness.left_behind()
        with Daemon() as daemon:
            def endless():
                try:
                    daemon.run("for(;;);", timeoutMs=29000)
                except (OSError, http.client.HTTPException, ValueError):
                    pass  # the connection ends with the daemon
            runner = threading.Thread(target=endless)
            runner.start()
            wait_for(self, "it runs", lambda: "plimsoll_runs_in_flight 1" in daemon.metrics())
            daemon.process.send_signal(signal.SIGTERM)
            wait_for(self, "it drains", lambda: b'"draining"' in daemon.log_path.read_bytes())
            began = time.monotonic()
            daemon.process.send_signal(signal.SIGINT)
            self.assertEqual(daemon.process.wait(20), 0)
            self.assertLess(time.monotonic() - began, 15)
            runner.join()
            self.assertEqual(daemon.audit()[-1]["outcome"], "canceled")
            wait_for(self, "no worker is left", lambda: daemon_harness.left_behind() == others)


class AuditStream(unittest.TestCase):
    def wrapped(self, redirection):
        """Daemons whose standard output a shell opens."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        script = pathlib.Path(self.folder) / "wrapped"
        script.write_text(f"#!/bin/sh\nexec '{BIN}/plimsolld' {redirection}\n")
        script.chmod(0o755)
        return mock.patch.object(daemon_harness, "PLIMSOLLD", str(script))

    def test_a_file_that_was_truncated_goes_on_at_its_start(self):
        with self.wrapped(">>\"$AUDIT\""):
            path = pathlib.Path(self.folder) / "audit.jsonl"
            with Daemon(AUDIT=str(path)) as daemon:
                daemon.run("1", traceId="before")
                wait_for(self, "a line", lambda: path.read_bytes().endswith(b"\n"))
                os.truncate(path, 0)
                daemon.run("1", traceId="after")
                wait_for(self, "a line", lambda: path.read_bytes().endswith(b"\n"))
                lines = [json.loads(line) for line in path.read_bytes().splitlines()]
                self.assertEqual([line["trace_id"] for line in lines], ["after"])

    def test_no_line_no_run(self):
        with self.wrapped(">/dev/full"), Daemon() as daemon:
            def stalls():
                status, body, _ = daemon.run("1")
                return status == 503 and daemon_harness.reason_of(body) == ["capacity"]
            wait_for(self, "runs are refused", stalls)
            self.assertIn('plimsoll_refusals_total{reason="audit_stalled"}', daemon.metrics())


class Settings(unittest.TestCase):
    def test_every_variable_that_the_pages_name_is_one_of_the_daemons(self):
        known = subprocess.run([BIN / "plimsolld", "-h"], capture_output=True, text=True,
                               check=True).stdout
        known = set(re.findall(r"^  (\w+) = ", known, re.MULTILINE))
        named = 0
        for page in [SOURCE / "README.md", *SOURCE.glob("docs/*.md")]:
            for name in re.findall(r"\b(?:PLIMSOLL|SANDBOX)_[A-Z][A-Z_]+\b", page.read_text()):
                if name not in ("PLIMSOLL_HARDEND", "PLIMSOLL_OPENAPI_DIR",
                                "PLIMSOLL_UPDATE_GOLDEN"):
                    self.assertIn(name, known, page)
                    named += 1
        self.assertGreater(named, 30)

    def test_tls_is_on_the_service_and_not_on_metrics_of_loopback(self):
        with tempfile.TemporaryDirectory() as folder:
            key, certificate = f"{folder}/tls.key", f"{folder}/tls.crt"
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                            "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                            "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
                            key, "-out", certificate], capture_output=True, check=True)
            with Daemon(PLIMSOLL_TLS_KEY=key, PLIMSOLL_TLS_CERT=certificate) as daemon:
                done = subprocess.run(["curl", "-sS", "--cacert", certificate,
                                       f"https://127.0.0.1:{daemon.port}/readyz"],
                                      capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stdout), (0, "ready\n"), done.stderr)
                with self.assertRaises(ssl.SSLCertVerificationError):
                    http.client.HTTPSConnection("127.0.0.1", daemon.port, timeout=10,
                                                context=ssl.create_default_context()).connect()
                self.assertIn("plimsoll_build_info", daemon.metrics())


if __name__ == "__main__":
    BIN = pathlib.Path(sys.argv[1]).resolve()
    daemon_harness.PLIMSOLLD, daemon_harness.CLIENTS = BIN / "plimsolld", BIN / "plimsoll-clients"
    unittest.main(argv=sys.argv[:1], verbosity=2)
