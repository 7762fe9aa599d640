#!/usr/bin/env python3
"""deps/setup: does nothing when nothing is missing, and asks apt for exactly what is."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

FAKES = {
    # Everything is installed but ninja-build, until apt-get has run.
    "dpkg-query": """#!/bin/sh
for package; do case $package in -*|*'{'*) ;; ninja-build) [ ! -e "$LOG" ] || echo "$package installed";;
libfmt-dev) echo "$package config-files";; *) echo "$package installed";; esac; done
""",
    "apt-get": '#!/bin/sh\necho "apt-get $*" >>"$LOG"\nexit "${APT_STATUS:-0}"\n',
    "node": "#!/bin/sh\necho v${NODE_MAJOR:-20}.1.0\n",
    "npm": '#!/bin/sh\necho "npm $*" >>"$LOG"\nmkdir -p node_modules\nexit "${NPM_STATUS:-0}"\n',
    "id": "#!/bin/sh\necho 0\n",
}


class Setup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "deps" / "npm").mkdir(parents=True)
        shutil.copy(ROOT / "deps" / "setup", self.root / "deps")
        (self.root / "deps" / "packages.txt").write_text(
            "# Build\ng++  # the compiler\nninja-build # why\nlibfmt-dev # removed, not purged\n"
        )
        (self.root / "deps" / "npm" / "package-lock.json").write_text("{}\n")
        fakes = self.root / "fakes"
        fakes.mkdir()
        for name, text in FAKES.items():
            (fakes / name).write_text(text)
            (fakes / name).chmod(0o755)
        self.log = self.root / "log"
        self.environment = {**os.environ, "PATH": f"{fakes}:{os.environ['PATH']}", "LOG": str(self.log)}

    def setup(self, **more):
        self.log.unlink(missing_ok=True)
        result = subprocess.run(
            [self.root / "deps" / "setup"], env={**self.environment, **more}, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False,
        )
        calls = self.log.read_text().splitlines() if self.log.exists() else []
        return result, calls

    def test_installs_exactly_what_is_missing_and_says_so(self):
        result, calls = self.setup()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(
            calls,
            [
                "apt-get -q update",
                "apt-get -q install -y --no-install-recommends ninja-build libfmt-dev",
                "npm ci --ignore-scripts --no-audit --no-fund --loglevel=error",
            ],
        )
        self.assertIn("installing Debian packages: ninja-build libfmt-dev", result.stderr)

    def test_an_old_node_is_replaced_or_refused(self):
        result, calls = self.setup(NODE_MAJOR="16")
        self.assertTrue(any(call.endswith(" nodejs") for call in calls), calls)
        self.assertEqual(result.returncode, 1)
        self.assertIn("node is 16; 18 or newer is needed", result.stderr)

    def test_the_lock_is_installed_once(self):
        self.setup()
        self.assertFalse(any(call.startswith("npm") for call in self.setup()[1]))
        (self.root / "deps" / "npm" / "package-lock.json").write_text('{"a": 1}\n')
        self.assertTrue(any(call.startswith("npm") for call in self.setup()[1]))

    def test_a_step_that_fails_is_named(self):
        for failing, message in (("APT_STATUS", "apt-get update failed"), ("NPM_STATUS", "npm ci failed")):
            result, _ = self.setup(**{failing: "1"})
            self.assertEqual(result.returncode, 1)
            self.assertIn(message, result.stderr)

    def test_is_fast_here_where_nothing_is_missing(self):
        start = time.monotonic()
        result = subprocess.run([ROOT / "deps" / "setup"], capture_output=True, text=True, check=False)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertLess(time.monotonic() - start, 5)


unittest.main()
