#!/usr/bin/env bash
# What purview::gpu reaches on a machine with a GPU, beside CuPy, PyTorch and JAX there.
#     benchmarks/gpu.sh pack FOLDER [BUILD]   here: the programs of a build (build/release), their libraries and the peers' scripts, below 50 MB
#     FOLDER/gpu.sh [--tests] [--peers]       there, without a compiler or a network: tests, the table, the peers; all of it by default
# Results are printed as they come. It ends with "N passed, M failed".
set -uo pipefail

if [ "${1:-}" = pack ]; then
    set -e
    to=${2:?a folder} build=${3:-build/release}
    cmake --build "$build" --target bench_gpu test_gpu
    mkdir -p "$to/lib"
    cp "$0" benchmarks/gpu/peers.py "$to/"
    cp "$build/benchmarks/bench_gpu" "$build/tests/test_gpu" "$to/"
    strip "$to/bench_gpu" "$to/test_gpu"
    ldd "$to/bench_gpu" "$to/test_gpu" | awk '/=> \// { print $3 }' | sort -u | grep -vE '/(libc|libm|libdl|librt|libpthread|ld-linux.*)\.so' \
        | xargs -I{} cp -L {} "$to/lib/"
    du -sh "$to"
    exit
fi

cd "$(dirname "$0")"
export LD_LIBRARY_PATH=$PWD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} PYTHONUNBUFFERED=1
python=${PYTHON:-python3} passed=0 failed=0
wanted() { [ ${#chosen[@]} -eq 0 ] || [[ " ${chosen[*]} " == *" $1 "* ]]; }
chosen=("$@")
counted() { # the last "N passed, M failed" of a log
    local p f
    read -r p f < <(awk '/ passed, [0-9]+ failed/ { p = $1; f = $3 } END { print p + 0, f + 0 }' "$1")
    passed=$((passed + p)) failed=$((failed + f))
}
log=$(mktemp -d)
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null
if wanted --tests; then
    echo "=== tests"
    timeout 60 ./test_gpu 2>&1 | tail -40
    [ "${PIPESTATUS[0]}" -eq 0 ] && passed=$((passed + 1)) || failed=$((failed + 1))
    timeout 30 ./test_gpu '[.fault]' 2>&1 | tail -20 # breaks the device for its process
    [ "${PIPESTATUS[0]}" -eq 0 ] && passed=$((passed + 1)) || failed=$((failed + 1))
fi
if wanted --table || [ ${#chosen[@]} -eq 0 ]; then
    echo "=== Purview"
    timeout 90 ./bench_gpu cuda 2>&1 | tee "$log/purview"
    counted "$log/purview"
fi
if wanted --peers; then
    export OUT=$log PEER_SECONDS=25
    for peer in torch cupy jax torch.compile; do
        echo "=== $peer"
        timeout 40 "$python" peers.py "$peer" 2>&1 | grep -v -i -e warning -e first_call
    done
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
