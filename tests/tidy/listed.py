"""Every source file is compiled: a .cc that no CMakeLists.txt names is a test that never runs.

Needs the release build's compile_commands.json."""

import json

import tree

COMPILED_BY_TESTS = ("build", "docker")


def check(root, compile_commands):
    compiled = {entry["file"] for entry in json.loads(compile_commands.read_text())}
    return [
        tree.finding(root, path, 1, "no CMakeLists.txt names it")
        for path in tree.cpp_files(root)
        if path.suffix in {".cc", ".c", ".S"}
        and str(path) not in compiled
        and not any(path.is_relative_to(root / "tests" / folder) for folder in COMPILED_BY_TESTS)
    ]
