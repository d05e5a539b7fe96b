"""Rows of results as a table for the terminal, as Markdown and as JSON."""

import json


def short(ns):
    if ns is None:
        return "–"
    for unit, scale in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= scale:
            return f"{ns / scale:.3g} {unit}"
    return f"{ns:.3g} ns"


def ratio(ns, reference):
    return f"{ns / reference:.2f}" if ns and reference else "–"


def best_peer(row):
    """(name, ns) of the fastest peer, or None."""
    return min(row["peers"].items(), key=lambda peer: peer[1], default=None)


def cells(row):
    best = best_peer(row)
    others = sorted((ns, name) for name, ns in row["peers"].items())
    return [
        row["case"], row["size"], row["dtype"], str(row["threads"]),
        short(row["ns"]) if row["ns"] else row.get("note", "not there yet"),
        f"{best[0]} {short(best[1])}" if best else "–",
        ratio(row["ns"], best[1] if best else None),
        short(row["limit_ns"]), ratio(row["ns"], row["limit_ns"]),
        ", ".join(f"{name} {short(ns)}" for ns, name in others[1:]),
    ]


TITLES = ["case", "size", "dtype", "threads", "ours", "best peer", "÷ best", "limit", "÷ limit",
          "other peers"]


def text(rows):
    table = [TITLES] + [cells(row) for row in rows]
    widths = [max(len(line[column]) for line in table) for column in range(len(TITLES) - 1)]
    return "\n".join("  ".join([*(cell.ljust(width) for cell, width in zip(line, widths)), line[-1]])
                     for line in table)


def markdown(rows, headings):
    """One table per heading; `headings` maps the name of a case to its heading. Rows fit into 120 columns."""
    kept = [n for n, title in enumerate(TITLES) if title not in ("limit", "other peers")]
    lines = []
    heading = None
    for row in rows:
        if headings.get(row["case"]) != heading:
            heading = headings.get(row["case"])
            lines += ["", f"### {heading}", "", "| " + " | ".join(TITLES[n] for n in kept) + " |",
                      "|" + "---|" * len(kept)]
        told = cells(row)
        lines.append("| " + " | ".join(told[n] for n in kept) + " |")
    return "\n".join(lines).strip() + "\n"


def losses(rows):
    """Where a peer is more than 5 % faster, worst first, as a list in Markdown."""
    lost = []
    for row in rows:
        best = best_peer(row)
        if row["ns"] and best and row["ns"] > 1.05 * best[1]:
            lost.append((row["ns"] / best[1], row, best[0]))
    lost.sort(key=lambda entry: -entry[0])
    return [f"- {row['case']} {row['size']} {row['dtype']}, {row['threads']} thread(s): "
            f"{times:.2f} times {name}" for times, row, name in lost]


def as_json(rows):
    keys = ("case", "size", "dtype", "threads", "ns", "peers", "limit_ns")
    return json.dumps([{key: row[key] for key in keys} for row in rows], indent=1) + "\n"


def machine(target):
    """The processor, as /proc/cpuinfo names it, how many there are, and which of its vectors are used."""
    facts = {}
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        for line in lines:
            key, _, value = line.partition(":")
            facts.setdefault(key.strip(), value.strip())
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        count = sum(line.startswith("processor") for line in lines)
    vectors = f"no more than {target.upper()}" if target != "native" else \
        "AVX-512" if "avx512f" in facts.get("flags", "") else \
        "AVX2" if "avx2" in facts.get("flags", "") else "SSE2"
    return (f"{facts.get('model name', 'unknown processor')} (family {facts.get('cpu family', '?')}, "
            f"model {facts.get('model', '?')}), {count} processors, {vectors}")
