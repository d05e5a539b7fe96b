#!/usr/bin/env python3
"""Measures many files as one array, and tables and models on disk, beside their chunks decoded alone and beside peers: see
docs/measurements.md. Called by scripts/bench.sh --filter archives, in a virtual environment that has the peers."""

import argparse
import json
import os
import re
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path

SOURCES = Path(__file__).resolve().parent
sys.path += [str(SOURCES.parent / "chunks"), str(SOURCES.parent)]
from driver.report import machine  # noqa: E402
from report import short, write_between_marks  # noqa: E402
from measuring import answer, bound_memory  # noqa: E402

MIB = 1 << 20
LIMIT = 256 * MIB
ALLOWED_ABOVE = 64 * MIB
PEERS = {"netcdf4": "xarray by netCDF4", "h5netcdf": "xarray by h5netcdf", "parallel": "in parallel by h5netcdf",
         "pyarrow": "pyarrow", "polars": "Polars", "duckdb": "DuckDB", "safetensors": "safetensors"}


@dataclass(frozen=True)
class Row:
    """A line of the table. `most`: seconds, of each file where times are told `per_file`; `decodings`: of its chunks decoded alone."""
    name: str
    title: str
    kind: str  # of the file
    peers: tuple = ()
    rounds: int = 5
    per_file: bool = False
    most: float | None = None
    decodings: float | None = None
    ahead_of: tuple = ()

    @property
    def aim(self):
        return "; ".join([f"≤ {short(self.most)}"] * (self.most is not None)
                         + [f"≤ {self.decodings} × decoding"] * (self.decodings is not None)
                         + ["ahead of " + PEERS[name] for name in self.ahead_of])


XARRAY, TABLES = ("netcdf4", "h5netcdf"), ("pyarrow", "polars", "duckdb")
# Files, or 2^20 rows of 80 bytes; those that xarray is given.
FULL = {"netcdf": 10_000, "arrow": 12, "parquet": 12, "safetensors": 12, "of_xarray": 500}
SMALL = {"netcdf": 500, "arrow": 1, "parquet": 2, "safetensors": 1, "of_xarray": 50}


def rows_of(small):
    files, size = ("500", "84 MB") if small else ("10,000", "1 GB")
    table = "168 MB" if small else size
    return [
        Row("open_many", f"open_many of {files} NetCDF files, a file", "netcdf", (*XARRAY, "parallel"), 3, True, 0.5e-3),
        Row("open_index", f"open_index of {files} files", "netcdf", most=0.1),
        Row("mean_over_time", f"mean over time of {files} files, a file", "netcdf", XARRAY, 1, True, decodings=1.1),
        Row("arrow_open", f"Arrow IPC of {size} opened", "arrow", TABLES[:2], most=1e-3),
        Row("arrow_sum", f"Arrow IPC of {size}, Σ of a column", "arrow", TABLES[:2]),
        Row("parquet_open", f"Parquet of {table} opened", "parquet", TABLES[:1]),
        Row("parquet_sum", f"Parquet of {table}, Σ of float64", "parquet", TABLES, ahead_of=("duckdb",)),
        Row("parquet_sum_of_integers", f"Parquet of {table}, Σ of int64", "parquet", TABLES, ahead_of=("duckdb",)),
        Row("safetensors_sum", f"safetensors of {size}, Σ of an array", "safetensors", ("safetensors",)),
    ]


class Benchmark:
    def __init__(self, arguments):
        self.arguments = arguments
        self.program = arguments.build / "benchmarks" / "bench_archives"
        self.sizes = SMALL if arguments.small else FULL
        self.folder = arguments.data.resolve() / ("small" if arguments.small else "full")
        self.folder.mkdir(parents=True, exist_ok=True)

    def file(self, kind):
        """Made under another name first, so that what is there is whole."""
        path, new = self.folder / kind, self.folder / ("new_" + kind)
        if path.exists():
            return path, None
        print(f"making {kind} …", flush=True)
        shutil.rmtree(new, ignore_errors=True)
        made = answer([self.program, "make", kind, new, self.sizes[kind]])
        if "failure" in made:
            return path, made["failure"]
        os.replace(new, path)
        os.sync()
        return path, None

    def measure(self, row):
        one = {"row": row, "purview": {}, "peers": {}, "files": self.sizes[row.kind]}
        path, failure = self.file(row.kind)
        if failure:
            return {**one, "purview": {"failure": failure}}
        size = self.sizes[row.kind]
        for _ in range(self.arguments.turns):
            for alone in ("decode", "read") if row.decodings else ():
                one[alone] = least(answer([self.program, alone, path, size]), one.get(alone))
            one["purview"] = least(answer([self.program, "run", row.name, LIMIT, row.rounds, path, size]),
                                   one["purview"])
        for peer in () if self.arguments.no_peers else row.peers:
            theirs = self.sizes["of_xarray"] if row.kind == "netcdf" else size
            work = {"case": row.name, "path": str(path), "size": theirs, "limit": LIMIT, "rounds": min(row.rounds, 3)}
            found = answer([sys.executable, SOURCES / "peers.py", peer, json.dumps(work)], self.arguments.patience,
                           bound_memory)
            one["peers"][peer] = {**found, "files": theirs}
        return one


def least(measured, other):
    """What took less time; a failure is kept."""
    if not other or "failure" in measured:
        return measured
    return other if "failure" in other or other["seconds"] <= measured["seconds"] else measured


def seconds(one, of):
    """Of each file where the row says so."""
    return of["seconds"] / (of.get("files", one["files"]) if one["row"].per_file else 1)


def of_peers(one):
    told = []
    for name, theirs in one["peers"].items():
        told.append(f"{PEERS[name]} fails" if "failure" in theirs else
                    f"{PEERS[name]} {short(seconds(one, theirs))} ({theirs['above'] / MIB:.0f})")
    return ", ".join(told)


TITLES = ("case", "Purview", "aim", "÷ decoding", "chunks", "MiB", "peers (MiB)")


def cells(one):
    row, ours = one["row"], one["purview"]
    if "failure" in ours:
        return [row.title, "fails", row.aim, "", "", "", of_peers(one)]
    decoded = one.get("decode", {}).get("seconds")
    return [row.title, short(seconds(one, ours)), row.aim, f"{ours['seconds'] / decoded:.2f}" if decoded else "",
            f"{ours['chunks_read']}", f"{ours['above'] / MIB:.0f}", of_peers(one)]


def misses(one):
    row, ours = one["row"], one["purview"]
    for of in (ours, one.get("decode", {})):
        if "failure" in of:
            return [of["failure"]]
    found = [f"{PEERS[name]}: {theirs['failure']}" for name, theirs in one["peers"].items() if is_wrong(theirs)]
    if row.most and seconds(one, ours) > row.most:
        found.append(f"{short(seconds(one, ours))}, not {short(row.most)}")
    if row.decodings and ours["seconds"] > row.decodings * one["decode"]["seconds"]:
        found.append(f"{ours['seconds'] / one['decode']['seconds']:.2f} × decoding alone, not {row.decodings}")
    if ours["peak_bytes"] > LIMIT:
        found.append(f"{ours['peak_bytes'] / MIB:.0f} MiB counted, not {LIMIT // MIB}")
    # Pages of mapped files count as resident, and need no memory.
    if row.kind in ("netcdf", "parquet") and ours["above"] > LIMIT + ALLOWED_ABOVE:
        found.append(f"{ours['above'] / MIB:.0f} MiB above the start, not {(LIMIT + ALLOWED_ABOVE) // MIB}")
    for name in row.ahead_of:
        theirs = one["peers"].get(name, {})
        if "seconds" in theirs and seconds(one, theirs) < seconds(one, ours):
            found.append(f"{PEERS[name]} takes {short(seconds(one, theirs))}")
    return found


def is_wrong(theirs):
    return "wrong: " in theirs.get("failure", "")


def reading(one):
    """What it costs to open each file beside decoding it."""
    if "seconds" not in one.get("read", {}) or "failure" in one["purview"]:
        return []
    decoded, read = one["decode"]["seconds"], one["read"]["seconds"]
    return ["", f"Of {one['files']} files, decoding alone takes {short(decoded)}; with each file opened for it {short(read)}, of which "
                f"the mean takes {one['purview']['seconds'] / read:.2f} times as much."]


def markdown(measured, small, target, conditions):
    lines = [f"{time.strftime('%Y-%m-%d')}, {conditions}{', small files' if small else ''}, on: {machine(target)}.", "",
             "| " + " | ".join(TITLES[:-1]) + " |", "|" + "---|" * (len(TITLES) - 1)]
    lines += ["| " + " | ".join(cells(one)[:-1]) + " |" for one in measured]
    lines += ["", "Peers (MiB):", "", *(f"- {one['row'].title}: {of_peers(one)}." for one in measured if of_peers(one))]
    for one in measured:
        lines += reading(one)
    missed = [f"- {one['row'].title}: {what}." for one in measured for what in misses(one)]
    failures = [f"- {one['row'].title}: {PEERS[name]} fails: {theirs['failure']}" for one in measured
                for name, theirs in one["peers"].items() if "failure" in theirs]
    lines += ["", "Missed:" if missed else "Every aim is met.", *([""] if missed else []), *missed]
    return lines + (["", "Left out:", "", *failures] if failures else [])


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=SOURCES.parents[1] / "build" / "release")
    parser.add_argument("--data", type=Path, default=SOURCES.parents[1] / "build" / "archives-data",
                        help="where files are made and kept: 3 GB, with --small 0.3")
    parser.add_argument("--small", action="store_true", help="500 files, and a twelfth of the tables, of Parquet a sixth")
    parser.add_argument("--filter", default="archives", metavar="RE", help="rows, as archives/NAME")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--patience", type=float, default=240, metavar="SECONDS",
                        help="a peer that takes longer is left out")
    parser.add_argument("--target", default="native", help="avx2: as on a processor without AVX-512")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--markdown", type=Path, metavar="FILE",
                        help="put the table between <!-- archives --> and <!-- /archives --> of FILE")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    if arguments.target != "native":
        os.environ["PURVIEW_TARGET"] = arguments.target
    chosen = re.compile(arguments.filter)
    benchmark = Benchmark(arguments)
    start, load = time.monotonic(), os.getloadavg()[0]
    measured = []
    for row in rows_of(arguments.small):
        if chosen.search("archives/" + row.name):
            measured.append(benchmark.measure(row))
            print("  ".join(cells(measured[-1])), flush=True)
            for what in misses(measured[-1]):
                print("    missed: " + what, flush=True)
    conditions = f"{(time.monotonic() - start) / 60:.0f} minutes, load {load:.1f} at the start"
    lines = markdown(measured, arguments.small, arguments.target, conditions)
    print("\n" + "\n".join(lines))
    if arguments.json:
        arguments.json.write_text(json.dumps([{**one, "row": one["row"].name} for one in measured], indent=1) + "\n",
                                  encoding="utf-8")
    if arguments.markdown:
        write_between_marks(arguments.markdown, lines, "archives")
    sys.exit(1 if any(is_wrong(of) for one in measured for of in (one["purview"], *one["peers"].values())) else 0)


if __name__ == "__main__":
    main()
