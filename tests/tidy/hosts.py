"""No network host in the tree, but documentation links in Markdown and the names that the standards
reserve for examples (RFC 2606, RFC 6761). Names that cannot be in the DNS (one label, a last label of
one letter) are for tests of URLs; golden files hold what a reference printed. A lock file names no
registry."""

import re

import tree

URL = re.compile(r"\b(?:https?|wss?|ftp)://([^\s\"'`<>()\[\]{}|\\^]*)", re.IGNORECASE)
RESERVED = re.compile(
    r"^([^/?#@]*@)?(([\w-]+\.)*(example(\.(com|net|org))?|test|invalid|localhost)"
    r"|127(\.\d+){3}|\[::1\]|0\.0\.0\.0)\.?(:\d*)?([/?#]|$)",
    re.IGNORECASE,
)
IMPOSSIBLE = re.compile(r"^[\w-]+(\.[a-z])?(:\d*)?([/?#]|$)", re.IGNORECASE)
# A host that is not meant to be one: a variable, a placeholder, a scheme named in prose.
NO_HOST = re.compile(r"^(\$|%|$|\.\.\.|…)")
# The name of a language, which nothing fetches; a drawing without it is none.
SVG_NAMESPACE = "http:" + "//www.w3.org/2000/svg"
EXEMPT_NAMES = {"LICENSE"}
# What a user runs to download something, pinned by its hash. Nothing in the tree runs it.
DOWNLOADERS = {"images/install-gvisor.sh"}
EXEMPT_FOLDERS = {"golden", "corpus"}


def check(root):
    found = []
    for path in tree.files(root):
        content = tree.text(path)
        if content is None or path.name in EXEMPT_NAMES or path.suffix == ".md":
            continue
        if str(path.relative_to(root)) in DOWNLOADERS:
            continue
        if EXEMPT_FOLDERS & set(path.relative_to(root).parts):
            continue
        if path.name == "package-lock.json":
            found += lock_hosts(root, path, content)
            continue
        for match in URL.finditer(content):
            if path.suffix == ".svg" and match[0] == SVG_NAMESPACE:
                continue
            if not any(rule.match(match[1]) for rule in (RESERVED, IMPOSSIBLE, NO_HOST)):
                line = tree.line_of(content, match.start())
                found.append(tree.finding(root, path, line, f"a network host: {match[0]}"))
    return found


def lock_hosts(root, path, content):
    """The funding links that npm copies into a lock are documentation; where a package comes from is
    the business of the machine that installs it."""
    return [
        tree.finding(
            root,
            path,
            tree.line_of(content, match.start()),
            "the lock names a registry; set omit-lockfile-registry-resolved=true and make it anew",
        )
        for match in re.finditer(r'"resolved"\s*:\s*"', content)
    ]
