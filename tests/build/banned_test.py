#!/usr/bin/env python3
"""banned_test.py --build DIR: nothing banned is in the tree or in this build, and each rule of
deps/banned.txt finds what is planted for it."""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHECK = ROOT / "cmake" / "check-banned"
BUILD = None

# One violation for each rule, in the order of the file.
PLANTS = {
    "source": [
        '#include "wasm-rt-impl.h"',
        "void f(char* a) { strcpy (a, b); }",
        "auto t = localtime(&now);",
        "int r = system(command);",
        "int r = rand();",
        "char* n = tmpnam(buffer);",
        "void* p = alloca(n);",
        "int n = atoi(text);",
        "auto pid = vfork();",
        "using namespace std;",
        "std::regex r;",
        "auto f = std::bind(g, 1);",
        "try { f(); } catch (...) {}",
        "#include <regex>",
    ],
    "link": [
        "  LINK_LIBRARIES = -lwasm-rt-impl",
        "  FLAGS = -O2 -fno-stack-protector",
        "  LINK_FLAGS = -Wl,-z,norelro",
        "  LINK_LIBRARIES = -lfoo -lc++abi",
    ],
    "package": ["vm2"],
}


def run(*arguments):
    return subprocess.run([CHECK, *arguments], capture_output=True, text=True, check=False)


class Banned(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        (self.root / "deps").mkdir()
        (self.root / "src").mkdir()
        shutil.copy(ROOT / "deps" / "banned.txt", self.root / "deps")

    def test_this_tree_and_this_build(self):
        result = run("--ninja", BUILD / "build.ninja")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_tree_in_order(self):
        (self.root / "src" / "x.cc").write_text(
            '// strcpy(a, b) of wasm-rt-impl.c\nauto s = "system(x)";\nint my_rand(int);\n'
            "void strlcpy_like(); int filesystem(int);\n"
        )
        result = run("--root", self.root)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_each_rule_finds_its_plant(self):
        rules = [
            line.split(None, 2)
            for line in (ROOT / "deps" / "banned.txt").read_text().splitlines()
            if line.strip() and not line.startswith("#")
        ]
        for scope, plants in PLANTS.items():
            reasons = [reason.strip() for kind, _, reason in rules if kind == scope]
            self.assertEqual(len(reasons), len(plants), f"plant one violation a rule: {scope}")
            for reason, plant in zip(reasons, plants):
                with self.subTest(plant=plant):
                    self.plant(scope, plant, reason)

    def plant(self, scope, plant, reason):
        arguments = ["--root", self.root]
        if scope == "source":
            (self.root / "src" / "x.cc").write_text("int a;\n" + plant + "\n")
        elif scope == "link":
            (self.root / "build.ninja").write_text(plant + "\n")
            arguments += ["--ninja", self.root / "build.ninja"]
        else:
            (self.root / "deps" / "packages.txt").write_text(plant + "  # why\n")
        result = run(*arguments)
        self.assertEqual(result.returncode, 1, "nothing found")
        self.assertIn(reason, result.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    arguments, rest = parser.parse_known_args()
    BUILD = arguments.build
    unittest.main(argv=[sys.argv[0], *rest])
