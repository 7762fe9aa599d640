"""Only a main.cc reads the environment: everything else gets what it needs as an argument, so that no
setting has an effect that the table of variables does not show."""

import re

import tree

READS = re.compile(r"\b(?:secure_getenv|getenv|setenv|putenv|unsetenv|clearenv|environ|__environ)\b")


def check(root):
    found = []
    for path in tree.cpp_files(root, ("include", "src", "apps", "examples")):
        parts = path.relative_to(root).parts
        if path.name == "main.cc" and parts[0] in ("apps", "examples"):
            continue
        if path.stem.endswith("_test"):
            continue
        code = tree.without_comments_and_strings(tree.text(path) or "")
        found += [
            tree.finding(root, path, tree.line_of(code, match.start()),
                         f"{match[0]}: only a program's main.cc reads the environment")
            for match in READS.finditer(code)
        ]
    return found
