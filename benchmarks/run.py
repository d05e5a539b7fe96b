#!/usr/bin/python3
"""Measures Purview beside its peers, in one run: see docs/measurements.md. Called by scripts/bench.sh."""

import argparse
import re
import sys
import time
from pathlib import Path

from driver import cliffs, program_weight, report
from driver.cases import CASES
from driver.compile_time import FLAGS, compile_times
from driver.contenders import OURS, TARGETS, Failure, TooSlow, choose_blas_kernels, find_contenders
from driver.limits import LEVELS, Limits

SOURCES = Path(__file__).resolve().parent
COMPILE = "compile_hello"
CLIFFS = "cliffs"
PAUSE_US = 500
# Whose result counts, in this order.
TRUSTED = ("hand", "hand_native", "by_hand", "numpy", "eigen", "eigen_native", "openblas", "torch", OURS)
# Cases that are also measured with pauses, after which threads have gone to sleep.
QUICK_MINUTES = 9
# In a quick run a peer that takes longer is left out, and one that takes this long is not repeated, in seconds.
QUICK_PATIENCE = 2
QUICK_ONCE = 0.2
# Cases whose mechanism another row of a quick run has.
QUICK_LEFT_OUT = re.compile(
    "chain_new_cold|add_row_sum|add_column.*|sin|tanh|permute_210|gather_random|gather_random_take|"
    "gather_sorted_(new_list|take)|cast_float64_uint8|min|set_(intersection|difference)|cummax|rolling_(mean|max|quantile)|"
    "percentiles|group_sum_(1000000|times)|iterate_memory|indexes_random|matmul_as_sum|sparse_(slice|rotate)|"
    "normalise_columns|life_generation_dense|csr_(times_matrix|to_csc)|sparse_matmul_vector|named_(batched|attention_scores)|"
    "max_pool_3x3|m(ax|ean)_of_3x3|sparse_view_.*|view_(row|rotate|broadcast)|node_add_number|"
    "door_(mdspan_.*|wrap_descriptor|.*_out|.*_column)|complex_(divide|abs)|cast_b?float16_float32|cast_float32_bfloat16|"
    "iterate_9_points|forward_iterate")
GAPPED = re.compile(r"(sum_sq_diff|chain)/(10000000|100000)/float64|matmul_batched/.*")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=SOURCES.parent / "build" / "release")
    parser.add_argument("--target", choices=("native", *TARGETS), default="native",
                        help="as on a processor with no more than this")
    parser.add_argument("--quick", action="store_true",
                        help="one row for each mechanism, in short rounds; ends after ten minutes")
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


def one_of_each(cases):
    """Of each mechanism one case, of that one size and type: of several sizes the one nearest to what the caches hold."""
    def distance(case):
        if case.quick:
            return -1
        return abs(int(case.size) - 100_000) if case.size.isdigit() else 0
    chosen = {}
    for case in cases:
        if QUICK_LEFT_OUT.fullmatch(case.name):
            continue
        if case.name not in chosen or distance(case) < distance(chosen[case.name]):
            chosen[case.name] = case
    return list(chosen.values())


class Measurement:
    def __init__(self, contenders, limits, quick):
        self.contenders = contenders
        self.limits = limits
        self.wrong = {}  # (contender, key): what is wrong
        self.references = {}  # key of the peers' case: the result that others have to equal
        self.fastest = {}  # the same: its three fastest peers, which are enough for cases of ours alone
        self.rounds, self.seconds = (2, 0.04) if quick else (6, 0.2)
        self.patience, self.once = (QUICK_PATIENCE, QUICK_ONCE) if quick else (600, float("inf"))

    def row(self, case, threads=1, pause_us=0):
        """Rounds A B C …, A B C …, and the least time of each contender."""
        taking_part = []
        for name, contender in self.contenders.items():
            key = case.key if name == OURS else case.peers_key
            if case.peers_from and name not in {OURS, *self.fastest.get(case.peers_key, [name])}:
                continue
            if key in contender.cases and (name, key) not in self.wrong:
                if threads == 1 and (name == OURS or not pause_us) or \
                        re.search(contender.threaded, key):
                    taking_part.append((name, contender, key))
        times, results, slow, too_slow = {}, {}, set(), []
        for turn in range(self.rounds):
            for name, contender, key in taking_part[turn % 2:] + taking_part[:turn % 2]:
                if (name, key) in self.wrong or name in slow:
                    continue
                begin = time.monotonic()
                try:
                    patience = 600 if name == OURS else self.patience
                    ns, result = contender.measure(key, self.seconds, times.get(name, case.seconds * 1e9 or None), threads, pause_us,
                                                   check=turn == 0, patience=patience)
                    if name != OURS and time.monotonic() - begin > self.once:
                        slow.add(name)
                    times[name] = min(ns, times.get(name, ns))
                    if result is not None:
                        results[name] = result
                except TooSlow:
                    times.pop(name, None)
                    slow.add(name)
                    too_slow.append(name)
                except Failure as failure:
                    self.wrong[name, key] = str(failure)
            if turn == 0:
                self.compare(case, results)
        for name, _, key in taking_part:
            if (name, key) in self.wrong:
                times.pop(name, None)
        if too_slow:
            say(f"{case.key}: left out, as they did not end in {self.patience} s: {', '.join(too_slow)}")
        if threads == 1 and not pause_us and not case.peers_from:
            self.fastest[case.key] = sorted(times.keys() - {OURS}, key=times.get)[:3]
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

    def compare(self, case, results):
        """Notes who has another result than the first of TRUSTED that has one."""
        for name in TRUSTED:
            if name in results:
                self.references.setdefault(case.peers_key, (name, results[name]))
        trusted, reference = self.references.get(case.peers_key, (None, None))
        for name, result in results.items():
            if reference and not agree(result, reference, case.tolerance):
                key = case.key if name == OURS else case.peers_key
                self.wrong[name, key] = f"{name} {key}: {result[:4]}, but {trusted} has {reference[:4]}"
                say("WRONG: " + self.wrong[name, key])

    def rows(self, cases, quick, deadline):
        """One row for each case and number of threads; in a quick run none with two threads, and none after the deadline."""
        for number, case in enumerate(cases):
            if time.monotonic() > deadline:
                say("no time left for " + ", ".join(left.key for left in cases[number:]))
                return
            yield self.row(case)
            if quick:
                continue
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


def cliff_rows(contender, quick):
    """The rows of the table of cliffs, and what is wrong: results that differ, and words that lie too far apart."""
    rows, wrong = [], []
    for name, times, failures in cliffs.measured(contender, 0.05 if quick else 0.2, 2 if quick else 4, agree):
        wrong += failures
        if len(times) < 2:
            continue
        rows.append(cliffs.row(name, times))
        say("  ".join(rows[-1]))
        if cliffs.is_steep(name, times):
            wrong.append(f"cliff {name}: {rows[-1][-1]} between the words")
    return rows, wrong


def marks_of(name, target):
    """The results of each target stand between marks of their own."""
    return name if target == "native" else f"{name} {target}"


def write_between_marks(path, text, name):
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    page = path.read_text(encoding="utf-8") if path.exists() else f"{begin}\n{end}\n"
    before, _, rest = page.partition(begin)
    if begin not in page or end not in rest:
        sys.exit(f"{path}: no {begin} and {end}")
    _, _, after = rest.partition(end)
    path.write_text(f"{before}{begin}\n{text}{end}{after}", encoding="utf-8")


def main():
    arguments = parse_arguments()
    programs = arguments.build / "benchmarks"
    start = time.monotonic()
    contenders, missing = find_contenders(programs, SOURCES, arguments.processor_time, arguments.target)
    if arguments.quick:  # of two builds of a peer that for this processor, and not the ones that come last
        contenders = {name: each for name, each in contenders.items()
                      if name + "_native" not in contenders and not name.startswith(("range_v3", "numexpr"))}
    say("contenders: " + ", ".join(contenders))
    for name, packages in missing.items():
        say(f"missing: {name}" + (f" (install {' '.join(packages)})" if packages else ""))
    chosen = re.compile(arguments.filter)
    cases = [case for case in CASES if chosen.search(case.key)]
    cases = one_of_each(cases) if arguments.quick else [case for case in cases if not case.quick]

    say("measuring limits …")
    core = choose_blas_kernels(contenders, arguments.target)
    limits = Limits(programs / "bench_limits", contenders, 0.05 if arguments.quick else 0.3,
                    arguments.processor_time)
    say("\n".join(describe_limits(limits, core)))

    measurement = Measurement(contenders, limits, arguments.quick)
    rows, weights = [], ""
    deadline = start + 60 * QUICK_MINUTES if arguments.quick else float("inf")
    for row in measurement.rows(cases, arguments.quick, deadline):
        rows.append(row)
        say("  ".join(report.cells(row)[:-1]))
    if chosen.search(COMPILE):
        rows.append(compile_row(arguments.build, 2 if arguments.quick else 5))
        weights = program_weight.markdown(program_weight.weights(
            SOURCES.parent, arguments.build, 1 if arguments.quick else 3))

    steep = []
    if chosen.search(CLIFFS) and OURS in contenders:
        steep_rows, steep = cliff_rows(contenders[OURS], arguments.quick)
        if arguments.markdown and arguments.target == "native":
            write_between_marks(arguments.markdown, cliffs.markdown(steep_rows), "cliffs")
    say("\n" + report.text(rows))
    say("\n" + weights)
    absent = sorted({case.key for case in cases} - contenders[OURS].cases) if OURS in contenders else []
    if absent:
        say("\nnot there yet in Purview: " + ", ".join(absent))
    minutes = (time.monotonic() - start) / 60
    say(f"\n{len(rows)} rows in {minutes:.1f} minutes")
    if arguments.json:
        arguments.json.write_text(report.as_json(rows), encoding="utf-8")
    if arguments.markdown and rows:
        headings = {case.name: case.heading for case in CASES} | {COMPILE: "Compiling"}
        headings |= {name + "_gapped": heading for name, heading in list(headings.items())}
        write_between_marks(arguments.markdown, "\n".join([
            f"{time.strftime('%Y-%m-%d')}, {'quick' if arguments.quick else 'full'} run of "
            f"{minutes:.0f} minutes on: {report.machine(arguments.target)}."
            + (" Times of one thread are the processor's." if arguments.processor_time else ""), "",
            *describe_limits(limits, core), "", report.markdown(rows, headings),
            *(["### Small programs", "", weights] if weights else []),
            "### Where a peer is faster by more than 5 %", "",
            *(report.losses(rows) or ["Nowhere."]), ""]), marks_of("results", arguments.target))
    for message in [*measurement.wrong.values(), *steep]:
        say("WRONG: " + message)
    sys.exit(1 if measurement.wrong or steep else 0)


if __name__ == "__main__":
    main()
