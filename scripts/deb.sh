#!/usr/bin/env bash
# Makes the Debian packages libpurview0 and libpurview-dev, and libpurview-mpi0 and libpurview-mpi-dev of purview::mpi, installs them, compiles
# programs with them, and removes them again.
#     scripts/deb.sh [--keep] [--static BUILD --shared BUILD]
# Without --static and --shared, both kinds of libraries are built for it (build/deb-static, build/deb-shared); with them, what those folders
# have is packed. The packages are left in build/deb; DEBFULLNAME and DEBEMAIL say who maintains them. Installs as
# root.
set -euo pipefail
fail() { echo "deb: $*" >&2; exit 1; }
cd "$(dirname "$0")/.."
keep=false static= shared=
while [ $# -gt 0 ]; do
    case "$1" in
        --keep) keep=true ;;
        --static) static=${2:?}; shift ;;
        --shared) shared=${2:?}; shift ;;
        *) fail "usage: scripts/deb.sh [--keep] [--static BUILD --shared BUILD]" ;;
    esac
    shift
done
scripts/setup.sh --packages
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)

built() { # built KIND BUILD: compiles it if nobody has named a folder
    [ -z "$2" ] || return 0
    cmake --preset release -B "build/deb-$1" -DPURVIEW_BUILD_BENCHMARKS=OFF -DPURVIEW_BUILD_EXAMPLES=OFF \
        -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_SKIP_INSTALL_RPATH=ON -DBUILD_SHARED_LIBS="$([ "$1" = shared ] && echo ON || echo OFF)"
    cmake --build "build/deb-$1"
}
built static "$static"
built shared "$shared"
static=$(realpath "${static:-build/deb-static}")
shared=$(realpath "${shared:-build/deb-shared}")
version=$(sed -nE 's/^    VERSION ([0-9.]+)$/\1/p' CMakeLists.txt)

mkdir -p build/deb
rm -rf build/deb/*
export DEBFULLNAME=${DEBFULLNAME:-nobody} DEBEMAIL=${DEBEMAIL:-nobody@localhost}
configuration=$PWD/packaging/debian/cpack.cmake
(cd build/deb && STATIC_BUILD=$static SHARED_BUILD=$shared PURVIEW_VERSION=$version cpack --config "$configuration")
packages=(build/deb/libpurview0_*.deb build/deb/libpurview-dev_*.deb build/deb/libpurview-mpi0_*.deb build/deb/libpurview-mpi-dev_*.deb)
for package in "${packages[@]}"; do
    [[ $package == *-mpi* ]] || { dpkg-deb --contents "$package" && dpkg-deb --field "$package" Depends; } | { ! grep -E '(purview|shared|static)[/_-]mpi|openmpi'; } \
        || fail "$package has to do with MPI"
    name=$(dpkg-deb --field "$package" Package)
    [[ $(dpkg-deb --contents "$package") == *"./usr/share/doc/$name/copyright"* ]] || fail "$package has no copyright"
    dpkg-deb --info "$package" | sed -nE 's/^ ((Package|Version|Depends|Suggests):.*)/\1/p'
done
[ "$(dpkg-deb --ctrl-tarfile "${packages[0]}" | tar -xO ./shlibs | sort -u | wc -l)" -eq 10 ] || fail "${packages[0]} has not the shlibs of ten libraries"
[ "$(dpkg-deb --ctrl-tarfile "${packages[2]}" | tar -xO ./shlibs | grep -c '^libpurview_mpi ')" -eq 1 ] || fail "${packages[2]} has not the shlibs of its library"
remove() { $keep || "${as_root[@]}" dpkg --purge libpurview-mpi-dev libpurview-mpi0 libpurview-dev libpurview0; }
trap remove EXIT
"${as_root[@]}" apt-get install -y -qq --reinstall "${packages[@]/#/./}"

# Nothing but the packages is named: the compiler, pkg-config and CMake find them.
mkdir -p build/deb/use
for name in core sparse linalg fft image csv zarr hdf5 archives arrow gpu mpi; do
    module=purview$([ "$name" = core ] || echo "-$name")
    # shellcheck disable=SC2046
    g++ -std=c++20 "test_package/$name.cpp" $(pkg-config --cflags --libs "$module") -o "build/deb/use/$name"
    (cd build/deb/use && "./$name" >/dev/null) || fail "$name fails"
    [[ $(ldd "build/deb/use/$name") == *"libpurview.so.${version%.*} => /"* ]] || fail "$name does not use the installed library"
done
for kind in static shared; do
    cmake -S tests/package -B "build/deb/use/$kind" -G Ninja -DPURVIEW_COMPONENTS="$kind,linalg,fft,image,csv,zarr,hdf5,archives,arrow,gpu,mpi" -DCMAKE_CXX_FLAGS=-O0
    cmake --build "build/deb/use/$kind"
    ctest --test-dir "build/deb/use/$kind" --output-on-failure --no-tests=error
done
echo "deb: ${packages[*]} are made, installed and used"
