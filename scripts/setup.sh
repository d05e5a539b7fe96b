#!/usr/bin/env bash
# Installs what Purview needs to be built, tested and demonstrated, if it is missing (Debian, Ubuntu).
# With --demo only what scripts/demo.sh needs.
# With --ci also what the gates need: clang 19 with its sanitizer runtimes, clang-format 14, gdb, and libraries to exchange arrays with.
# With --bench also the libraries that Purview is measured beside.
# With --packages, --libcxx and --aarch64 also what scripts/deb.sh, platforms.sh libcxx and aarch64.sh need.
# With --site only what scripts/site.sh needs.
set -euo pipefail

# The library, and the example that scripts/demo.sh runs.
packages=(
    g++ cmake ninja-build ccache pkg-config
    libboost-dev libfmt-dev libdivide-dev libhwy-dev libsleef-dev libtbb-dev libroaring-dev libzip-dev
    libxbyak-dev                                # machine code at run time, on x86-64
    libspng-dev libfast-float-dev libcli11-dev  # purview::image, purview::csv, and the example's options
)
others=(
    python3 python3-venv
    libblosc-dev libdeflate-dev libzstd-dev liblz4-dev libjsoncpp-dev  # purview::zarr
    libflatbuffers-dev flatbuffers-compiler              # purview::arrow, with zstd and lz4
    libhdf5-dev                                 # purview::hdf5
    libopenmpi-dev openmpi-bin                  # purview::mpi
    libopenblas0                                # loaded by the library when matrices are multiplied
    catch2 librange-v3-dev libeigen3-dev pocl-opencl-icd ocl-icd-libopencl1  # the tests: OpenCL on the processor for those of purview::gpu
    libnlopt-cxx-dev                            # other examples
    libbenchmark-dev                            # the benchmarks
)
[ "${1:-}" = --demo ] || packages+=("${others[@]}")
case "${1:-}" in
    "" | --demo) ;;
    --ci)
        packages+=(
            clang-19 lld-19 libclang-rt-19-dev clang-format-14 doxygen gdb python3-torch
            libopencv-core-dev libxtensor-dev libxsimd-dev libtorch-dev
        ) ;;
    --bench)
        packages+=(
            libxtensor-dev libxsimd-dev libopenblas-dev libtorch-dev
            libgraphblas-dev libopencv-core-dev python3-numpy python3-numexpr python3-scipy python3-pandas
        ) ;;
    --packages) packages+=(dpkg-dev file) ;;
    --libcxx) packages+=(clang-19 libc++-19-dev libc++abi-19-dev) ;;
    --aarch64) packages+=(g++-aarch64-linux-gnu qemu-user mmdebstrap) ;;
    --site) packages=(g++ doxygen python3-venv libfmt-dev librange-v3-dev libeigen3-dev) ;;
    *) echo "usage: scripts/setup.sh [--demo | --ci | --bench | --packages | --libcxx | --aarch64 | --site]" >&2; exit 2 ;;
esac

[ "$(uname -m)" = x86_64 ] || mapfile -t packages < <(printf '%s\n' "${packages[@]}" | grep -vx libxbyak-dev)

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    cat >&2 <<'EOF'
This is not Debian or Ubuntu. With Conan 2 and a compiler for C++23 (gcc 12, clang 19 or newer):

    conan build . --build=missing -s compiler.cppstd=23 -c tools.build:skip_test=False
EOF
    exit 1
fi

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
    echo "setup: everything is installed"
    exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "setup: install as root: ${missing[*]}" >&2; exit 1; }
    as_root=(sudo)
fi
echo "setup: installing ${missing[*]}"
"${as_root[@]}" apt-get update -qq </dev/null || echo "setup: apt-get update complained; going on"
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null
echo "setup: done"
