#!/usr/bin/env python3
"""Measures what orders data beyond the memory limit, beside its files read and written alone and beside peers: see
docs/measurements.md. Called by scripts/bench.sh --filter order, in a virtual environment that has the peers."""

import argparse
import json
import os
import re
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy

SOURCES = Path(__file__).resolve().parent
sys.path += [str(SOURCES.parent / "chunks"), str(SOURCES.parent)]
from driver.report import machine  # noqa: E402
from report import short, write_between_marks  # noqa: E402
from measuring import answer, bound_memory  # noqa: E402

MIB = 1 << 20
ALLOWED_ABOVE = 64 * MIB
PEERS = {"duckdb": "DuckDB", "polars": "Polars", "dask": "Dask", "xarray": "xarray", "numpy": "NumPy, in memory"}


@dataclass(frozen=True)
class Row:
    """A line of the table. `copies`: of reading and writing its first file alone, what it may take."""
    name: str
    title: str
    case: str
    files: tuple
    limit: int
    peers: tuple
    copies: float | None = None
    ahead_of: tuple = ()
    exact: bool = True


def rows_of(small):
    limit = 16 * MIB if small else 256 * MIB
    size = "256 MiB" if small else "4 GiB"
    tables, arrays = ("duckdb", "polars", "numpy"), ("polars", "dask", "numpy")
    rows = [
        Row("sort", f"sort {size} float64", "sort", ("numbers",), limit, tables, 3, ("duckdb",)),
        Row("argsort", f"argsort {size}", "argsort", ("numbers",), limit, tables, None, ("duckdb",)),
        Row("median", f"median of {size}", "median", ("numbers",), limit, tables, 3, ("duckdb",)),
        Row("quantiles", f"5 quantiles of {size}", "quantiles", ("numbers",), limit, tables, 3, ("duckdb",), False),
        Row("median_of_stack", "median along time of [365, 1000, 2000] float32", "median_of_stack", ("stack",), limit,
            ("dask", "xarray"), 1.3, ("dask", "xarray")),
    ]
    count = "6·10⁶" if small else "10⁸"
    rows += [Row(f"groups/{groups}", f"sum, mean, max of {count} rows, {groups} groups", "groups", (groups, "values"),
                 limit, ("duckdb", "polars"), None, ("duckdb", "polars"), False) for groups in GROUPS]
    rows += [
        Row("join", f"join {count} × a tenth", "join", ("left_a", "right_a"), limit, ("duckdb", "polars"), None,
            ("duckdb", "polars")),
        Row("join_by_two", f"join {count} × a tenth, two keys", "join_by_two", ("left_a", "left_b", "right_a", "right_b"),
            limit, ("duckdb", "polars"), None, ("duckdb", "polars")),
        Row("cumsum", f"cumsum of {size}", "cumsum", ("numbers",), limit, arrays, 1.2, ("dask",), False),
        Row("rolling_mean", f"mean of 101, rolled over {size}", "rolling_mean", ("numbers",), limit, arrays, 1.2,
            ("dask",), False),
        Row("matmul", "matmul of 8192² float32", "matmul", ("square", "square"), limit // 4, ("dask", "numpy"), None,
            ("dask",), False),
    ]
    return rows


GROUPS = ("1e3", "1e6", "1e7")


def make(folder, name, small):
    """Numbers of one kind, as Zarr without a codec, and as Parquet."""
    import pyarrow
    import pyarrow.parquet
    import zarr
    path = folder / name
    if path.exists():
        return path
    print(f"making {name} …", flush=True)
    random = numpy.random.default_rng(sum(map(ord, name)))
    new = folder / ("new_" + name)
    if name in ("stack", "square"):
        shape = (365, 1000, 2000) if name == "stack" else (8192, 8192)
        chunk = (1, 1000, 2000) if name == "stack" else (512, 512)
        x = zarr.create_array(store=str(new), shape=shape, chunks=chunk, dtype="float32", compressors=None, overwrite=True)
        step = 1 if name == "stack" else 512
        for begin in range(0, shape[0], step):
            x[begin:begin + step] = random.standard_normal((step, *shape[1:]), dtype="float32")
        os.replace(new, path)
        return path
    rows = 6 * 10**6 if small else 10**8
    most = 2**40
    count, make_part = {
        "numbers": (2**25 if small else 2**29, lambda n: random.random(n)),
        "values": (rows, lambda n: random.random(n)),
        **{groups: (rows, lambda n, groups=int(float(groups)): random.integers(0, groups, n) * 7 - 3)
           for groups in GROUPS},
        "left_a": (rows, lambda n: (random.integers(0, rows // 5, n) * 2654435761) % most),
        "right_a": (rows // 10, lambda n: (random.integers(0, rows // 5, n) * 2654435761) % most),
        "left_b": (rows, lambda n: random.integers(0, 4, n)),
        "right_b": (rows // 10, lambda n: random.integers(0, 4, n)),
    }[name]
    chunk = 2**18
    first = make_part(1)
    x = zarr.create_array(store=str(new), shape=(count,), chunks=(chunk,), dtype=first.dtype, compressors=None,
                          overwrite=True)
    schema = pyarrow.schema([("v", pyarrow.from_numpy_dtype(first.dtype))])
    with pyarrow.parquet.ParquetWriter(f"{path}.parquet", schema, compression="none", use_dictionary=False) as table:
        for begin in range(0, count, chunk):
            part = make_part(min(chunk, count - begin))
            x[begin:begin + chunk] = part
            table.write_batch(pyarrow.record_batch([part], schema=schema))
    os.replace(new, path)
    return path


class Benchmark:
    def __init__(self, arguments):
        self.arguments = arguments
        self.program = arguments.build / "benchmarks" / "bench_order"
        self.folder = arguments.data.resolve() / ("small" if arguments.small else "full")
        self.temporary = self.folder / "temporary"
        self.probes = self.folder / "probes"
        for folder in (self.folder, self.temporary):
            folder.mkdir(parents=True, exist_ok=True)
        os.environ["TMPDIR"] = str(self.temporary)
        self.copied = {}

    def empty_temporary(self):
        for left in self.temporary.iterdir():
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        os.sync()

    def copy(self, path):
        """All of it read and written alone."""
        if path not in self.copied:
            self.copied[path] = answer([self.program, "copy", path, self.temporary / "copy"])
            self.empty_temporary()
        return self.copied[path]

    def measure(self, row):
        paths = [str(make(self.folder, name, self.arguments.small)) for name in row.files]
        shutil.rmtree(self.probes, ignore_errors=True)
        self.probes.mkdir()
        one = {"row": row, "copy": self.copy(paths[0]), "peers": {}}
        for _ in range(self.arguments.turns):
            measured = answer([self.program, "run", row.case, row.limit, self.probes / "purview.npy", *paths])
            self.empty_temporary()
            if "failure" in measured or "purview" not in one or measured["seconds"] < one["purview"]["seconds"]:
                one["purview"] = measured
        for peer in () if self.arguments.no_peers else row.peers:
            work = {"case": row.case, "paths": paths, "limit": row.limit, "temporary": str(self.temporary),
                    "probe": str(self.probes / (peer + ".npy"))}
            one["peers"][peer] = answer([sys.executable, SOURCES / "peers.py", peer, json.dumps(work)],
                                        self.arguments.patience, bound_memory if peer != "numpy" else None)
            self.empty_temporary()
        one["wrong"] = list(self.differences(row)) if "failure" not in one["purview"] else []
        return one

    def differences(self, row):
        ours = numpy.load(self.probes / "purview.npy").reshape(-1)
        for path in sorted(self.probes.glob("*.npy")):
            theirs = numpy.load(path).reshape(-1)
            if path.stem == "purview":
                continue
            # Rolled means at the ends differ by what lies beyond them.
            inner = slice(1, -1) if row.case == "rolling_mean" else slice(None)
            near = 1e-3 if row.case == "matmul" else 1e-9
            same = ours.shape == theirs.shape and (
                numpy.array_equal(ours, theirs) if row.exact else
                numpy.allclose(ours[inner], theirs[inner], rtol=near, atol=near))
            if not same:
                yield f"{row.name}: Purview has {ours[:3]}, {path.stem} {theirs[:3]}"


def peers_of(measured):
    return [name for name in PEERS if any(name in one["peers"] for one in measured)]


def cells(one, peers=tuple(PEERS)):
    row, ours, copy = one["row"], one["purview"], one["copy"]["seconds"]
    told = [row.title, short(copy)]
    if "failure" in ours:
        told += ["fails: " + ours["failure"], "", "", "", ""]
    else:
        told += [short(ours["seconds"]), f"{ours['seconds'] / copy:.2f}",
                 f"{ours['chunks_read']}", f"{ours['above'] / MIB:.0f}", f"{row.limit // MIB}"]
    for name in peers:
        theirs = one["peers"].get(name)
        told.append("" if theirs is None else "fails" if "failure" in theirs else
                    f"{short(theirs['seconds'])} ({theirs['above'] / MIB:.0f})")
    return told


TITLES = ("case", "copy", "Purview", "÷ copy", "chunks", "MiB", "limit")


def misses(one):
    row, ours = one["row"], one["purview"]
    if "failure" in ours:
        return [ours["failure"]]
    found = list(one["wrong"])
    if row.copies and ours["seconds"] > row.copies * one["copy"]["seconds"]:
        found.append(f"{ours['seconds'] / one['copy']['seconds']:.2f} × a copy, not {row.copies}")
    if ours["above"] > row.limit + ALLOWED_ABOVE:
        found.append(f"{ours['above'] / MIB:.0f} MiB above the start, not {(row.limit + ALLOWED_ABOVE) // MIB}")
    for name in row.ahead_of:
        theirs = one["peers"].get(name, {}).get("seconds")
        if theirs and theirs < ours["seconds"]:
            found.append(f"{name} takes {short(theirs)}")
    return found


def markdown(measured, small, target, conditions):
    peers = peers_of(measured)
    lines = [f"{time.strftime('%Y-%m-%d')}, {conditions}{', small files' if small else ''}, on: {machine(target)}. "
             "Files are not compressed.", "",
             "| " + " | ".join((*TITLES, *(PEERS[name] for name in peers))) + " |",
             "|" + "---|" * (len(TITLES) + len(peers))]
    lines += ["| " + " | ".join(cells(one, peers)) + " |" for one in measured]
    missed = [f"- {one['row'].title}: {what}." for one in measured for what in misses(one)]
    failures = [f"- {one['row'].title}: {name} fails: {theirs['failure']}" for one in measured
                for name, theirs in one["peers"].items() if "failure" in theirs]
    lines += ["", "Missed:" if missed else "Every target is met.", "", *missed]
    return lines + (["", "Left out:", "", *failures] if failures else [])


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=SOURCES.parents[1] / "build" / "release")
    parser.add_argument("--data", type=Path, default=SOURCES.parents[1] / "build" / "order-data",
                        help="where files are made and kept: 30 GB, with --small 2")
    parser.add_argument("--small", action="store_true", help="a sixteenth of most data and of the limits")
    parser.add_argument("--filter", default="order", metavar="RE", help="rows, as order/NAME")
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--patience", type=float, default=240, metavar="SECONDS",
                        help="a peer that takes longer is left out")
    parser.add_argument("--target", default="native", help="avx2: as on a processor without AVX-512")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--markdown", type=Path, metavar="FILE",
                        help="put the table between <!-- order --> and <!-- /order --> of FILE")
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
        if chosen.search("order/" + row.name):
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
        write_between_marks(arguments.markdown, lines, "order")
    sys.exit(1 if any(one["wrong"] for one in measured) else 0)


if __name__ == "__main__":
    main()
