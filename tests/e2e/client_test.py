"""The client library and `plimsoll run --remote` against a real daemon, over each way to speak to it.

Usage: client_test.py PLIMSOLLD PLIMSOLL_CLIENTS PLIMSOLL CLIENT_PROBE EXAMPLE
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import daemon_harness  # noqa: E402

PLIMSOLL, PROBE, EXAMPLE = "", "", ""
LONG = "for (;;);"


def openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)


def make_certificate(folder, name, host):
    """A certificate that vouches for itself, for 127.0.0.1 or another host."""
    cert, key = folder / f"{name}.pem", folder / f"{name}.key"
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "2", "-subj", f"/CN={name}", "-addext", f"subjectAltName={host}",
            "-keyout", key, "-out", cert)
    return cert, key


class Served(unittest.TestCase):
    """A daemon for the class, with the tokens of its callers in files."""

    settings = {}
    scheme = "http"

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.daemon = daemon_harness.Daemon(**cls.settings_of(cls.folder))
        cls.token = {}
        for caller, token in (cls.daemon.tokens | {"mallory": "0" * 64}).items():
            cls.token[caller] = cls.folder / caller
            cls.token[caller].touch(mode=0o600)
            cls.token[caller].write_text(token + "\n")
        cls.url = f"{cls.scheme}://127.0.0.1:{cls.daemon.port}"

    @classmethod
    def settings_of(cls, _folder):
        return cls.settings

    @classmethod
    def tearDownClass(cls):
        cls.daemon.__exit__()
        cls.scratch.cleanup()

    def probe(self, action, http="1", ca="-", url=None, caller="ann", **options):
        done = subprocess.run([PROBE, url or self.url, self.token[caller], ca, http, action],
                              capture_output=True, text=True, timeout=120, check=False, **options)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return done.stdout.split()

    def plimsoll(self, *arguments, caller="ann", env=None, **options):
        command = [PLIMSOLL, arguments[0], "--remote", self.url, "--token-file",
                   self.token[caller], *arguments[1:]]
        return subprocess.run(command, capture_output=True, timeout=120, check=False,
                              env={"PATH": os.environ["PATH"]} | (env or {}), **options)

    def wait_for_runs(self, count):
        deadline = time.monotonic() + 30
        while f"plimsoll_runs_in_flight {count}\n" not in self.daemon.metrics():
            self.assertLess(time.monotonic(), deadline, "the runs in flight never came to be so many")
            time.sleep(0.02)

    def wait_for_audited(self, digest):
        self.assertRegex(digest, "^[0-9a-f]{64}$")
        daemon_harness.wait_for("an audit line", lambda: digest in self.daemon.audit_path.read_text(), 30)


class Cleartext(Served):
    settings = {"SANDBOX_MAX_CONCURRENT": "1", "SANDBOX_PER_KEY_CONCURRENT": "1"}

    def test_every_byte_comes_back_over_each_http_version(self):
        for http in ("1", "2"):
            self.assertEqual(self.probe("bytes", http), ["exact", "process"], http)

    def test_threads_get_their_own_answers(self):
        for http in ("1", "2"):
            self.assertEqual(self.probe("parallel", http), ["all"], http)

    def test_localhost_is_this_host(self):
        url = f"http://localhost:{self.daemon.port}"
        self.assertEqual(self.probe("bytes", url=url), ["exact", "process"])

    def test_a_canceled_call_frees_its_slot(self):
        for http in ("1", "2"):
            command = [PROBE, self.url, self.token["ann"], "-", http, "cancel"]
            with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
                self.wait_for_runs(1)
                out, _ = process.communicate(b"x", timeout=60)
            self.assertEqual(out.split(), [b"canceled", b"may-have-run", b"promptly"], http)
            self.wait_for_runs(0)
            self.assertEqual(self.plimsoll("run", "-e", "console.log(1)").stdout, b"1\n")

    def test_a_killed_command_frees_its_slot(self):
        command = [PLIMSOLL, "run", "--remote", self.url, "--token-file", self.token["ann"],
                   "--timeout", "30s", "-e", LONG]
        for kill in (signal.SIGINT, signal.SIGKILL):
            with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
                self.wait_for_runs(1)
                process.send_signal(kill)
            self.wait_for_runs(0)

    def test_a_full_service_is_tried_again_and_ran_nothing(self):
        command = [PLIMSOLL, "run", "--remote", self.url, "--token-file", self.token["ann"],
                   "--timeout", "15s", "-e", LONG]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as first:
            self.wait_for_runs(1)
            refused = self.plimsoll("run", "--timeout", "50ms", "-e", "1")
            self.assertEqual(refused.returncode, 75, refused.stderr)
            self.assertIn(b"nothing ran", refused.stderr)
            self.assertEqual(self.probe("retry"), ["42"])
            self.assertEqual(first.wait(60), 124)

    def test_a_command_shows_what_a_local_one_shows(self):
        for arguments, code in (
                (["-e", "const a = Uint8Array.from({length: 256}, (_, i) => i);"
                        "process.stdout.write(a); process.stderr.write(a)"], 0),
                (["-e", "process.exit(3)"], 3),
                (["-e", "throw new Error('x')"], 1),
                (["--timeout", "100ms", "-e", LONG], 124),
                (["-e", "const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1));"], 137),
                (["--min-isolation", "vm", "-e", "1"], 77)):
            local = subprocess.run([PLIMSOLL, "run", *arguments], capture_output=True, check=False)
            remote = self.plimsoll("run", *arguments)
            self.assertEqual(remote.returncode, code, (arguments, remote.stderr))
            self.assertEqual((local.returncode, local.stdout), (code, remote.stdout), arguments)
            if code == 124:  # in brackets is who stopped it, which is a matter of time
                local.stderr, remote.stderr = (done.stderr.partition(b" (")[0] for done in (local, remote))
            if code != 77:
                self.assertEqual(local.stderr, remote.stderr, arguments)

    def test_a_source_from_standard_input_and_a_file(self):
        self.assertEqual(self.plimsoll("run", "-", input=b"console.log(6*7)").stdout, b"42\n")
        path = self.folder / "x.js"
        path.write_text("console.log('from a file')")
        self.assertEqual(self.plimsoll("run", path).stdout, b"from a file\n")

    def test_json_has_the_record_behind_what_a_local_run_has(self):
        local = subprocess.run([PLIMSOLL, "run", "--json", "-e", "console.log(1)"],
                               capture_output=True, check=True)
        remote = json.loads(self.plimsoll("run", "--json", "-e", "console.log(1)").stdout)
        self.assertEqual([*json.loads(local.stdout), "environment", "software_identity", "record",
                          "advice"], list(remote))
        digest = remote["record"]["record_sha256"]
        self.wait_for_audited(digest)

    def test_the_token_is_named_by_a_file_and_checked(self):
        unknown = self.plimsoll("run", "-e", "1", caller="mallory")
        self.assertEqual(unknown.returncode, 72, unknown.stderr)
        self.assertIn(b"nothing ran", unknown.stderr)
        self.assertNotIn(b"0" * 64, unknown.stderr)
        self.assertEqual(self.plimsoll("run", "-e", "1", caller="bob").returncode, 79)
        by_environment = subprocess.run(
            [PLIMSOLL, "run", "--remote", self.url, "-e", "console.log(1)"], capture_output=True,
            env={"PLIMSOLL_CLIENT_TOKEN_FILE": str(self.token["ann"])}, check=False)
        self.assertEqual(by_environment.stdout, b"1\n")
        none = subprocess.run([PLIMSOLL, "run", "--remote", self.url, "-e", "1"], env={},
                              capture_output=True, check=False)
        self.assertEqual(none.returncode, 2)
        self.assertIn(b"PLIMSOLL_CLIENT_TOKEN_FILE", none.stderr)

    def test_a_token_that_others_can_read_is_not_sent(self):
        open_to_all = self.folder / "open"
        open_to_all.write_text(self.daemon.tokens["ann"])
        open_to_all.chmod(0o644)
        done = subprocess.run([PLIMSOLL, "run", "--remote", self.url, "--token-file", open_to_all,
                               "-e", "1"], capture_output=True, check=False)
        self.assertEqual(done.returncode, 78)
        self.assertIn(b"chmod", done.stderr)

    def test_describe(self):
        text = self.plimsoll("describe")
        self.assertEqual(text.returncode, 0, text.stderr)
        self.assertIn(b"isolation    process\n", text.stdout)
        described = json.loads(self.plimsoll("describe", "--json", "--http", "2").stdout)
        self.assertEqual((described["sandbox"], described["isolation"], described["protocol"]),
                         ("wasm", "process", 2))
        self.assertEqual(described["javascript"]["max_timeout_ms"], 30000)

    def test_cleartext_to_another_host_is_refused_before_a_connection(self):
        done = subprocess.run([PLIMSOLL, "run", "--remote", "http://sandbox.example", "--token-file",
                               self.token["ann"], "-e", "1"], capture_output=True, check=False)
        self.assertEqual(done.returncode, 78)
        self.assertIn(b"https://", done.stderr)

    def test_the_example_of_the_documentation(self):
        done = subprocess.run([EXAMPLE, self.url, self.token["ann"]], capture_output=True,
                              text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, "42\n"), done.stderr)
        self.wait_for_audited(done.stderr.strip())

    def test_nobody_there(self):
        url = f"http://127.0.0.1:{daemon_harness.free_port()}"
        self.assertEqual(self.probe("unsent", url=url), ["unreachable", "environment"])


class Restarted(unittest.TestCase):
    def test_a_kept_connection_that_was_closed_is_replaced(self):
        for http in ("1", "2"):
            with daemon_harness.Daemon() as first:
                folder = pathlib.Path(first.folder.name)
                token = folder / "token"
                token.touch(mode=0o600)
                token.write_text(first.tokens["ann"])
                address = f"127.0.0.1:{first.port}"
                command = [PROBE, f"http://{address}", token, "-", http, "again"]
                with subprocess.Popen(command, stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE) as process:
                    self.assertEqual(process.stdout.readline(), b"answered\n")
                    first.process.kill()
                    first.process.wait()
                    with daemon_harness.Daemon(PLIMSOLL_ADDR=address, PLIMSOLL_CLIENTS_FILE=str(
                            folder / "clients.json")):
                        out, _ = process.communicate(b"x", timeout=60)
                self.assertEqual(out, b"answered\n", http)


class Tls(Served):
    scheme = "https"

    @classmethod
    def settings_of(cls, folder):
        cls.cert, key = make_certificate(folder, "right", "IP:127.0.0.1,DNS:localhost")
        cls.other, _ = make_certificate(folder, "other", "IP:127.0.0.1")
        key.chmod(0o600)
        return {"PLIMSOLL_TLS_CERT": str(cls.cert), "PLIMSOLL_TLS_KEY": str(key)}

    def test_every_byte_comes_back_over_each_http_version(self):
        for http in ("1", "2"):
            self.assertEqual(self.probe("bytes", http, self.cert), ["exact", "process"], http)
            self.assertEqual(self.probe("parallel", http, self.cert), ["all"], http)

    def test_without_trust_nothing_is_sent(self):
        before = len(self.daemon.audit())
        for authority in (self.other, "-"):
            self.assertEqual(self.probe("unsent", ca=authority), ["infrastructure", "environment"])
        self.assertEqual(len(self.daemon.audit()), before)

    def test_a_command_trusts_whom_it_is_told_to(self):
        done = self.plimsoll("run", "--ca-file", self.cert, "--http", "2", "-e", "console.log(1)")
        self.assertEqual((done.returncode, done.stdout), (0, b"1\n"), done.stderr)
        refused = self.plimsoll("run", "-e", "1")
        self.assertEqual(refused.returncode, 71)
        self.assertIn(b"nothing ran", refused.stderr)
        # The system's store is not added to what the environment names.
        refused = self.plimsoll("run", "-e", "1", env={"CURL_CA_BUNDLE": str(self.cert)})
        self.assertEqual(refused.returncode, 71)


class TlsOfAnotherHost(Served):
    scheme = "https"

    @classmethod
    def settings_of(cls, folder):
        cls.cert, key = make_certificate(folder, "elsewhere", "DNS:elsewhere.example")
        key.chmod(0o600)
        return {"PLIMSOLL_TLS_CERT": str(cls.cert), "PLIMSOLL_TLS_KEY": str(key)}

    def test_a_certificate_for_another_host_is_not_trusted(self):
        self.assertEqual(self.probe("unsent", ca=self.cert), ["infrastructure", "environment"])
        self.assertEqual(self.daemon.audit(), [])


if __name__ == "__main__":
    daemon_harness.PLIMSOLLD, daemon_harness.CLIENTS, PLIMSOLL, PROBE, EXAMPLE = sys.argv[1:6]
    unittest.main(argv=[sys.argv[0], *sys.argv[6:]])
