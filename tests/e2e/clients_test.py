"""Drives the real plimsoll-clients command.  Usage: clients_test.py PLIMSOLL_CLIENTS"""

import concurrent.futures
import fcntl
import hashlib
import json
import os
import pathlib
import re
import resource
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest

CLIENTS = ""
RESTART = "running daemons keep the old registry until they are restarted"


def clients(*args, stdin=b"", **more):
    more.setdefault("stdout", subprocess.PIPE)
    return subprocess.run([CLIENTS, *map(str, args)], input=stdin, stderr=subprocess.PIPE, env={},
                          timeout=60, check=False, **more)


class WithFile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "clients.json"

    def callers(self):
        return {c["id"]: c for c in json.loads(self.file.read_text())["clients"]}

    def create(self, name, *more, **options):
        done = clients("create", "-file", self.file, "-id", name, *more, "-token-stdout", **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode()

    def refused(self, done, code, *words):
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertFalse(done.stdout)
        text = done.stderr.decode()
        self.assertTrue(text.startswith("plimsoll-clients: "), text)
        self.assertEqual(text.count("\n"), 1, text)
        for word in words:
            self.assertIn(word, text)

    def nothing_is_left(self):
        self.assertEqual([p.name for p in self.folder.iterdir() if p.name.startswith(".")], [])


class Clients(WithFile):
    def test_create_prints_the_token_alone_and_keeps_its_fingerprint(self):
        token = self.create("ann")
        self.assertRegex(token, r"\A[0-9a-f]{64}\n\Z")
        fingerprint = hashlib.sha256(token.strip().encode()).hexdigest()
        self.assertEqual(json.loads(self.file.read_text()), {"clients": [
            {"id": "ann", "token_sha256": fingerprint, "scopes": ["code:run"]}]})
        self.assertNotIn(token.strip(), self.file.read_text())
        self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o600)
        self.nothing_is_left()
        self.assertNotEqual(self.create("bob"), token)

    def test_a_wide_or_narrow_umask_does_not_matter(self):
        for umask in (0o000, 0o777):
            self.file.unlink(missing_ok=True)
            self.create("ann", preexec_fn=lambda mask=umask: os.umask(mask))
            self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o600)

    def test_scopes(self):
        self.create("ann", "-scope", "code:run", "--scope=other")
        self.assertEqual(self.callers()["ann"]["scopes"], ["code:run", "other"])
        for scope in ("*", "", "a b", 'a"b', "é"):
            self.refused(clients("create", "-file", self.file, "-id", "x", "-scope", scope,
                                 "-token-stdout"), 1, "scope")
        self.refused(clients("create", "-file", self.file, "-id", "x", "-scope", "a", "-scope", "a",
                             "-token-stdout"), 1, "twice")

    def test_import_reads_standard_input(self):
        done = clients("import", "-file", self.file, "-id", "ann", stdin=b"pass-phrase\n")
        self.assertEqual((done.returncode, done.stdout), (0, b""))
        self.assertEqual(self.callers()["ann"]["token_sha256"],
                         hashlib.sha256(b"pass-phrase").hexdigest())
        self.refused(clients("import", "-file", self.file, "-id", "bob", "-token-stdin",
                             stdin=b"pass-phrase"), 1, '"ann" has this token')
        for stdin in (b"", b"\n", b"a b\n", b"a\nb\n", b"x" * 4097):
            self.refused(clients("import", "-file", self.file, "-id", "x", stdin=stdin), 1,
                         "standard input holds no token")

    def test_list(self):
        self.create("ann")
        self.create("b\x1b[2J\nforged")
        before = self.file.read_bytes()
        done = clients("list", "-file", self.file)
        self.assertEqual(done.stdout.decode(), 'ann\tcode:run\n"b\\u001b[2J\\nforged"\tcode:run\n')
        done = clients("list", "-file", self.file, "-json")
        self.assertEqual(json.loads(done.stdout), {"clients": [
            {"id": "ann", "scopes": ["code:run"]},
            {"id": "b\x1b[2J\nforged", "scopes": ["code:run"]}]})
        self.assertEqual((done.stdout.count(b"\n"), done.stderr), (1, b""))
        self.assertEqual(self.file.read_bytes(), before)

    def test_rotate(self):
        old = self.create("ann")
        self.create("bob")
        bob = self.callers()["bob"]
        done = clients("rotate", "-file", self.file, "-id", "ann", "-token-stdout")
        self.assertEqual(done.returncode, 0)
        new = done.stdout.decode()
        self.assertNotEqual(new, old)
        self.assertEqual(self.callers()["ann"]["token_sha256"],
                         hashlib.sha256(new.strip().encode()).hexdigest())
        self.assertEqual(self.callers()["bob"], bob)
        done = clients("rotate", "-file", self.file, "-id", "ann", "-token-stdin", stdin=b"mine")
        self.assertEqual((done.returncode, done.stdout), (0, b""))
        self.assertEqual(self.callers()["ann"]["token_sha256"], hashlib.sha256(b"mine").hexdigest())

    def test_revoke(self):
        self.create("ann")
        self.create("bob")
        self.assertEqual(clients("revoke", "-file", self.file, "-id", "ann").returncode, 0)
        self.assertEqual(list(self.callers()), ["bob"])
        self.assertEqual(clients("revoke", "-file", self.file, "-id", "bob").returncode, 0)
        self.assertEqual(self.callers(), {})
        self.create("cid")

    def test_every_change_says_that_daemons_keep_the_old_registry(self):
        for args, stdin in ((["create", "-id", "a", "-token-stdout"], b""),
                            (["import", "-id", "b"], b"x"),
                            (["rotate", "-id", "a", "-token-stdout"], b""),
                            (["revoke", "-id", "a"], b"")):
            done = clients(args[0], "-file", self.file, *args[1:], stdin=stdin)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(RESTART, done.stderr.decode())

    def test_refusals_change_nothing(self):
        self.create("ann")
        before = self.file.read_bytes()
        for args, word in ((["create", "-id", "ann", "-token-stdout"], 'a caller "ann" already'),
                           (["rotate", "-id", "bob", "-token-stdout"], 'no caller "bob"'),
                           (["revoke", "-id", "bob"], 'no caller "bob"'),
                           (["create", "-id", "x" * 257, "-token-stdout"], "256 bytes"),
                           (["create", "-id", b"\xff", "-token-stdout"], "UTF-8")):
            done = subprocess.run([CLIENTS, args[0], "-file", str(self.file), *args[1:]], env={},
                                  capture_output=True, timeout=60, check=False)
            self.refused(done, 1, word)
        self.assertEqual(self.file.read_bytes(), before)
        self.nothing_is_left()

    def test_usage(self):
        for args, word in ((["create", "-id", "a", "-token-stdout"], "-file"),
                           (["create", "-file", "f", "-id", "a"], "-token-stdout"),
                           (["rotate", "-file", "f", "-id", "a"], "one of"),
                           (["list", "-file", "f", "--jsn"], "unknown flag"),
                           (["import", "-file", "f", "-id", "a", "tok"], "never an argument"),
                           (["crate"], "unknown command"), ([], "a command is needed")):
            self.refused(clients(*args), 2, word, "--help")
        done = clients("--help")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        for command in ("create", "import", "list", "rotate", "revoke"):
            self.assertRegex(done.stdout.decode(), rf"(?m)^  {command} ")

    def test_a_missing_file(self):
        for args in (["list"], ["revoke", "-id", "a"], ["rotate", "-id", "a", "-token-stdout"]):
            self.refused(clients(args[0], "-file", self.file, *args[1:]), 1, "no such file"
                         if args[0] != "list" else "No such file")
        self.refused(clients("create", "-file", self.folder / "no" / "c", "-id", "a",
                             "-token-stdout"), 1, "folder cannot be opened")
        self.assertEqual(list(self.folder.iterdir()), [])


class HostileFiles(WithFile):
    def both_refuse(self, *words):
        self.refused(clients("create", "-file", self.file, "-id", "x", "-token-stdout"), 1, *words)
        self.refused(clients("revoke", "-file", self.file, "-id", "ann"), 1, *words)

    def test_links_are_refused_and_not_followed(self):
        self.create("ann")
        real = self.folder / "real"
        self.file.rename(real)
        before = real.read_bytes()
        self.file.symlink_to("real")
        self.both_refuse("symbolic link")
        self.refused(clients("list", "-file", self.file), 1, "symbolic link")
        self.file.unlink()
        self.file.symlink_to("dangling")
        self.both_refuse("symbolic link")
        self.file.unlink()
        self.file.hardlink_to(real)
        self.both_refuse("hard links")
        self.assertEqual(real.read_bytes(), before)

    def test_what_is_no_regular_file_is_refused(self):
        os.mkfifo(self.file)
        self.both_refuse("no regular file")
        self.file.unlink()
        self.file.mkdir()
        self.both_refuse("no regular file")

    def test_what_others_may_write_is_refused(self):
        self.create("ann")
        self.file.chmod(0o620)
        self.both_refuse("chmod go-w")

    def test_what_is_no_registry_is_refused_and_kept(self):
        for content in (b"", b"{", b'{"clients": [], "more": 1}', b"x" * (5 << 20)):
            self.file.write_bytes(content)
            self.file.chmod(0o600)
            self.both_refuse()
            self.assertEqual(self.file.read_bytes(), content)

    def test_a_link_in_place_of_the_temporary_file_is_not_followed(self):
        victim = self.folder / "victim"
        victim.write_text("precious")
        (self.folder / ".clients.json.new").symlink_to("victim")
        self.create("ann")
        self.assertEqual(victim.read_text(), "precious")
        self.nothing_is_left()

    def test_mode_and_owner_are_kept(self):
        self.create("ann")
        for mode in (0o400, 0o640, 0o444):
            self.file.chmod(mode)
            owner = (self.file.stat().st_uid, self.file.stat().st_gid)
            self.create(f"x{mode}")
            after = self.file.stat()
            self.assertEqual((stat.S_IMODE(after.st_mode), after.st_uid, after.st_gid),
                             (mode, *owner))
        if os.geteuid() == 0:
            os.chown(self.file, 12345, 12346)
            self.create("owned")
            self.assertEqual((self.file.stat().st_uid, self.file.stat().st_gid), (12345, 12346))


class Failures(WithFile):
    def kept(self, done, before, *words):
        self.assertEqual(done.returncode, 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr.decode())
        self.assertEqual(self.file.read_bytes(), before)
        self.nothing_is_left()

    def test_a_token_that_cannot_be_printed_changes_nothing(self):
        self.create("ann")
        before = self.file.read_bytes()
        with open("/dev/full", "wb") as full:
            for args in (["create", "-id", "bob"], ["rotate", "-id", "ann"]):
                done = clients(args[0], "-file", self.file, *args[1:], "-token-stdout", stdout=full)
                self.kept(done, before, "standard output cannot be written")
        done = subprocess.run(["/bin/sh", "-c", '"$0" rotate -file "$1" -id ann -token-stdout >&-',
                               CLIENTS, self.file], stderr=subprocess.PIPE, check=False)
        self.kept(done, before, "standard output")

    def test_a_limit_on_the_size_of_files_changes_nothing(self):
        self.create("ann")
        before = self.file.read_bytes()
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50, 50))
        done = clients("create", "-file", self.file, "-id", "bob", "-token-stdout",
                       preexec_fn=limit)
        self.kept(done, before, "cannot be written")


class Concurrency(WithFile):
    def test_twenty_creates_lose_nothing(self):
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            tokens = list(pool.map(lambda i: self.create(f"c{i}"), range(20)))
        callers = self.callers()
        self.assertEqual(set(callers), {f"c{i}" for i in range(20)})
        for i, token in enumerate(tokens):
            self.assertEqual(callers[f"c{i}"]["token_sha256"],
                             hashlib.sha256(token.strip().encode()).hexdigest())
        self.nothing_is_left()

    def test_a_reader_always_sees_a_whole_file(self):
        self.create("c0")
        stop, seen = threading.Event(), []

        def read():
            while not stop.is_set():
                seen.append(len(json.loads(self.file.read_text())["clients"]))

        reader = threading.Thread(target=read)
        reader.start()
        for i in range(1, 15):
            self.create(f"c{i}")
        stop.set()
        reader.join()
        self.assertEqual(seen, sorted(seen))

    def test_it_waits_for_the_lock(self):
        self.create("ann")
        folder = os.open(self.folder, os.O_RDONLY)
        fcntl.flock(folder, fcntl.LOCK_EX)
        with subprocess.Popen([CLIENTS, "revoke", "-file", str(self.file), "-id", "ann"], env={},
                              stderr=subprocess.PIPE) as process:
            time.sleep(0.5)
            self.assertIsNone(process.poll())
            self.assertEqual(list(self.callers()), ["ann"])
            os.close(folder)
            self.assertEqual(process.wait(timeout=20), 0)
            self.assertTrue(re.search(b"revoked", process.stderr.read()))
        self.assertEqual(self.callers(), {})


if __name__ == "__main__":
    CLIENTS = os.path.abspath(sys.argv.pop(1))
    unittest.main()
