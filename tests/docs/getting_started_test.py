"""Every block of docs/getting-started.md, run in its order by one shell, prints what the page says;
the README's commands of the service do as well. Two things differ from a reader's machine: make is
one that has built already, and the ports are free ones.

Usage: getting_started_test.py BIN"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests" / "e2e"))
from daemon_harness import free_port  # noqa: E402

PAGE = (SOURCE / "docs" / "getting-started.md").read_text()
BIN = pathlib.Path()
MARK = "::block"


def blocks():
    """(commands, what they print or None) of each block of commands."""
    fences = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    found = []
    for kind, text in fences:
        if kind == "sh":
            found.append([text, None])
        else:
            found[-1][1] = text
    return found


def pattern(text):
    return "".join(".*" if part == "…" else re.escape(part) for part in re.split("(…)", text))


def run_blocks(folder, commands, path=os.environ["PATH"]):
    """The outputs and exit codes of the blocks, in one shell."""
    clone, home = folder / "clone", folder / "home"
    home.mkdir()
    (clone / "build").mkdir(parents=True)
    (clone / "build" / "release").symlink_to(BIN.parent)
    (clone / "Makefile").write_text("run:\n\t@build/release/examples/minimal\n")
    address = f"127.0.0.1:{free_port()}"
    script = "".join(f"{text.replace('127.0.0.1:8746', address)}\necho '{MARK}' $?\n"
                     for text in commands)
    environment = {"PATH": path, "HOME": str(home), "PLIMSOLL_ADDR": address,
                   "PLIMSOLL_METRICS_ADDR": "off"}
    shell = subprocess.Popen(["sh", "-c", script], cwd=clone, env=environment, text=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, start_new_session=True)
    try:
        output, errors = shell.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        output, errors = "", "the shell did not end"
    finally:
        try:
            os.killpg(shell.pid, signal.SIGKILL)  # the daemon, when a block did not stop it
        except ProcessLookupError:
            pass
        shell.wait()
    parts = re.split(rf"^{MARK} (\d+)\n", output, flags=re.MULTILINE)
    return list(zip(parts[0::2], map(int, parts[1::2]))), errors


class GettingStarted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.blocks = blocks()
        with tempfile.TemporaryDirectory() as folder:
            cls.results, cls.errors = run_blocks(pathlib.Path(folder),
                                                 [text for text, _ in cls.blocks])

    def check(self, chosen):
        self.assertEqual(len(self.results), len(self.blocks), self.errors)
        checked = 0
        for (text, expected), (output, code) in zip(self.blocks, self.results):
            if not chosen(text):
                continue
            with self.subTest(block=text):
                self.assertEqual(code, 0, output + self.errors)
                if expected is not None:
                    self.assertRegex(output, rf"\A{pattern(expected)}\Z")
            checked += 1
        return checked

    def test_the_blocks_do_what_the_page_says(self):
        self.assertGreaterEqual(self.check(lambda text: "--remote" not in text), 8)

    def test_the_remote_commands_do_what_the_page_says(self):
        self.assertEqual(self.check(lambda text: "--remote" in text), 3)
        output = next(result[0] for block, result in zip(self.blocks, self.results)
                      if block[0].startswith("plimsoll describe"))
        for word in ("wasm", "process"):
            self.assertIn(word, output)

    def test_make_run_runs_the_example(self):
        makefile = (SOURCE / "Makefile").read_text()
        self.assertRegex(makefile, r"(?m)^run: build .*\n\t@build/release/examples/minimal$")

    def test_the_port_is_the_daemons_default(self):
        help_text = subprocess.run([BIN / "plimsolld", "-h"], capture_output=True, text=True,
                                   check=True).stdout
        self.assertIn("PLIMSOLL_ADDR = 127.0.0.1:8746\n", help_text)


class Readme(unittest.TestCase):
    def test_the_commands_of_the_service_run(self):
        section = (SOURCE / "README.md").read_text().split("## As a service", 1)[1]
        block = re.search(r"```sh\n(.*?)```", section, re.DOTALL)[1]
        with tempfile.TemporaryDirectory() as folder:
            results, errors = run_blocks(pathlib.Path(folder), [block],
                                         f"{BIN}:{os.environ['PATH']}")
        self.assertEqual(len(results), 1, errors)
        output, code = results[0]
        self.assertEqual(code, 0, errors)
        self.assertRegex(output, r'\A\{"sandbox":"wasm".*"stdout":"NDIK".*\}42\n\Z', errors)


if __name__ == "__main__":
    BIN = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
