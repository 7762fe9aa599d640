#!/usr/bin/env python3
"""elf_test.py --build DIR: what is shipped is hardened, as readelf sees it; and the check fails a
program that was built without."""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BUILD = None
STATIC = {"plimsoll-worker", "plimsoll-vmm"}
# Functions that a fortified program never calls by their own name: all become __*_chk. Others, as
# memcpy, do only where the compiler knows the size; vsnprintf is passed by address in libstdc++.
ALWAYS_FORTIFIED = {
    f"{name}printf" for name in ("", "f", "s", "sn", "d", "v", "vf", "vs", "vd", "as", "vas")
}
# What every command of shipped code is compiled with; the worker's and the engine's too.
REQUIRED_FLAGS = (
    "-D_FORTIFY_SOURCE=3", "-D_GLIBCXX_ASSERTIONS", "-fstack-protector-strong",
    "-fstack-clash-protection", "-fcf-protection", "-O2",
)
FORBIDDEN_FLAGS = ("-DNDEBUG", "-fno-stack-protector", "-D_FORTIFY_SOURCE=0")


def readelf(path, *options):
    return subprocess.run(
        ["readelf", "--wide", *options, path], capture_output=True, text=True, check=True
    ).stdout


def is_elf(path):
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def shipped(build):
    return [
        path
        for folder in ("bin", "examples")
        for path in sorted((build / folder).glob("*"))
        if path.is_file() and is_elf(path)
    ]


def weaknesses(path, static=False, forbidden_text=()):
    """What is not as it should be with this program."""
    found = []

    def want(condition, message):
        if not condition:
            found.append(message)

    header, dynamic = readelf(path, "--file-header"), readelf(path, "--dynamic")
    segments = re.findall(r"^  (\w+) +0x\w+ 0x\w+ 0x\w+ 0x\w+ 0x\w+ ([R ][W ][E ])", readelf(path, "--segments"), re.M)
    names = {name for name, _ in segments}
    symbols = readelf(path, "--symbols")

    want(re.search(r"Type:\s+DYN", header), "is no position-independent executable")
    want(re.search(r"FLAGS_1.*\bPIE\b", dynamic), "lacks DF_1_PIE")
    want("GNU_RELRO" in names, "lacks RELRO")
    want(re.search(r"\(FLAGS\).*BIND_NOW|\(FLAGS_1\).*\bNOW\b", dynamic), "binds lazily")
    stack = [flags for name, flags in segments if name == "GNU_STACK"]
    want(stack and all("E" not in flags for flags in stack), "has an executable stack")
    want(segments and not any("W" in f and "E" in f for _, f in segments), "has a segment that is writable and executable")
    want("(TEXTREL)" not in dynamic, "relocates its text")
    want("(RPATH)" not in dynamic and "(RUNPATH)" not in dynamic, "has an RPATH or RUNPATH")
    want(("INTERP" not in names) == static, "is dynamic" if static else "is static")
    if static:
        # No dynamic symbols, and stripped or not there is no name to rely on: look at the code.
        code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", path], capture_output=True, text=True, check=True).stdout
        want(re.search(r"%fs:0x28", code), "has no stack protector")
    else:
        want("__stack_chk_fail" in symbols, "has no stack protector")
        imported = set(re.findall(r" UND (\w+)", symbols))
        plain = sorted(imported & ALWAYS_FORTIFIED)
        want(not plain, f"is not fortified: {', '.join(plain)}")
    data = path.read_bytes()
    for text in forbidden_text:
        want(text.encode() not in data, f"holds a path of the build machine: {text}")
    return found


class Elf(unittest.TestCase):
    def test_every_shipped_program_is_hardened(self):
        programs = shipped(BUILD)
        self.assertTrue(programs, f"no programs in {BUILD}")
        source = pathlib.Path(__file__).resolve().parents[2]
        for path in programs:
            with self.subTest(program=path.name):
                found = weaknesses(path, path.name in STATIC, (f"{source}/", f"{BUILD}/"))
                self.assertEqual(found, [])

    def test_the_command_loads_no_http_library(self):
        """Which a program needs that builds a grant; it would cost 3 ms at every start."""
        needed = readelf(BUILD / "bin" / "plimsoll", "--dynamic")
        self.assertIn("libstdc++", needed)
        self.assertNotIn("libcurl", needed)

    def test_every_shipped_source_is_compiled_with_the_hardening_flags(self):
        commands = [
            entry
            for entry in json.loads((BUILD / "compile_commands.json").read_text())
            if re.search(r"/(src|apps|examples)/.*(?<!_test)\.cc$", entry["file"])
        ]
        self.assertTrue(commands)
        for entry in commands:
            words = entry["command"].split()
            # A guest image has no C library whose functions could be fortified.
            freestanding = re.search(r"/(guest-image|attack-guest)\.dir/", entry["command"])
            required = [flag for flag in REQUIRED_FLAGS
                        if not (freestanding and flag == "-D_FORTIFY_SOURCE=3")]
            with self.subTest(file=entry["file"]):
                self.assertEqual([flag for flag in required if flag not in words], [])
                self.assertEqual([flag for flag in FORBIDDEN_FLAGS if flag in words], [])

    def test_a_program_without_hardening_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "x.c")
            source.write_text(
                '#include <stdio.h>\n__asm__(".section .rwx,\\"awx\\",@progbits\\n.byte 0\\n.text");\n'
                'int main(void) { char b[64]; return fgets(b, 64, stdin) ? printf("%s%d", b, 1) : 1; }\n'
            )
            weak = pathlib.Path(folder, "weak")
            subprocess.run(
                ["gcc", "-O2", "-g", "-no-pie", "-fno-pie", "-fno-stack-protector", "-U_FORTIFY_SOURCE", "-z", "norelro",
                 "-z", "lazy", "-z", "execstack", "-Wl,--no-warn-execstack", "-Wl,--no-warn-rwx-segments", "-Wl,-rpath,/nowhere", source, "-o", weak],
                check=True,
            )
            self.assertEqual(
                set(weaknesses(weak, forbidden_text=(folder,))),
                {
                    "is no position-independent executable", "lacks DF_1_PIE", "lacks RELRO", "binds lazily",
                    "has an executable stack", "has a segment that is writable and executable",
                    "has an RPATH or RUNPATH", "has no stack protector", "is not fortified: printf",
                    f"holds a path of the build machine: {folder}",
                },
            )
            static = pathlib.Path(folder, "static")
            subprocess.run(["gcc", "-O2", "-static", "-no-pie", "-fno-stack-protector", "-Wl,--no-warn-rwx-segments", source, "-o", static], check=True)
            self.assertIn("is no position-independent executable", weaknesses(static, static=True))
            self.assertIn("is static", weaknesses(static))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    arguments, rest = parser.parse_known_args()
    BUILD = arguments.build.resolve()
    unittest.main(argv=[sys.argv[0], *rest])
