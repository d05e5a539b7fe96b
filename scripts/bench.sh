#!/usr/bin/env bash
# Builds Purview as users build it, beside its peers, and measures all of them in one run.
#     scripts/bench.sh [--quick] [--target avx2] [--json FILE] [--filter RE] [--markdown FILE]
# `--quick` takes at most ten minutes: one row for each mechanism, on one thread; --target avx2 measures everybody as on a processor
# without AVX-512; --filter chooses cases by name/size/dtype. See docs/performance.md.
set -euo pipefail
case "${1:-}" in
    -h | --help) sed -n '2,5s/^# \?//p' "$0"; exit 0 ;;
esac
here=$PWD
cd "$(dirname "$0")/.."

target=native
for ((i = 1; i <= $#; ++i)); do
    case "${!i}" in
        --target) next=$((i + 1)) target=${!next:-} ;;
        --target=*) target=${!i#*=} ;;
    esac
done

scripts/setup.sh --bench
# Peers for another processor have a folder of their own; the library is the same, and comes from ccache.
build=$PWD/build/release$([ "$target" = native ] || echo "-$target")
cmake --preset release -B "$build" -DPURVIEW_BENCH_TARGET="$target"
cmake --build "$build" --target benchmarks
repository=$PWD
cd "$here"
exec /usr/bin/python3 "$repository/benchmarks/run.py" --build "$build" "$@"
