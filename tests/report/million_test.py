"""A million lines through standard input: at most 10 s of processor time, and bounded memory.

Usage: million_test.py BIN"""

import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import audit_stream  # noqa: E402

LINES = 1_000_000
BLOCK = 10_000
# The bound of the tables when they are full is about 100 MiB; this stream fills none.
MAX_RSS_KIB = 64 * 1024


class Million(unittest.TestCase):
    def test_a_million_lines_within_ten_seconds_and_bounded_memory(self):
        block = ("\n".join(audit_stream.lines(BLOCK)) + "\n").encode()
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "report.html"
            began = time.monotonic()
            with subprocess.Popen([BIN / "prospector-report", "-o", page], stdin=subprocess.PIPE,
                                  stderr=subprocess.PIPE) as process:
                def feed():
                    for _ in range(LINES // BLOCK):
                        process.stdin.write(block)
                    process.stdin.close()
                feeder = threading.Thread(target=feed)
                feeder.start()
                said = process.stderr.read().decode()
                feeder.join()
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            wall = time.monotonic() - began
            size = page.stat().st_size
        cpu = usage.ru_utime + usage.ru_stime
        print(f"{LINES} lines, {LINES // BLOCK * len(block) >> 20} MiB: {wall:.1f} s, of the "
              f"processor {cpu:.1f} s; {usage.ru_maxrss >> 10} MiB resident; page {size >> 10} KiB")
        self.assertEqual(process.returncode, 0, said)
        self.assertIn("1,000,000 lines, 0 unreadable", said)
        # Of the clock it may be more where others compute as well.
        self.assertLess(cpu, 10)
        self.assertLess(usage.ru_maxrss, MAX_RSS_KIB)
        self.assertLess(size, 1 << 20)


if __name__ == "__main__":
    BIN = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=sys.argv[:1], verbosity=2)
