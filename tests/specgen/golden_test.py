#!/usr/bin/env python3
"""Runs plimsoll-specgen on each case of golden/ and on the documented example, and compares what it
writes, says and exits with, byte for byte.

A case is a folder: `args`, one argument a line ("@OUT" is a fresh folder), the input beside it, and what
is expected: `exit`, `stderr`, `stdout` and the files of `out/`. Every client that is written has to be
a function's body in Node.js, and every grants.json one that `plimsoll grants check` accepts, unless the
case has a file `unchecked` that says why not.

  golden_test.py BIN_DIR            compares
  PLIMSOLL_UPDATE_GOLDEN=1 ...      writes what is expected anew
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLE = HERE.parent.parent / "docs" / "examples" / "specgen"
UPDATE = os.environ.get("PLIMSOLL_UPDATE_GOLDEN") == "1"
TIMEOUT_S = 60


def run(bin_dir, case, out):
    args = (case / "args").read_text().splitlines()
    command = [bin_dir / "plimsoll-specgen"] + [str(out) if arg == "@OUT" else arg for arg in args]
    done = subprocess.run(command, cwd=case, capture_output=True, timeout=TIMEOUT_S, check=False,
                          stdin=subprocess.DEVNULL)
    result = {"exit": f"{done.returncode}\n".encode(), "stderr": done.stderr, "stdout": done.stdout}
    result = {name: content for name, content in result.items() if content}
    for path in sorted(out.rglob("*")):
        result["out/" + path.relative_to(out).as_posix()] = path.read_bytes()
    return result


def expected(case):
    names = [case / name for name in ("exit", "stderr", "stdout")]
    names += sorted((case / "out").rglob("*"))
    return {path.relative_to(case).as_posix(): path.read_bytes() for path in names if path.is_file()}


def rewrite(case, result):
    shutil.rmtree(case / "out", ignore_errors=True)
    for name in ("exit", "stderr", "stdout"):
        (case / name).unlink(missing_ok=True)
    for name, content in result.items():
        (case / name).parent.mkdir(exist_ok=True)
        (case / name).write_bytes(content)


def client_parses(preamble):
    script = "new Function('host', require('fs').readFileSync(0, 'utf8'))"
    return subprocess.run(["node", "-e", script], input=preamble, capture_output=True, check=False,
                          timeout=TIMEOUT_S)


def check(bin_dir, case):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out"
        result = run(bin_dir, case, out)
        found = []
        if "out/grants.json" in result and not (case / "unchecked").exists():
            done = subprocess.run([bin_dir / "plimsoll", "grants", "check", out / "grants.json"],
                                  capture_output=True, check=False, timeout=TIMEOUT_S)
            if done.returncode != 0:
                found.append(f"grants check: {done.stderr.decode()}")
    if "out/preamble.js" in result:
        done = client_parses(result["out/preamble.js"])
        if done.returncode != 0:
            found.append(f"preamble.js does not parse: {done.stderr.decode()}")
    if UPDATE:
        rewrite(case, result)
        return found
    wanted = expected(case)
    for name in sorted(set(result) | set(wanted)):
        if result.get(name) != wanted.get(name):
            got = result.get(name, b"(nothing)\n").decode()
            found.append(f"{name} is not what is expected; it is:\n{got}")
    return found


def main():
    bin_dir = pathlib.Path(sys.argv[1]).resolve()
    cases = sorted(path.parent for path in (HERE / "golden").glob("*/args")) + [EXAMPLE]
    failed = 0
    for case in cases:
        for message in check(bin_dir, case):
            failed += 1
            print(f"{case.name}: {message}", file=sys.stderr)
    print(f"{len(cases)} cases, {failed} differences")
    return 1 if failed or len(cases) < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
