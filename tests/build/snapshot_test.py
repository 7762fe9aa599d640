#!/usr/bin/env python3
"""The snapshot is a function of its inputs: made again, twice, it has the same bytes as the one that was
built, and they are those that the worker carries.  Usage: snapshot_test.py --build BUILD_DIR"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path()


class Snapshot(unittest.TestCase):
    def make(self, folder, name):
        out = pathlib.Path(folder) / name
        # Another environment and folder: neither may leave a trace.
        subprocess.run([BUILD / "tools/snapshot-builder", BUILD / "gen/prelude.js", out],
                       check=True, cwd=folder, env={"NAME": name}, stdout=subprocess.DEVNULL)
        return out.read_bytes()

    def test_is_the_same_each_time(self):
        built = (BUILD / "gen/snapshot.bin").read_bytes()
        self.assertTrue(built.startswith(b"PLMSNAP1"))
        with tempfile.TemporaryDirectory() as folder:
            for name in ("first", "second"):
                self.assertEqual(self.make(folder, name), built)

    def test_another_prelude_is_another_snapshot(self):
        with tempfile.TemporaryDirectory() as folder:
            prelude = pathlib.Path(folder) / "prelude.js"
            # The completion value, the hooks, stays what it is.
            prelude.write_bytes(b"globalThis.planted = 1;" +
                                (BUILD / "gen/prelude.js").read_bytes())
            out = pathlib.Path(folder) / "out"
            subprocess.run([BUILD / "tools/snapshot-builder", prelude, out], check=True,
                           stdout=subprocess.DEVNULL)
            self.assertNotEqual(out.read_bytes(), (BUILD / "gen/snapshot.bin").read_bytes())

    def test_a_prelude_that_fails_stops_the_build(self):
        with tempfile.TemporaryDirectory() as folder:
            prelude = pathlib.Path(folder) / "prelude.js"
            out = pathlib.Path(folder) / "out"
            for source, message in (("const = 1", "does not compile"), ("throw 1", "failed"),
                                    ("({})", "lacks a hook"), ("", "hook")):
                prelude.write_text(source)
                done = subprocess.run([BUILD / "tools/snapshot-builder", prelude, out],
                                      check=False, capture_output=True, text=True)
                self.assertEqual(done.returncode, 1, source)
                self.assertIn(message, done.stderr)
                self.assertFalse(out.exists(), source)

    def test_the_worker_and_the_monitor_carry_it(self):
        for program in ("plimsoll-worker", "plimsoll-vmm"):
            carrier = (BUILD / "bin" / program).read_bytes()
            self.assertEqual(carrier.count((BUILD / "gen/snapshot.bin").read_bytes()), 1, program)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    arguments, rest = parser.parse_known_args()
    BUILD = arguments.build.resolve()
    unittest.main(argv=[sys.argv[0], *rest])
