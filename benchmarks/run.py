#!/usr/bin/python3
"""Measures Purview beside its peers, in one run: see docs/performance.md. Called by scripts/bench.sh."""

import argparse
import os
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from driver import report
from driver.cases import CASES
from driver.compile_time import FLAGS, compile_times
from driver.contenders import OURS, Failure, choose_blas_kernels, find_contenders
from driver.limits import LEVELS, Limits

SOURCES = Path(__file__).resolve().parent
COMPILE = "compile_hello"
PAUSE_US = 500
# Cases that are also measured with pauses, after which threads have gone to sleep.
GAPPED = re.compile(r"(sum_sq_diff|chain)/(10000000|100000)/float64|matmul_batched/.*")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=SOURCES.parent / "build" / "release")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
    parser.add_argument("--processor-time", action="store_true",
                        help="for a machine that is busy: time of the processor, not of the clock, "
                             "where one thread works")
    parser.add_argument("--filter", default=".", metavar="RE", help="cases, as name/size/dtype")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--markdown", type=Path, metavar="FILE",
                        help="put the report between <!-- results --> and <!-- /results --> of FILE")
    return parser.parse_args()


def say(text):
    print(text, flush=True)


def agree(numbers, reference, tolerance):
    """Whether two summaries say the same. Sums are as exact as their order, elements as the case says."""
    if len(numbers) != len(reference):
        return False
    for place, (a, b) in enumerate(zip(numbers, reference)):
        allowed = max(tolerance, 1e-9) if len(numbers) > 1 and place in (1, 2) else tolerance
        if abs(a - b) > allowed * max(1.0, abs(a), abs(b)):
            return False
    return True


def check_results(cases, contenders):
    """{(contender, key)} whose results are wrong, with messages; the other contenders' agree."""
    wrong = {}
    jobs = [(name, key, case.tolerance) for case in cases for name, contender in contenders.items()
            for key in ({case.key} if name == OURS else {case.peers_key}) if key in contender.cases]
    jobs = list(dict.fromkeys(jobs))

    def ask(job):
        name, key, _ = job
        try:
            return contenders[name].check(key)
        except Failure as failure:
            return failure

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = dict(zip(jobs, pool.map(ask, jobs)))
    aliases = {case.key: case.peers_key for case in cases}
    references = {}
    for name in ("hand", "numpy", "eigen", "openblas", OURS):  # the first of them that has a case
        for (asked, key, _), numbers in answers.items():
            if asked == name and not isinstance(numbers, Failure):
                references.setdefault(aliases.get(key, key), numbers)
    for (name, key, tolerance), numbers in answers.items():
        if isinstance(numbers, Failure):
            wrong[name, key] = str(numbers)
            continue
        reference = references.get(aliases.get(key, key), numbers)
        if not agree(numbers, reference, tolerance):
            wrong[name, key] = f"{name} {key}: {numbers[:4]} instead of {reference[:4]}"
    return wrong


class Measurement:
    def __init__(self, contenders, limits, wrong, quick):
        self.contenders = contenders
        self.limits = limits
        self.wrong = wrong
        self.rounds, self.seconds = (2, 0.04) if quick else (6, 0.2)

    def row(self, case, threads=1, pause_us=0):
        """Rounds A B C …, A B C …, and the least time of each contender."""
        taking_part = []
        for name, contender in self.contenders.items():
            key = case.key if name == OURS else case.peers_key
            if key in contender.cases and (name, key) not in self.wrong:
                if threads == 1 and (name == OURS or not pause_us) or \
                        re.search(contender.threaded, key):
                    taking_part.append((name, contender, key))
        times = {}
        for turn in range(self.rounds):
            for name, contender, key in taking_part[turn % 2:] + taking_part[:turn % 2]:
                try:
                    ns = contender.measure(key, self.seconds, times.get(name), threads, pause_us)
                    times[name] = min(ns, times.get(name, ns))
                except Failure as failure:
                    self.wrong[name, key] = str(failure)
        note = None
        if OURS not in times:
            ours = self.contenders.get(OURS)
            note = "WRONG" if (OURS, case.key) in self.wrong else \
                "one thread only" if ours and case.key in ours.cases else "not there yet"
        return {
            "case": case.name + ("_gapped" if pause_us else ""), "size": case.size,
            "dtype": case.dtype, "threads": threads, "ns": times.pop(OURS, None), "peers": times,
            "limit_ns": self.limits.of(case, threads), "note": note,
        }

    def rows(self, cases):
        for case in cases:
            yield self.row(case)
            if case.threads:
                row = self.row(case, threads=2)
                if row["ns"] or row["peers"]:
                    yield row
            if GAPPED.fullmatch(case.key):
                for threads in (1, 2):
                    yield self.row(case, threads, PAUSE_US)


def compile_row(build, rounds):
    times = compile_times(SOURCES, SOURCES.parent, build, FLAGS, rounds)
    return {"case": COMPILE, "size": "1", "dtype": "float64", "threads": 1,
            "ns": times.pop(OURS, None), "peers": times, "limit_ns": None, "note": "failed"}


def describe_limits(limits, core):
    yield ("GB/s for working sets of "
           + ", ".join(f"{size >> 10} KiB ({level})" for level, size in LEVELS.items()) + ":")
    yield ""
    yield "| | threads | " + " | ".join(LEVELS) + " |"
    yield "|---|---|" + "---|" * len(LEVELS)
    for operation, by_threads in limits.table():
        for threads, speeds in enumerate(by_threads, start=1):
            yield (f"| {operation.replace('_', ', ')} | {threads} | "
                   + " | ".join(f"{speed:.0f}" for speed in speeds) + " |")
    for threads, flops in limits.flops.items():
        yield ("" if threads == 1 else "") + \
            f"{chr(10) if threads == 1 else ''}Products by OpenBLAS, {threads} thread(s): " \
            f"{flops:.1f} Gflop/s (float64, 2048³)."
    if core:
        yield f"OpenBLAS is fastest with OPENBLAS_CORETYPE={core}: `openblas_best`."


def write_between_marks(path, text):
    begin, end = "<!-- results -->", "<!-- /results -->"
    page = path.read_text(encoding="utf-8") if path.exists() else f"{begin}\n{end}\n"
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(end)
    path.write_text(f"{before}{begin}\n{text}{end}{after}", encoding="utf-8")


def main():
    arguments = parse_arguments()
    programs = arguments.build / "benchmarks"
    start = time.monotonic()
    contenders, missing = find_contenders(programs, SOURCES, arguments.processor_time)
    say("contenders: " + ", ".join(contenders))
    for name, packages in missing.items():
        say(f"missing: {name}" + (f" (install {' '.join(packages)})" if packages else ""))
    chosen = re.compile(arguments.filter)
    cases = [case for case in CASES if chosen.search(case.key)]

    say("checking results …")
    wrong = check_results(cases, contenders)
    for message in wrong.values():
        say("WRONG: " + message)

    say("measuring limits …")
    core = choose_blas_kernels(contenders)
    limits = Limits(programs / "bench_limits", contenders, 0.05 if arguments.quick else 0.3,
                    arguments.processor_time)
    say("\n".join(describe_limits(limits, core)))

    measurement = Measurement(contenders, limits, wrong, arguments.quick)
    rows = []
    for row in measurement.rows(cases):
        rows.append(row)
        say("  ".join(report.cells(row)[:-1]))
    if chosen.search(COMPILE):
        rows.append(compile_row(arguments.build, 2 if arguments.quick else 5))

    say("\n" + report.text(rows))
    absent = sorted({case.key for case in cases} - contenders[OURS].cases) if OURS in contenders else []
    if absent:
        say("\nnot there yet in Purview: " + ", ".join(absent))
    minutes = (time.monotonic() - start) / 60
    say(f"\n{len(rows)} rows in {minutes:.1f} minutes")
    if arguments.json:
        arguments.json.write_text(report.as_json(rows), encoding="utf-8")
    if arguments.markdown:
        headings = {case.name: case.heading for case in CASES} | {COMPILE: "Compiling"}
        headings |= {name + "_gapped": heading for name, heading in list(headings.items())}
        write_between_marks(arguments.markdown, "\n".join([
            f"{time.strftime('%Y-%m-%d')}, {'quick' if arguments.quick else 'full'} run of "
            f"{minutes:.0f} minutes on: {report.machine()}."
            + (" Times of one thread are the processor's." if arguments.processor_time else ""), "",
            *describe_limits(limits, core), "", report.markdown(rows, headings)]))
    for message in measurement.wrong.values():
        say("WRONG: " + message)
    sys.exit(1 if measurement.wrong else 0)


if __name__ == "__main__":
    main()
