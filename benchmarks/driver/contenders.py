"""The programs that take part, and how one is asked: as a program of Google Benchmark."""

import json
import math
import os
import re
import subprocess
from dataclasses import dataclass, field

OURS = "purview"

ALL, NONE = ".", "^$"
# What is written by hand for as many threads as there are: loops that go over memory for each step.
BY_HAND_THREADED = "^iterate_(heat|wave|9_points|25_points)/"

# name: the Debian packages that it needs, and the cases for which it has threads.
PEERS = {
    "hand": ([], BY_HAND_THREADED),
    "hand_native": ([], BY_HAND_THREADED),
    "by_hand": ([], ALL),
    "eigen": (["libeigen3-dev"], NONE),
    "eigen_native": (["libeigen3-dev"], NONE),
    "eigen_tensor": (["libeigen3-dev"], NONE),
    "eigen_tensor_native": (["libeigen3-dev"], NONE),
    "xtensor": (["libxtensor-dev", "libxsimd-dev"], NONE),
    "xtensor_native": (["libxtensor-dev", "libxsimd-dev"], NONE),
    "range_v3": (["librange-v3-dev"], NONE),
    "range_v3_native": (["librange-v3-dev"], NONE),
    "standard": ([], NONE),
    "roaring": ([], NONE),
    "sleef": ([], NONE),
    "torch": (["libtorch-dev"], ALL),
    "openblas": (["libopenblas-dev"], ALL),
    "openblas_best": (["libopenblas-dev"], ALL),
    "graphblas": (["libgraphblas-dev"], ALL),
    "numpy": (["python3-numpy"], "^(matmul|attention)"),
    "numexpr": (["python3-numexpr"], ALL),
    "scipy": (["python3-scipy"], NONE),
    "pandas": (["python3-pandas"], NONE),
    "pyarrow": (["pyarrow from PyPI"], ALL),
    "fast_matrix_market": (["fast_matrix_market from PyPI"], ALL),
    "pydata_sparse": (["sparse from PyPI"], NONE),
    "jax": (["jax from PyPI"], ALL),
    "numba": (["numba from PyPI"], ALL),
    "numpy2": (["numpy >= 2.1 from PyPI"], NONE),
    "mkl": (["sparse_dot_mkl from PyPI"], ALL),
}
IN_PYTHON = ("numpy", "numexpr", "scipy", "pandas", "pyarrow", "fast_matrix_market", "pydata_sparse")
FROM_PYPI = ("jax", "numba", "numpy2", "mkl")  # in an environment of their own, which scripts/bench.sh makes
OURS_THREADED = ALL


# What keeps those that choose their instructions at run time to what a processor of the name has.
TARGETS = {
    "avx2": {
        "PURVIEW_TARGET": "avx2",
        "OPENBLAS_CORETYPE": "Haswell",
        "ATEN_CPU_CAPABILITY": "avx2",
        "NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL",
        "ARROW_USER_SIMD_LEVEL": "AVX2",
    },
}
CORES = {  # of OpenBLAS
    "native": (None, "Haswell", "Zen", "SkylakeX", "Cooperlake", "Sapphirerapids"),
    "avx2": ("Haswell", "Zen"),
}


class Failure(Exception):
    """A contender that ended badly; the text says how."""


class TooSlow(Failure):
    """A contender that did not end in the time that it had."""


@dataclass
class Contender:
    name: str
    command: list
    threaded: str  # a pattern of cases
    by_processor_time: bool = False  # with one thread
    environment: dict = field(default_factory=dict)
    cases: frozenset = frozenset()

    def run(self, arguments, threads=1, pause_us=0, check=False, patience=600):
        """What it prints, on the standard and on the error output."""
        environment = os.environ | {
            "BENCH_THREADS": str(threads),
            "BENCH_PAUSE_US": str(pause_us),
            "BENCH_CHECK": str(int(check)),
            "PURVIEW_THREADS": str(threads),
            "OMP_NUM_THREADS": str(threads),
            "OPENBLAS_NUM_THREADS": str(threads),
            "NUMEXPR_MAX_THREADS": str(max(threads, 2)),
        } | self.environment
        try:
            done = subprocess.run(self.command + arguments, env=environment, capture_output=True,
                                  text=True, check=False, timeout=patience)
        except subprocess.TimeoutExpired as expired:
            raise TooSlow(f"{self.name} {' '.join(arguments)}: did not end in {patience} s") from expired
        if done.returncode != 0:
            lines = (done.stderr.strip() or "no message").splitlines()
            raise Failure(f"{self.name} {' '.join(arguments)}: ended with {done.returncode}: "
                          f"{lines[-1]}")
        return done.stdout, done.stderr

    def find_cases(self):
        self.cases = frozenset(name.removesuffix("/manual_time") for name in
                               self.run(["--benchmark_list_tests=true"])[0].split())

    def measure(self, key, seconds, expected_ns=None, threads=1, pause_us=0, check=False, patience=600):
        """The least nanoseconds of a run among as many repetitions as `seconds` allow, and, if asked for,
        the numbers that tell its result, which was made before."""
        shortest = 2e-3  # of a repetition
        each = shortest if expected_ns is None else max(expected_ns * 1e-9, 1.4 * shortest)
        repetitions = max(2, min(40, int(seconds / each)))
        if pause_us:  # runs are timed one by one, and sleep
            repetitions = min(repetitions, 5)
        text, errors = self.run([
            f"--benchmark_filter=^{re.escape(key)}(/manual_time)?$",
            f"--benchmark_min_time={shortest}", f"--benchmark_repetitions={repetitions}",
            "--benchmark_format=json"], threads, pause_us, check, patience)
        own = self.by_processor_time and threads == 1 and not pause_us
        times = [run["cpu_time" if own and "manual" not in run["name"] else "real_time"]
                 for run in json.loads(text)["benchmarks"] if run["run_type"] == "iteration"]
        if not times or not all(math.isfinite(time) and time > 0 for time in times):
            raise Failure(f"{self.name} {key}: no time")
        summaries = [line for line in errors.splitlines() if line.startswith("[")]
        if check and not summaries:
            raise Failure(f"{self.name} {key}: no result")
        return min(times), [float(number) for number in json.loads(summaries[-1])] if check else None


def find_contenders(build, sources, by_processor_time=False, target="native"):
    """Ours and all peers that were built; the names of the others with the packages they lack."""
    found, missing = {}, {}
    for name, (packages, threaded) in {OURS: ([], OURS_THREADED), **PEERS}.items():
        environment = TARGETS.get(target, {})
        if name in IN_PYTHON + FROM_PYPI:
            python = sources.parent / "build/bench-python/bin/python" if name in FROM_PYPI else "/usr/bin/python3"
            command = [str(python), str(sources / "numpy_peer" / "main.py"), name]
        else:
            program = build / ("bench_" + name.removesuffix("_best"))
            command = [str(program)]
            if not program.exists():
                missing[name] = packages
                continue
        contender = Contender(name, command, threaded, by_processor_time, environment)
        try:
            contender.find_cases()
        except (Failure, OSError):
            missing[name] = packages
            continue
        found[name] = contender
    return found, missing


def choose_blas_kernels(contenders, target):
    """OpenBLAS takes processors that it does not know for old ones. Gives `openblas_best` the kernels that
    are fastest here, by trial."""
    best = contenders.get("openblas_best")
    if best is None:
        return None
    key = "matmul/2048/float64"
    times = {}
    others = best.environment
    for core in CORES[target]:
        best.environment = others | ({"OPENBLAS_CORETYPE": core} if core else {})
        try:
            times[core], _ = best.measure(key, 0.5, 100e6)
        except Failure:  # instructions that this processor lacks
            continue
    core = min(times, key=times.get)
    best.environment = others | ({"OPENBLAS_CORETYPE": core} if core else {})
    return core
