"""No unfinished-work mark without the issue that will finish it: write "TODO(#12): ..."."""

import re

import tree

MARK = re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX|HA" r"CK)\b(?!\(#\d+\))")
# Where the word is the subject.
EXEMPT = {"tests/tidy/unfinished.py", "tests/tidy/selftest.py", "AGENTS.md"}


def check(root):
    found = []
    for path in tree.files(root):
        content = tree.text(path)
        relative = path.relative_to(root).as_posix()
        if content is None or relative in EXEMPT or path.name == "package-lock.json":
            continue
        for match in MARK.finditer(content):
            line = tree.line_of(content, match.start())
            found.append(tree.finding(root, path, line, f"{match[1]} without an issue: (#N)"))
    return found
