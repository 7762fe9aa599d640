#!/usr/bin/env python3
"""images/install-gvisor.sh without a network: what it would do, what it registers, what it refuses."""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "images/install-gvisor.sh"


class InstallTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="plimsoll-gvisor-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.programs = self.folder / "programs"
        self.programs.mkdir()
        self.config = self.folder / "daemon.json"

    def program(self, name, text):
        path = self.programs / name
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)

    def run_script(self, *arguments):
        environment = dict(os.environ, PATH=f"{self.programs}:/usr/bin:/bin")
        return subprocess.run(["sh", SCRIPT, "--prefix", self.folder, "--config", self.config, *arguments],
                              capture_output=True, text=True, timeout=60, env=environment)

    def test_it_says_what_it_would_do_for_each_architecture(self):
        hashes = set()
        for machine in ("x86_64", "aarch64"):
            self.program("uname", f"echo {machine}\n")
            answer = self.run_script("--print")
            self.assertEqual(answer.returncode, 0, answer.stderr)
            self.assertRegex(answer.stdout, rf"https://storage\.googleapis\.com/gvisor/releases/release/"
                                            rf"\d{{8}}/{machine}/runsc")
            hashes |= set(re.findall(r"\b[0-9a-f]{64}\b", answer.stdout))
        self.assertEqual(len(hashes), 2)
        self.assertEqual(list(self.folder.glob("runsc")), [])

    def test_another_architecture_is_refused(self):
        self.program("uname", "echo riscv64\n")
        self.assertEqual(self.run_script("--print").returncode, 1)

    def test_what_is_not_pinned_is_not_installed(self):
        self.program("curl", 'while [ "$1" != --output ]; do shift; done; echo evil >"$2"\n')
        answer = self.run_script()
        self.assertEqual(answer.returncode, 1)
        self.assertIn("not what was pinned", answer.stderr)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["programs"])

    def test_what_is_pinned_is_installed_and_registered(self):
        runsc = ("#!/bin/sh\n[ \"$1\" = flags ] && echo systrap\n"
                 f"[ \"$1\" = install ] && echo \"$@\" >{self.folder}/registered\nexit 0\n")
        self.program("curl", f"while [ \"$1\" != --output ]; do shift; done; cat >\"$2\" <<'EOF'\n{runsc}EOF\n")
        pinned = hashlib.sha256(runsc.encode()).hexdigest()
        script = re.sub(r"(?m)^(sha256_\w+)=[0-9a-f]{64}$", rf"\1={pinned}", SCRIPT.read_text())
        copy = self.folder / "install.sh"
        copy.write_text(script)
        answer = subprocess.run(["sh", copy, "--prefix", self.folder, "--config", self.config],
                                capture_output=True, text=True, timeout=60,
                                env=dict(os.environ, PATH=f"{self.programs}:/usr/bin:/bin"))
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertEqual((self.folder / "runsc").read_text(), runsc)
        self.assertEqual((self.folder / "registered").read_text(),
                         f"install --config_file={self.config} --runtime=runsc -- "
                         "--platform=systrap --network=none\n")

    def test_a_runsc_that_is_there_is_registered_beside_what_was(self):
        self.config.write_text(json.dumps({"data-root": "/somewhere"}))
        answer = self.run_script("--runsc", "/usr/bin/runsc")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        config = json.loads(self.config.read_text())
        self.assertEqual(config["data-root"], "/somewhere")
        self.assertEqual(config["runtimes"]["runsc"]["path"], "/usr/bin/runsc")
        self.assertIn("--network=none", config["runtimes"]["runsc"]["runtimeArgs"])


if __name__ == "__main__":
    unittest.main()
