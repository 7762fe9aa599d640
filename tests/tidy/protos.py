"""proto/ is clean by buf's lint, as proto/buf.yaml has it, and formatted as buf formats it. The program
comes from deps/npm."""

import os
import pathlib
import subprocess
import tempfile

import tree

BUF = pathlib.Path(__file__).resolve().parents[2] / "deps" / "npm" / "node_modules" / ".bin" / "buf"


def buf(root, *arguments):
    with tempfile.TemporaryDirectory() as cache:
        result = subprocess.run(
            [BUF, *arguments], cwd=root, capture_output=True, text=True, check=False,
            env={"PATH": os.environ["PATH"], "HOME": cache, "BUF_CACHE_DIR": cache},
        )
    return result.returncode, result.stdout, result.stderr


def check(root):
    if not BUF.exists():
        return [tree.finding(root, root / "proto" / "buf.yaml", 1, "no buf to judge it; run deps/setup")]
    code, lines, errors = buf(root, "lint", "proto")
    found = lines.splitlines()
    if code != 0 and not found:
        found = [f"buf lint exited {code}: {errors.strip()}"]
    code, difference, errors = buf(root, "format", "--diff", "--exit-code", "proto")
    if code != 0:
        found.append(f"not as buf formats it:\n{difference or errors}")
    return found
