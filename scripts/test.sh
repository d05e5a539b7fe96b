#!/usr/bin/env bash
# Builds the preset `dev` and runs all tests. Arguments go to ctest: scripts/test.sh -R dimensions
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh
cmake --preset dev
cmake --build --preset dev
ctest --preset dev -j "$(nproc)" "$@"
