#!/usr/bin/env bash
# Builds Purview as users build it, beside its peers, and measures all of them in one run.
#     scripts/bench.sh [--quick] [--target avx2] [--json FILE] [--filter RE] [--markdown FILE]
#     scripts/bench.sh --filter chunks[/RE] [--small] [--no-peers]      arrays in chunks alone, which need 10 GB of disk and a quarter of an hour
#     scripts/bench.sh --filter order[/RE] [--small] [--target avx2]     what orders data beyond memory, likewise: 30 GB of disk, half an hour
#     scripts/bench.sh --filter archives[/RE] [--small] [--target avx2]  many files as one array, and tables on disk, likewise: 3 GB, ten minutes
# `--quick` takes at most ten minutes: one row for each mechanism, on one thread; --target avx2 measures everybody as on a processor
# without AVX-512; --filter chooses cases by name/size/dtype. See docs/measurements.md.
set -euo pipefail
case "${1:-}" in
    -h | --help) sed -n '2,8s/^# \?//p' "$0"; exit 0 ;;
esac
here=$PWD
cd "$(dirname "$0")/.."

target=native filter=''
for ((i = 1; i <= $#; ++i)); do
    case "${!i}" in
        --target) next=$((i + 1)) target=${!next:-} ;;
        --target=*) target=${!i#*=} ;;
        --filter) next=$((i + 1)) filter=${!next:-} ;;
        --filter=*) filter=${!i#*=} ;;
    esac
done

case "$filter" in
    chunks | chunks/*) alone=chunks peers="numpy zarr dask tensorstore blosc2 h5py" ;;
    order | order/*) alone=order peers="numpy zarr dask duckdb polars xarray pyarrow bottleneck" ;;
    archives | archives/*) alone=archives peers="numpy xarray dask netCDF4 h5py h5netcdf pyarrow polars duckdb safetensors" ;;
    *) alone='' ;;
esac

scripts/setup.sh --bench
[ "$alone" != archives ] || scripts/python_peers.sh # purview::parquet is built with the Arrow of pyarrow
# Peers for another processor have a folder of their own; the library is the same, and comes from ccache.
build=$PWD/build/release$([ "$target" = native ] || echo "-$target")
cmake --preset release -B "$build" -DPURVIEW_BENCH_TARGET="$target"
repository=$PWD

# Into the environment of `python`, which is made if there is none.
install() {
    [ -x "$python" ] || python3 -m venv --clear "${python%/bin/python}"
    for name; do
        package=$name
        [ "$name" != dask ] || package="dask[array]"
        [ "$name" != sparse_dot_mkl ] || package="sparse_dot_mkl mkl"
        "$python" -c "import importlib.util as known; exit(known.find_spec('$name') is None)" || "$python" -m pip install --quiet --disable-pip-version-check $package ||
            echo "bench: pip cannot install $name"
    done
}

if [ -n "$alone" ]; then
    cmake --build "$build" --target "bench_$alone"
    python=$PWD/build/chunks-python/bin/python
    install $peers
    cd "$here"
    exec "$python" "$repository/benchmarks/$alone/run.py" --build "$build" "$@"
fi
python=$PWD/build/bench-python/bin/python
install numpy scipy jax numba sparse_dot_mkl
cmake --build "$build" --target benchmarks
cd "$here"
exec /usr/bin/python3 "$repository/benchmarks/run.py" --build "$build" "$@"
