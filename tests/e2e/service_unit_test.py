"""deploy/plimsolld.service is a unit that systemd takes; the daemon keeps its whole jail under it.

Usage: service_unit_test.py PLIMSOLLD PLIMSOLL_CLIENTS"""

import base64
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import unittest

import daemon_harness
import unit_restrictions
from daemon_harness import Daemon

SOURCE = pathlib.Path(__file__).resolve().parents[2]
UNIT = SOURCE / "deploy" / "plimsolld.service"
ENVIRONMENT = SOURCE / "deploy" / "plimsolld.env"
PLIMSOLLD = ""
NAMESPACES = ("user", "mnt", "net", "pid", "ipc", "uts", "cgroup")
# What says how the service is started, stopped and logged, and what an ordinary process of this
# machine cannot be given. docs/operations.md says that these are not tested.
NOT_APPLIED = {
    "DevicePolicy", "Environment", "EnvironmentFile", "ExecStart", "KeyringMode", "KillMode",
    "KillSignal", "LimitCORE", "LimitNOFILE", "LockPersonality", "LogRateLimitIntervalSec",
    "OOMPolicy", "PrivateDevices", "ProtectClock", "ProtectControlGroups", "ProtectHostname",
    "ProtectKernelLogs", "ProtectKernelModules", "RemoveIPC", "Restart", "RestartSec",
    "RestrictRealtime", "RestrictSUIDSGID", "StandardError", "StandardOutput", "SyslogIdentifier",
    "SystemCallArchitectures", "TasksMax", "TimeoutStopSec", "Type"}


class Unit(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def copy(self, *changes):
        """The unit with the program that was built, and each (old, new) line changed."""
        text = UNIT.read_text()
        for old, new in (("ExecStart=/usr/local/bin/plimsolld", f"ExecStart={PLIMSOLLD}"),
                         *changes):
            self.assertEqual(text.count(old), 1, old)
            text = text.replace(old, new)
        path = pathlib.Path(self.folder.name) / "plimsolld.service"
        path.write_text(text)
        return path

    def daemon(self, *changes, **env):
        """A daemon below the restrictions of the unit, changed like that."""
        wrapper = pathlib.Path(self.folder.name) / "restricted"
        command = ["python3", unit_restrictions.__file__, self.copy(*changes), PLIMSOLLD]
        wrapper.write_text("#!/bin/sh\nexec " + shlex.join(map(str, command)) + "\n")
        wrapper.chmod(0o755)
        daemon_harness.PLIMSOLLD = str(wrapper)
        return Daemon(**env)

    def facts(self, daemon):
        status, body, _ = daemon.run("console.log(6*7)", minimumIsolation="process")
        self.assertEqual(status, 200, body)
        self.assertEqual(base64.b64decode(body["javascript"]["stdout"]), b"42\n")
        return {fact["name"]: fact["value"] for fact in body["evidence"]["facts"]}

    def test_systemd_takes_it(self):
        done = subprocess.run(["systemd-analyze", "verify", self.copy()], capture_output=True,
                              text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_systemd_refuses_what_is_no_unit(self):
        wrong = self.copy(("KillMode=mixed", "KillMode=mixt"))
        done = subprocess.run(["systemd-analyze", "verify", wrong], capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertIn("kill mode", done.stdout + done.stderr)

    def test_its_exposure_is_what_the_jail_needs_and_no_more(self):
        done = subprocess.run(["systemd-analyze", "security", "--offline=true", "--threshold=25",
                               self.copy()], capture_output=True, text=True, timeout=60,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_each_directive_is_applied_here_or_listed_as_not(self):
        self.assertEqual(set(unit_restrictions.directives(UNIT)),
                         unit_restrictions.APPLIED | NOT_APPLIED)

    def test_its_variables_are_the_daemons(self):
        known = subprocess.run([PLIMSOLLD, "-h"], capture_output=True, text=True, check=True).stdout
        lines = unit_restrictions.directives(UNIT)["Environment"]
        lines += re.findall(r"^#?([A-Z0-9_]+=.*)$", ENVIRONMENT.read_text(), re.MULTILINE)
        names = [line.partition("=")[0] for line in lines]
        self.assertGreater(len(names), 10)
        for name in names:
            self.assertRegex(known, rf"(?m)^  {name} = ")

    def test_the_whole_jail_stands_under_it(self):
        with self.daemon() as daemon:
            facts = self.facts(daemon)
            self.assertEqual(facts["worker.root"], "empty")
            for kind in NAMESPACES:
                self.assertTrue(facts[f"worker.ns.{kind}"].startswith("own "), facts)
            if os.geteuid() == 0:
                self.assertEqual(facts["worker.uid"], str(unit_restrictions.ACCOUNT))
            status, body, _ = daemon.run("for(;;);", timeoutMs=200)
            self.assertEqual((status, body["javascript"]["exitCode"]), (200, 124), body)
            daemon.process.send_signal(signal.SIGTERM)
            self.assertEqual(daemon.process.wait(30), 0, daemon.log_path.read_text())

    def test_without_mount_the_root_is_not_empty_and_the_evidence_says_so(self):
        with self.daemon(("SystemCallFilter=mount umount2 pivot_root\n", "")) as daemon:
            self.assertEqual(self.facts(daemon)["worker.root"], "not empty")

    def test_without_the_jails_filter_it_does_not_serve(self):
        with self.daemon(("SystemCallFilter=seccomp\n", "")) as daemon:
            self.assertEqual(daemon.process.wait(30), 1)
            self.assertNotIn("listening", daemon.log_path.read_text())


if __name__ == "__main__":
    PLIMSOLLD, daemon_harness.CLIENTS = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1], verbosity=2)
