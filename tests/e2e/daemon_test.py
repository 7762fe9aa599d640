"""Drives the real daemon with real clients.  Usage: daemon_test.py PLIMSOLLD PLIMSOLL_CLIENTS"""

import base64
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest

import daemon_harness
from daemon_harness import SERVICE, Daemon, free_port, left_behind, reason_of, wait_for

PLIMSOLLD = ""
CLIENTS = ""


class Service(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon().__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.daemon.__exit__()

    def refused(self, answer, status, code, reason):
        self.assertEqual((answer[0], answer[1]["code"], reason_of(answer[1])),
                         (status, code, [reason]), answer)

    def test_a_run_answers_with_bytes_record_and_evidence(self):
        code = "process.stdout.write(Uint8Array.from({length: 256}, (_, i) => i))"
        status, body, _ = self.daemon.run(code, minimumIsolation="process")
        self.assertEqual(status, 200, body)
        self.assertEqual(base64.b64decode(body["javascript"]["stdout"]), bytes(range(256)))
        self.assertEqual(body["isolation"], "process")
        self.assertEqual(body["evidence"]["tier"], "process")
        facts = {fact["name"]: fact for fact in body["evidence"]["facts"]}
        self.assertEqual(facts["worker.seccomp"]["value"], "filter")
        self.assertEqual(facts["worker.seccomp"]["basis"], "EVIDENCE_BASIS_MEASURED")
        record = body["record"]
        for name in ("isolation", "environment", "softwareIdentity"):
            self.assertEqual(record[name], body[name])
        self.assertEqual(record["provider"], body["sandbox"])
        self.assertRegex(body["environment"], r"^quickjs-wasm:sha256:[0-9a-f]{64}$")
        self.assertRegex(record["recordSha256"], r"^[0-9a-f]{64}$")

    def test_each_refusal_is_typed_and_says_that_nothing_ran(self):
        run = self.daemon.run
        self.refused(self.daemon.call("Run", {}, token="0" * 64), 401, "unauthenticated",
                     "permission")
        self.refused(run("1", caller="bob"), 403, "permission_denied", "permission")
        self.refused(run("1", protocol=0), 400, "invalid_argument", "request")
        self.refused(run("1", protocol=9), 501, "unimplemented", "protocol")
        self.refused(self.daemon.call("Run", {"protocol": 2}), 400, "invalid_argument", "request")
        self.refused(run("1", minimumIsolation="vm"), 400, "failed_precondition", "isolation")
        self.refused(run("1", softwareRule={"mode": "exact", "identities": ["x"]}), 400,
                     "failed_precondition", "environment")
        project = {"protocol": 2, "project": {"files": [{"path": "a", "content": "1"}],
                                              "steps": ["true"]}}
        self.refused(self.daemon.call("Run", project), 501, "unimplemented", "unsupported")
        grant = {"protocol": 2, "javascript": {"code": "1", "grantProfile": "orders"}}
        self.refused(self.daemon.call("Run", grant), 403, "permission_denied", "permission")
        self.refused(self.daemon.call("OpenSession", {"protocol": 2}), 501, "unimplemented",
                     "unsupported")

    def test_run_is_not_reachable_by_get(self):
        status, _, headers = self.daemon.call("Run", {}, verb="GET")
        self.assertEqual((status, headers["allow"]), (405, "POST"))

    def test_outcomes_are_told_apart(self):
        for code, exit_code, cause, ms in (
                ("process.exit(9)", 9, "EXITED", 20_000), ("for(;;);", 124, "TIMED_OUT", 2000),
                ("[].push(...'x'.repeat(3e8))", 137, "OUT_OF_MEMORY", 20_000)):
            status, body, _ = self.daemon.run(code, timeoutMs=ms)
            self.assertEqual(status, 200, body)
            result = body["javascript"]
            self.assertEqual(result["exitCode"], exit_code, code)
            self.assertEqual(result["termination"]["cause"], "TERMINATION_CAUSE_" + cause)

    def test_the_pool_and_its_ends_are_in_the_metrics(self):
        with Daemon(SANDBOX_WASM_POOL="2") as daemon:
            daemon.run("for(;;);", timeoutMs=100)
            daemon.run("console.log(1)")
            for sample in (r'plimsoll_pool_size{pool="worker",state="ready"} [12]',
                           r'plimsoll_pool_size{pool="worker",state="kept"} 1',
                           r'plimsoll_pool_size{pool="worker",state="busy"} 0',
                           r'plimsoll_pool_restarts_total{pool="worker",reason="timed_out"} 1',
                           r'plimsoll_pool_restarts_total{pool="worker",reason="lost"} 0'):
                # What was lost is replaced a moment later.
                wait_for(sample, lambda line=rf"(?m)^{sample}$": re.search(line, daemon.metrics()), 30)

    def test_what_the_caller_sends_forges_no_audit_line(self):
        self.daemon.run("1", traceId='x"}\n{"event":"forged"}')
        [line] = wait_for("its line", lambda: [
            line for line in self.daemon.audit() if line["trace_id_rejected"]], 30)
        self.assertEqual(line["trace_id"], "")
        self.assertNotIn("forged", self.daemon.audit_path.read_text())
        for token in self.daemon.tokens.values():
            self.assertNotIn(token, self.daemon.audit_path.read_text())
            self.assertNotIn(token, self.daemon.log_path.read_text())

    def test_a_runs_time_counts_from_its_head(self):
        body = b'{"protocol":2,"traceId":"slow","javascript":{"code":"1"}}'
        raw = self.daemon.request("Run", body, [("Expect", "100-continue")], close=True)
        with self.daemon.connect() as peer:
            peer.sendall(raw.removesuffix(body))
            self.assertIn(b" 100 ", peer.recv(65536))  # it has seen the head
            time.sleep(0.3)
            peer.sendall(body)
            self.assertIn(b" 200 ", daemon_harness.wire.receive_all(peer))
        [line] = wait_for("its line", lambda: [
            line for line in self.daemon.audit() if line["trace_id"] == "slow"], 30)
        self.assertGreaterEqual(line["duration_us"], 300_000)

    def test_clients_that_leave_lose_no_slot(self):
        for _ in range(50):
            body = json.dumps({"protocol": 2, "javascript": {"code": "for(;;);"}}).encode()
            with socket.create_connection(("127.0.0.1", self.daemon.port)) as peer:
                peer.sendall((f"POST {SERVICE}Run HTTP/1.1\r\nHost: x\r\nContent-Type: "
                              f"application/json\r\nAuthorization: Bearer "
                              f"{self.daemon.tokens['ann']}\r\nContent-Length: {len(body)}\r\n\r\n"
                              ).encode() + body)
                time.sleep(0.005)
        deadline = time.monotonic() + 10
        while "plimsoll_runs_in_flight 0" not in self.daemon.metrics():
            self.assertLess(time.monotonic(), deadline, "a slot was lost")
            time.sleep(0.05)
        self.assertEqual(self.daemon.run("console.log(1)")[0], 200)
        wait_for("a line", lambda: "canceled" in [line["outcome"] for line in self.daemon.audit()], 30)

    def test_a_caller_with_many_runs_does_not_starve_another(self):
        # As long as it takes on this machine, not as long as a clock says: load slows all alike.
        body = b'{"protocol":2,"javascript":{"code":"for (let i = 0; i < 4e6; i++);"}}'
        crowd = [self.daemon.connect(60) for _ in range(100)]
        for peer in crowd:
            peer.sendall(self.daemon.request("Run", body, close=True))
        wait_for("the crowd waits", lambda: self.daemon.gauge("runs_waiting") > 60, 30)

        def ran():
            return [line["caller"] for line in self.daemon.audit() if line["outcome"] == "ok"]

        before = len(ran())
        status, body, _ = self.daemon.run("console.log(1)", caller="eve")
        self.assertEqual(status, 200, body)
        wait_for("it is audited", lambda: "eve" in ran(), 30)
        overtaken_by = ran().index("eve") - before
        for peer in crowd:
            daemon_harness.wire.receive_all(peer)
            peer.close()
        self.assertLess(overtaken_by, 50)


class Lifecycle(unittest.TestCase):
    def test_hardened_mode_lists_every_violation_at_once(self):
        environment = {"PATH": os.environ["PATH"], "SANDBOX_PROVIDER": "wasm",
                       "PLIMSOLL_TOKEN": "t" * 32, "PLIMSOLL_HARDENED": "1",
                       "PLIMSOLL_ADDR": f"127.0.0.1:{free_port()}"}
        done = subprocess.run([PLIMSOLLD], env=environment, capture_output=True, timeout=30,
                              check=False)
        text = done.stderr.decode()
        self.assertEqual(done.returncode, 1, text)
        for word in ("kernel", "PLIMSOLL_CLIENTS_FILE", "SANDBOX_MEMORY_MB",
                     "SANDBOX_TOTAL_MEMORY_MB"):
            self.assertIn(word, text)

    def test_every_mistake_of_the_configuration_is_named(self):
        environment = {"PATH": os.environ["PATH"], "SANDBOX_PROVIDER": "nonsense",
                       "SANDBOX_MAX_CONCURRENT": "-1", "PLIMSOLL_ADDR": "nowhere"}
        done = subprocess.run([PLIMSOLLD], env=environment, capture_output=True, timeout=30,
                              check=False)
        for name in ("SANDBOX_PROVIDER", "SANDBOX_MAX_CONCURRENT", "PLIMSOLL_ADDR"):
            self.assertIn(name, done.stderr.decode())

    def test_without_callers_a_real_provider_does_not_serve(self):
        environment = {"PATH": os.environ["PATH"], "SANDBOX_PROVIDER": "wasm"}
        done = subprocess.run([PLIMSOLLD], env=environment, capture_output=True, timeout=30,
                              check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("PLIMSOLL_CLIENTS_FILE", done.stderr.decode())

    def test_sigterm_drains_and_exits_zero(self):
        with Daemon() as daemon:
            answers = []
            runner = threading.Thread(target=lambda: answers.append(
                daemon.run("const t=Date.now();while(Date.now()-t<3000);console.log('done')")))
            runner.start()
            wait_for("it runs", lambda: daemon.gauge("runs_in_flight") == 1, 30)
            daemon.process.send_signal(signal.SIGTERM)
            self.assertEqual(daemon.process.wait(30), 0)
            runner.join()
            self.assertEqual(base64.b64decode(answers[0][1]["javascript"]["stdout"]), b"done\n")

    def test_a_killed_daemon_leaves_no_process(self):
        daemon_harness.adopt_orphans()
        others = left_behind()
        for _ in range(20):
            with Daemon() as daemon:
                def endless():
                    try:
                        daemon.run("for(;;);", timeoutMs=30000)
                    except (OSError, http.client.HTTPException, ValueError):
                        pass  # the daemon dies during the call
                runner = threading.Thread(target=endless)
                runner.start()
                wait_for("a worker runs", lambda: "plimsoll_runs_in_flight 1" in
                              daemon.metrics(), 60)
                self.assertTrue(any(name.startswith("plimsoll-w") for name in left_behind()))
                daemon.process.kill()
                daemon.process.wait()
                # Less than the run's 30 s: a worker that was left would end by itself then.
                wait_for("nothing is left", lambda: left_behind() == others, 20)
                runner.join()

    def test_help_names_every_variable(self):
        done = subprocess.run([PLIMSOLLD, "-h"], capture_output=True, check=True)
        for name in ("SANDBOX_PROVIDER", "PLIMSOLL_HARDENED", "PLIMSOLL_TLS_CERT"):
            self.assertTrue(re.search(rf"\b{name}\b", done.stdout.decode()), name)


if __name__ == "__main__":
    PLIMSOLLD, CLIENTS = sys.argv[1:3]
    daemon_harness.PLIMSOLLD, daemon_harness.CLIENTS = PLIMSOLLD, CLIENTS
    unittest.main(argv=sys.argv[:1], verbosity=2)
