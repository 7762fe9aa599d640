"""The sample in docs/examples/advisor is what prospector-report makes of the audit lines beside it,
and the picture was taken of that very page (browser_test.py takes it).

Usage: sample_test.py BIN; PLIMSOLL_UPDATE_GOLDEN=1 writes the lines and the page anew."""

import hashlib
import os
import pathlib
import struct
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import audit_stream  # noqa: E402

SAMPLE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "examples" / "advisor"
UPDATE = os.environ.get("PLIMSOLL_UPDATE_GOLDEN") == "1"


class Sample(unittest.TestCase):
    def test_the_lines_are_the_generators(self):
        text = "\n".join(audit_stream.lines(240)) + "\n"
        if UPDATE:
            SAMPLE.mkdir(parents=True, exist_ok=True)
            (SAMPLE / "audit.jsonl").write_text(text)
        self.assertEqual((SAMPLE / "audit.jsonl").read_text(), text)

    def test_the_page_is_what_the_program_makes(self):
        done = subprocess.run([BIN / "prospector-report", "-o", "-", SAMPLE / "audit.jsonl"],
                              capture_output=True, timeout=60, check=True)
        if UPDATE:
            (SAMPLE / "report.html").write_bytes(done.stdout)
        self.assertEqual((SAMPLE / "report.html").read_bytes(), done.stdout)

    def test_the_picture_is_of_this_page(self):
        if UPDATE:
            self.skipTest("browser_test.py takes the picture")
        page = hashlib.sha256((SAMPLE / "report.html").read_bytes()).hexdigest()
        self.assertEqual((SAMPLE / "report.png.of").read_text().strip(), page,
                         "PLIMSOLL_UPDATE_GOLDEN=1 tests/report/browser_test.py build/release/bin")
        head = (SAMPLE / "report.png").read_bytes()[:24]
        self.assertEqual(head[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(struct.unpack(">I", head[16:20])[0], 1280)


if __name__ == "__main__":
    BIN = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1], verbosity=2)
