"""docs/dependencies.md names every package of deps/packages.txt and of the package.json files, the latter
with the version that is pinned; and every row of its tables that names one is still true."""

import json
import re

import tree

PAGE = "docs/dependencies.md"
MANIFESTS = ("deps/npm/package.json", "tests/report/package.json", "tests/rpc/package.json",
             "tests/specgen/package.json")
GROUPS = ("dependencies", "devDependencies", "optionalDependencies")


def check(root):
    page = root / PAGE
    content = tree.text(page) or ""
    rows = dict(re.findall(r"^\| `([^`]+)` \| ([^|]+?) \|", content, re.MULTILINE))
    listed = (root / "deps" / "packages.txt").read_text()
    debian = {line.split("#")[0].strip() for line in listed.splitlines()} - {""}
    npm = {}
    for name in MANIFESTS:
        if (root / name).is_file():
            manifest = json.loads((root / name).read_text())
            for group in GROUPS:
                npm.update(manifest.get(group, {}))

    found = [f"{name} has no row" for name in sorted((debian | set(npm)) - set(rows))]
    found += [f"{name} is no dependency any more" for name in sorted(set(rows) - debian - set(npm))]
    found += [
        f"{name} is {rows[name]} here and {version} in package.json"
        for name, version in sorted(npm.items())
        if name in rows and rows[name] != version
    ]
    return [tree.finding(root, page, 1, message) for message in found]
