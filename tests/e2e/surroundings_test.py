"""The jail in poorer surroundings: as an ordinary user, without capabilities, in a container's profile, in
a starved process. It works, and says what it has, or it says clearly why it does not; it never hangs.
Usage: surroundings_test.py PLIMSOLL LAUNCHER WORKER"""

import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PLIMSOLL = LAUNCHER = WORKER = ""
NAMESPACES = ("user", "mnt", "net", "pid", "ipc", "uts", "cgroup")
NOBODY = 65534
NOT_READY = 70
IS_ROOT = os.geteuid() == 0
AS_USER = ["setpriv", "--reuid", "12345", "--regid", "12345", "--clear-groups"]
WITHOUT_CAPABILITIES = ["setpriv", "--bounding-set", "-all", "--inh-caps", "-all"]
LIMIT_S = 25


def run(wrapper, *args, code="console.log(6*7)", **more):
    return subprocess.run([*wrapper, PLIMSOLL, "run", *args, "-e", code], capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=60, check=False, **more)


class Surroundings(unittest.TestCase):
    def works(self, wrapper, **more):
        """Runs a snippet there; the facts of its evidence."""
        done = run(wrapper, "--json", **more)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["stdout"]["utf8"], "42\n")
        self.assertEqual(answer["evidence"]["tier"], "process")
        facts = {fact["name"]: fact["value"] for fact in answer["evidence"]["facts"]}
        self.assertEqual(facts["worker.seccomp"], "filter")
        self.assertEqual(facts["worker.no_new_privs"], "1")
        self.assertEqual(int(facts["worker.cap_eff"], 16), 0)
        self.holds(wrapper, **more)
        return facts

    def holds(self, wrapper, **more):
        """The limits hold there as well."""
        start = time.monotonic()
        done = run(wrapper, "--timeout", "300ms", code="for (;;);", **more)
        self.assertEqual(done.returncode, 124, done.stderr)
        self.assertLess(time.monotonic() - start, 9)  # it is not the 10 s of a run that asks for none
        done = run(wrapper, "--memory-mb", "32", **more,
                   code="const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))")
        self.assertEqual(done.returncode, 137, done.stderr)

    def fails(self, wrapper, *words, args=(), **more):
        start = time.monotonic()
        done = run(wrapper, *args, **more)
        self.assertLess(time.monotonic() - start, LIMIT_S)
        self.assertEqual((done.returncode, done.stdout), (NOT_READY, b""), done.stderr)
        text = done.stderr.decode()
        self.assertTrue(text.startswith("plimsoll: not_ready: "), text)
        for word in words:
            self.assertIn(word, text)

    def have_no_namespaces(self, facts):
        for kind in NAMESPACES:
            self.assertTrue(facts[f"worker.ns.{kind}"].startswith("the host's "), facts)


@unittest.skipUnless(IS_ROOT, "these start as root")
class AsRoot(Surroundings):
    def test_with_everything(self):
        facts = self.works([])
        self.assertEqual(facts["worker.uid"], str(NOBODY))

    def test_without_capabilities(self):
        facts = self.works(WITHOUT_CAPABILITIES)
        self.assertIn(facts["worker.root"], ("empty", "not empty"))

    def test_in_a_containers_profile(self):
        facts = self.works([LAUNCHER, "--deny-namespaces"])
        self.have_no_namespaces(facts)
        self.assertEqual(facts["worker.uid"], str(NOBODY))
        self.assertEqual(facts["worker.root"], "empty")  # by chroot

    def test_in_a_containers_profile_without_capabilities(self):
        facts = self.works([*WITHOUT_CAPABILITIES, LAUNCHER, "--deny-namespaces"])
        self.have_no_namespaces(facts)
        self.assertEqual(facts["worker.root"], "not empty")

    def test_as_an_ordinary_user(self):
        facts = self.works(AS_USER)
        self.assertEqual(facts["worker.uid"], "12345")

    def test_as_an_ordinary_user_in_a_containers_profile(self):
        facts = self.works([*AS_USER, LAUNCHER, "--deny-namespaces"])
        self.have_no_namespaces(facts)
        self.assertEqual(facts["worker.uid"], "12345")
        self.assertEqual(facts["worker.root"], "not empty")

    def test_as_nobody(self):
        facts = self.works(["setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY),
                            "--clear-groups"])
        self.assertEqual(facts["worker.uid"], str(NOBODY))

    def test_without_proc(self):
        self.fails([LAUNCHER, "--hide-proc"], "/proc", "nothing ran")

    def test_few_processes(self):
        refused = 0
        for limit in range(9):
            with self.subTest(limit=limit):
                few = ["prlimit", f"--nproc={limit}:{limit}"]
                start = time.monotonic()
                done = run([*AS_USER, *few])
                self.assertLess(time.monotonic() - start, LIMIT_S)
                if done.returncode == 0:
                    self.assertEqual(done.stdout, b"42\n")
                    continue
                refused += 1
                self.assertEqual(done.returncode, NOT_READY, done.stderr)
                self.assertIn(b"not_ready: ", done.stderr)
                self.assertIn(b"emporarily unavailable", done.stderr)
        self.assertGreater(refused, 0)


class WithLess(Surroundings):
    def test_each_denied_namespace_alone(self):
        for call in ("unshare", "mount", "pivot_root", "umount2"):
            with self.subTest(call=call):
                facts = self.works([LAUNCHER, "--deny", call])
                if call == "unshare":
                    self.have_no_namespaces(facts)

    def test_without_an_executable_memfd(self):
        self.fails([LAUNCHER, "--deny", "memfd_create"], "memfd", "worker_path", "nothing ran")

    def test_without_a_filter(self):
        self.fails([LAUNCHER, "--deny", "seccomp"], "jail", "nothing ran")

    def test_without_no_new_privs(self):
        # prctl is also what names a process, and more; without it no jail can stand.
        self.fails([LAUNCHER, "--deny", "prctl"], "nothing ran")

    def test_without_resource_limits(self):
        self.fails([LAUNCHER, "--deny", "prlimit64", "--deny", "setrlimit"], "nothing ran")

    def test_without_pidfds(self):
        self.fails([LAUNCHER, "--deny", "pidfd_open"], "nothing ran")

    def test_without_a_timer(self):
        self.fails([LAUNCHER, "--deny", "timer_create"], "nothing ran")

    def test_few_descriptors(self):
        for limit in (5, 8, 16, 20):
            with self.subTest(limit=limit):
                start = time.monotonic()
                done = run([], preexec_fn=lambda n=limit: resource.setrlimit(
                    resource.RLIMIT_NOFILE, (n, n)))
                self.assertLess(time.monotonic() - start, LIMIT_S)
                self.assertIn(done.returncode, (0, NOT_READY), done.stderr)
                if done.returncode == NOT_READY:
                    self.assertIn(b"not_ready", done.stderr)
                else:
                    self.assertEqual(done.stdout, b"42\n")

    def test_little_address_space(self):
        self.fails([], "address space", preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_AS, (1 << 30, 1 << 30)))

    def test_standard_streams_that_are_closed(self):
        for closed in ((0,), (0, 1), (0, 1, 2), (1, 2), (2,)):
            with self.subTest(closed=closed):
                def close(streams=closed):
                    for fd in streams:
                        os.close(fd)
                done = subprocess.run([PLIMSOLL, "run", "-e", "process.exit(7)"], timeout=60,
                                      preexec_fn=close, check=False)
                self.assertEqual(done.returncode, 7)


class KilledHost(unittest.TestCase):
    """A host that is killed has no chance to clean up; nothing of it is left soon after. Soon is less
    than the run's 30 s: a worker that was left would end by itself then."""
    ROUNDS = 20

    def left_after_a_kill(self, wrapper):
        child = subprocess.Popen([*wrapper, PLIMSOLL, "run", "--timeout", "30s", "-e",
                                  "console.error('begun'); for (;;);"],
                                 stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while not any(cpu > 3 for cpu in self.workers_below(child.pid).values()):
            self.assertLess(time.monotonic(), deadline, "no worker began")
            self.assertIsNone(child.poll())
            time.sleep(0.01)
        everything = self.below(child.pid)
        child.send_signal(signal.SIGKILL)
        child.wait()
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            left = [pid for pid in everything if self.stat(pid)]
            if not left:
                return []
            time.sleep(0.01)
        return left

    @staticmethod
    def stat(pid):
        """(name, state, parent, cpu ticks) of a process that is no zombie, else None."""
        try:
            text = pathlib.Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            return None
        name, rest = text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2:].split()
        return None if rest[0] in "ZX" else (name, rest[0], int(rest[1]), int(rest[11]))

    def below(self, ancestor):
        all_of_them = {int(entry.name): self.stat(entry.name)
                       for entry in pathlib.Path("/proc").iterdir() if entry.name.isdigit()}
        found = {ancestor}
        while True:
            more = {pid for pid, stat in all_of_them.items() if stat and stat[2] in found} - found
            if not more:
                return found - {ancestor}
            found |= more

    def workers_below(self, ancestor):
        stats = {pid: self.stat(pid) for pid in self.below(ancestor)}
        return {pid: stat[3] for pid, stat in stats.items() if stat and stat[0] == "plimsoll-worker"}

    def test_leaves_nothing(self):
        for _ in range(self.ROUNDS):
            self.assertEqual(self.left_after_a_kill([]), [])

    def test_leaves_nothing_without_namespaces(self):
        for _ in range(self.ROUNDS):
            self.assertEqual(self.left_after_a_kill([LAUNCHER, "--deny-namespaces"]), [])

    @unittest.skipUnless(IS_ROOT, "starts as root")
    def test_leaves_nothing_of_an_ordinary_users(self):
        for _ in range(self.ROUNDS // 4):
            self.assertEqual(self.left_after_a_kill(AS_USER), [])
            self.assertEqual(self.left_after_a_kill([*AS_USER, LAUNCHER, "--deny-namespaces"]), [])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        # Where every user can read and execute them.
        os.chmod(folder, 0o755)
        PLIMSOLL, LAUNCHER, WORKER = (shutil.copy(path, folder) for path in sys.argv[1:4])
        for path in (PLIMSOLL, LAUNCHER, WORKER):
            os.chmod(path, 0o755)
        program = unittest.main(argv=[sys.argv[0], *sys.argv[4:]], exit=False)
    sys.exit(not program.result.wasSuccessful())
