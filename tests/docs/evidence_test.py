"""docs/isolation-tiers.md has a row for each fact that a run's evidence has, with the basis that it
says, and its tiers are in the order of the code.  Usage: evidence_test.py BIN"""

import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PAGE = (SOURCE / "docs" / "isolation-tiers.md").read_text()
PLIMSOLL = ""
# The tiers that the default provider, wasm, meets.
BY_DEFAULT = ("none", "process")


def rows(heading):
    """Of the table that begins with `heading`: first cell -> the others."""
    table = PAGE.split(heading, 1)[1].split("\n\n", 1)[0]
    lines = re.findall(r"^\| `([^`]+)` \| (.*) \|$", table, re.MULTILINE)
    return {name: rest.split(" | ") for name, rest in lines}


class Tiers(unittest.TestCase):
    def setUp(self):
        done = subprocess.run([PLIMSOLL, "run", "--json", "-e", "1"], capture_output=True,
                              timeout=60, check=True)
        self.evidence = json.loads(done.stdout)["evidence"]
        self.facts = {fact["name"]: fact for fact in self.evidence["facts"]}

    def test_the_facts_are_those_of_a_run(self):
        self.assertEqual(set(rows("| Fact |")), set(self.facts))

    def test_the_facts_are_those_of_the_source(self):
        source = (SOURCE / "src/providers/jailed/process_facts.cc").read_text()
        names = re.findall(r'\badd\("([^"]+)"', source)
        kinds = re.search(r"for \(const char\* kind : \{([^}]*)\}", source)[1]
        names += ["ns." + kind for kind in re.findall(r'"(\w+)"', kinds)]
        self.assertEqual(sorted(rows("| Fact |")), sorted("worker." + name for name in names))

    def test_each_fact_is_measured_as_the_page_says(self):
        self.assertIn("All are `measured`", PAGE)
        self.assertEqual({fact["basis"] for fact in self.facts.values()}, {"measured"})

    def test_what_the_tier_needs_holds_and_is_what_the_source_asks_for(self):
        needed = {name for name, cells in rows("| Fact |").items() if cells[-1].startswith("yes")}
        source = (SOURCE / "src/providers/jailed/process_facts.cc").read_text()
        jailed = re.search(r"\.jailed = (.*?)\};", source, re.DOTALL)[1]
        asked = {"worker.seccomp": "seccomp", "worker.no_new_privs": "no_new_privs",
                 "worker.cap_eff": "capabilities"}
        self.assertEqual(needed, {name for name, variable in asked.items() if variable in jailed})
        self.assertEqual(set(re.findall(r"\b[a-z_]{4,}\b", jailed)) -
                         {"empty", "string", "npos", "find_first_not_of"}, set(asked.values()))
        self.assertEqual(self.evidence["tier"], "process")
        self.assertEqual((self.facts["worker.seccomp"]["value"],
                          self.facts["worker.no_new_privs"]["value"],
                          int(self.facts["worker.cap_eff"]["value"], 16)), ("filter", "1", 0))

    def test_the_order_is_that_of_the_header(self):
        header = (SOURCE / "include/plimsoll/isolation.h").read_text()
        tiers = re.search(r"enum class Isolation[^{]*\{([^}]*)\}", header)[1]
        names = [name.strip()[1:].lower() for name in tiers.split(",")]
        self.assertEqual(names[0], "unknown")
        self.assertEqual(list(rows("| Tier |")), names[1:])
        self.assertIn(f"`{' < '.join(names[1:])}`", PAGE)

    def test_a_tier_that_the_provider_does_not_reach_is_refused(self):
        for tier in rows("| Tier |"):
            done = subprocess.run([PLIMSOLL, "run", "--min-isolation", tier, "-e", "1"],
                                  capture_output=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 77 if tier not in BY_DEFAULT else 0, tier)


HAS_KVM = os.access("/dev/kvm", os.R_OK | os.W_OK)


@unittest.skipUnless(HAS_KVM, "e2e.microvm is the one that is skipped aloud")
class Machines(unittest.TestCase):
    """docs/microvm.md has the facts of a run in a virtual machine, and what its tier needs."""

    def setUp(self):
        page = (SOURCE / "docs" / "microvm.md").read_text()
        table = page.split("| Fact |", 1)[1].split("\n\n", 1)[0]
        self.rows = [(re.findall(r"`([a-z_.*]+)`", line.split("|")[1]), line.split("|")[-2].strip())
                     for line in table.splitlines() if line.startswith("| `")]
        done = subprocess.run([PLIMSOLL, "run", "--provider", "microvm", "--json", "-e",
                               "const t = Date.now(); while (Date.now() - t < 100);"],
                              capture_output=True, timeout=60, check=True)
        self.evidence = json.loads(done.stdout)["evidence"]
        self.facts = {fact["name"] for fact in self.evidence["facts"]}

    def test_the_facts_are_those_of_a_run(self):
        stated = {name for names, _ in self.rows for name in names}
        kinds = {fact for fact in self.facts if fact.startswith("vmm.ns.")}
        self.assertEqual(len(kinds), 7)
        self.assertEqual(stated, self.facts - kinds | {"vmm.ns.*"})
        self.assertEqual({fact["basis"] for fact in self.evidence["facts"]}, {"measured"})

    def test_what_the_tier_needs_is_what_the_source_asks_for(self):
        needed = {name for names, need in self.rows for name in names if need.startswith("yes")}
        source = (SOURCE / "src/providers/microvm/machine_evidence.cc").read_text()
        holds = re.search(r"const bool holds =(.*?);", source, re.DOTALL)[1]
        asked = {"vmm.kvm": "descriptors", "vmm.exe": "ours", "vm.backend": "backend"}
        asked |= {"vmm." + name: "jailed" for name in ("seccomp", "no_new_privs", "cap_eff")}
        self.assertTrue(all(variable in holds for variable in asked.values()), holds)
        # The last one is asked for after each run.
        self.assertEqual(needed, set(asked) | {"vm.exits"})


if __name__ == "__main__":
    PLIMSOLL = pathlib.Path(sys.argv[1]).resolve() / "plimsoll"
    unittest.main(argv=sys.argv[:1], verbosity=2)
