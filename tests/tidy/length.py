"""A file of more than 700 lines fails, of more than 400 is warned about. Generated files, tables and
data are exempt: lock files, JSON, golden files, licences, and what says "a table" or "generated" in
its first line."""

import tree

WARN, FAIL = 400, 700
EXEMPT_SUFFIXES = {".json", ".lock", ".golden", ".txt", ".svg", ".png"}
EXEMPT_NAMES = {"LICENSE"}
EXEMPT_FOLDERS = {"golden", "corpus", "generated"}
MARKS = ("generated", "a table")


def exempt(path, root, first_line):
    return (
        path.suffix in EXEMPT_SUFFIXES
        or path.name in EXEMPT_NAMES
        or EXEMPT_FOLDERS & set(path.relative_to(root).parts)
        or any(mark in first_line.lower() for mark in MARKS)
    )


def lengths(root):
    for path in tree.files(root):
        content = tree.text(path)
        if content is not None and not exempt(path, root, content.split("\n", 1)[0]):
            yield path, content.count("\n")


def check(root):
    return [
        tree.finding(root, path, FAIL, f"{count} lines; more than {FAIL}: cut it where a concept ends")
        for path, count in lengths(root)
        if count > FAIL
    ]


def warnings(root):
    return [
        tree.finding(root, path, WARN, f"{count} lines; more than {WARN}")
        for path, count in lengths(root)
        if WARN < count <= FAIL
    ]
