#!/usr/bin/env python3
"""Draws docs/design/house.svg: the floors, and the rooms of the engine and of `functional`, from what includes what.

    tools/draw_house.py            writes the picture
    tools/draw_house.py --check    fails if the picture is not what would be written

An arrow goes from a room to a room that it includes; not where the way leads through another room anyway.
"""

import sys
from html import escape
from pathlib import Path

from check_layers import FACE, FLOORS, PRIVATE, ROOMS, House

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "design" / "house.svg"
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


def arrows(house, floor):
    """Pairs of rooms, the second included by the first, without those that others imply."""
    below = {room: set() for room in ROOMS[floor]}
    for file, includes in house.includes.items():
        own = house.place(file)
        for _, target in includes:
            other = house.place(target)
            if own[0] == other[0] == floor and own[1] != other[1] and ROOMS[floor][other[1]] < ROOMS[floor][own[1]]:
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
    house = House(ROOT)
    drawing = Drawing()
    floors = {name: number for name, number in FLOORS.items() if name != "interop" or house_has(house, name)}
    drawing.rows("floors", levels(floors), 40, 50, lambda name: "roomy" if name in ROOMS else "floor")
    left = 40
    functional = drawing.rows("rooms of functional", levels(ROOMS["functional"]), left + 2 * (BOX + GAP) - BOX // 2,
                              50 + (len(levels(floors)) + 1) * LINE)
    engine = drawing.rows(f"rooms of the {PRIVATE}, behind {FACE}", levels(ROOMS[PRIVATE]), 40 + 5 * (BOX + GAP), 50)
    for floor, places in (("functional", functional), (PRIVATE, engine)):
        for room, other in arrows(house, floor):
            drawing.arrow(places[room], places[other])
    height = 50 + (len(levels(floors)) + len(levels(ROOMS["functional"])) + 1) * LINE + 20
    width = 40 + 8 * (BOX + GAP) + 20
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">\n'
            f"<style>{STYLE}</style>\n"
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            '<path d="M 0 0 L 8 4 L 0 8 z" style="fill: #88a; stroke: none; marker-end: none"/></marker></defs>\n'
            '<rect width="100%" height="100%" style="stroke: none"/>\n'
            + "\n".join(drawing.arrows + drawing.parts) + "\n</svg>\n")


def house_has(house, floor):
    return any(house.place(file)[0] == floor for file in house.files)


if __name__ == "__main__":
    drawn = picture()
    if sys.argv[1:] == ["--check"]:
        if not PICTURE.is_file() or PICTURE.read_text() != drawn:
            sys.exit(f"draw_house: {PICTURE.relative_to(ROOT)} is not what the includes say: run tools/draw_house.py")
        print("draw_house: the picture is true")
    else:
        PICTURE.write_text(drawn)
