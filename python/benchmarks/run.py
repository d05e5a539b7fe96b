"""Measures the Python module beside its peers, in one run: see docs/performance_python.md. Called by scripts/python_bench.sh."""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from importlib import metadata
from pathlib import Path

# Of each group its heading, the module and function that make its cases, and the numbers of threads.
GROUPS = {
    "calls": ("Calls", "small", "calls", (2,)),
    "crossing": ("Crossing", "small", "crossing", (2,)),
    "chains": ("Chains of six operations", "small", "chains", (1, 2)),
    "statistics": ("Statistics of 10⁷ elements", "large", "statistics", (1, 2)),
    "sorts": ("Sorts of 10⁷ elements", "large", "sorts", (1, 2)),
    "windows": ("Windows of 100 over 10⁷ elements", "large", "windows", (1, 2)),
    "groups": ("Groups of 10⁷ elements", "large", "groups", (1, 2)),
    "dims": ("Dims: the examples of torchdim's README", "loops", "cases", (1,)),
    "loops": ("Loops of many steps", "steps", "cases", (1, 2)),
    "import": ("Import", "whole", "imports", (2,)),
    "wheel": ("Wheel", "whole", "wheel", (2,)),
    "dask": ("Dask, two processes", "whole", "dask", (2,)),
}
PACKAGES = "numpy numexpr torch jax numba devito bottleneck pandas scipy dask".split()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--filter", default=".", metavar="RE", help="rows, as group/case/size/type")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="put the report between <!-- results --> and <!-- /results -->")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--group", choices=GROUPS, help=argparse.SUPPRESS)  # a process of this program, with its threads in the environment
    return parser.parse_args()


def group(name, pattern, rounds):
    """One group in this process: its rows as lines of JSON."""
    import driver

    threads = int(os.environ["PURVIEW_THREADS"])
    if threads == 1:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # for JAX, which has no setting
    torch, numexpr = driver.peer("torch"), driver.peer("numexpr")
    if torch:
        torch.set_num_threads(threads)
        torch.set_grad_enabled(False)
    if numexpr:
        numexpr.set_num_threads(threads)
    _, module, function, _ = GROUPS[name]

    def out(row):
        print("ROW " + json.dumps(row | {"group": name, "threads": threads}), flush=True)

    for case in getattr(__import__(module), function)():
        if not pattern.search(f"{name}/{case['case']}/{case['size']}/{case['dtype']}"):
            continue
        if "codes" in case:
            driver.measure(case, out, rounds)
        else:
            out(case)


def processor():
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines() if Path("/proc/cpuinfo").exists() else ():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def installed():
    found = {}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            try:
                found[name] = __import__(name).__version__
            except ImportError:
                continue
    return found


def with_the_faster(rows):
    """The rows with two threads have the faster of the peers' times with one and with two, for whom the second thread may be a loss."""
    of_one = {(row["case"], row["size"], row["dtype"]): row["ns"] for row in rows if row["threads"] == 1}
    for row in rows:
        one = of_one.get((row["case"], row["size"], row["dtype"]), {})
        row["ns"] |= {who: min(ns, one.get(who, ns)) for who, ns in row["ns"].items() if who != "purview"}
    return sorted(rows, key=lambda row: row["threads"])


def main():
    arguments = parse_arguments()
    pattern = re.compile(arguments.filter)
    if arguments.group:
        group(arguments.group, pattern, arguments.rounds)
        return
    import driver
    import report

    versions = installed()
    peers = ", ".join(f"{name} {version}" for name, version in versions.items())
    missing = [name for name in PACKAGES if name not in versions]
    print(f"peers: {peers}" + (f"; missing: {', '.join(missing)}" if missing else ""), flush=True)
    speeds = {str(threads): driver.bandwidth(threads) for threads in (1, 2)}
    rows, failed, start = {name: [] for name in GROUPS}, False, time.monotonic()
    for name, (heading, _, _, counts) in GROUPS.items():
        for threads in counts:
            command = [sys.executable, __file__, "--group", name, "--filter", arguments.filter, "--rounds", str(arguments.rounds)]
            environment = os.environ | {
                "PURVIEW_THREADS": str(threads),
                "OMP_NUM_THREADS": str(threads),
                "OPENBLAS_NUM_THREADS": str(threads),
            }
            errors = tempfile.TemporaryFile(mode="w+")  # noqa: SIM115: peers that warn at import
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment)
            for line in process.stdout:
                if line.startswith("ROW "):
                    rows[name].append(row := json.loads(line[4:]))
                    told = {who: report.short(ns) for who, ns in row["ns"].items()}
                    print(
                        name,
                        row["case"],
                        row["size"] or "",
                        row["dtype"],
                        threads,
                        told,
                        report.verdict(row),
                        row["wrong"] or "",
                        flush=True,
                    )
            if process.wait() != 0:
                failed = True
                errors.seek(0)
                print(f"{name} on {threads} thread(s) failed:\n" + errors.read()[-2000:], flush=True)
        rows[name] = with_the_faster(rows[name])
    minutes = (time.monotonic() - start) / 60
    first = (
        f"{time.strftime('%Y-%m-%d')}, {minutes:.0f} minutes on {processor()}, {os.cpu_count()} processors; Python {platform.python_version()}, {peers}."
        + (f" Not installed: {', '.join(missing)}." if missing else "")
        + f" A copy of 80 MB moves {speeds['1']:.1f} GB/s on one thread and {speeds['2']:.1f} GB/s on two."
    )
    text = report.page(rows, {name: heading for name, (heading, *_) in GROUPS.items()}, first)
    print(text)
    if arguments.markdown:
        report.write_between_marks(arguments.markdown, text)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    sys.exit(failed or any("purview" in each for group_rows in rows.values() for row in group_rows for each in row["wrong"]))


if __name__ == "__main__":
    main()
