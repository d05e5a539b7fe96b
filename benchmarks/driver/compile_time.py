"""Seconds to compile a program that prints sum(sq(x - y)), by g++ -O2, once per library."""

import subprocess
import tempfile
import time
from pathlib import Path

from driver.contenders import OURS

# What a build of a user's would say.
FLAGS = {
    OURS: ["-std=c++20", "-DPURVIEW_STATIC_DEFINE"],
    "purview_umbrella": ["-std=c++20", "-DPURVIEW_STATIC_DEFINE"],
    "eigen": ["-std=c++20", "-isystem", "/usr/include/eigen3"],
    "xtensor": ["-std=c++20"],
    "torch": ["-std=c++17", "-isystem", "/usr/include/torch/csrc/api/include"],
    "none": ["-std=c++20"],
}


def compile_times(sources, repository, build, chosen, rounds):
    """{contender: ns}, the least of `rounds`, taken in turn."""
    times = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            for name in chosen:
                source = Path(sources) / "compile_time" / f"{name}.cpp"
                ours = name.startswith(OURS)
                includes = [f"-I{repository}/include", f"-I{build}/include"] if ours else []
                begin = time.perf_counter_ns()
                done = subprocess.run(
                    ["g++", "-O2", *FLAGS[name], *includes, "-c", str(source), "-o", f"{folder}/hello.o"],
                    capture_output=True, text=True, check=False)
                spent = time.perf_counter_ns() - begin
                if done.returncode == 0:
                    times[name] = min(spent, times.get(name, spent))
    return times
