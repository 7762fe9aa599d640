"""The VM tier as an operator and a caller meet it: example, command, daemon in hardened mode.
Where there is no /dev/kvm it is skipped, and the gate, which takes no skipped test, fails.

    microvm_test.py PLIMSOLLD PLIMSOLL_CLIENTS PLIMSOLL EXAMPLE
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import daemon_harness  # noqa: E402
from daemon_harness import Daemon, wait_for  # noqa: E402

PLIMSOLL = EXAMPLE = ""
SKIPPED = 77
HARDENED = {"SANDBOX_PROVIDER": "microvm", "PLIMSOLL_HARDENED": "1", "SANDBOX_MEMORY_MB": "64",
            "SANDBOX_TOTAL_MEMORY_MB": "512", "SANDBOX_RATE_PER_MIN": "600",
            "SANDBOX_RATE_BURST": "600", "SANDBOX_MICROVM_POOL": "1"}
# What a tier of vm rests on, and what it has to be.
NEEDED = {"vmm.seccomp": "filter", "vmm.no_new_privs": "1", "vmm.cap_eff": "0" * 16,
          "vmm.kvm": "vm vcpu"}


def facts(evidence):
    return {fact["name"]: fact["value"] for fact in evidence["facts"]}


def command(*arguments, **env):
    return subprocess.run([PLIMSOLL, *arguments], capture_output=True, timeout=60, check=False,
                          env={"PATH": os.environ["PATH"]} | env)


def children(parent):
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = path.read_text().partition("(")[2].rpartition(")")
        except OSError:
            continue
        state, ppid = rest.split()[:2]
        if int(ppid) == parent and state != "Z":
            pid = int(path.parent.name)
            found += [(pid, name)] + children(pid)
    return found


class Command(unittest.TestCase):
    def test_the_example_prints_the_tier_and_its_facts(self):
        done = subprocess.run([EXAMPLE], capture_output=True, timeout=60, check=False,
                              env={"SANDBOX_PROVIDER": "microvm"})
        text = done.stdout.decode()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("isolation: vm\n", text)
        self.assertIn("{ Engineering: 250000, Research: 115000 }", text)
        for name, value in NEEDED.items():
            self.assertIn(f"  {name} = {value} (measured)\n", text)
        self.assertRegex(text, r"\n  vm\.backend = kvm/(vmx|svm|pvm) \(measured\)\n")

    def test_a_floor_of_vm_is_met_by_microvm_and_by_nothing_less(self):
        done = command("run", "--provider", "microvm", "--min-isolation", "vm", "--json",
                       "-e", "console.log(6*7)")
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["stdout"]["utf8"], "42\n")
        self.assertEqual(answer["evidence"]["tier"], "vm")
        self.assertGreater(int(facts(answer["evidence"])["vm.exits"]), 0)
        done = command("run", "--provider", "wasm", "--min-isolation", "vm", "-e", "1")
        self.assertEqual((done.returncode, done.stdout), (77, b""))

    def test_the_environment_chooses_it(self):
        done = command("run", "--min-isolation", "vm", "-e", "console.log(1)",
                       SANDBOX_PROVIDER="microvm")
        self.assertEqual((done.returncode, done.stdout), (0, b"1\n"), done.stderr)

    def test_a_limit_is_a_limit(self):
        code = "const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))"
        done = command("run", "--provider", "microvm", "--memory-mb", "32", "-e", code)
        self.assertEqual(done.returncode, 137, done.stderr)
        done = command("run", "--provider", "microvm", "--timeout", "200ms", "-e", "for (;;);")
        self.assertEqual(done.returncode, 124, done.stderr)

    @unittest.skipUnless(os.geteuid() == 0, "only root can become somebody without the device")
    def test_without_the_device_it_is_refused_with_the_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            program = shutil.copy(PLIMSOLL, folder)
            done = subprocess.run([program, "run", "--provider", "microvm", "-e", "1"],
                                  capture_output=True, timeout=60, check=False, user=65534,
                                  group=65534, extra_groups=[], env={}, cwd="/")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stdout, b"")
        self.assertIn(b"/dev/kvm cannot be opened: Permission denied", done.stderr)

    def test_the_doctor_finds_it_usable(self):
        done = command("doctor", "--json")
        tiers = {tier["tier"]: tier for tier in json.loads(done.stdout)["tiers"]}
        self.assertTrue(tiers["vm"]["usable"], tiers["vm"])


class Service(unittest.TestCase):
    def test_hardened_mode_serves_with_microvm(self):
        with Daemon(tls=True, **HARDENED) as daemon:
            status, body, _ = daemon.run("console.log(6*7)", minimum_isolation="vm")
            self.assertEqual(status, 200, (body, daemon.log_path.read_text()))
            self.assertEqual((body["sandbox"], body["isolation"]), ("microvm", "vm"))
            self.assertTrue(body["environment"].startswith("quickjs-microvm:sha256:"))
            found = facts(body["evidence"])
            for name, value in NEEDED.items():
                self.assertEqual(found[name], value)
            self.assertEqual(found["vmm.exe"], body["environment"].partition(":")[2])
            status, body, _ = daemon.call("Describe", {})
            self.assertEqual((status, body["sandbox"], body["isolation"]), (200, "microvm", "vm"))

    def test_projects_are_refused_with_their_reason(self):
        with Daemon(**{"SANDBOX_PROVIDER": "microvm"}) as daemon:
            status, body, _ = daemon.call("Run", {"protocol": 2, "project": {"steps": ["true"]}})
            self.assertEqual((status, body["code"]), (501, "unimplemented"), body)

    def test_no_machine_serves_two_callers_and_with_never_none_serves_twice(self):
        def machine(body):
            return facts(body["evidence"])["vmm.pid"]

        callers = (("ann", "code:run"), ("eve", "code:run"))
        with Daemon(callers=callers, **{"SANDBOX_PROVIDER": "microvm"}) as daemon:
            first = machine(daemon.run("1")[1])
            self.assertEqual(machine(daemon.run("1")[1]), first)
            self.assertNotEqual(machine(daemon.run("1", caller="eve")[1]), first)
        with Daemon(**{"SANDBOX_PROVIDER": "microvm", "SANDBOX_MICROVM_REUSE": "never"}) as daemon:
            machines = [machine(daemon.run("1")[1]) for _ in range(5)]
            self.assertEqual(len(set(machines)), 5)

    def test_a_killed_daemon_leaves_nothing(self):
        with Daemon(**{"SANDBOX_PROVIDER": "microvm"}) as daemon:
            self.assertEqual(daemon.run("console.log(1)")[0], 200)
            left = children(daemon.process.pid)
            self.assertIn("plimsoll-vmm", [name for _, name in left])
            daemon.process.send_signal(signal.SIGKILL)
            daemon.process.wait()
            for pid, name in left:
                wait_for(f"the end of {name}",
                         lambda pid=pid: not pathlib.Path(f"/proc/{pid}").exists()
                         or "\nState:\tZ" in pathlib.Path(f"/proc/{pid}/status").read_text(), 10)


if __name__ == "__main__":
    daemon_harness.PLIMSOLLD, daemon_harness.CLIENTS, PLIMSOLL, EXAMPLE = sys.argv[1:5]
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        print("no /dev/kvm that may be opened: skipped")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1])
