"""What small programs weigh: seconds and memory to compile them by g++ -O2, and the bytes of the program."""

import re
import subprocess
import tempfile
import time
from pathlib import Path

# As `bench_weight` in CMakeLists.txt links them.
PROGRAMS = {
    "hello": "benchmarks/compile_time/hello.cpp",
    "csv": "examples/csv_table.cpp",
    "dims": "examples/attention.cpp",
    "stencil": "examples/game_of_life.cpp",
    "sparse": "examples/sparse_tensors.cpp",
}
PEERS = {"eigen": ("benchmarks/compile_time/eigen.cpp", ["-isystem", "/usr/include/eigen3"])}
TITLES = ["program", "lines", "compiled in", "gcc allocates", "stripped"]


def compiled(command):
    """(seconds, MB that gcc allocates, the same in each run), or (None, None)."""
    begin = time.perf_counter()
    done = subprocess.run([*command, "-ftime-report"], capture_output=True, text=True, check=False)
    spent = time.perf_counter() - begin
    total = re.search(r"TOTAL\s*:.*?(\d+)([kMG])\s*$", done.stderr, re.MULTILINE)
    if done.returncode != 0 or not total:
        return None, None
    return spent, int(total[1]) * {"k": 1e-3, "M": 1, "G": 1e3}[total[2]]


def weights(repository, build, rounds):
    """A row of text for each program; "–" for what does not compile or was not built."""
    folders = [f"{root}{part}/include" for root in (repository, build) for part in ("", "/csv")]
    ours = [*(f"-I{folder}" for folder in folders), "-DPURVIEW_STATIC_DEFINE"]
    programs = {name: (source, ours) for name, source in PROGRAMS.items()} | PEERS
    for name, (source, options) in programs.items():
        path = Path(repository) / source
        with tempfile.TemporaryDirectory() as folder:
            runs = [compiled(["g++", "-std=c++23", "-O2", *options, "-c", str(path), "-o",
                              f"{folder}/{name}.o"]) for _ in range(rounds)]
        seconds, megabytes = min(runs, key=lambda run: run[0] or 0)
        program = Path(build) / "benchmarks" / f"weight_{name}"
        yield [name, str(len(path.read_text(encoding="utf-8").splitlines())),
               f"{seconds:.2f} s" if seconds else "–", f"{megabytes:.0f} MB" if megabytes else "–",
               f"{program.stat().st_size / 1e6:.2f} MB" if program.exists() else "–"]


def markdown(rows):
    lines = [TITLES, ["---"] * len(TITLES), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"
