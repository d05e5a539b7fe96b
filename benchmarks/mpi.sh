#!/usr/bin/env bash
# Two ranks of one thread beside one process of two threads, and beside what others run on two ranks: NumPy over mpi4py, Dask with two workers, ScaLAPACK's
# pdgemm (python3-mpi4py, python3-distributed, libscalapack-openmpi-dev; those that are there). Each three times, in turns; the best of each.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${PRESET:-release}
cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset" --target bench_mpi >/dev/null
folder=build/$preset/benchmarks
results=$folder/mpi
mkdir -p "$results"
rm -f "$results"/*
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_hwloc_base_binding_policy=none
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
mpicxx -O2 benchmarks/mpi/pdgemm.cpp -lscalapack-openmpi -o "$results/pdgemm.bin" 2>/dev/null || echo "no ScaLAPACK"

for _ in 1 2 3; do
    OPENBLAS_NUM_THREADS=2 mpirun -n 1 "$folder/bench_mpi" >>"$results/process"
    mpirun -n 2 "$folder/bench_mpi" >>"$results/ranks"
    if /usr/bin/python3 -c "import mpi4py" 2>/dev/null; then mpirun -n 2 /usr/bin/python3 benchmarks/mpi/numpy_ranks.py >>"$results/numpy"; fi
    if [ -x "$results/pdgemm.bin" ]; then mpirun -n 2 "$results/pdgemm.bin" >>"$results/pdgemm"; fi
    if /usr/bin/python3 -c "import dask.distributed" 2>/dev/null; then /usr/bin/python3 benchmarks/mpi/dask_workers.py >>"$results/dask" 2>/dev/null; fi
done
/usr/bin/python3 - "$results" <<'PYTHON'
import sys
from pathlib import Path

folder = Path(sys.argv[1])


def best(name):
    times = {}
    if (folder / name).exists():
        for line in (folder / name).read_text().splitlines():
            case, time = line.split()
            times[case] = min(times.get(case, 1e9), float(time))
    return times


ranks, process, others = best("ranks"), best("process"), {name: best(name) for name in ("numpy", "dask", "pdgemm")}
print("| case | one process, ms | 2 ranks, ms | process ÷ ranks | " + " | ".join(f"{name} ÷ ranks" for name in others) + " |")
for case, time in ranks.items():
    beside = process.get(case)
    ratio = f"{beside / time:.2f}" if beside else ""
    columns = [f"{times[case] / time:.2f}" if case in times else "" for times in others.values()]
    print(f"| {case} | {beside or '':} | {time} | {ratio} | " + " | ".join(columns) + " |")
PYTHON
