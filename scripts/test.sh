#!/usr/bin/env bash
# Builds the preset `dev` and runs all tests, those of the Python module too; --quick leaves out the runs for each target of kernels but the best, and the programs
# that must not compile. Other arguments go to ctest: scripts/test.sh -R dimensions
set -euo pipefail
cd "$(dirname "$0")/.."

chosen=()
if [ "${1:-}" = --quick ]; then
    shift
    chosen=(-LE "^(kernels|must_not_compile)$")
fi
scripts/setup.sh
scripts/python_peers.sh
cmake --preset dev "-DPURVIEW_TEST_FLOORS=${PURVIEW_TEST_FLOORS:-}"
cmake --build --preset dev
ctest --preset dev -j "$(nproc)" "${chosen[@]}" "$@"
[ $# -gt 0 ] || scripts/python.sh --library build/dev
