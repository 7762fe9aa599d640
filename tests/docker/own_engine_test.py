#!/usr/bin/env python3
"""An engine over TLS, one that is restarted, and a runtime that hangs: with an engine of this test's own.

Usage, by tools/with-docker: own_engine_test.py PLIMSOLLD PLIMSOLL_CLIENTS MINIMAL GRPC_PROTO_DIR"""

import base64
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import engine

sys.path.insert(0, str(engine.ROOT / "tests/e2e"))
import daemon_harness  # noqa: E402
from daemon_harness import Daemon, wait_for  # noqa: E402

MINIMAL = ""
INNER = "PLIMSOLL_OWN_ENGINE"
SNIPPET = f"plimsoll/snippet:{engine.TAG}"


def settings(**more):
    return {"SANDBOX_PROVIDER": "docker", "SANDBOX_DOCKER_HOST": os.environ["DOCKER_HOST"],
            "SANDBOX_DOCKER_IMAGE": SNIPPET, "SANDBOX_DOCKER_PROJECT_IMAGE": SNIPPET} | more


def answers():
    return engine.docker("version", check=False).returncode == 0


class OwnEngine(unittest.TestCase):
    again = None  # the engine, once it was restarted

    @classmethod
    def tearDownClass(cls):
        if cls.again:
            cls.again.terminate()
            cls.again.wait(90)

    # The last of the tests: the engine is busy with it for a while.
    def test_the_runtime_that_hangs_is_refused_in_time(self):
        started = time.monotonic()
        done = subprocess.run([MINIMAL], env=settings(SANDBOX_DOCKER_RUNTIME="other"),
                              capture_output=True, text=True, timeout=180, check=False)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("did not answer a POST: Timeout was reached", done.stderr)
        # A start and a removal have 20 s each, a removal is not begun after 5 s again.
        self.assertLess(time.monotonic() - started, 90)

    def test_an_engine_elsewhere_is_believed_and_said_to_be(self):
        certs = pathlib.Path(os.environ["PLIMSOLL_TEST_CERTS"])
        remote = {"SANDBOX_DOCKER_HOST": (certs / "host").read_text(), "SANDBOX_DOCKER_CERTS": str(certs)}
        with Daemon(**settings(**remote, SANDBOX_DOCKER_RUNTIME="runc")) as daemon:
            status, body, _ = daemon.run("console.log(6 * 7)", timeoutMs=60_000)
            self.assertEqual(status, 200, body)
            self.assertEqual(base64.b64decode(body["javascript"]["stdout"]), b"42\n")
            self.assertEqual(body["evidence"]["tier"], "container")
            self.assertEqual({fact["basis"] for fact in body["evidence"]["facts"]},
                             {"EVIDENCE_BASIS_CONFIGURED"})
            status, body, _ = daemon.run("const kept = []; for (let i = 0; i < 64; i++)"
                                         "kept.push(Buffer.alloc(8 << 20, 1));", timeoutMs=60_000)
            self.assertEqual(body["javascript"]["termination"]["cause"], "TERMINATION_CAUSE_OUT_OF_MEMORY")
            _, body, _ = daemon.run("for (;;);", timeoutMs=1_000)
            self.assertTrue(body["javascript"]["timedOut"])

    def test_a_restart_of_the_engine_is_survived(self):
        root = pathlib.Path(os.environ["PLIMSOLL_ENGINE_ROOT"])
        with Daemon(**settings(SANDBOX_DOCKER_RUNTIME="runc", SANDBOX_DOCKER_POOL="2")) as daemon:
            wait_for("the daemon serves", daemon.serves, 90)
            pid = int((root / "docker.pid").read_text())
            command = pathlib.Path(f"/proc/{pid}/cmdline").read_text().split("\0")[:-1]
            os.kill(pid, signal.SIGTERM)
            wait_for("the engine has gone", lambda: not (root / "docker.pid").exists(), 60)
            status, body, _ = daemon.run("console.log(1)")
            self.assertNotEqual(status, 200, body)
            self.assertIn(body["code"], ("unavailable", "failed_precondition", "internal"), body)
            with (root / "again.log").open("wb") as log:
                type(self).again = subprocess.Popen(command, stdout=log, stderr=log)
            wait_for("the engine is back", answers, 60)
            wait_for("the daemon serves again", daemon.serves, 60)
            for _ in range(5):
                self.assertTrue(daemon.serves())
            daemon.process.terminate()
            self.assertEqual(daemon.process.wait(90), 0)
            left = engine.docker("ps", "-aq", "--filter", f"label=plimsoll.pid={daemon.process.pid}")
            self.assertEqual(left.stdout, "")


def main():
    if os.environ.get(INNER):
        engine.main()
        return
    if not os.environ.get("PLIMSOLL_ENGINE_ROOT"):
        engine.main()  # says so, and ends
    with tempfile.TemporaryDirectory() as folder:
        runtime = pathlib.Path(folder, "hangs")
        runtime.write_text("#!/bin/sh\nexec sleep 40\n")
        runtime.chmod(0o755)
        # One certificate, which vouches for itself, is both sides' here.
        cert, _ = daemon_harness.wire.make_certificate(folder)
        shutil.copy(cert, pathlib.Path(folder, "ca.pem"))
        host = f"tcp://127.0.0.1:{daemon_harness.free_port()}"
        pathlib.Path(folder, "host").write_text(host)
        options = (f"-H {host} --tlsverify --tlscacert {folder}/ca.pem --tlscert {folder}/cert.pem "
                   f"--tlskey {folder}/key.pem")
        done = subprocess.run([engine.ROOT / "tools/with-docker", sys.executable, __file__,
                               *sys.argv[1:]], check=False,
                              env=os.environ | {INNER: "1", "PLIMSOLL_RUNTIME": str(runtime),
                                                "PLIMSOLL_TEST_CERTS": folder,
                                                "PLIMSOLL_ENGINE_OPTIONS": options})
    sys.exit(done.returncode)


if __name__ == "__main__":
    daemon_harness.PLIMSOLLD, daemon_harness.CLIENTS, MINIMAL = sys.argv[1:4]
    main()
