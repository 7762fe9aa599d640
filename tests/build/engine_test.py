#!/usr/bin/env python3
"""cmake/translate-engine, with a wasm2c that writes next to nothing: a wrong file stops the build, the
object is compiled once, and whatever it depends on makes another."""

import hashlib
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "cmake" / "translate-engine"
# wasm2c IN -n NAME -o OUT.c; --version tells $WASM2C_VERSION.
WASM2C = """#!/bin/sh
if [ "$1" = --version ]; then echo "${WASM2C_VERSION:-1.0.32}"; exit; fi
echo translated >>"$LOG"
echo '#include "wasm-rt.h"' >"${5%.c}.h"
echo 'int Z_qjs(void) { return 1; }' >"$5"
"""


class Engine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "fakes").mkdir()
        (self.root / "fakes" / "wasm2c").write_text(WASM2C)
        (self.root / "fakes" / "wasm2c").chmod(0o755)
        self.postprocess = self.root / "postprocess"
        self.postprocess.write_text("")
        self.wasm = self.root / "quickjs.wasm"
        self.wasm.write_bytes(b"\0asm")
        self.out, self.cache, self.log = (self.root / name for name in ("out", "cache", "log"))
        self.environment = {
            **os.environ,
            "PATH": f"{self.root / 'fakes'}:{os.environ['PATH']}",
            "PLIMSOLL_CACHE_DIR": str(self.cache),
            "LOG": str(self.log),
        }

    def command(self, pin=None, flags=("-O0",), profile=None):
        pin = pin or hashlib.sha256(self.wasm.read_bytes()).hexdigest()
        named = ["--wasm", self.wasm, "--out", self.out, "--postprocess", self.postprocess]
        named += ["--profile", profile] if profile else []
        return [TOOL, *named, "--sha256", pin, "--cc", "gcc", "--", *flags]

    def translate(self, *arguments, **environment):
        return subprocess.run(
            self.command(*arguments), env={**self.environment, **environment},
            capture_output=True, text=True, check=False,
        )

    def translations(self):
        return self.log.read_text().count("translated") if self.log.exists() else 0

    def test_another_file_stops_the_build_and_leaves_nothing(self):
        pin = hashlib.sha256(b"\0asm").hexdigest()
        self.wasm.write_bytes(b"\0asn")
        result = self.translate(pin)
        self.assertEqual(result.returncode, 1)
        self.assertIn("is not the pinned engine", result.stderr)
        self.assertIn(pin, result.stderr)
        self.assertFalse(self.out.exists() or self.cache.exists())

    def test_the_object_is_compiled_once(self):
        for _ in range(3):
            self.assertEqual(self.translate().returncode, 0)
        self.assertEqual(self.translations(), 1)
        self.assertEqual(sorted(path.name for path in self.out.iterdir()), ["qjs.h", "qjs.o"])

    def test_whatever_it_depends_on_makes_another(self):
        self.translate()
        self.translate(None, ("-O1",))
        self.translate(WASM2C_VERSION="1.0.33")
        self.wasm.write_bytes(b"\0asm2")
        self.translate()
        self.postprocess.write_text("# another\n")
        self.translate()
        self.assertEqual(self.translations(), 5)
        self.assertEqual(len(list(self.cache.iterdir())), 5)

    def test_another_profile_makes_another(self):
        profile = self.root / "engine.profdata"
        for content in (b"hot", b"hot", b"cold"):
            profile.write_bytes(content)
            self.assertEqual(self.translate(None, ("-O0",), profile).returncode, 0)
        self.assertEqual(self.translations(), 2)

    def test_a_compiler_that_fails_leaves_no_entry(self):
        result = self.translate(None, ("-no-such-flag",))
        self.assertEqual(result.returncode, 1)
        self.assertIn("gcc", result.stderr)
        self.assertEqual(list(self.cache.iterdir()), [])

    def test_two_builds_at_once(self):
        both = [
            subprocess.Popen(self.command(), env=self.environment, stdout=subprocess.DEVNULL)
            for _ in range(2)
        ]
        self.assertEqual([process.wait() for process in both], [0, 0])
        self.assertEqual(len(list(self.cache.iterdir())), 1)


unittest.main()
