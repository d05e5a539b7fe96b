#!/usr/bin/env python3
"""Measures arrays in chunks beside decoding alone and beside peers: see docs/measurements.md. Called by scripts/bench.sh
--filter chunks, in a virtual environment that has the peers."""

import argparse
import json
import math
import os
import re
import shutil
import sys
import time
from pathlib import Path

import check
import files
import report
from measuring import answer, bound_memory
from rows import files_of, rows_of

SOURCES = Path(__file__).resolve().parent
MIB = 1 << 20
TURNS = 3


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=SOURCES.parents[1] / "build" / "release")
    parser.add_argument("--data", type=Path, default=SOURCES.parents[1] / "build" / "chunks-data",
                        help="where files are made and kept: 10 GB, with --small 0.7")
    parser.add_argument("--small", action="store_true", help="a sixteenth of the data and of the limits")
    parser.add_argument("--filter", default="chunks", metavar="RE", help="rows, as chunks/NAME")
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--no-peers", action="store_true", help="NumPy alone, which results are compared with")
    parser.add_argument("--processor-time", action="store_true",
                        help="for a machine that is busy: judges by half of the time of the processor")
    parser.add_argument("--patience", type=float, default=240, metavar="SECONDS",
                        help="a peer that takes longer is left out")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--markdown", type=Path, metavar="FILE",
                        help="put the table between <!-- chunks --> and <!-- /chunks --> of FILE")
    return parser.parse_args()


def count_of(shape, chunks):
    return math.prod(-(-extent // chunk) for extent, chunk in zip(shape, chunks))


class Benchmark:
    def __init__(self, arguments):
        self.arguments = arguments
        self.program = arguments.build / "benchmarks" / "bench_chunks"
        self.folder = arguments.data.resolve() / ("small" if arguments.small else "full")
        self.results = self.folder / "results"
        self.files = files_of(arguments.small)
        self.folder.mkdir(parents=True, exist_ok=True)
        temporary = self.folder / "temporary"  # of stores between
        temporary.mkdir(exist_ok=True)
        os.environ["TMPDIR"] = str(temporary)

    def best(self, measured, other):
        """The lesser times of both; `other` what is known so far."""
        if "failure" in measured or not other:
            return measured
        for key in ("seconds", "processor"):
            measured[key] = min(measured[key], other[key])
        return measured

    def measure(self, row):
        names = [*row.reads, *row.more]
        paths = [str(files.ready(self.folder, self.program, name, self.files, self.arguments.small)) for name in names]
        if self.results.exists():
            shutil.rmtree(self.results)
        self.results.mkdir()
        shape = self.files[names[0]].shape
        ours = {"row": row, "limits": {}, "peers": {}, "wrong": [],
                "result_chunks": row.writes * count_of(shape[::-1] if row.case == "transpose" else shape, row.chunks)}
        os.sync()
        self.take_turns(row, paths, ours)
        if "failure" in ours["purview"]:
            ours["wrong"].append(ours["purview"]["failure"])
        for peer in row.peers:
            self.ask_peer(peer, row, paths, ours)
        if not ours["wrong"]:
            ours["wrong"] += check.differences(row, paths, self.results, self.arguments.small)
        shutil.rmtree(self.results)
        return ours

    def take_turns(self, row, paths, ours):
        result = self.results / self.result("purview", row)
        # Opening takes so little that the first time is not the least.
        rounds = 20 if row.seconds else 1 if row.writes else 2
        for turn in range(1 if row.writes and not self.arguments.small else self.arguments.turns):
            for name, path in zip(row.reads, paths):
                limits = ours["limits"]
                limits[name] = self.best(answer([self.program, "decode", rounds, path]), limits.get(name))
                if "failure" in limits[name]:
                    sys.exit(f"decoding {name}: {limits[name]['failure']}")
            command = [self.program, "run", row.case, row.limit, rounds, result, files.extents(row.chunks), *paths]
            ours["purview"] = self.best(answer(command), ours.get("purview"))
            if "failure" in ours["purview"]:
                return
            os.sync()
            if row.writes and turn == 0:
                ours["limits"]["encoding"] = answer([self.program, "encode", result, self.results / "encoded"])
                shutil.rmtree(self.results / "encoded")
                os.sync()

    @staticmethod
    def result(name, row):
        return name if row.writes else name + ".npy"

    def ask_peer(self, peer, row, paths, ours):
        if self.arguments.no_peers and peer not in ("zarr", "h5py"):
            return
        if peer == "blosc2":
            for name in row.reads:
                made = answer([sys.executable, SOURCES / "files.py", self.folder / name, self.folder / (name + ".b2nd")])
                if made.get("failure", "exit status 0") != "exit status 0":
                    ours["peers"][peer] = made
                    return
        what = {"case": row.case, "paths": paths, "result": str(self.results / self.result(peer, row)),
                "chunks": row.chunks, "limit": row.limit}
        ours["peers"][peer] = answer([sys.executable, SOURCES / "peers.py", peer, json.dumps(what)],
                                     self.arguments.patience, bound_memory)
        if peer not in ("zarr", "h5py") and row.writes:  # results that nobody looks at
            for left in self.results.glob(peer + "*"):
                shutil.rmtree(left) if left.is_dir() else left.unlink()
        os.sync()


def main():
    arguments = parse_arguments()
    chosen = re.compile(arguments.filter)
    rows = [row for row in rows_of(arguments.small) if chosen.search("chunks/" + row.name)]
    missing = report.missing_peers()
    for name in missing:
        print("missing: " + name, flush=True)
    benchmark = Benchmark(arguments)
    start, load = time.monotonic(), os.getloadavg()[0]
    measured = []
    for row in rows:
        measured.append(benchmark.measure(row))
        print("  ".join(report.cells(measured[-1], arguments.processor_time)), flush=True)
    conditions = (f"{(time.monotonic() - start) / 60:.0f} minutes, load {load:.1f} at the start and "
                  f"{os.getloadavg()[0]:.1f} at the end")
    lines = report.markdown(measured, arguments.processor_time, arguments.small, conditions, missing)
    print("\n" + "\n".join(lines))
    if arguments.json:
        arguments.json.write_text(report.as_json(measured), encoding="utf-8")
    if arguments.markdown:
        report.write_between_marks(arguments.markdown, lines)
    sys.exit(1 if any(one["wrong"] for one in measured) else 0)


if __name__ == "__main__":
    main()
