"""The tree's files, and C++ text without its comments and strings. Used by every tidy check."""

import os
import pathlib
import re
import subprocess

CPP = {".h", ".cc", ".c", ".S"}
# Folders that are never ours.
SKIPPED = {".git", "build", "node_modules", "__pycache__"}


def files(root, folders=("",)):
    """Every file of ours below `folders`, sorted: what git tracks or would track."""
    root = pathlib.Path(root)
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        check=False,
    )
    # A folder without a repository of its own (a tarball, a test's tree) is walked.
    if listed.returncode == 0 and (root / ".git").exists():
        names = [name.decode() for name in listed.stdout.split(b"\0") if name]
    else:
        names = walk(root)
    return sorted(
        path
        for path in (root / name for name in names)
        if path.is_file()
        and not path.is_symlink()
        and any(path.is_relative_to(root / folder) for folder in folders)
    )


def walk(root):
    names = []
    for folder, subfolders, leaves in os.walk(root):
        subfolders[:] = [name for name in subfolders if name not in SKIPPED]
        names += [os.path.relpath(os.path.join(folder, leaf), root) for leaf in leaves]
    return names


def cpp_files(root, folders=("include", "src", "apps", "examples", "bench", "fuzz", "tests")):
    return [path for path in files(root, folders) if path.suffix in CPP]


def text(path):
    """The file's text; None when it is not UTF-8 (a corpus entry, an image)."""
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return None


TOKEN = re.compile(
    r"""
    (?P<comment> //[^\n]* | /\*.*?\*/ )
  | (?P<include> ^[ \t]*\#[ \t]*include[^\n]* )
  | (?P<raw> R"(?P<delimiter>[^()\s\\]{0,16})\(.*?\)(?P=delimiter)" )
  | (?P<string> "(?:\\.|[^"\\\n])*" )
  | (?P<char> (?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+' )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)


def blank(matched):
    return re.sub(r"[^\n]", " ", matched)


def without_comments_and_strings(source):
    """The same lines and columns, with blanks for comments and for the inside of literals."""

    def replace(match):
        if match["include"] is not None:
            return re.sub(r"//.*", lambda found: blank(found[0]), match[0])
        if match["comment"] is not None:
            return blank(match[0])
        return match[0][0] + blank(match[0][1:-1]) + match[0][-1]

    return TOKEN.sub(replace, source)


def line_of(source, offset):
    return source.count("\n", 0, offset) + 1


def finding(root, path, line, message):
    return f"{path.relative_to(root)}:{line}: {message}"
