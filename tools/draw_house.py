#!/usr/bin/env python3
"""Draws docs/design/house.svg: the floors, and the rooms of those that have some, from what includes what; and lists them
in CONTRIBUTING.md, from tools/house.py.

    tools/draw_house.py            writes the picture and the lists
    tools/draw_house.py --check    fails if they are not what would be written

An arrow goes from a room to a room that it includes; not where the way leads through another room anyway.
"""

import re
import sys
from html import escape
from pathlib import Path

import house
from check_layers import FACE, FLOORS, PRIVATE, ROOMS, House
from wrap_markdown import wrapped

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "design" / "house.svg"
LISTS = ROOT / "CONTRIBUTING.md"
BOX, GAP, LINE = 118, 26, 62  # width of a room, between rooms, height of a level
STYLE = """
    text { font: 13px sans-serif; fill: #222; text-anchor: middle }
    .title { font-weight: bold }
    .level { fill: #888; text-anchor: end }
    rect { fill: #fff; stroke: #667; rx: 5 }
    .floor { fill: #eef2f7 }
    .roomy { fill: #dbe7f5 }
    path { stroke: #88a; fill: none; marker-end: url(#tip) }
"""


def levels(numbers):
    """Names by number, the highest first."""
    rows = {}
    for name, number in numbers.items():
        rows.setdefault(number, []).append(name)
    return [(number, rows[number]) for number in sorted(rows, reverse=True)]


def arrows(built, floor):
    """Pairs of rooms, the second included by the first, without those that others imply."""
    below = {room: set() for room in ROOMS[floor]}
    for file, includes in built.includes.items():
        own = built.place(file)
        for _, target in includes:
            other = built.place(target)
            if own[0] == other[0] == floor and None not in (own[1], other[1]) and own[1] != other[1] and ROOMS[floor][other[1]] < ROOMS[floor][own[1]]:
                below[own[1]].add(other[1])
    reached = {}
    for room in sorted(below, key=ROOMS[floor].get):
        reached[room] = below[room].union(*(reached[other] for other in below[room]))
    return [(room, other) for room in below for other in sorted(below[room])
            if not any(other in reached[third] for third in below[room])]


class Drawing:
    def __init__(self):
        self.arrows = []
        self.parts = []  # in front of the arrows

    def box(self, x, y, width, height, name, kind=""):
        self.parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}"{kind and f" class={kind!r}"}/>'.replace("'", '"'))
        self.text(x + width // 2, y + height // 2 + 5, name)

    def text(self, x, y, text, kind=""):
        self.parts.append(f'<text x="{x}" y="{y}"{kind and f" class={kind!r}"}>{escape(text)}</text>'.replace("'", '"'))

    def rows(self, title, rows, left, top, kind=lambda name: ""):
        """Boxes in rows below a title; returns where each is: the middle, the top and the bottom."""
        places = {}
        widest = max(len(names) for _, names in rows)
        self.text(left + (widest * (BOX + GAP) - GAP) // 2, top - 14, title, "title")
        for row, (number, names) in enumerate(rows):
            y = top + row * LINE
            self.text(left - 8, y + 22, str(number), "level")
            start = left + (widest - len(names)) * (BOX + GAP) // 2
            for column, name in enumerate(names):
                x = start + column * (BOX + GAP)
                self.box(x, y, BOX, 34, name, kind(name))
                places[name] = (x + BOX // 2, y, y + 34)
        return places

    def arrow(self, begin, end):
        x, _, bottom = begin
        other_x, top, _ = end
        bend = BOX // 2 + 34 if x == other_x and top - bottom > LINE else 0  # round the rooms between
        middle = (bottom + top) // 2
        path = f"M {x} {bottom} C {x + bend} {middle}, {other_x + bend} {middle}, {other_x} {top - 2}"
        if bend:
            path = (f"M {x + BOX // 2} {bottom - 10} C {x + bend} {bottom + 10}, {x + bend} {top - 10}, "
                    f"{x + BOX // 2 + 2} {top + 10}")
        self.arrows.append(f'<path d="{path}"/>')


def picture():
    built = House(ROOT)
    drawing = Drawing()
    wide, far = BOX + GAP, 60 + 6 * (BOX + GAP)
    drawing.rows("floors", levels(FLOORS), 40, 50, lambda name: "roomy" if name in ROOMS else "floor")
    below = 50 + (len(levels(FLOORS)) + 1) * LINE
    places = {
        "functional": drawing.rows("rooms of functional", levels(ROOMS["functional"]), 40, below),
        "gpu": drawing.rows("rooms of gpu", levels(ROOMS["gpu"]), 40 + wide + wide // 2, below),
        "zarr": drawing.rows("rooms of zarr", levels(ROOMS["zarr"]), 40 + 4 * wide, below),
        "mpi": drawing.rows("rooms of mpi", levels(ROOMS["mpi"]), 40, below + (len(levels(ROOMS["functional"])) + 1) * LINE),
        PRIVATE: drawing.rows(f"rooms of the {PRIVATE}, behind {FACE}", levels(ROOMS[PRIVATE]), far, 50),
    }
    for floor, rooms in places.items():
        for room, other in arrows(built, floor):
            drawing.arrow(rooms[room], rooms[other])
    height = below + (len(levels(ROOMS["functional"])) + len(levels(ROOMS["mpi"])) + 1) * LINE + 20
    width = far + 4 * wide + 20
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">\n'
            f"<style>{STYLE}</style>\n"
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            '<path d="M 0 0 L 8 4 L 0 8 z" style="fill: #88a; stroke: none; marker-end: none"/></marker></defs>\n'
            '<rect width="100%" height="100%" style="stroke: none"/>\n'
            + "\n".join(drawing.arrows + drawing.parts) + "\n</svg>\n")


def listed(plan):
    """A plan as a list: those with one number, then what lives there."""
    lines = []
    for name, (number, what) in plan.items():
        target = f", target `purview::{name}`" if plan is house.FLOORS and name in house.LIBRARIES else ""
        lines += wrapped(f"{number} `{name}`{target}: {what}", "- ", "  ")
    return "\n".join(lines)


def listed_shared():
    """The private headers that libraries share: which do, then what for."""
    lines = []
    for header, places in sorted(House(ROOT).borrowers().items()):
        libraries = ", ".join(sorted({Path(file).parts[0] for file, _ in places}))
        lines += wrapped(f"`{header}` ({libraries}): {house.SHARED.get(header)}", "- ", "  ")
    return "\n".join(lines)


def with_lists(text):
    """A page with each list between `<!-- house: NAME -->` and `<!-- /house -->` as the plan says."""
    plans = {"floors": house.FLOORS, **house.ROOMS}
    return re.sub(r"(<!-- house: (\w+) -->\n).*?(?=<!-- /house -->)",
                  lambda match: f"{match[1]}\n{listed_shared() if match[2] == 'shared' else listed(plans[match[2]])}\n\n", text,
                  flags=re.DOTALL)


if __name__ == "__main__":
    for path, drawn in ((PICTURE, picture()), (LISTS, with_lists(LISTS.read_text()))):
        if sys.argv[1:] != ["--check"]:
            path.write_text(drawn)
        elif not path.is_file() or path.read_text() != drawn:
            sys.exit(f"draw_house: {path.relative_to(ROOT)} is not what the includes and tools/house.py say: run tools/draw_house.py")
    print("draw_house: the picture and the lists are true")
