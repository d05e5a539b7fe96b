#!/usr/bin/env bash
# Builds Purview as users build it, beside its peers, and measures all of them in one run.
#     scripts/bench.sh [--quick] [--json FILE] [--filter RE] [--markdown FILE]
# `--quick` takes at most ten minutes: one row for each mechanism, on one thread; --filter chooses cases by name/size/dtype. See docs/performance.md.
set -euo pipefail
case "${1:-}" in
    -h | --help) sed -n '2,4s/^# \?//p' "$0"; exit 0 ;;
esac
here=$PWD
cd "$(dirname "$0")/.."

scripts/setup.sh --bench
cmake --preset release
cmake --build --preset release --target benchmarks
repository=$PWD
cd "$here"
exec /usr/bin/python3 "$repository/benchmarks/run.py" "$@"
