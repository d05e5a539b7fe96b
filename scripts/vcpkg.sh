#!/usr/bin/env bash
# Builds the vcpkg port of a tarball of the checkout, and a consumer of it. With VCPKG_ROOT set, by vcpkg itself (which fetches the dependencies);
# without, by packaging/vcpkg/stand_in.cmake, on what the system has installed.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD/build/vcpkg
mkdir -p "$root"
version=$(sed -nE 's/^    VERSION ([0-9.]+)$/\1/p' CMakeLists.txt)
tarball=$root/purview-$version.tar.gz
git ls-files -z --cached --others --exclude-standard \
    | tar --create --gzip --file="$tarball" --null --files-from=- --transform="s,^,purview-$version/,S"
packaging/make.py --out "$root" --tarball "$tarball" --url "file://$tarball" --homepage "https://example.com/purview"
port=$root/vcpkg/ports

if [ -n "${VCPKG_ROOT:-}" ]; then
    "$VCPKG_ROOT/vcpkg" install purview --overlay-ports="$port" --x-install-root="$root/installed"
    found=(-DCMAKE_TOOLCHAIN_FILE="$VCPKG_ROOT/scripts/buildsystems/vcpkg.cmake" -D_VCPKG_INSTALLED_DIR="$root/installed" -DVCPKG_MANIFEST_MODE=OFF)
else
    echo "vcpkg: VCPKG_ROOT is not set: the portfile runs on a stand-in for vcpkg's functions"
    scripts/setup.sh
    cmake -D PORT="$port/purview" -D PREFIX="$root/prefix" -D VERSION="$version" -P packaging/vcpkg/stand_in.cmake
    found=(-DCMAKE_PREFIX_PATH="$root/prefix")
fi
cmake -S tests/package -B "$root/use" -G Ninja -DPURVIEW_COMPONENTS=linalg,image,csv,zarr,hdf5,archives,arrow,gpu,mpi -DCMAKE_CXX_FLAGS=-O0 "${found[@]}"
cmake --build "$root/use"
ctest --test-dir "$root/use" --output-on-failure --no-tests=error
echo "vcpkg: the port is built and used"
