#!/usr/bin/env bash
# Builds Purview for aarch64 with Debian's cross compiler, runs its tests under qemu-user, and compares the bits of results with this
# machine's (Debian 12, x86-64). Arguments go to ctest: scripts/aarch64.sh -R kernels
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh --aarch64

# --- Debian's packages for aarch64, in a folder: the machine itself stays as it is ---------------

sysroot=build/aarch64/sysroot
packages=(
    libc6-dev libstdc++-12-dev
    libboost-dev libfmt-dev libdivide-dev libhwy-dev libsleef-dev libtbb-dev libroaring-dev libzip-dev
    libspng-dev libfast-float-dev libblosc-dev libdeflate-dev libzstd-dev liblz4-dev libjsoncpp-dev libflatbuffers-dev libhdf5-dev catch2 librange-v3-dev libeigen3-dev libopenblas0-pthread
)
if [ "$(cat $sysroot/packages 2>/dev/null)" != "${packages[*]}" ]; then
    . /etc/os-release
    sources=()
    for file in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list; do
        if [ -s $file ]; then sources+=($file); fi
    done
    [ ${#sources[@]} -gt 0 ] || { echo "aarch64: no sources of Debian in /etc/apt" >&2; exit 1; }
    echo "aarch64: extracting ${#packages[@]} packages and what they need into $sysroot"
    rm -rf $sysroot
    mkdir -p $sysroot
    mmdebstrap --quiet --variant=extract --architectures=arm64 --include="$(IFS=,; echo "${packages[*]}")" \
        "$VERSION_CODENAME" - "${sources[@]}" | tar -x -C $sysroot --exclude=./dev
    # Links from the root would lead to this machine's libraries.
    find "$PWD/$sysroot/usr" -type l -lname '/*' | while read -r link; do
        ln -srfn "$PWD/$sysroot$(readlink "$link")" "$link"
    done
    ln -sf openblas-pthread/libopenblas.so.0 $sysroot/usr/lib/aarch64-linux-gnu/ # which Debian's alternatives would do
    echo "${packages[*]}" > $sysroot/packages
fi

# --- the tests ------------------------------------------------------------------------------------

floors=(dimensions engine tensor functional)
cmake --preset aarch64
cmake --build --preset aarch64 --target bits "${floors[@]/#/test_}"
PURVIEW_TEST_ALL=1 ctest --preset aarch64 -j "$(nproc)" -L "^($(IFS='|'; echo "${floors[*]}"))$" "$@"

# --- the same bits --------------------------------------------------------------------------------

# With the scalar kernels everything has to be equal. Each other target computes exp, sin and their like by functions of its own, with fused
# multiplications or without, whose errors are bounded and not equal.
functions='exp|exp2|expm1|log|log2|log10|log1p|pow|cbrt|hypot|logaddexp|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|asinh|acosh|atanh|erf|erfc'
functions+='|logistic|softmax|geometric_mean'

cmake --preset dev
cmake --build --preset dev --target bits
lines=build/aarch64/bits
mkdir -p $lines
export PURVIEW_BLAS=off
for target in scalar best; do
    export PURVIEW_TARGET=${target/best/}
    build/dev/tests/bits > $lines/x86.$target
    qemu-aarch64 -L $sysroot build/aarch64/tests/bits > $lines/aarch64.$target
done
unset PURVIEW_TARGET
for machine in x86 aarch64; do grep -vE "^($functions) " $lines/$machine.best > $lines/$machine.exact; done
for kind in scalar exact; do
    diff $lines/x86.$kind $lines/aarch64.$kind || { echo "aarch64: other bits than on x86 ($kind)" >&2; exit 1; }
    echo "aarch64: $(wc -l < $lines/x86.$kind) results have the same bits as on x86 ($kind)"
done
