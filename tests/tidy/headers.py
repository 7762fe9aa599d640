"""Headers are the contract: each starts with a comment, then #pragma once; in the public ones a comment
stands above every type, function and constant at namespace scope. Declarations without a blank line
between them are one group under one comment."""

import re

import tree

FORWARD = re.compile(r"^(class|struct|enum class) \w+( : [\w:]+)?;$")
SCOPE = re.compile(r"^(inline )?namespace\b[^{;=]*\{$")


def check(root):
    found = []
    for path in tree.cpp_files(root, ("include", "src")):
        if path.suffix != ".h":
            continue
        lines = (tree.text(path) or "").split("\n")
        if not lines[0].startswith("//"):
            found.append(tree.finding(root, path, 1, "starts without a comment that says what it is"))
        code = [line for line in lines if line.strip() and not line.startswith("//")]
        if not code or code[0] != "#pragma once":
            found.append(tree.finding(root, path, 1, "the first line of code is not #pragma once"))
        if path.is_relative_to(root / "include"):
            found += undocumented(root, path, lines)
    return found


def undocumented(root, path, lines):
    """Declarations at namespace scope whose group has no comment on its first line."""
    found = []
    code = tree.without_comments_and_strings("\n".join(lines)).split("\n")
    depth = 0  # of braces, without those of namespaces
    parens = 0
    covered = False  # by the comment above this group
    in_declaration = False
    for number, (line, bare) in enumerate(zip(lines, code), 1):
        stripped, bare_stripped = line.strip(), bare.strip()
        at_top = depth == 0 and parens == 0 and not in_declaration
        if at_top and stripped.startswith("//"):
            covered = True
            continue
        if at_top and not stripped:
            covered = False
            continue
        if at_top and (bare_stripped.startswith("#") or SCOPE.match(bare_stripped)):
            continue
        if at_top and bare_stripped == "}":  # the end of a namespace
            continue
        if at_top and not covered and not FORWARD.match(bare_stripped):
            found.append(tree.finding(root, path, number, f"no comment above: {stripped}"))
            covered = True  # one finding a group
        depth += bare.count("{") - bare.count("}")
        parens += bare.count("(") - bare.count(")")
        in_declaration = not (depth == 0 and bare_stripped.endswith((";", "}")))
    return found
