"""A file of more than 700 lines fails, of more than 400 is warned about. Generated files, tables and
data are exempt: lock files, JSON, golden files, licences, and what says "a table" or "generated" in
its first line. A line of C++ has at most 100 columns, unless a long literal is on it."""

import re

import tree

WARN, FAIL = 400, 700
COLUMNS = 100
LONG_LITERAL = re.compile(r'"[^"]{60,}"|R"|https?://\S{60,}')
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
    ] + wide_lines(root)


def wide_lines(root):
    return [
        tree.finding(root, path, number, f"{len(line)} columns; more than {COLUMNS}")
        for path in tree.cpp_files(root)
        for number, line in enumerate((tree.text(path) or "").split("\n"), 1)
        if len(line) > COLUMNS and not LONG_LITERAL.search(line)
    ]


def warnings(root):
    return [
        tree.finding(root, path, WARN, f"{count} lines; more than {WARN}")
        for path, count in lengths(root)
        if WARN < count <= FAIL
    ]
