#!/usr/bin/env bash
# Consumers with flags that the library was not built with, each compiled, linked and run: tests/hostile/consumer.cpp by `pkg-config` alone.
#     scripts/guests.sh PREFIX...
# Each PREFIX has libraries that gcc has built, static or shared ones. They are copied elsewhere first, as they can be moved. nm looks at what
# shared ones need and export; with two prefixes, both go into a third, for CMake to choose. Prints a row for each; the last line counts.
set -euo pipefail
fail() { echo "guests: $*" >&2; exit 1; }
[ $# -gt 0 ] || fail "usage: scripts/guests.sh PREFIX..."
cd "$(dirname "$0")/.."
work=$PWD/build/guests
rm -rf "$work"
clang=$(command -v clang++-19 || command -v clang++) || fail "no clang++"

passed=0 failed=0
verdict() { # verdict passed|FAILED TEXT
    [ "$1" = passed ] && passed=$((passed + 1)) || failed=$((failed + 1))
    printf '%-6s  %s\n' "$1" "$2"
}

row() { # row NAME COMPILER FLAGS…
    local name=$1 log=$work/log.txt
    shift
    # shellcheck disable=SC2046
    if "$@" -Itests -Wall -Wextra -Werror tests/hostile/consumer.cpp $(pkg-config --cflags --libs purview-sparse) -o "$work/consumer" >"$log" 2>&1 \
        && LD_LIBRARY_PATH=$libraries "$work/consumer" >>"$log" 2>&1; then
        verdict passed "$kind, $name"
    else
        verdict FAILED "$kind, $name"
        sed 's/^/    /' "$log" | head -n 40
    fi
}

# Nothing is exported that is not Purview's, under its version, and nothing is needed but what docs/packaging.md names.
allowed='libpurview|libfmt|libtbb|libsleef|libroaring|libzip|libspng|libblosc|libdeflate|libzstd|liblz4|libjsoncpp|libhdf5|libmpi|libstdc\+\+|libm\.|libgcc_s|libc\.|ld-linux|libpthread|libdl'
symbols() { # symbols LIBRARY
    local foreign needed
    foreign=$(nm -D --defined-only "$1" | awk '{ print $NF }' | grep -vE '^_Z(T[ISVTHW]|G[VR]|T[hvc].*_|Z|GVZ)?N[KRO]*7purview[0-9]+v[0-9].*@@PURVIEW_|^PURVIEW_' || true)
    needed=$(readelf -d "$1" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' | grep -vE "^($allowed)" || true)
    # Whatever of ours it needs is beside it.
    needed+=$(env -u LD_LIBRARY_PATH ldd "$1" | grep 'not found' || true)
    if [ -z "$foreign$needed" ] && nm -D --defined-only "$1" | grep -c 7purview >"$work/count"; then
        verdict passed "$(basename "$1"): exports $(cat "$work/count") symbols, all of them ours"
    else
        verdict FAILED "$(basename "$1"): exports or needs:"
        printf '%s\n' "$needed" "$foreign" | sed '/^$/d' | head -n 20 | c++filt
    fi
}

number=0
for prefix in "$@"; do
    number=$((number + 1))
    moved=$work/moved-$number
    mkdir -p "$moved" "$work/both"
    cp -r "$prefix/." "$moved"
    cp -r "$prefix/." "$work/both"
    PKG_CONFIG_PATH=$(find "$moved" -type d -name pkgconfig)
    export PKG_CONFIG_PATH
    libraries=$(dirname "$PKG_CONFIG_PATH")
    kind=static
    [ ! -e "$libraries/libpurview.so" ] || kind=shared
    [ -e "$libraries/libpurview.so" ] || [ -e "$libraries/libpurview.a" ] || fail "$prefix has no library"
    for compiler in g++ "$clang"; do
        # shellcheck disable=SC2046
        if ! "$compiler" -std=c++17 -Itests -c tests/hostile/consumer.cpp $(pkg-config --cflags purview-sparse) -o /dev/null 2>"$work/log.txt" \
            && grep -q 'Purview needs C++20' "$work/log.txt" && [ "$(wc -l <"$work/log.txt")" -lt 30 ]; then
            verdict passed "$kind, $(basename "$compiler"), C++17: refused in one sentence"
        else
            verdict FAILED "$kind, $(basename "$compiler"), C++17: refused in one sentence"
            head -n 20 "$work/log.txt"
        fi
    done
    row "gcc, C++20" g++ -std=c++20
    row "gcc, C++23, -O2, LTO" g++ -std=c++23 -O2 -flto
    row "gcc, -fno-rtti, -ffast-math" g++ -std=c++20 -fno-rtti -O1 -ffast-math
    row "clang, C++20" "$clang" -std=c++20
    row "clang, C++23, -fno-rtti, -ffast-math" "$clang" -std=c++23 -fno-rtti -O1 -ffast-math
    for library in "$libraries"/libpurview*.so; do
        [ ! -e "$library" ] || symbols "$library"
    done
done

# All of it in one prefix: find_package takes what its components say, and pkg-config --static names what static libraries need.
if [ $# -gt 1 ]; then
    kind=both libraries=
    PKG_CONFIG_PATH=$(find "$work/both" -type d -name pkgconfig)
    name="gcc, its static libraries by pkg-config --static"
    # shellcheck disable=SC2046
    if g++ -std=c++20 -Itests tests/hostile/consumer.cpp $(pkg-config --static --cflags --libs purview-sparse | sed -E 's/-l(purview\w*)/-l:lib\1.a/g') \
        -o "$work/consumer" >"$work/log.txt" 2>&1 && "$work/consumer" >>"$work/log.txt" 2>&1; then
        verdict passed "$kind, $name"
    else
        verdict FAILED "$kind, $name"
        sed 's/^/    /' "$work/log.txt" | head -n 40
    fi
    # Without a component, find_package says which one is missing.
    cp -r "$work/both" "$work/core"
    find "$work/core" -name 'purview-*-sparse*.cmake' -delete
    if ! cmake -S tests/package -B "$work/no-sparse" -DCMAKE_PREFIX_PATH="$work/core" >"$work/log.txt" 2>&1 \
        && tr -s ' \n' ' ' <"$work/log.txt" | grep -q 'purview::sparse is not among the shared libraries in'; then
        verdict passed "a prefix without purview::sparse: find_package says so"
    else
        verdict FAILED "a prefix without purview::sparse: find_package says so"
        sed 's/^/    /' "$work/log.txt" | tail -n 40
    fi
    name="find_package decides before it makes targets (tests/package/choices)"
    if cmake -S tests/package/choices -B "$work/choices" -DCMAKE_PREFIX_PATH="$work/both" >"$work/log.txt" 2>&1; then
        verdict passed "$name"
    else
        verdict FAILED "$name"
        sed 's/^/    /' "$work/log.txt" | tail -n 40
    fi
    for kind in static shared; do
        if cmake -S tests/package -B "$work/$kind" -DCMAKE_PREFIX_PATH="$work/both" -DPURVIEW_COMPONENTS=$kind -DCMAKE_CXX_FLAGS=-O0 >"$work/log.txt" 2>&1 \
            && cmake --build "$work/$kind" --target consumer >>"$work/log.txt" 2>&1 && "$work/$kind/consumer" >>"$work/log.txt" 2>&1 \
            && [ "$(readelf -d "$work/$kind/consumer" | grep -c 'NEEDED.*libpurview\.so')" = "$([ $kind = shared ] && echo 1 || echo 0)" ]; then
            verdict passed "$kind, of a prefix with both, by CMake"
        else
            verdict FAILED "$kind, of a prefix with both, by CMake"
            sed 's/^/    /' "$work/log.txt" | tail -n 40
        fi
    done
fi
echo "guests: $passed passed, $failed failed"
[ $failed -eq 0 ]
