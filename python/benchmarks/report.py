"""Rows as Markdown: ours, its part of each peer's time, the best peer, the target."""

from driver import OURS, PEERS, best, met


def short(ns):
    for unit, scale in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= scale:
            return f"{ns / scale:.3g} {unit}"
    return f"{ns:.3g} ns"


def part(ns, of):
    return f"{ns / of:.2f}" if ns and of else "–"


def verdict(row):
    return {True: "met", False: "**missed**", None: "–"}[met(row)]


SHARED = {"case": "{}", "size": "Of {} elements", "type": "Of {}", "threads": "{} thread(s)", "target": "Target: {}"}


def cells(row, peers):
    ours = row["ns"].get(OURS)
    fastest = best(row)
    return [
        row["case"],
        *([f"{row['size']:,}".replace(",", " "), row["dtype"]] if row["size"] else ["", ""]),
        str(row["threads"]),
        row.get("shown") or (short(ours) if ours else "wrong"),
        *(part(ours, row["ns"].get(who)) for who in peers),
        f"{fastest[0]} {short(fastest[1])}" if fastest else "–",
        row["target"],
        verdict(row),
    ]


def table(rows):
    known = [*PEERS, *dict.fromkeys(who for row in rows for who in row["ns"] if who not in (*PEERS, OURS))]
    peers = [who for who in known if any(who in row["ns"] for row in rows)]
    titles = [
        "case",
        "size",
        "type",
        "threads",
        "ours",
        *("÷ " + who for who in peers),
        "best peer",
        "target",
        "",
    ]
    told = [cells(row, peers) for row in rows]
    drop = {n for n in range(1, len(titles) - 1) if all(not line[n] or line[n] == "–" for line in told)}
    # What all rows share stands above, so that rows fit into 120 columns.
    shared = {n for n, title in enumerate(titles) if title in SHARED and n not in drop and len({line[n] for line in told}) == 1}
    above = [". ".join(SHARED[titles[n]].format(told[0][n]) for n in sorted(shared)) + ".", ""] if shared else []
    lines = [titles, ["---"] * len(titles), *told]
    return "\n".join(above + ["| " + " | ".join(cell for n, cell in enumerate(line) if n not in drop | shared) + " |" for line in lines])


def page(groups, headings, first):
    parts = [first, ""]
    for group, rows in groups.items():
        if rows:
            parts += [f"### {headings[group]}", "", table(rows), ""]
    behind = [row for rows in groups.values() for row in rows if met(row) is False]
    parts += ["### Where the target is missed", ""]
    for row in behind:
        fastest = best(row, row["against"]) if row["against"] else None
        told = row.get("shown") or (f"{row['ns'][OURS] / fastest[1]:.2f} times {fastest[0]}" if fastest else short(row["ns"][OURS]))
        name = " ".join(str(each) for each in (row["case"], row["size"] or "", row["dtype"] if row["size"] else "") if each)
        parts.append(f"- {name}, {row['threads']} thread(s): {told}")
    parts += [] if behind else ["Nowhere."]
    wrong = [f"- {row['case']}: {each}" for rows in groups.values() for row in rows for each in row["wrong"]]
    parts += ["", "### Left out, since the result differs or the call fails", "", *wrong] if wrong else []
    return "\n".join(parts) + "\n"


def write_between_marks(path, text):
    begin, end = "<!-- results -->", "<!-- /results -->"
    old = path.read_text(encoding="utf-8") if path.exists() else f"{begin}\n{end}\n"
    before, _, rest = old.partition(begin)
    _, _, after = rest.partition(end)
    path.write_text(f"{before}{begin}\n{text}{end}{after}", encoding="utf-8")
