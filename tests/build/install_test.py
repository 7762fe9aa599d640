#!/usr/bin/env python3
"""install_test.py --build DIR: installs into an empty prefix, builds an outside project against that with
find_package(plimsoll), and runs it without the prefix: the library holds all that it needs."""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

CONSUMER = pathlib.Path(__file__).resolve().parent / "consumer"
BUILD = None


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise AssertionError(f"{command} exited {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


class Install(unittest.TestCase):
    def test_an_outside_project_links_the_package_and_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            prefix, outside, build = (pathlib.Path(folder, name) for name in ("prefix", "outside", "build"))
            run("cmake", "--install", BUILD, "--prefix", prefix)
            self.check_installed(prefix)
            shutil.copytree(CONSUMER, outside)
            run("cmake", "-S", outside, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                f"-DCMAKE_PREFIX_PATH={prefix}")
            run("cmake", "--build", build)
            moved = prefix.rename(pathlib.Path(folder, "gone"))
            self.assertEqual(run(build / "consumer"), "42\nprocess\n")
            self.assertEqual(run(build / "caller"), "unreachable\n")
            needed = run("readelf", "-d", build / "consumer")
            for library in ("libcurl", "libprotobuf"):
                self.assertNotIn(library, needed, "who runs code here needs none of the client's")
            self.assertEqual(run(moved / "bin" / "plimsoll", "run", "-e", "console.log(6*7)"), "42\n")

    def check_installed(self, prefix):
        installed = {os.path.relpath(path, prefix) for path in prefix.rglob("*") if path.is_file()}
        for name in ("bin/plimsoll", "bin/plimsoll-remote", "include/plimsoll/sandbox.h",
                     "include/plimsoll/client.h", "libexec/plimsoll/plimsoll-worker",
                     "libexec/plimsoll/plimsoll-vmm"):
            self.assertIn(name, installed)
        libraries = [name for name in installed if name.endswith((".a", ".so"))]
        self.assertEqual(sorted(os.path.basename(name) for name in libraries),
                         ["libplimsoll.a", "libplimsoll_client.a"])
        for name in installed:
            if name.endswith(".cmake"):
                text = (prefix / name).read_text()
                self.assertNotIn(str(CONSUMER.parents[2]), text, f"{name} names the source tree")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    arguments, rest = parser.parse_known_args()
    BUILD = arguments.build.resolve()
    unittest.main(argv=[sys.argv[0], *rest])
