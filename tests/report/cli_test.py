"""prospector-report from outside: files, pipes, gzip, bad lines, progress, exit codes.

Usage: cli_test.py BIN"""

import gzip
import os
import pathlib
import pty
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import audit_stream  # noqa: E402

LINES = audit_stream.lines(300)
TEXT = ("\n".join(LINES) + "\n").encode()


class Cli(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.page = self.folder / "report.html"

    def run_it(self, *arguments, stdin=b"", code=0):
        done = subprocess.run([BIN / "prospector-report", *arguments], input=stdin, timeout=120,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def test_files_pipes_and_gzip_make_the_same_page(self):
        plain = self.file("a.jsonl", TEXT)
        packed = self.file("a.anything", gzip.compress(TEXT))
        half = len(LINES) // 2
        first = self.file("1.jsonl", ("\n".join(LINES[:half]) + "\n").encode())
        second = self.file("2.gz", gzip.compress("\n".join(LINES[half:]).encode()))
        pages = [self.run_it("-o", "-", plain).stdout, self.run_it("-o", "-", packed).stdout,
                 self.run_it("-o", "-", stdin=TEXT).stdout,
                 self.run_it("-o", "-", "-", stdin=gzip.compress(TEXT)).stdout,
                 self.run_it("-o", "-", first, second).stdout]
        self.run_it("-o", self.page, plain)
        pages.append(self.page.read_bytes())
        for page in pages[1:]:
            self.assertEqual(page, pages[0])
        self.assertIn(b"GET /v1/items/*", pages[0])
        self.assertTrue(pages[0].endswith(b"</html>\n"))

    def test_bad_lines_are_counted_and_shown(self):
        text = b"\n".join([b"\xff\xfe", b"{", b"x" * 100_000, b'{"stream":"log"}', *map(str.encode, LINES)])
        done = self.run_it("-o", "-", stdin=text)
        self.assertIn(b"304 lines, 3 unreadable", done.stderr)
        page = done.stdout.decode()
        self.assertIn("3 lines were unreadable.", page)
        self.assertIn("line 1 of standard input: no JSON object", page)
        self.assertIn("line 3 of standard input: longer than", page)
        self.assertIn("300 audit lines and 1 of other streams", page)

    def test_a_file_that_ends_early_is_shown(self):
        done = self.run_it("-o", "-", stdin=gzip.compress(TEXT)[:-400])
        self.assertIn(b"standard input could not be read to its end", done.stderr)
        self.assertIn(b"1 input ended too early.", done.stdout)
        self.assertIn(b"GET /v1/items/*", done.stdout)

    def test_nothing_of_an_unreadable_line_is_on_the_page(self):
        done = self.run_it("-o", "-", stdin=b'{"caller":"s3cret"\n{"time":"s3cret","stream":"audit"}\n')
        self.assertNotIn(b"s3cret", done.stdout + done.stderr)

    def test_what_cannot_be_opened_or_written_is_an_error(self):
        done = self.run_it("-o", self.page, self.folder / "none", code=1)
        self.assertIn(b"none: No such file", done.stderr)
        self.assertFalse(self.page.exists())
        self.page.write_text("old")
        self.run_it("-o", self.page, self.file("a", TEXT), self.folder / "none", code=1)
        self.assertEqual(self.page.read_text(), "old")
        self.run_it("-o", self.folder / "no" / "r.html", stdin=TEXT, code=1)

    def test_usage(self):
        self.assertIn(b"-o FILE is needed", self.run_it("a.jsonl", code=2).stderr)
        self.assertIn(b"Usage: prospector-report", self.run_it("--help").stdout)
        self.assertRegex(self.run_it("--version").stdout, rb"^prospector-report \d+\.\d+\.\d+\n$")

    def test_progress_is_on_a_terminal_only(self):
        self.assertNotIn(b"\r", self.run_it("-o", self.page, stdin=TEXT).stderr)
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        with subprocess.Popen([BIN / "prospector-report", "-o", self.page], stdin=subprocess.PIPE,
                              stderr=slave) as process:
            os.close(slave)
            process.stdin.write(TEXT * 4)
            process.stdin.close()
            said = b""
            try:
                while chunk := os.read(master, 4096):
                    said += chunk
            except OSError:  # the terminal's other side is gone
                pass
            self.assertEqual(process.wait(60), 0)
        self.assertRegex(said, rb"\r\x1b\[K[\d,]+ lines?, [\d.]+ \w+ read")
        self.assertIn(b"1,200 lines, 0 unreadable", said)


if __name__ == "__main__":
    BIN = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1], verbosity=2)
