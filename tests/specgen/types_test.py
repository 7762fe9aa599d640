#!/usr/bin/env python3
"""The types of every document under `tsc --strict`, with a call of each method: types_test.py WRITER

WRITER (write_samples.cc) writes them. A planted mistake shows that the compiler looks."""

import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TSC = HERE / "node_modules" / "typescript" / "bin" / "tsc"
GITHUB = HERE / "node_modules" / "@octokit" / "openapi" / "generated" / "api.github.com.json"
SKIPPED = 77
FLAGS = ["--strict", "--noEmit", "--target", "es2022", "--module", "es2022", "--skipLibCheck", "false",
         "--lib", "es2022", "--types", ""]


def documents():
    default = HERE.parent.parent.parent / "shared" / "openapi"
    folder = pathlib.Path(os.environ.get("PLIMSOLL_OPENAPI_DIR", default))
    found = sorted(path for path in folder.glob("*") if path.suffix in (".json", ".yaml", ".yml"))
    golden = sorted(HERE.glob("golden/types_*/input.yaml")) + [HERE / "golden/refs/input.yaml",
                                                              HERE / "golden/text/input.yaml",
                                                              HERE / "golden/names/input.yaml"]
    return found, golden


def compile_all(folder):
    files = sorted(folder.glob("*.ts"))
    return subprocess.run(["node", TSC, *FLAGS, *files], capture_output=True, text=True, check=False,
                          timeout=300)


def main():
    found, golden = documents()
    if not found or not GITHUB.exists() or not TSC.exists():
        print("the OpenAPI documents are not there: PLIMSOLL_OPENAPI_DIR or ../shared/openapi, and "
              "deps/setup for GitHub's and for tsc")
        return 1 if os.environ.get("CI") == "true" else SKIPPED
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        inputs = [*found, GITHUB, *golden]
        written = int(subprocess.run([sys.argv[1], folder, *inputs], capture_output=True, text=True,
                                     check=True, timeout=120).stdout)
        # All but the one that is refused.
        if written != len(inputs) - 1:
            print(f"{written} of {len(inputs)} documents were generated from")
            return 1
        done = compile_all(folder)
        if done.returncode != 0:
            print(done.stdout[:4000], done.stderr[:4000])
            return 1
        (folder / "planted.ts").write_text("export const planted: Promise<number> = api2.get(1);\n")
        if compile_all(folder).returncode == 0:
            print("the compiler does not look at the files")
            return 1
    print(f"{written} documents")
    return 0


if __name__ == "__main__":
    sys.exit(main())
