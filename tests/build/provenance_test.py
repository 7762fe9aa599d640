#!/usr/bin/env python3
"""The engine is the one that was reviewed: quickjs-wasi 3.7.0 of npm. The pins below are written here
a second time on purpose: an edit of the build's own pin alone must fail."""

import hashlib
import json
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NPM = ROOT / "deps" / "npm"
VERSION = "3.7.0"
WASM_SHA256 = "c0bd8f296e18cf074969f6401b9ecb72609a1323818ec2b9bf7a8f8d740d1363"
WASM_BYTES = 638_148
PACKAGE_INTEGRITY = "sha512-6nOShBtCglrQL6yH+hptIfEdA1WlSmvY/Mm5Ypn9IvtsaDsrYIg8x+xoIXQt02w66a0f1eLTAj1lhfgAbJ4WVw=="


class Provenance(unittest.TestCase):
    def test_the_installed_engine_is_the_pinned_one(self):
        data = (NPM / "node_modules" / "quickjs-wasi" / "quickjs.wasm").read_bytes()
        self.assertEqual(len(data), WASM_BYTES)
        self.assertEqual(hashlib.sha256(data).hexdigest(), WASM_SHA256)

    def test_the_build_verifies_the_same_pin(self):
        text = (ROOT / "cmake" / "TranslatedEngine.cmake").read_text()
        self.assertEqual(re.findall(r"\b[0-9a-f]{64}\b", text), [WASM_SHA256])

    def test_the_lock_pins_the_package(self):
        locked = json.loads((NPM / "package-lock.json").read_text())["packages"]
        self.assertEqual(locked["node_modules/quickjs-wasi"]["version"], VERSION)
        self.assertEqual(locked["node_modules/quickjs-wasi"]["integrity"], PACKAGE_INTEGRITY)

    def test_every_locked_package_has_an_integrity(self):
        locked = json.loads((NPM / "package-lock.json").read_text())["packages"]
        for name, entry in locked.items():
            if name:
                self.assertRegex(entry.get("integrity", ""), r"^sha512-", name)

    def test_every_direct_dependency_is_an_exact_version(self):
        manifest = json.loads((NPM / "package.json").read_text())
        for group in ("dependencies", "devDependencies", "optionalDependencies"):
            for name, version in manifest.get(group, {}).items():
                self.assertRegex(version, r"^\d+\.\d+\.\d+$", name)


unittest.main()
