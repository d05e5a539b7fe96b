#!/usr/bin/env bash
# Platforms beside those of the gates, each built and tried; docs/platforms.md has a row for each, once it has passed.
#     scripts/platforms.sh libcxx | lto | debian13-gcc | debian13-clang | ubuntu2404-gcc | ubuntu2404-clang ...
# Each takes 10 to 30 minutes on two cores. What another system has goes into a folder, build/debian13 or build/ubuntu2404 (by mmdebstrap, as root).
set -euo pipefail
fail() { echo "platforms: $*" >&2; exit 1; }
[ $# -gt 0 ] || { sed -n '2,4s/^# \?//p' "$0"; exit 2; }
cd "$(dirname "$0")/.."

libcxx() { # clang and libc++; the C++ libraries of the system are made for libstdc++, so that {fmt} is compiled with us
    scripts/setup.sh --libcxx
    local flags="-stdlib=libc++ -DFMT_HEADER_ONLY"
    cmake -S . -B build/libcxx -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_CXX_FLAGS="$flags -O1" \
        -DPURVIEW_BUILD_TESTS=OFF -DPURVIEW_BUILD_EXAMPLES=OFF -DPURVIEW_WARNINGS_AS_ERRORS=ON
    cmake --build build/libcxx
    rm -rf build/libcxx/prefix
    cmake --install build/libcxx --prefix build/libcxx/prefix >/dev/null
    local standard
    for standard in 20 23; do
        # shellcheck disable=SC2046,SC2086
        PKG_CONFIG_PATH=build/libcxx/prefix/lib/pkgconfig clang++-19 -std=c++$standard $flags -Itests tests/hostile/consumer.cpp \
            $(PKG_CONFIG_PATH=build/libcxx/prefix/lib/pkgconfig pkg-config --cflags --libs purview-sparse) -o build/libcxx/consumer
        build/libcxx/consumer
    done
}

lto() { # the library itself, and programs, optimised as a whole
    scripts/setup.sh
    cmake -S . -B build/lto -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=g++ -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON
    cmake --build build/lto --target purview purview_sparse consumer_cxx20 test_consumer
    ctest --test-dir build/lto --output-on-failure --no-tests=error -R 'kernel_symbols|package/cxx20|hostile/consumer$'
}

# system NAME SUITE COMPILER SOURCES…: all tests, on the packages of another system, in the folder build/NAME
system() {
    local name=$1 suite=$2 compiler=$3 root=$PWD/build/$1 build=build-$3
    shift 3
    [ "$(id -u)" -eq 0 ] || fail "$name runs as root"
    if [ ! -e "$root/ready" ]; then
        command -v mmdebstrap >/dev/null || apt-get install -y -qq --no-install-recommends mmdebstrap
        local packages
        packages=$(sed -nE '/^(packages|others)=\(/,/^\)/{/[()]$/d;s/#.*//;p}' scripts/setup.sh | xargs | tr ' ' ',')
        rm -rf "$root"
        mmdebstrap --variant=apt --include="$packages,clang-19,libclang-rt-19-dev" "$suite" "$root" "$@"
        touch "$root/ready"
    fi
    rm -rf "$root/purview"
    mkdir "$root/purview"
    git ls-files -z --cached --others --exclude-standard | tar --create --null --files-from=- | tar --extract --directory="$root/purview"
    # In a mount namespace of its own: nothing stays mounted.
    unshare --mount --pid --fork --mount-proc="$root/proc" chroot "$root" env CCACHE_DIR=/ccache PURVIEW_TEST_ALL=1 sh -euc "cd /purview
        $compiler --version | head -n 1
        cmake -S . -B /$build -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER=$compiler -DCMAKE_CXX_FLAGS=-O1 -DPURVIEW_TEST_OPTIONS=-O0 \
            -DPURVIEW_WARNINGS_AS_ERRORS=ON
        cmake --build /$build -- -k 0
        ctest --test-dir /$build -j2 --output-on-failure --no-tests=error -LE '^(kernels|must_not_compile)\$'"
}

debian13() { # debian13 COMPILER
    local mirror
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' | sed -n 1p)
    [ -n "$mirror" ] || fail "apt knows no archive of Debian"
    system debian13 trixie "$1" "deb $mirror trixie main"
}

ubuntu2404() { # ubuntu2404 COMPILER; Debian's apt does not know Ubuntu's keys
    local archive=http://archive.ubuntu.com/ubuntu keys=build/ubuntu-keys
    local package=ubuntu-keyring_2023.11.28.1_all.deb sum=36de43b15853ccae0028e9a767613770c704833f82586f28eb262f0311adb8a8
    mkdir -p $keys
    curl -fsS -o $keys/$package $archive/pool/main/u/ubuntu-keyring/$package
    echo "$sum  $keys/$package" | sha256sum --check --quiet
    dpkg-deb --extract $keys/$package $keys
    local signed="[signed-by=$PWD/$keys/usr/share/keyrings/ubuntu-archive-keyring.gpg]"
    system ubuntu2404 noble "$1" "deb $signed $archive noble main universe" "deb $signed $archive noble-updates main universe"
}

for platform; do
    case "$platform" in
        libcxx | lto) "$platform" ;;
        debian13-gcc) debian13 g++ ;;
        debian13-clang) debian13 clang++-19 ;;
        ubuntu2404-gcc) ubuntu2404 g++ ;;
        ubuntu2404-clang) ubuntu2404 clang++-19 ;;
        *) fail "no platform '$platform'" ;;
    esac
    echo "platforms: $platform: passed"
done
