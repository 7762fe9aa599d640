"""Every relative link of a Markdown page leads to a file of the tree, and its fragment to a heading
there. Links into the web are not looked at."""

import re

import tree

LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)\)|^\[[^\]]+\]:\s+(\S+)", re.MULTILINE)
FENCE = re.compile(r"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"`[^`\n]*`")
HEADING = re.compile(r"^#{1,6} +(.*?) *#*$", re.MULTILINE)


def blank(match):
    return tree.blank(match[0])


def without_code(text):
    return CODE.sub(blank, FENCE.sub(blank, text))


def anchor(heading):
    """As GitHub names it: lower case, words joined by dashes, no other punctuation."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")


def anchors(page):
    text = FENCE.sub(blank, tree.text(page) or "")
    return {anchor(heading) for heading in HEADING.findall(text)}


def problem(root, page, target):
    path, _, fragment = target.partition("#")
    file = (page.parent / path).resolve() if path else page
    if not file.is_relative_to(root):
        return "leads out of the tree"
    if not file.exists():
        return "there is no such file"
    if fragment and file.suffix == ".md" and fragment not in anchors(file):
        return "there is no such heading"
    return None


def check(root):
    found = []
    for page in tree.files(root):
        if page.suffix != ".md":
            continue
        text = without_code(tree.text(page) or "")
        for match in LINK.finditer(text):
            target = match[1] or match[2]
            if re.match(r"[a-z][a-z0-9+.-]*:", target):
                continue
            why = problem(root, page, target)
            if why:
                line = tree.line_of(text, match.start())
                found.append(tree.finding(root, page, line, f"{target}: {why}"))
    return found
