#!/usr/bin/env python3
"""run.py CHECK [--root DIR] [--build DIR]: runs one check; prints its findings; exit 1 when there are.

A check is a module of this folder with check(root) -> list of findings, and maybe warnings(root)."""

import argparse
import importlib
import pathlib
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

CHECKS = ("layers", "length", "unfinished", "headers", "hosts", "paths", "dependencies",
          "environment", "links", "listed", "protos")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("check", choices=CHECKS)
    parser.add_argument("--root", type=pathlib.Path, default=HERE.parent.parent)
    parser.add_argument("--build", type=pathlib.Path)
    args = parser.parse_args()
    root = args.root.resolve()
    module = importlib.import_module(args.check)
    more = (args.build / "compile_commands.json",) if args.check == "listed" else ()
    for line in getattr(module, "warnings", lambda _: [])(root):
        print(f"warning: {line}")
    found = module.check(root, *more)
    for line in found:
        print(line)
    print(f"{args.check}: {len(found)} finding(s)")
    sys.exit(1 if found else 0)


main()
