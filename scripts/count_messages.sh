#!/usr/bin/env bash
# What a rank sends, for 1 to 64 ranks on this machine: the table in docs/distributed.md, which `--check` compares.
set -euo pipefail
cd "$(dirname "$0")/.."

cmake --preset release >/dev/null
cmake --build --preset release --target count_messages >/dev/null
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 \
    OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl_vader_single_copy_mechanism=none
rows=$(for ranks in 1 2 4 8 16 36 64; do mpirun -n "$ranks" build/release/benchmarks/count_messages; done)
echo "$rows"
if [ "${1:-}" = --check ]; then
    while IFS= read -r row; do
        grep -qF -- "$row" docs/distributed.md || { echo "count_messages: docs/distributed.md has no row: $row" >&2; exit 1; }
    done <<<"$rows"
    echo "count_messages: the table is true"
fi
