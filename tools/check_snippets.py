#!/usr/bin/env python3
"""Checks that the code in README.md and docs/ is code that the tests compile and run.

A ```cpp block preceded by `<!-- from: examples/quick_tour.cpp#name -->` has to equal what stands
between `// [name]` and `// [/name]` in that file, indentation apart. In README.md every ```cpp block
needs such a marker; elsewhere blocks without one are left alone.

A table behind `<!-- rows: examples/coming_from_numpy.cpp -->` translates from another library: the code in the
first column of each row has to stand in a comment of its own in that file, and the code in the second one in the
statements behind that comment.

    tools/check_snippets.py [ROOT]
    tools/check_snippets.py --self-test
"""

import re
import sys
import tempfile
from pathlib import Path
from textwrap import dedent

BLOCK = re.compile(
    r"(?:<!--\s*from:\s*(?P<file>[^#\s]+)#(?P<name>[\w-]+)\s*-->[ \t]*\n(?:[ \t]*\n)?)?"
    r"^```cpp[^\n]*\n(?P<code>.*?)^```",
    re.MULTILINE | re.DOTALL,
)
MARKER = re.compile(r"<!--\s*from:")
ROWS = re.compile(r"<!--\s*rows:\s*(?P<file>\S+)\s*-->\s*\n(?P<table>(?:\|.*\n)+)", re.MULTILINE)
CODE = re.compile(r"`([^`]+)`")


def normal(code):
    lines = [line.rstrip() for line in dedent(code).splitlines()]
    return "\n".join(lines).strip("\n")


def region(path, name):
    """The lines between `// [name]` and `// [/name]`, without the markers of other regions."""
    inside, lines, found = False, [], False
    for line in path.read_text().splitlines():
        marker = re.fullmatch(r"\s*// \[(/?)([\w-]+)\]\s*", line)
        if marker and marker[2] == name:
            inside, found = not marker[1], True
        elif inside and not marker:
            lines.append(line)
    if not found:
        return None
    return normal("\n".join(lines))


def translations(source):
    """Each comment that is a line of its own, and the statements up to the next one."""
    found, comment, code = {}, None, []
    for line in [*source.splitlines(), "// end"]:
        if line.strip().startswith("// "):
            if comment is not None:
                found[comment] = " ".join(" ".join(code).split())
            comment, code = line.strip()[3:], []
        else:
            code.append(line)
    return found


def check_rows(root, page, text):
    problems, checked = [], 0
    for table in ROWS.finditer(text):
        source = root / table["file"]
        known = translations(source.read_text()) if source.exists() else {}
        for row in table["table"].splitlines()[2:]:
            theirs, ours = [cell.replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row)[1:3]]
            comment = ", ".join(CODE.findall(theirs))
            missing = [code for code in CODE.findall(ours) if code not in known.get(comment, "")]
            if comment not in known or missing or not CODE.findall(ours):
                what = missing or comment
                problems.append(f"{page.relative_to(root)}: {table['file']} has no {what} in the row {row}")
            checked += 1
    return problems, checked


def check(root):
    problems, checked = [], 0
    pages = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    for page in filter(Path.exists, pages):
        text = page.read_text()
        marked = 0
        for block in BLOCK.finditer(text):
            where = f"{page.relative_to(root)}:{text.count(chr(10), 0, block.start('code'))}"
            if not block["file"]:
                if page.name == "README.md":
                    problems.append(f"{where}: a ```cpp block without a `<!-- from: … -->` marker")
                continue
            marked += 1
            source = root / block["file"]
            expected = region(source, block["name"]) if source.exists() else None
            if expected is None:
                problems.append(f"{where}: no region [{block['name']}] in {block['file']}")
            elif expected != normal(block["code"]):
                problems.append(
                    f"{where}: differs from [{block['name']}] in {block['file']}, which reads\n{expected}"
                )
            checked += 1
        wrong, rows = check_rows(root, page, text)
        problems += wrong
        checked += rows
        if marked != len(MARKER.findall(text)):
            problems.append(f"{page.relative_to(root)}: a `<!-- from: … -->` without a ```cpp block")
    return problems, checked


def self_test():
    good = "<!-- from: examples/a.cpp#x -->\n```cpp\nint i = 0;\n```\n"
    cases = [
        (good, 0),
        (good.replace("= 0", "= 1"), 1),
        (good.replace("#x", "#y"), 1),
        (good.replace("a.cpp", "b.cpp"), 1),
        ("```cpp\nint i = 0;\n```\n", 1),
        ("```sh\nls\n```\n" + good, 0),
        ("<!-- from: examples/a.cpp#x -->\ntext\n", 1),
    ]
    table = "<!-- rows: examples/a.cpp -->\n| theirs | here |\n|---|---|\n| `zero()` | `int i = 0` |\n"
    cases += [
        (table, 0),
        (table.replace("= 0", "= 1"), 1),
        (table.replace("zero()", "one()"), 1),
        (table.replace("a.cpp", "b.cpp"), 1),
    ]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "examples").mkdir()
        (root / "examples/a.cpp").write_text("int main() {\n    // [x]\n    int i = 0;\n    // [/x]\n    // zero()\n    int i = 0;\n}\n")
        for text, expected in cases:
            (root / "README.md").write_text(text)
            problems, _ = check(root)
            assert len(problems) == expected, (text, problems)
    print(f"check_snippets: self-test, {len(cases)} cases passed")


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        sys.exit(0)
    root = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).resolve().parent.parent
    problems, checked = check(root)
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"check_snippets: {checked} snippets, {len(problems)} problems")
    sys.exit(1 if problems else 0)
