#!/usr/bin/python3
"""The contenders that are Python: main.py and the name of one, a function of cases.py, then the arguments of a
program of Google Benchmark, of which it knows those that the driver uses."""

import argparse
import json
import os
import re
import sys
import time
import timeit

import numpy as np

import cases
import pypi_cases
from data import summary

PYPI = ("jax", "numba", "numpy2", "mkl")  # run by a Python that has them

parser = argparse.ArgumentParser()
parser.add_argument("contender", choices=("numpy", "numexpr", "scipy", "pandas", "pyarrow",
                                          "fast_matrix_market", "pydata_sparse", *PYPI))
parser.add_argument("--benchmark_list_tests", default="false")
parser.add_argument("--benchmark_filter", default=".")
parser.add_argument("--benchmark_min_time", type=float, default=0.5)
parser.add_argument("--benchmark_repetitions", type=int, default=1)
parser.add_argument("--benchmark_format", default="json")


def times_of_runs(timer, min_time, repetitions, processor_time):
    """Seconds of one run, by the clock and by the processor, `repetitions` times, each the mean over at
    least `min_time` seconds."""
    pause = int(os.environ.get("BENCH_PAUSE_US", "0")) / 1e6
    if pause:
        for _ in range(max(repetitions, 10)):
            time.sleep(pause)
            spent = timer.timeit(1)
            yield spent, spent
        return
    number = 1
    while (spent := timer.timeit(number)) < min_time:
        number = max(number + 1, min(10 * number, int(1.4 * min_time * number / max(spent, 1e-9))))
    for _ in range(repetitions):
        begin = processor_time()
        spent = timer.timeit(number)
        yield spent / number, (processor_time() - begin) / number


def main():
    arguments = parser.parse_args()
    known = getattr(pypi_cases if arguments.contender in PYPI else cases, arguments.contender)()
    # JAX computes on threads of its own, of which there are as many as processors.
    processor_time = time.process_time if arguments.contender == "jax" else time.thread_time
    chosen = [name for name in known if re.search(arguments.benchmark_filter, name)]
    if arguments.benchmark_list_tests == "true":
        print("\n".join(chosen))
        return
    runs = []
    for name in chosen:
        statement, names, result = known[name]()
        names["np"] = np
        if os.environ.get("BENCH_CHECK", "0") != "0":
            exec(statement, names)
            print(json.dumps(summary(eval(result, names))), file=sys.stderr)
        timer = timeit.Timer(statement, globals=names)
        for real, processor in times_of_runs(timer, arguments.benchmark_min_time,
                                             arguments.benchmark_repetitions, processor_time):
            runs.append({"name": name, "run_type": "iteration", "real_time": real * 1e9,
                         "cpu_time": processor * 1e9, "time_unit": "ns"})
    print(json.dumps({"benchmarks": runs}))


if __name__ == "__main__":
    main()
