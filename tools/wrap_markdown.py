#!/usr/bin/env python3
"""Wraps paragraphs and list items of Markdown files in which a line has more than 120 characters.

Code, tables, headings and what fits stay as they are; a line never ends within `code` or a [link](page).

    tools/wrap_markdown.py FILE…          wraps
    tools/wrap_markdown.py --check FILE…  names longer lines, but those of code
    tools/wrap_markdown.py --self-test
"""

import re
import sys
from pathlib import Path

WIDTH = 120
ITEM = re.compile(r"(\s*)(?:[-*+]|\d+[.)]) +")
APART = re.compile(r"\s*(\||#|<|```|~~~|\[[^\]]+\]: |$)")  # lines that are no text
FENCE = re.compile(r"\s*(```|~~~)")
PIECE = re.compile(r"(?:`+[^`]*`+|!?\[(?:`[^`]*`|[^\[\]`])*\](?:\([^()]*(?:\([^()]*\)[^()]*)*\))?|\S)+")
MARK = re.compile(r"(?:[-+*#>|=]+|\d+[.)])$")  # would begin something else at the start of a line


def wrapped(text, first, rest):
    """The lines of a text, the first behind `first`, the others behind `rest`."""
    pieces = []
    for match in PIECE.finditer(text):
        if pieces and MARK.match(match[0]):
            pieces[-1] += " " + match[0]
        else:
            pieces.append(match[0])
    lines = [first + pieces[0]]
    for piece in pieces[1:]:
        if len(lines[-1]) + 1 + len(piece) <= WIDTH:
            lines[-1] += " " + piece
        else:
            lines.append(rest + piece)
    return lines


def blocks(lines):
    """(is text, lines) for each paragraph, list item, and line of something else."""
    block, fenced = [], False
    for line in lines:
        fence = FENCE.match(line) is not None
        is_text = not (fenced or fence or APART.match(line))
        if block and (not is_text or ITEM.match(line)):
            yield True, block
            block = []
        if is_text:
            block.append(line)
        else:
            yield False, [line]
        fenced ^= fence
    if block:
        yield True, block


def is_code(block):
    """Whether a block stands apart, and is indented."""
    return block[0].startswith("    ") and not ITEM.match(block[0])


def wrap(text):
    result = []
    for is_text, block in blocks(text.split("\n")):
        if not is_text or is_code(block) or all(len(line) <= WIDTH for line in block):
            result += block
            continue
        item = ITEM.match(block[0])
        indent = re.match(r"\s*", block[0])[0]
        first = item[0] if item else indent
        rest = " " * len(first) if item else indent
        body = " ".join([block[0][len(first):]] + [line.strip() for line in block[1:]])
        result += wrapped(body, first, rest)
    return "\n".join(result)


def self_test():
    long = "word " * 30
    assert wrap("short\nlines") == "short\nlines"
    assert wrap(long) == ("word " * 24)[:-1] + "\n" + ("word " * 6)[:-1]
    assert wrap("- " + long).split("\n")[1].startswith("  word")
    assert wrap("1. " + long).split("\n")[1].startswith("   word")
    table = "| " + long + " |"
    assert wrap(table) == table
    code = "```\n" + long + "\n```"
    assert wrap(code) == code
    indented = "text\n\n    " + long
    assert wrap(indented) == indented
    link = "x " * 55 + "[a link of words](page.md#part) end"
    assert wrap(link).split("\n")[1].startswith("[a link of words](page.md#part) end")
    assert wrap("x " * 59 + "- 2 " + long).split("\n")[1][0] != "-"
    print("wrap_markdown: its own tests pass")


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    check = arguments[:1] == ["--check"]
    broken = False
    for path in map(Path, arguments[check:]):
        text = path.read_text()
        if not check:
            path.write_text(wrap(text))
            continue
        fenced = False
        for number, line in enumerate(text.split("\n"), 1):
            fenced ^= FENCE.match(line) is not None
            if not fenced and len(line) > WIDTH:
                print(f"{path}:{number}: a line of {len(line)} characters, {WIDTH} at most")
                broken = True
    sys.exit(broken)


if __name__ == "__main__":
    main(sys.argv[1:])
