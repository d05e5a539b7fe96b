#!/usr/bin/env python3
"""Writes the tables of docs/performance.md, between its marks, from the results of both targets in docs/measurements.md.

    benchmarks/by_task.py            after scripts/bench.sh --markdown docs/measurements.md, for each target
"""

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
KEY = 4  # columns: case, size, dtype, threads


def results(page, name):
    """heading -> {key: (ours, best peer, ratio)} of a target."""
    text = re.search(rf"<!-- {name} -->(.*?)<!-- /{name} -->", page, re.DOTALL)[1]
    found = {}
    heading = ""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("### "):
            heading = line[4:]
        elif line.startswith("| ") and len(cells) > KEY + 2 and cells[0] != "case":
            found.setdefault(heading, {})[tuple(cells[:KEY])] = cells[KEY:KEY + 3]
    return found


def beside(ours, peer, ratio):
    """Our time, and its part of the peer's; in bold where the peer is faster by more than 5 %."""
    is_behind = re.fullmatch(r"[\d.]+", ratio) and float(ratio) > 1.05
    return f"{ours} | {f'**{ratio}**' if is_behind else ratio} {peer.split(' ')[0]}"


def tables(page):
    best = results(page, "results")
    capped = {key: row for rows in results(page, "results avx2").values() for key, row in rows.items()}
    lines = []
    for heading, rows in best.items():
        lines += ["", f"### {heading}", "",
                  "| task | ours | ÷ best peer | AVX2: ours | ÷ best peer |", "|---|---|---|---|---|"]
        for key, row in rows.items():
            case, size, dtype, threads = key
            name = f"`{case}` {size} {dtype}" + (f", {threads} threads" if threads != "1" else "")
            lines.append(f"| {name} | {beside(*row)} | {beside(*capped.get(key, ('–', '', '')))} |")
    return "\n".join(lines).strip() + "\n"


if __name__ == "__main__":
    summary = DOCS / "performance.md"
    text = summary.read_text()
    made = tables((DOCS / "measurements.md").read_text())
    summary.write_text(re.sub(r"(<!-- by task -->\n).*?(?=<!-- /by task -->)", lambda match: match[1] + made, text, flags=re.DOTALL))
