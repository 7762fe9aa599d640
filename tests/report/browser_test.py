"""The page in headless Chromium: browser_checks.mjs does the looking.

Usage: browser_test.py BIN; PLIMSOLL_UPDATE_GOLDEN=1 takes the picture of docs/examples/advisor."""

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import audit_stream  # noqa: E402

SAMPLE = HERE.parents[1] / "docs" / "examples" / "advisor"
SKIPPED = 77  # which the gate takes for a failure
CHECKS = 14


def report(folder, name, lines):
    page = folder / f"{name}.html"
    subprocess.run([BIN / "prospector-report", "-o", page], input="\n".join(lines).encode(), check=True,
                   stderr=subprocess.DEVNULL, timeout=60)
    return page


def main():
    chromium = shutil.which("chromium")
    if chromium is None or not (HERE / "node_modules" / "playwright-core").is_dir():
        print("SKIPPED: there is no chromium, or no playwright-core; deps/setup installs both")
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        picture = folder / "report.png"
        pages = [report(folder, "full", audit_stream.lines(240)),
                 report(folder, "hostile", audit_stream.hostile_lines()),
                 report(folder, "empty", [])]
        done = subprocess.run(["node", HERE / "browser_checks.mjs", chromium, *pages, picture],
                              text=True, timeout=500, check=False, stdout=subprocess.PIPE,
                              env=os.environ | {"HOME": name})
        print(done.stdout)
        if done.returncode != 0 or done.stdout.count("ok ") != CHECKS:
            print(f"{done.stdout.count('ok ')} of {CHECKS} checks hold")
            return 1
        if os.environ.get("PLIMSOLL_UPDATE_GOLDEN") == "1":
            shutil.copy(picture, SAMPLE / "report.png")
            digest = hashlib.sha256((SAMPLE / "report.html").read_bytes()).hexdigest()
            (SAMPLE / "report.png.of").write_text(digest + "\n")
    return 0


if __name__ == "__main__":
    BIN = pathlib.Path(sys.argv[1]).resolve()
    sys.exit(main())
