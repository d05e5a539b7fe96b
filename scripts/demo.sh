#!/usr/bin/env bash
# Builds the main example for this machine and runs it on the photograph in examples/data.
# Arguments go to the example: scripts/demo.sh --input photo.png
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh --demo
cmake --preset native
cmake --build --preset native --target image_pipeline

output=build/demo
mkdir -p "$output"
build/native/examples/image_pipeline --output "$output" "$@"

echo
echo "The pictures are in $PWD/$output:"
ls -l "$output"
