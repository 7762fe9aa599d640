#!/usr/bin/env python3
"""Runs clang-tidy on every source of src/, apps/ and examples/ that the build compiles.

Headers are judged through the files that include them. A file that was clean is not judged again
until it, a header that it includes, the configuration or the tool changes.
"""

import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import shlex
import subprocess
import sys
import time

FOLDERS = ("src", "apps", "examples")
# The commands are gcc's; clang does not know all of its warnings.
EXTRA = ("--extra-arg=-Wno-unknown-warning-option", "--quiet")


def is_judged(path, root):
    relative = path.relative_to(root) if path.is_relative_to(root) else None
    return (
        relative is not None
        and relative.parts[0] in FOLDERS
        and path.suffix == ".cc"
        and not path.name.endswith("_test.cc")
    )


def inputs(entry):
    """The files that a compilation reads, by the compiler's own account."""
    command = shlex.split(entry["command"])
    output = command.index("-o")
    del command[output : output + 2]
    result = subprocess.run(
        [*command, "-M"], cwd=entry["directory"], capture_output=True, text=True, check=False
    )
    if result.returncode != 0:
        sys.exit(f"{entry['file']} does not compile:\n{result.stderr}")
    words = result.stdout.replace("\\\n", " ").split(": ", 1)[1].split()
    return [pathlib.Path(entry["directory"], word) for word in words]


def fingerprint(entry, tool, root):
    digest = hashlib.sha256(tool_version(tool) + (root / ".clang-tidy").read_bytes())
    digest.update(pathlib.Path(__file__).read_bytes() + entry["command"].encode())
    for path in sorted(set(inputs(entry))):
        # The system's headers stand and fall with its packages; ours are what changes.
        digest.update(str(path).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def tool_version(tool):
    return subprocess.run([tool, "--version"], capture_output=True, check=True).stdout


def judge(entry, tool, build, root):
    path = pathlib.Path(entry["file"])
    stamp = build / "clang-tidy" / f"{'.'.join(path.relative_to(root).parts)}.clean"
    current = fingerprint(entry, tool, root)
    if stamp.is_file() and stamp.read_text() == current:
        return path, 0, "", 0.0
    start = time.monotonic()
    result = subprocess.run(
        [tool, "-p", str(build), *EXTRA, str(path)], capture_output=True, text=True, check=False
    )
    if result.returncode == 0:
        stamp.parent.mkdir(exist_ok=True)
        stamp.write_text(current)
    return path, result.returncode, result.stdout + result.stderr, time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--tool", required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--log", type=pathlib.Path, help="where the closing line is written as well")
    args = parser.parse_args()
    build, root = args.build.resolve(), pathlib.Path(__file__).resolve().parent.parent

    entries = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if is_judged(pathlib.Path(entry["file"]), root):
            entries.setdefault(entry["file"], entry)

    bad = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        todo = [pool.submit(judge, entry, args.tool, build, root) for entry in entries.values()]
        for count, done in enumerate(concurrent.futures.as_completed(todo), 1):
            path, status, output, seconds = done.result()
            name = path.relative_to(root)
            if status:
                bad += 1
                print(output, flush=True)
            print(f"[{count}/{len(todo)}] {name}: {'BAD' if status else 'clean'} ({seconds:.1f} s)", flush=True)
    closing = f"clang-tidy: {len(entries) - bad} of {len(entries)} files are clean"
    print(closing)
    if args.log:
        args.log.write_text(closing + "\n")
    sys.exit(1 if bad else 0)


main()
