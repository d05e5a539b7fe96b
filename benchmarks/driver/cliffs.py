"""Cliffs: different words for the same result, which are not to lie far apart. The cases of ours whose names begin with
`cliff_`; their sizes are the words."""

from driver import report
from driver.contenders import Failure

PREFIX = "cliff_"
FURTHEST = 3
# Words that may lie further apart, and why.
APART = {("channels uint8", "assign"): "stores byte by byte: a vector would write what lies between as well, which "
                                       "another thread may be writing",
         ("sparse_transposed_product float64", "clone"): "moves all entries, as it is told to",
         ("sum_of_short_rows float64", "columns"): "adds columns that lie across the memory (3.1)",
         ("sum_of_columns float64", "map_axis"): "calls a function for each column, which lies across the memory"}


def measured(contender, seconds, rounds, agree):
    """(name, {word: ns}, what is wrong) of each cliff."""
    cliffs = {}
    for key in sorted(key for key in contender.cases if key.startswith(PREFIX)):
        name, word, dtype = key.split("/")
        cliffs.setdefault((name.removeprefix(PREFIX), dtype), {})[word] = key
    for (name, dtype), words in cliffs.items():
        times, reference, wrong = {}, None, []
        for turn in range(rounds):
            for word, key in words.items():
                try:
                    ns, result = contender.measure(key, seconds, times.get(word), check=turn == 0)
                except Failure as failure:
                    wrong.append(str(failure))
                    continue
                times[word] = min(ns, times.get(word, ns))
                if turn == 0:
                    reference = reference or result
                    if not agree(result, reference, 1e-9):
                        wrong.append(f"{key}: {result[:4]}, but another word gives {reference[:4]}")
        yield f"{name} {dtype}", times, wrong


def row(name, times):
    """As cells: the words from the fastest on, and how far the slowest is from it."""
    ordered = sorted(times, key=times.get)
    told = [f"{word} {report.short(times[word])}" for word in ordered]
    return [name, ", ".join(told if len(told) < 6 else [*told[:4], "…", told[-1]]),
            report.ratio(times[ordered[-1]], times[ordered[0]])]


def is_steep(name, times):
    compared = [ns for word, ns in times.items() if (name, word) not in APART]
    return max(compared) > FURTHEST * min(compared)


def markdown(rows):
    lines = ["| the same | words, the fastest first | slowest ÷ fastest |", "|---|---|---|"]
    lines += ["| " + " | ".join(cells) + " |" for cells in rows]
    lines += [""] + [f"`{word}` of {name} {why}." for (name, word), why in APART.items()]
    return "\n".join(lines) + "\n"
