"""Rows of the benchmark `chunks` as a table, what misses its target, and JSON."""

import importlib.util
import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from driver.report import machine  # noqa: E402

MIB = 1 << 20
ALLOWED_ABOVE = 64 * MIB
PEERS = ("zarr", "dask", "tensorstore", "blosc2", "h5py")
TITLES = ("case", "decoding alone", "Purview", "÷ alone", "target", "chunks read", "peak of limit, MiB",
          "above the start, MiB", "zarr", "Dask", "tensorstore", "Blosc2", "h5py")


def missing_peers():
    return [name for name in PEERS if importlib.util.find_spec(name) is None]


def seconds_of(measured, by_processor, threads=2):
    """Where two threads work, half of the processor's time is what the clock would show, and never more than it does."""
    return min(measured["processor"] / threads, measured["seconds"]) if by_processor else measured["seconds"]


def of_peer(one, name, by_processor):
    """Seconds, or None. h5py has one thread; others are taken at their best, as if they kept both busy."""
    theirs = one["peers"].get(name, {})
    if "seconds" not in theirs:
        return None
    return seconds_of(theirs, by_processor, 1 if name == "h5py" or not one["row"].reads else 2)


def of_ours(one, by_processor):
    return seconds_of(one["purview"], by_processor, 2 if one["row"].reads else 1)


def alone(one, by_processor):
    """Decoding as often as the row reads, and encoding what it writes; None where nothing is read."""
    row, limits = one["row"], one["limits"]
    if not row.reads:
        return None
    seconds = sum(times * seconds_of(limits[name], by_processor) for name, times in row.reads.items())
    return seconds + (row.writes * seconds_of(limits["encoding"], by_processor) if "encoding" in limits else 0)


def chunks_to_read(one):
    row, ours = one["row"], one["purview"]
    count = sum(times * one["limits"][name]["chunks"] for name, times in row.reads.items())
    # All that was written but the result is a store between, which is read once.
    return count + (ours["chunks_written"] - one["result_chunks"] if row.between else 0)


def short(seconds):
    if seconds is None:
        return "–"
    return f"{seconds * 1e3:.3g} ms" if seconds < 0.1 else f"{seconds:.3g} s"


def ratio(one, by_processor):
    limit = alone(one, by_processor)
    if limit is None or "failure" in one["purview"]:
        return None
    return seconds_of(one["purview"], by_processor) / limit


def cells(one, by_processor=False):
    row, ours = one["row"], one["purview"]
    if "failure" in ours:
        return [row.title, short(alone(one, by_processor)), "fails: " + ours["failure"]]
    times = ratio(one, by_processor)
    read = f"{ours['chunks_read']} of {chunks_to_read(one)}"
    if ours["chunks_written"]:
        read += f", {ours['chunks_written']} written"
    peers = []
    for name in PEERS:
        theirs = one["peers"].get(name)
        peers.append("" if theirs is None else "fails" if "failure" in theirs else
                     short(of_peer(one, name, by_processor)))
    return [row.title, short(alone(one, by_processor)), short(of_ours(one, by_processor)),
            f"{times:.2f}" if times else "–", row.target, read,
            f"{ours['peak_bytes'] / MIB:.0f} of {row.limit // MIB}", f"{ours['above'] / MIB:.0f}", *peers]


def misses(one, by_processor):
    """What a row misses, as texts."""
    row, ours = one["row"], one["purview"]
    if "failure" in ours:
        return [ours["failure"]]
    found = list(one["wrong"])
    times = ratio(one, by_processor)
    if row.most and times > row.most:
        found.append(f"{times:.2f} × decoding{' and encoding' if row.writes else ''} alone, not {row.most}")
    expected = chunks_to_read(one)
    if row.reads and ours["chunks_read"] > expected:
        found.append(f"{ours['chunks_read']} chunks read, not {expected}")
    if not row.between and ours["chunks_written"] != one["result_chunks"]:
        found.append(f"{ours['chunks_written']} chunks written, not {one['result_chunks']}")
    seconds = of_ours(one, by_processor)
    if row.seconds and seconds > row.seconds:
        found.append(f"{short(seconds)}, not {short(row.seconds)}")
    if ours["peak_bytes"] > row.limit:
        found.append(f"{ours['peak_bytes'] / MIB:.0f} MiB counted, not {row.limit // MIB}")
    if ours["above"] > row.limit + ALLOWED_ABOVE:
        found.append(f"{ours['above'] / MIB:.0f} MiB above the start, not {(row.limit + ALLOWED_ABOVE) // MIB}")
    for name in row.ahead_of:
        theirs = of_peer(one, name, by_processor)
        if theirs and theirs < seconds:
            found.append(f"{name} takes {short(theirs)}")
    if row.faster:
        theirs = of_peer(one, row.faster[0], by_processor)
        if theirs and theirs < row.faster[1] * seconds:
            found.append(f"{theirs / seconds:.2f} × as fast as {row.faster[0]}, not {row.faster[1]}")
    return found


LEFT_OUT = ("decoding alone", "target", "above the start, MiB")  # of pages, whose rows fit into 120 columns


def in_line(told):
    return "| " + " | ".join(cell for title, cell in zip(TITLES, told) if title not in LEFT_OUT) + " |"


def markdown(measured, by_processor, small, conditions, missing):
    lines = [f"{time.strftime('%Y-%m-%d')}, {conditions}{', small files' if small else ''}, on: {machine('native')}."
             + (" Times are half of the processor's, of h5py and of opening all of it." if by_processor else "")
             + (f" Not there: {', '.join(missing)}." if missing else ""), "",
             in_line(TITLES), "|" + "---|" * (len(TITLES) - len(LEFT_OUT))]
    lines += [in_line(cells(one, by_processor)) for one in measured]
    missed = [f"- {one['row'].title}: {what}." for one in measured for what in misses(one, by_processor)]
    failures = [f"- {one['row'].title}: {name} fails: {theirs['failure']}" for one in measured
                for name, theirs in one["peers"].items() if "failure" in theirs and name not in missing]
    lines += ["", "Missed:" if missed else "Every target is met.", "", *missed]
    return lines + (["", "Left out:", "", *failures] if failures else [])


def as_json(measured):
    return json.dumps([{"case": one["row"].name, **{key: one[key] for key in ("limits", "purview", "peers", "wrong")}}
                       for one in measured], indent=1) + "\n"


def write_between_marks(path, lines, name="chunks"):
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    page = path.read_text(encoding="utf-8")
    if begin not in page or end not in page:
        sys.exit(f"{path}: no {begin} and {end}")
    before, _, rest = page.partition(begin)
    after = rest.partition(end)[2]
    path.write_text(before + begin + "\n" + "\n".join(lines) + "\n" + end + after, encoding="utf-8")
