"""Kills plimsoll-clients at each system call, and makes each fail: the registry is the old one or the
new one, whole, and the next command works.  Usage: clients_crash_test.py PLIMSOLL_CLIENTS"""

import errno
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import syscall_stepper as stepper

CLIENTS = ""
FSYNC, RENAMEAT, OPENAT, FUTEX = 74, 264, 257, 202  # x86-64


class Crash(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "clients.json"
        subprocess.run([CLIENTS, "import", "-file", self.file, "-id", "ann"], input=b"old", env={},
                       stderr=subprocess.DEVNULL, check=True)
        self.old = self.file.read_bytes()
        self.argv = [CLIENTS, "rotate", "-file", str(self.file), "-id", "ann", "-token-stdout"]
        # The calls from the opening of the folder on; those before load libraries.
        with open(os.devnull, "wb") as null:
            calls = stepper.count(self.argv, null.fileno())
        self.assertNotEqual(self.file.read_bytes(), self.old)
        self.path = self.numbers(calls)
        # The C library takes a futex that fails for the end of the world, and aborts.
        self.may_fail = [i for i in self.path[:-1] if calls[i] != FUTEX]

    def numbers(self, calls):
        self.assertEqual(calls.count(FSYNC), 2)
        self.rename = calls.index(RENAMEAT)
        # The folder is the second-last of those opened: it, the registry, the new file.
        opened = [i for i, call in enumerate(calls) if call == OPENAT]
        return range(opened[-3], len(calls))

    def attempt(self, act):
        """The file's state afterwards: "old" or "new"; and what act() returned."""
        self.file.unlink()
        self.file.write_bytes(self.old)
        self.file.chmod(0o600)
        with tempfile.TemporaryFile() as out:
            result = act(out.fileno())
            out.seek(0)
            printed = out.read().decode().strip()
        content = self.file.read_bytes()
        self.assertEqual(self.file.stat().st_mode & 0o7777, 0o600)
        if content == self.old:
            return "old", result
        [caller] = json.loads(content)["clients"]
        self.assertEqual(caller["token_sha256"], hashlib.sha256(printed.encode()).hexdigest())
        self.assertEqual((caller["id"], caller["scopes"]), ("ann", ["code:run"]))
        return "new", result

    def next_command_works(self):
        done = subprocess.run(self.argv, capture_output=True, env={}, timeout=20, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        fingerprint = hashlib.sha256(done.stdout.strip()).hexdigest()
        self.assertIn(fingerprint, self.file.read_text())
        self.assertEqual([path.name for path in self.folder.iterdir()], ["clients.json"])

    def test_killed_at_each_system_call(self):
        self.assertGreater(len(self.path), 12)
        seen = []
        for number in self.path:
            for after in (False, True):
                if number == self.path[-1] and after:
                    continue  # exit_group does not return
                with self.subTest(number=number, after=after):
                    state, _ = self.attempt(
                        lambda out: stepper.kill_at(self.argv, out, number, after))
                    expected = number > self.rename or (number == self.rename and after)
                    self.assertEqual(state, "new" if expected else "old")
                    seen.append(state)
                    self.next_command_works()
        self.assertEqual(set(seen), {"old", "new"})

    def test_each_system_call_fails(self):
        for number in self.may_fail:
            for error in (errno.EIO, errno.ENOSPC):
                with self.subTest(number=number, error=errno.errorcode[error]):
                    state, code = self.attempt(
                        lambda out: stepper.fail_at(self.argv, out, number, error))
                    if number <= self.rename:
                        # Some calls may fail: a clock, the note on standard error.
                        self.assertEqual(state, "new" if code == 0 else "old")
                    else:
                        self.assertEqual(state, "new")
                    self.assertIn(code, (0, 1))
                    self.next_command_works()


if __name__ == "__main__":
    CLIENTS = os.path.abspath(sys.argv.pop(1))
    unittest.main()
