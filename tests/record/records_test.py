"""The golden vectors of the run records, recomputed from docs/run-records.md; and that page's examples."""

import pathlib
import re
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
import digests  # noqa: E402
import json  # noqa: E402
import make_vectors  # noqa: E402

VECTORS = json.loads((ROOT / "tests" / "golden" / "records.json").read_text())
PAGE = (ROOT / "docs" / "run-records.md").read_text()
KNOWN_ANSWER = "585a1b46c55ebacc1dfdd4336e302328c32ed3e2e7e8a8b460d252d0454be8fc"


def inputs(group):
    return {vector["name"]: vector["input"] for vector in VECTORS if vector["digest_of"] == group}


class Vectors(unittest.TestCase):
    def test_every_digest_is_that_of_the_golden_file(self):
        for vector in VECTORS:
            with self.subTest(vector["name"]):
                digest = digests.DIGEST_OF[vector["digest_of"]](vector["input"])
                self.assertEqual(digest, vector["digest"])

    def test_the_known_answer_is_among_them(self):
        [vector] = [vector for vector in VECTORS if vector["name"] == "the known answer"]
        self.assertEqual((vector["digest_of"], vector["digest"]), ("request_v1", KNOWN_ANSWER))

    def test_the_inputs_are_those_of_make_vectors(self):
        for group, members in (
            ("request", make_vectors.REQUESTS),
            ("request_v1", make_vectors.FIRST_VERSION),
            ("result", make_vectors.RESULTS),
            ("record", make_vectors.RECORDS),
            ("software_rule_id", make_vectors.RULES),
        ):
            self.assertEqual(inputs(group), members)

    def test_they_cover_what_can_differ_between_two_languages(self):
        self.assertGreaterEqual(len(VECTORS), 40)
        kinds = {"javascript", "project", "module", "cell"}
        for group in ("request", "result"):
            self.assertEqual({content["kind"] for content in inputs(group).values()}, kinds)
        everything = json.dumps(VECTORS)
        for part in (
            bytes(range(256)).hex(),  # all byte values
            "8000000000000000",  # -0
            "7ff0000000000000",  # infinity
            "7ff8000000000001",  # a NaN's payload
            "\\ud83d\\ude00",  # beyond the basic plane
            str(-(2**63)),
            str(2**64 - 1),
            '""',
            "[]",
        ):
            self.assertIn(part, everything)

    def test_a_changed_input_changes_the_digest(self):
        asked = inputs("request")["a snippet"]
        before = digests.request(asked)
        for name, content in {"code": "2", "grant_profile": "p", "timeout_ms": 1, "protocol": 1,
                              "minimum_isolation": "vm", "software_identities": ["a"]}.items():
            self.assertNotEqual(digests.request(asked | {name: content}), before, name)


class Page(unittest.TestCase):
    """Each example is followed by a block without a language: what it prints."""

    def test_every_example_prints_what_the_page_says(self):
        examples = re.findall(r"```(sh|python)\n(.*?)```\n\n```\n(.*?)```", PAGE, re.DOTALL)
        self.assertEqual([language for language, _, _ in examples], ["sh", "python"])
        for language, source, output in examples:
            command = {"sh": ["sh", "-eu"], "python": [sys.executable, "-"]}[language]
            done = subprocess.run(command, input=source, capture_output=True, text=True, timeout=60,
                                  check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, output, ""), language)

    def test_the_page_shows_the_known_answer_and_todays_digest(self):
        self.assertIn(KNOWN_ANSWER, PAGE)
        asked = make_vectors.asked("javascript", minimum_isolation="container", timeout_ms=5000,
                                   code="console.log(1+1)")
        self.assertIn(digests.request(asked), PAGE)

    def test_the_page_names_every_field_that_is_encoded(self):
        for heading, group in (("The request", "request"), ("The result", "result"), ("The record", "record")):
            section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
            for name, content in inputs(group).items():
                for field in names_of(digests.DIGEST_OF[group], content):
                    self.assertIn(f"`{field}`", section, f"{name}: {field}")


def names_of(digest, content):
    """The names of the fields that a digest is computed over."""
    names = []
    real = digests.Encoding

    class Spy(real):
        def field(self, name, content):
            names.append(name)
            super().field(name, content)

    digests.Encoding = Spy
    try:
        digest(content)
    finally:
        digests.Encoding = real
    return names


if __name__ == "__main__":
    unittest.main()
