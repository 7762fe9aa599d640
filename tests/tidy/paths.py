"""No path of the machine that somebody works on."""

import re

import tree

PATH = re.compile(r"(?<![\w./~$}-])/(?:home/\w|Users/\w|root/\w|work/\w|workspace/|mnt/\w)")
EXEMPT = {"tests/tidy/paths.py", "tests/tidy/selftest.py"}


def check(root):
    found = []
    for path in tree.files(root):
        content = tree.text(path)
        if content is None or path.relative_to(root).as_posix() in EXEMPT:
            continue
        for match in PATH.finditer(content):
            line = tree.line_of(content, match.start())
            found.append(tree.finding(root, path, line, f"a path of somebody's machine: {match[0]}..."))
    return found
