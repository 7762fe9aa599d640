#!/usr/bin/env python3
"""images/seccomp.json as the kernel applies it: each call that docs/seccomp.md says is denied is made
from inside of a container that has every capability, so that the filter alone can be what refuses.
tools/with-docker tests/docker/seccomp_test.py"""

import json
import pathlib
import re
import subprocess
import tempfile
import unittest

import engine

PROBE = pathlib.Path(__file__).with_name("seccomp_probe.c")
PAGE = engine.ROOT / "docs/seccomp.md"
EPERM, ENOSYS = 1, 38
# What a machine may refuse to a container with every capability, filter or not.
MACHINES_OWN = {"reboot", "swapon", "swapoff", "acct", "syslog", "sethostname", "setdomainname",
                "socket_packet", "clone_newuser", "quotactl", "settimeofday", "delete_module",
                "init_module", "kexec_load", "iopl", "ioperm", "perf_event_open", "open_by_handle_at"}


# By their numbers in linux/capability.h.
CAPABILITIES = """CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP
  LINUX_IMMUTABLE NET_BIND_SERVICE NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO
  SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD
  LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND
  AUDIT_READ""".split()


def every_capability():
    """The options that give a container each capability that this machine has to give."""
    status = pathlib.Path("/proc/self/status").read_text()
    bounding = int(re.search(r"(?m)^CapBnd:\s*(\w+)$", status)[1], 16)
    names = [name for number, name in enumerate(CAPABILITIES) if bounding >> number & 1]
    return [option for name in names for option in ("--cap-add", name)]


def allowed_names():
    profile = json.loads(engine.SECCOMP.read_text())
    return {name for rule in profile["syscalls"] if rule["action"] == "SCMP_ACT_ALLOW"
            and not rule.get("args") for name in rule["names"]}


class SeccompTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="plimsoll-probe-")
        folder = pathlib.Path(cls.folder.name)
        subprocess.run(["gcc", "-O1", "-static", "-o", folder / "probe", PROBE], check=True)
        with subprocess.Popen(["tar", "-C", folder, "-c", "probe"], stdout=subprocess.PIPE) as tar:
            subprocess.run(["docker", "import", "-", "plimsoll/probe:test"], stdin=tar.stdout, check=True,
                           stdout=subprocess.DEVNULL)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def probe(self, profile, *arguments):
        return engine.docker("run", "--rm", "--runtime", "runc", "--network", "none", *every_capability(),
                             "--security-opt", "no-new-privileges",
                             "--security-opt", f"seccomp={profile}", "plimsoll/probe:test", "/probe",
                             *arguments, check=False)

    def errors(self, profile):
        answer = self.probe(profile)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        return {name: int(error) for name, error in map(str.split, answer.stdout.splitlines())}

    def test_each_denied_call_is_refused_by_the_filter(self):
        confined, control = self.errors(engine.SECCOMP), self.errors("unconfined")
        self.assertEqual(confined.pop("clone3"), ENOSYS)
        self.assertNotEqual(control.pop("clone3"), ENOSYS)
        self.assertEqual({name: error for name, error in confined.items() if error != EPERM}, {})
        # The same calls are refused otherwise, or not at all, where there is no filter.
        self.assertLessEqual({name for name, error in control.items() if error == EPERM}, MACHINES_OWN)
        self.assertGreater(len(control), 60)

    def test_no_denied_call_is_in_the_list(self):
        probed = set(re.findall(r"(?m)^  TRY\((\w+)", PROBE.read_text())) - {"clone3"}
        self.assertEqual(probed & allowed_names(), set())

    def test_calls_of_another_architecture_are_killed(self):
        control = self.probe("unconfined", "i386")
        if control.stdout != "i386 0\n":
            self.skipTest("this machine has no such calls")
        self.assertEqual(self.probe(engine.SECCOMP, "i386").returncode, 128 + 31)

    def test_the_page_names_what_is_probed(self):
        page = PAGE.read_text()
        probed = set(re.findall(r"(?m)^  TRY\((\w+)", PROBE.read_text()))
        self.assertEqual({name for name in probed if f"`{name}`" not in page}, set())

    def test_the_page_names_each_group(self):
        page = PAGE.read_text()
        profile = json.loads(engine.SECCOMP.read_text())
        for rule in profile["syscalls"]:
            self.assertIn(re.split("[:,]", rule["comment"])[0], page)


if __name__ == "__main__":
    engine.main(images=False)
