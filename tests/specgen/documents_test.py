#!/usr/bin/env python3
"""The real documents, and hostile ones of any size: documents_test.py BIN_DIR

Each is generated from within its time and memory, and twice to the same bytes; what comes out is accepted
by `plimsoll grants check`. The table of docs/specgen.md is what the tool says of them, and is written anew
by PLIMSOLL_UPDATE_GOLDEN=1."""

import filecmp
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "docs" / "specgen.md"
GITHUB = HERE / "node_modules" / "@octokit" / "openapi" / "generated" / "api.github.com.json"
SKIPPED = 77
UPDATE = os.environ.get("PLIMSOLL_UPDATE_GOLDEN") == "1"
REASONS = ("method", "path", "header", "query", "body", "origin")
BEGIN, END = "<!-- made by tests/specgen/documents_test.py -->", "<!-- end -->"

# Of processor time: the wall clock is that of a machine which does other things too.
SECONDS, GITHUB_SECONDS, MEGABYTES = 1.0, 5.0, 200


def documents():
    default = HERE.parent.parent.parent / "shared" / "openapi"
    folder = pathlib.Path(os.environ.get("PLIMSOLL_OPENAPI_DIR", default))
    return sorted(path for path in folder.glob("*") if path.suffix in (".json", ".yaml", ".yml"))


class Run:
    """One run of the tool, with what it took."""

    def __init__(self, bin_dir, args, text=None):
        command = [str(bin_dir / "plimsoll-specgen"), *map(str, args)]
        with tempfile.TemporaryFile() as stderr, tempfile.TemporaryFile() as stdin:
            stdin.write(text or b"")
            stdin.seek(0)
            with subprocess.Popen(command, stdin=stdin, stderr=stderr,
                                  stdout=subprocess.DEVNULL) as process:
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            stderr.seek(0)
            self.stderr = stderr.read().decode()
        self.exit = process.returncode
        self.seconds = usage.ru_utime + usage.ru_stime
        self.megabytes = usage.ru_maxrss / 1024


def row(path, run):
    found = re.search(r"operations: (\d+) in all, (\d+) generated, (\d+) skipped(?: \(([^)]*)\))?",
                      run.stderr)
    if not found:
        return None
    skipped = dict(one.rsplit(" ", 1) for one in (found[4] or "").split(", ") if one)
    cells = [found[1], found[2], *(skipped.get(reason, "0") for reason in REASONS)]
    return f"| `{path.name}` | " + " | ".join(cells) + " |"


def check_document(bin_dir, path, limit):
    found = []
    with tempfile.TemporaryDirectory() as name:
        outs = [pathlib.Path(name) / "first", pathlib.Path(name) / "second"]
        runs = [Run(bin_dir, ["-outdir", out, path]) for out in outs]
        if "unsupported" in path.name:
            good = runs[0].exit == 1 and "Swagger 2.0" in runs[0].stderr and not outs[0].exists()
            return (None, [] if good else [f"is not refused as it should be: {runs[0].stderr}"])
        if runs[0].exit != 0:
            return (None, [runs[0].stderr])
        if min(run.seconds for run in runs) > limit or runs[0].megabytes > MEGABYTES:
            found.append(f"took {runs[0].seconds:.2f} s and {runs[0].megabytes:.0f} MB")
        same = filecmp.cmpfiles(*outs, [path.name for path in outs[0].iterdir()], shallow=False)
        if len(same[0]) != 7 or same[1] or same[2]:
            found.append(f"two runs differ: {same}")
        found += check_grants(bin_dir, path, outs[0])
    return (row(path, runs[0]), found)


def check_grants(bin_dir, path, out):
    done = subprocess.run([bin_dir / "plimsoll", "grants", "check", out / "grants.json"],
                          capture_output=True, text=True, check=False, timeout=60)
    return [] if done.returncode == 0 else [f"grants check: {done.stderr}"]


def document(paths, **components):
    return json.dumps({"openapi": "3.0.0", "servers": [{"url": "https://a.example"}],
                       "paths": paths, "components": components}).encode()


def check_hostile(bin_dir):
    """Large in one way each: refused or done, but soon and in bounded memory."""
    head = "openapi: 3.0.0\nservers: [{url: https://a.example}]\n"
    many = head + "paths:\n" + "".join(
        f"  /a{i}/{{id}}: {{get: {{operationId: op{i}}}}}\n" for i in range(100_000))
    chain = head + "paths: {/a: {get: {responses: {'200': {content: {application/json: " \
        "{schema: {$ref: '#/components/schemas/S0'}}}}}}}}\ncomponents:\n  schemas:\n" + "".join(
            f"    S{i}: {{allOf: [{{$ref: '#/components/schemas/S{i + 1}'}}]}}\n"
            for i in range(50_000)) + "    S50000: {type: string}\n"
    shared = {
        "a long text": {"description": "x " * 500_000},
        "many parameters": {"parameters": [{"name": f"q{i}", "in": "query"} for i in range(5000)]},
        "many values": {"parameters": [{"$ref": "#/components/parameters/Q"}]},
    }
    names = {"." * (i % 50) + "a" + "-" * (i // 50): {"type": "string"} for i in range(20_000)}
    layers = {f"L{i}": {"allOf": [{"$ref": f"#/components/schemas/L{i + 1}"}] * 500}
              for i in range(8)} | {"L8": {"type": "object"}}
    deep = b'{"openapi": "3.0.0", "paths": ' + b"[" * 200_000
    cases = {
        "100,000 operations": (many.encode(), 0, 15),
        "a chain of 50,000 schemas": (chain.encode(), 0, 10),
        "deep JSON": (deep, 1, 2),
        "deep flow YAML": (b"openapi: 3.0.0\npaths: " + b"[" * 200_000, 1, 2),
        "deep block YAML": ("".join(" " * i + "a:\n" for i in range(1000)).encode(), 1, 2),
        "too many bytes": (b"a: " + b"x" * (33 << 20), 1, 2),
        "same name": ((head + "paths:\n" + "".join(f"  /p{i}: {{get: {{operationId: same}}}}\n"
                                                   for i in range(5_000))).encode(), 0, 5),
        "long text": (json.dumps({"openapi": "3.0.0", "info": {"title": "*/" * 2_000_000},
                                  "paths": {}}).encode(), 0, 3),
    }
    for name, operation in shared.items():
        cases[f"{name}, at 2,000 paths"] = (document(
            {f"/a{i}": {"$ref": "#/components/pathItems/P"} for i in range(2000)},
            pathItems={"P": {"get": operation}}, parameters={"Q": {
                "name": "q", "in": "query",
                "schema": {"enum": [f"value{i}" for i in range(100_000)]}}}), 1, 5)
    for name, schemas, seconds in (("20,000 schemas of one name", names, 5),
                                   ("500 to the 8th alternatives", layers, 2)):
        response = {"content": {"application/json": {"schema": {
            "oneOf": [{"$ref": f"#/components/schemas/{one}"} for one in schemas]}}}}
        cases[name] = (document({"/a": {"get": {"responses": {"200": response}}}},
                                schemas=schemas), 0, seconds)
    cases["an enum of 200,000"] = (document({"/a": {"get": {"parameters": [
        {"name": "q", "in": "query", "schema": {"enum": list(range(200_000))}}]}}}), 0, 5)
    found = []
    for name, (text, wanted, seconds) in cases.items():
        with tempfile.TemporaryDirectory() as out:
            run = Run(bin_dir, ["-outdir", out, "-"], text)
        if run.exit != wanted or run.seconds > seconds or run.megabytes > 400:
            found.append(f"{name}: exit {run.exit}, {run.seconds:.2f} s, {run.megabytes:.0f} MB: "
                         f"{run.stderr[:500]}")
        if len(run.stderr) > 1_000_000:
            found.append(f"{name}: {len(run.stderr)} bytes of talk")
    return found


def table(rows):
    head = ["| Document | Operations | Generated | " + " | ".join(REASONS) + " |",
            "| --- | --- | --- | " + " | ".join("---" for _ in REASONS) + " |"]
    return "\n".join([BEGIN, "", *head, *rows, "", END])


def check_page(rows):
    page = PAGE.read_text()
    begin, end = page.index(BEGIN), page.index(END) + len(END)
    if UPDATE:
        PAGE.write_text(page[:begin] + table(rows) + page[end:])
        return []
    return [] if page[begin:end] == table(rows) else [f"{PAGE.name}: the table is:\n{table(rows)}"]


def main():
    bin_dir = pathlib.Path(sys.argv[1]).resolve()
    # A fault of ours fills no disk and no memory.
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    found = []
    paths = documents()
    missing = not paths or not GITHUB.exists()
    rows = []
    for path in [] if missing else [*paths, GITHUB]:
        line, flaws = check_document(bin_dir, path, GITHUB_SECONDS if path == GITHUB else SECONDS)
        found += [f"{path.name}: {flaw}" for flaw in flaws]
        if line:
            rows.append(line)
    if not missing:
        found += check_page(rows)
    # After the real ones: a child's peak memory is at least what this process has when it forks.
    found += check_hostile(bin_dir)
    for flaw in found:
        print(flaw, file=sys.stderr)
    if found:
        return 1
    if missing:
        print("the OpenAPI documents are not there: PLIMSOLL_OPENAPI_DIR or ../shared/openapi, and "
              "deps/setup for GitHub's")
        return 1 if os.environ.get("CI") == "true" else SKIPPED
    print(f"{len(rows)} documents")
    return 0


if __name__ == "__main__":
    sys.exit(main())
