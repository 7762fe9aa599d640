"""Drives the real plimsoll command.  Usage: cli_test.py PLIMSOLL [SOURCE_DIR]"""

import base64
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PLIMSOLL = ""
SOURCE_DIR = pathlib.Path(__file__).resolve().parents[2]
TIERS = ("none", "process", "container", "kernel", "vm")
# The microvm provider needs KVM; e2e.microvm says so when there is none.
USABLE = ["process"] + ["vm"] * os.access("/dev/kvm", os.R_OK | os.W_OK)
# tests/docker has one.
NO_ENGINE = {"SANDBOX_DOCKER_HOST": "unix:///no/engine"}


def plimsoll(*args, stdin=b"", env=None, **more):
    environment = {"PATH": os.environ["PATH"]} | (env or {})
    return subprocess.run([PLIMSOLL, *args], input=stdin, capture_output=True, env=environment,
                          timeout=60, check=False, **more)


class Run(unittest.TestCase):
    def expect(self, done, code=0, stdout=b"", stderr=b""):
        self.assertEqual((done.returncode, done.stdout, done.stderr), (code, stdout, stderr))

    def refused(self, done, code, *words):
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, b"")
        text = done.stderr.decode()
        self.assertTrue(text.startswith("plimsoll: "), text)
        for word in words:
            self.assertIn(word, text)

    def test_prints_42(self):
        self.expect(plimsoll("run", "-e", "console.log(6*7)"), stdout=b"42\n")

    def test_both_streams(self):
        self.expect(plimsoll("run", "-e", "console.log(1); console.error(2)"), 0, b"1\n", b"2\n")

    def test_every_byte_passes(self):
        code = ("const a = Uint8Array.from({length: 256}, (_, i) => i);"
                "process.stdout.write(a); process.stderr.write(a.slice().reverse())")
        everything = bytes(range(256))
        self.expect(plimsoll("run", "-e", code), 0, everything, everything[::-1])

    def test_exit_code_is_the_guests(self):
        for code in (0, 1, 9, 77, 255):
            self.expect(plimsoll("run", "-e", f"process.exit({code})"), code)

    def test_uncaught_error(self):
        done = plimsoll("run", "-e", "throw new Error('boom')")
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn(b"Error: boom", done.stderr)

    def test_source_from_stdin(self):
        self.expect(plimsoll("run", "-", stdin=b"console.log('in')"), stdout=b"in\n")

    def test_source_from_a_file(self):
        with tempfile.NamedTemporaryFile(suffix=".js") as file:
            file.write(b"console.log('file')")
            file.flush()
            self.expect(plimsoll("run", file.name), stdout=b"file\n")

    def test_a_large_source_runs_to_its_end(self):
        source = b"/*" + b"." * 300_000 + b"*/\nprocess.exit(9)"
        self.expect(plimsoll("run", "-", stdin=source), 9)

    def test_the_largest_source(self):
        source = b"console.log(1)//"
        self.expect(plimsoll("run", "-", stdin=source.ljust(1 << 20, b".")), stdout=b"1\n")
        self.refused(plimsoll("run", "-", stdin=source.ljust((1 << 20) + 1, b".")), 65,
                     "standard input", "1048576")
        with tempfile.NamedTemporaryFile() as file:
            file.write(source.ljust((1 << 20) + 1, b"."))
            file.flush()
            self.refused(plimsoll("run", file.name), 65, file.name, "nothing ran")

    def test_an_endless_source_is_not_read_to_its_end(self):
        self.refused(plimsoll("run", "/dev/zero"), 65, "/dev/zero")

    def test_an_unreadable_source(self):
        self.refused(plimsoll("run", "/nonexistent.js"), 66, "/nonexistent.js", "No such file")
        self.refused(plimsoll("run", "/"), 66, "directory")

    def test_a_weaker_boundary_is_refused_and_nothing_runs(self):
        for tier in ("container", "kernel", "vm"):
            done = plimsoll("run", "--min-isolation", tier, "-e", "console.log('ran')")
            self.refused(done, 77, tier, "process", "nothing ran")
        for tier in ("none", "process"):
            self.expect(plimsoll("run", "--min-isolation", tier, "-e", "console.log(1)"),
                        stdout=b"1\n")

    def test_refusals(self):
        self.refused(plimsoll("run", "-e", ""), 65, "invalid_request", "empty", "nothing ran")
        self.refused(plimsoll("run", "--timeout", "31s", "-e", "1"), 65, "30000")
        self.refused(plimsoll("run", "--memory-mb", "15", "--max-output", "0", "-e", "1"), 78,
                     "wasm.memory_mb is 15", "wasm.output_cap_bytes is 0")
        self.refused(plimsoll("run", "-e", "1", env={"SANDBOX_PROVIDER": "dcoker"}), 78,
                     "SANDBOX_PROVIDER", "dcoker", "wasm")

    def test_usage_errors(self):
        for args, word in (
                (["run"], "one source"),
                (["run", "-e"], "-e needs a value"),
                (["run", "-e", "1", "x.js"], "one source"),
                (["run", "--nope", "-e", "1"], "unknown flag --nope"),
                (["run", "--timeout", "10", "-e", "1"], "500ms, 10s, 1m"),
                (["run", "--timeout", "1h", "-e", "1"], "500ms, 10s, 1m"),
                (["run", "--min-isolation", "unknown", "-e", "1"], ", ".join(TIERS)),
                (["run", "--provider", "e2b", "-e", "1"], "wasm, docker and microvm are accepted"),
                (["run", "--memory-mb", "64M", "-e", "1"], "digits"),
                (["run", "--json=yes", "-e", "1"], "takes no value"),
                (["run", "-e", "1", "-e", "2"], "given twice"),
                (["doctor", "now"], "no operands"),
                (["rnu"], "unknown command 'rnu'"),
                ([], "a command is needed")):
            with self.subTest(args=args):
                self.refused(plimsoll(*args), 2, word)

    def test_long_flags_with_one_dash(self):
        self.expect(plimsoll("run", "-timeout=5s", "-min-isolation", "process", "-e", "-1"))
        self.refused(plimsoll("run", "-min-isolation=vm", "-e", "1"), 77)

    def test_the_provider_is_the_flag_then_the_environment(self):
        self.expect(plimsoll("run", "-e", ";", env={"SANDBOX_PROVIDER": "wasm"}))
        self.expect(plimsoll("run", "--provider", "wasm", "-e", ";",
                             env={"SANDBOX_PROVIDER": "dcoker"}))

    def test_timeout(self):
        start = time.monotonic()
        done = plimsoll("run", "--timeout", "2s", "-e", "console.log('before'); for (;;);")
        self.assertLess(time.monotonic() - start, 9)  # it is not the 10 s of a run that asks for none
        self.assertEqual((done.returncode, done.stdout), (124, b"before\n"))
        self.assertIn(b"timed_out", done.stderr)

    def test_truncation_is_told_after_the_guests_bytes(self):
        done = plimsoll("run", "--max-output", "5", "-e",
                        "process.stdout.write('1234567'); process.stderr.write('abc')")
        self.expect(done, 0, b"12345", b"abcplimsoll: stdout was cut at 5 bytes\n")

    def test_by_default_output_is_large(self):
        done = plimsoll("run", "-e", "process.stdout.write('x'.repeat(3e6))")
        self.expect(done, 0, b"x" * 3_000_000)

    def test_json(self):
        done = plimsoll("run", "--json", "-e",
                        "console.log('é'); process.stderr.write(new Uint8Array([255, 0]));"
                        "process.exit(3)")
        self.assertEqual((done.returncode, done.stderr), (3, b""))
        self.assertEqual(done.stdout.count(b"\n"), 1)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["provider"], "wasm")
        self.assertEqual(answer["isolation"], "process")
        self.assertEqual(answer["exit_code"], 3)
        self.assertIs(answer["timed_out"], False)
        self.assertEqual(answer["termination"]["cause"], "exited")
        self.assertGreater(answer["duration_us"], 0)
        self.assertEqual(answer["stdout"], {"base64": base64.b64encode("é\n".encode()).decode(),
                                            "utf8": "é\n", "truncated": False})
        self.assertEqual(answer["stderr"], {"base64": "/wA=", "truncated": False})
        self.assertEqual(answer["evidence"]["tier"], "process")
        self.assertTrue(answer["evidence"]["facts"])
        for fact in answer["evidence"]["facts"]:
            self.assertEqual(set(fact), {"name", "value", "basis", "observed_unix_ms"})
            self.assertIn(fact["basis"], ("stated", "configured", "measured"))

    def test_json_of_a_refusal(self):
        done = plimsoll("run", "--json", "--min-isolation", "vm", "-e", "console.log('ran')")
        self.assertEqual(done.returncode, 77)
        error = json.loads(done.stdout)["error"]
        self.assertEqual((error["code"], error["not_dispatched"]), ("isolation", "isolation"))

    def test_a_reader_that_leaves(self):
        with subprocess.Popen([PLIMSOLL, "run", "-e", "process.stdout.write('x'.repeat(1e6))"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            self.assertEqual(process.stdout.read(10), b"x" * 10)
            process.stdout.close()
            self.assertEqual(process.stderr.read(), b"")
            self.assertEqual(process.wait(timeout=20), 141)

    def test_a_reader_that_is_slow(self):
        read_end, write_end = os.pipe()
        os.set_blocking(write_end, False)
        with subprocess.Popen([PLIMSOLL, "run", "-e", "process.stdout.write('x'.repeat(5e5))"],
                              stdout=write_end) as process:
            os.close(write_end)
            time.sleep(0.3)
            with os.fdopen(read_end, "rb") as pipe:
                self.assertEqual(pipe.read(), b"x" * 500_000)
            self.assertEqual(process.wait(timeout=20), 0)

    def test_an_output_that_cannot_be_written(self):
        if os.path.exists("/dev/full"):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([PLIMSOLL, "run", "-e", "console.log(1)"], stdout=full,
                                      stderr=subprocess.PIPE, timeout=20, check=False)
            self.assertEqual(done.returncode, 74)
            self.assertIn(b"could not be written", done.stderr)

    def test_closed_standard_streams(self):
        for closed in ((0,), (1,), (2,), (0, 1, 2)):
            with self.subTest(closed=closed):
                done = subprocess.run(
                    ["/bin/sh", "-c", 'exec "$0" run -e "console.log(1)" '
                     + " ".join(f"{fd}>&-" for fd in closed), PLIMSOLL],
                    capture_output=True, timeout=20, check=False)
                self.assertEqual(done.returncode, 74 if 1 in closed else 0, done.stderr)

    def test_it_needs_few_descriptors_and_no_home(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
        with tempfile.TemporaryDirectory() as empty:
            done = subprocess.run([PLIMSOLL, "run", "-e", "console.log(1)"], env={}, cwd=empty,
                                  capture_output=True, timeout=20, check=False, preexec_fn=limit)
        self.expect(done, stdout=b"1\n")

    def test_an_interrupt_ends_it_and_its_workers(self):
        with subprocess.Popen([PLIMSOLL, "run", "--timeout", "30s", "-e", "for (;;);"]) as process:
            deadline = time.monotonic() + 30
            below = set()
            while not any(ticks(pid) > 3 for pid in below):
                self.assertLess(time.monotonic(), deadline, "no worker began")
                time.sleep(0.01)
                below = descendants(process.pid)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(timeout=30), -signal.SIGINT)
        # Less than the run's 30 s: a worker that was left would end by itself then.
        deadline = time.monotonic() + 20
        while any(alive(pid) for pid in below) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertFalse([pid for pid in below if alive(pid)])

    def test_grants_check_says_what_is_permitted(self):
        page = (SOURCE_DIR / "docs" / "capability-grants.md").read_text()
        profiles = re.search(r"```json\n(.*?)```", page, re.DOTALL)[1]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "grants.json"
            path.write_text(profiles)
            path.chmod(0o644)
            done = plimsoll("grants", "check", str(path))
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            for word in ("orders", "ann", "/v1/orders/*", "ORDERS_TOKEN", "limit=..."):
                self.assertIn(word, done.stdout.decode())
            wrong = profiles.replace("https://", "http://").replace('"GET /v1/orders/*"', '"GET /*a"')
            path.write_text(wrong)
            done = plimsoll("grants", "check", str(path))
            self.refused(done, 78, "profile 'orders': base_url is http", "allow[0] has a '*'")
            self.assertEqual(len(done.stderr.splitlines()), 2)
        self.refused(plimsoll("grants", "check", "/none/such"), 78, "cannot be read")
        self.refused(plimsoll("grants"), 2, "check FILE")
        self.refused(plimsoll("grants", "show", "x"), 2, "check FILE")
        self.assertIn("Usage", plimsoll("grants", "--help").stdout.decode())


class Others(unittest.TestCase):
    def test_help(self):
        for args, word in ((["--help"], "doctor"), (["run", "--help"], "--min-isolation"),
                           (["doctor", "--help"], "--json"),
                           (["run", "-help"], "SANDBOX_PROVIDER")):
            done = plimsoll(*args)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertIn(word, done.stdout.decode())

    def test_version_is_the_builds(self):
        cmake = (SOURCE_DIR / "CMakeLists.txt").read_text()
        version = re.search(r"project\(plimsoll VERSION ([0-9.]+)", cmake)[1]
        self.assertEqual(plimsoll("--version").stdout.decode(), f"plimsoll {version}\n")

    def test_doctor(self):
        done = plimsoll("doctor", env=NO_ENGINE)
        self.assertEqual((done.returncode, done.stderr), (0, b""), done.stdout)
        text = done.stdout.decode()
        self.assertIn("process: usable", text)
        self.assertTrue(text.endswith(f"This build can use here: {', '.join(USABLE)}.\n"), text)

    def test_doctor_json(self):
        done = plimsoll("doctor", "--json", env=NO_ENGINE)
        self.assertEqual(done.returncode, 0)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["usable"], USABLE)
        self.assertEqual([tier["tier"] for tier in answer["tiers"]], list(TIERS[1:]))
        self.assertEqual(answer["tiers"][0]["evidence"]["tier"], "process")
        for tier in answer["tiers"]:
            for check in tier["checks"]:
                self.assertIn(check["finding"], ("ok", "missing", "weaker", "skipped"))
                if check["finding"] == "missing":
                    self.assertTrue(check["detail"] and check["remedy"], check)


def alive(pid):
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def ticks(pid):
    """Of the CPU that it used itself; 0 when it is gone."""
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return 0
    return int(stat.rpartition(")")[2].split()[11])


def descendants(ancestor):
    parents = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            pass
    below, size = {ancestor}, 0
    while size != len(below):
        size = len(below)
        below |= {pid for pid, parent in parents.items() if parent in below}
    return below - {ancestor}


if __name__ == "__main__":
    PLIMSOLL = os.path.abspath(sys.argv.pop(1))
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        SOURCE_DIR = pathlib.Path(sys.argv.pop(1))
    unittest.main()
