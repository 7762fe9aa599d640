"""Includes go one way: base <- core <- the middle <- providers <- sandbox, service <- rpc <- apps.

Every include of ours is written as its path below src/ or include/; a program's own headers, in apps/
and examples/, by their names. Layers of one rank do not include
each other; neither do two providers. The engine and the worker are a side of their own: the engine
includes only itself and the translated module, the worker only what has to run in the jail. Protobuf and
what it generates stay in rpc and in the client: no wire type is in an interface of another layer.
"""

import re

import tree

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)
WIRE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"](google/[^>"]+|[^>"]+\.pb\.h)[>"]', re.MULTILINE)
SPEAKS_WIRE = {"rpc", "client"}

MIDDLE = ("record", "guest", "broker", "auth", "admission", "audit", "advisor", "grants", "specgen",
          "config")
RANK = {
    "base": 0,
    "core": 1,
    **{name: 2 for name in MIDDLE},
    "providers": 3,
    "sandbox": 4,
    "service": 4,
    "rpc": 5,
    "client": 5,
    "apps": 6,
    "examples": 6,
}
# Exceptions to the ranks, both ways.
ONLY = {
    "engine": {"engine"},
    "worker": {"worker", "engine", "guest", "base", "api"},
    "client": {"client", "record", "core", "base", "api"},
    "examples": {"examples", "api"},
}
NEVER = {"rpc": {"providers"}}
# Beside each other, and one is made of the other.
ALSO = {"grants": {"broker"}, "advisor": {"broker"}}
TRANSLATED = {"qjs.h", "wasm-rt.h"}
# The one public header that the lowest layer may use.
FOR_BASE = {"plimsoll/result.h"}


def layer_of(path):
    """The layer of a path below the root, or of an include; None for what is not ours."""
    parts = path.split("/")
    if parts[0] == "src" and len(parts) > 2:
        parts = parts[1:]
    if parts[0] == "include" or (parts[0] == "plimsoll" and len(parts) == 2):
        return "api"
    known = set(RANK) | set(ONLY)
    return parts[0] if parts[0] in known and len(parts) > 1 else None


def allowed(source, layer, included, target):
    if source == "api":
        return target == "api"
    if source == "engine" and included in TRANSLATED:
        return True
    if source in ONLY:
        return target in ONLY[source]
    if target == "api":
        return source != "base" or included in FOR_BASE
    if target in ("engine", "worker") or target in NEVER.get(source, ()):
        return False
    if target in ALSO.get(source, ()):
        return True
    if source == target:
        return source != "providers" or same_provider(layer, included)
    return RANK[target] < RANK[source]


def same_provider(path, included):
    """providers/wasm/... includes providers/x.h and providers/wasm/..., never providers/docker/..."""
    parts = included.split("/")
    return len(parts) == 2 or f"/providers/{parts[1]}/" in f"/{path}"


def check(root):
    found = []
    for path in tree.cpp_files(root, ("include", "src", "apps", "examples")):
        relative = path.relative_to(root).as_posix()
        source = layer_of(relative)
        content = tree.text(path) or ""
        if source is None:
            found.append(tree.finding(root, path, 1, "is in no layer that tests/tidy/layers.py knows"))
            continue
        for match in WIRE.finditer(content) if source not in SPEAKS_WIRE else ():
            line = tree.line_of(content, match.start(1))
            found.append(tree.finding(root, path, line, f"{match[1]}: protobuf outside of rpc and client"))
        for match in INCLUDE.finditer(content):
            included, line = match[1], tree.line_of(content, match.start(1))
            is_test = path.stem.endswith(("_test", "_fuzz"))
            if included.startswith("tests/") and is_test:
                continue
            if source in ("apps", "examples") and (path.parent / included).is_file():
                continue
            target = layer_of(included)
            if target is None and not (source == "engine" and included in TRANSLATED):
                message = f'"{included}": write the path from src/ or include/; <> is for others'
            elif not allowed(source, relative, included, target):
                message = f'{source} includes "{included}" of {target}: against the direction'
            else:
                continue
            found.append(tree.finding(root, path, line, message))
    return found
