"""The README's snippet is the example that is compiled, and what it shows is what happens.

Usage: readme_test.py EXAMPLES_DIR [SOURCE_DIR]
"""

import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import unittest

EXAMPLES_DIR = pathlib.Path()
SOURCE_DIR = pathlib.Path(__file__).resolve().parents[2]


def run(name, **env):
    return subprocess.run([EXAMPLES_DIR / name], capture_output=True, timeout=60, check=False,
                          env={"PATH": os.environ["PATH"]} | env)


class Readme(unittest.TestCase):
    def test_the_snippet_is_the_compiled_example(self):
        readme = (SOURCE_DIR / "README.md").read_text()
        snippets = re.findall(r"```cpp\n(.*?)```", readme, re.DOTALL)
        self.assertEqual(snippets, [(SOURCE_DIR / "examples/embed/main.cc").read_text()])

    def test_the_snippet_of_the_client_is_the_compiled_example(self):
        page = (SOURCE_DIR / "docs/client.md").read_text()
        snippets = re.findall(r"```cpp\n(.*?)```", page, re.DOTALL)
        self.assertEqual(snippets, [(SOURCE_DIR / "examples/client/main.cc").read_text()])

    def test_embed(self):
        done = run("embed")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"42\n", b""))


class Minimal(unittest.TestCase):
    def test_it_prints_the_result_and_the_evidence(self):
        done = run("minimal")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertRegex(
            done.stdout.decode(),
            r"\Aprovider:  wasm\nisolation: process\nexit code: 0\ntimed out: false\n"
            r"truncated: false\nduration:  \d+ µs\nstdout:\n"
            r"\{ Engineering: 250000, Research: 115000 \}\nevidence:\n"
            r"(  .+ = .* \((stated|configured|measured)\)\n)+\Z")

    def test_it_takes_the_provider_from_the_environment(self):
        self.assertEqual(run("minimal", SANDBOX_PROVIDER="wasm").returncode, 0)
        done = run("minimal", SANDBOX_PROVIDER="dcoker")
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"dcoker", done.stderr)

    def test_it_is_short(self):
        lines = (SOURCE_DIR / "examples/minimal/main.cc").read_text().count("\n")
        self.assertLessEqual(lines, 60)


class Grant(unittest.TestCase):
    def test_the_credential_stays_with_the_broker_and_only_listed_routes_are_called(self):
        done = run("grant")
        text = done.stdout.decode()
        self.assertEqual((done.returncode, done.stderr), (0, b""), text)
        self.assertEqual(re.findall(r"the guest saw (.*)", text), ["shipped", "403", "403", "200"])
        self.assertEqual(re.findall(r"the API got (\w+ \S+)", text),
                         ["GET /v1/orders/7", "DELETE /v1/orders/7"])
        self.assertEqual(re.findall(r"trace: (\d+) denied", text), ["0", "1", "1", "0"])
        self.assertEqual(re.findall(r"that stands (\d+) times", text), ["0", "0"])

    def test_it_is_short(self):
        lines = (SOURCE_DIR / "examples/grant/main.cc").read_text().count("\n")
        self.assertLessEqual(lines, 150)


class Advisor(unittest.TestCase):
    def test_the_advice_is_right_by_the_apis_own_counts(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "out.html"
            done = subprocess.run([EXAMPLES_DIR / "advisor", "--report", page], timeout=60,
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            report = page.read_text()
        self.assertEqual(re.findall(r"(as \w+ ?\w*): the answer is (\d+)", done.stdout),
                         [("as a loop", "650"), ("as advised", "650")])
        self.assertEqual(re.findall(r"counted (\d+) requests?, the advisor found (\d)", done.stdout),
                         [("13", "1"), ("1", "0")])
        self.assertRegex(done.stdout, r"fan_out \(medium\), 11 extra calls: GET /v1/items/\*")
        self.assertIn("instead: GET /v1/items\n", done.stdout)
        self.assertIn("In 2 runs with a grant, 1 finding cost 11 calls", report)
        self.assertIn("GET /v1/items</code>", report)

    def test_it_is_short(self):
        lines = (SOURCE_DIR / "examples/advisor/main.cc").read_text().count("\n")
        self.assertLessEqual(lines, 200)


class DaemonExample(unittest.TestCase):
    def example(self, daemon):
        return subprocess.run([EXAMPLES_DIR / "daemon", daemon,
                               EXAMPLES_DIR.parent / "bin" / "plimsoll-clients"], timeout=120,
                              capture_output=True, text=True, check=False)

    def test_it_is_answered_and_refused_as_it_should_be(self):
        done = self.example(EXAMPLES_DIR.parent / "bin" / "plimsolld")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"\Aran behind process: 42\n"
                         r"refused: unauthenticated \(permission\): .*\n"
                         r"refused: isolation \(isolation\): .*\n\Z")

    def test_without_a_daemon_it_fails(self):
        with socket.socket() as closed, tempfile.TemporaryDirectory() as folder:
            closed.bind(("127.0.0.1", 0))  # and does not listen
            pretender = pathlib.Path(folder) / "daemon"
            pretender.write_text(f"#!/bin/sh\necho '\"port\":{closed.getsockname()[1]}' >&2\n")
            pretender.chmod(0o755)
            done = self.example(pretender)
            self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
            self.assertIn("daemon: ", done.stderr)

    def test_it_is_short(self):
        lines = (SOURCE_DIR / "examples/daemon/main.cc").read_text().count("\n")
        self.assertLessEqual(lines, 150)


if __name__ == "__main__":
    EXAMPLES_DIR = pathlib.Path(sys.argv.pop(1)).resolve()
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        SOURCE_DIR = pathlib.Path(sys.argv.pop(1))
    unittest.main()
