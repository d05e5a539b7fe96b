#!/usr/bin/env bash
# Creates the Conan package, static and shared, from the libraries that Debian or Ubuntu has installed (the recipes of tools/conan), and
# has each of them consumed: by the package's own test, by CMake with CMakeDeps and CMakeConfigDeps, and by Meson with PkgConfigDeps.
# Conan, Meson and a CMake that CMakeConfigDeps can work with go to build/conan, as does Conan's cache; no remote is asked.
# What has not changed since the last run is not compiled again.
#   --quick          compiles without optimisation, and kernels of one target, which shows the same of the package in a fraction of the time
#   --static-only    leaves out the shared library
#   --from BUILD     compiles nothing: the recipe configures a build, and what BUILD has is packed, static or shared
set -euo pipefail
cd "$(dirname "$0")/.."

kinds=(static shared)
home=home
optimisation=()
meson_type=release
from=
while [ $# -gt 0 ]; do
    case "$1" in
        --quick) # in a cache of its own: such a package is for nobody
            home=home-quick
            optimisation=(-c "tools.cmake.cmaketoolchain:extra_variables={'CMAKE_CXX_FLAGS_RELEASE': '-O0 -DNDEBUG', 'PURVIEW_UNITY_SIZE': '40'}" -o "purview/*:targets=scalar") ;;
        --static-only) kinds=(static) ;;
        --from)
            from=$(realpath "${2:?}")
            kinds=("$([ -e "$from/libpurview.so" ] && echo shared || echo static)")
            home=home-from
            optimisation=(-c "tools.cmake.cmaketoolchain:extra_variables={'CMAKE_CXX_FLAGS_RELEASE': '-O0 -DNDEBUG'}") # of what consumes it
            meson_type=plain
            shift ;;
        *) echo "usage: scripts/conan.sh [--quick] [--static-only] [--from BUILD]" >&2; exit 2 ;;
    esac
    shift
done

scripts/setup.sh
root=$PWD/build/conan
tools=$root/venv/bin
if ! "$tools/python" -c "import conan, mesonbuild, cmake" 2>/dev/null; then
    echo "conan: installing Conan, Meson and CMake into build/conan/venv"
    python3 -m venv --clear "$root/venv"
    "$tools/pip" install --quiet --disable-pip-version-check "conan>=2.30,<3" "meson>=1.3" "cmake>=3.27,<4"
fi

export CONAN_HOME=$root/$home
export CCACHE_BASEDIR=$root/$home CCACHE_NOHASHDIR=true CCACHE_SLOPPINESS=pch_defines,time_macros
conan() { "$tools/conan" "$@"; }
version=$(conan inspect . --format=json | python3 -c 'import json, sys; print(json.load(sys.stdin)["version"])')

timed() { # timed WHAT COMMAND…: shows what COMMAND says only if it fails
    local what=$1 start=$SECONDS log=$root/log
    shift
    if ! "$@" >"$log" 2>&1; then
        cat "$log" >&2
        echo "conan: $what: FAILED" >&2
        exit 1
    fi
    echo "conan: $what: $((SECONDS - start)) s"
}

link_line() { ninja -C "$1" -t commands "$2" | tail -n 1; } # link_line BUILD PROGRAM

links() { # links BUILD: what the programs in BUILD are linked with is what they ask for, and no more
    local name line other
    for name in core sparse linalg fft image csv zarr hdf5 archives arrow gpu mpi; do
        line=$(link_line "$1" "$name")
        grep -Eq -- '-o [^ ]*'"$name" <<<"$line" || { echo "no line that links $name: $line"; return 1; }
        grep -Eq 'libpurview\.|-lpurview( |$)' <<<"$line" || { echo "$name is linked without the core: $line"; return 1; }
        for other in sparse:zip fft:fft image:spng csv:fast_float zarr:jsoncpp hdf5:hdf5 mpi:mpi blas:openblas; do
            if [ "$name" = "${other%:*}" ]; then
                grep -Eq "purview_$name" <<<"$line" || { echo "$name is linked without its library: $line"; return 1; }
            elif [ "$name" = zarr ] && [ "$other" = sparse:zip ]; then # it reads zip files by that
                continue
            elif [ "$name" = archives ] && [[ sparse:zip,zarr:jsoncpp,hdf5:hdf5 == *"$other"* ]]; then # it opens files by those
                continue
            elif grep -Eq "purview_${other%:*}|(/lib|-l)${other#*:}" <<<"$line"; then
                echo "$name is linked with $other: $line"; return 1
            fi
        done
    done
}

of_kind() { # of_kind KIND: what Conan is told
    printf '%s\n' -pr:a "$PWD/tools/conan/profile" --update "${optimisation[@]}" -o "purview/*:shared=$([ "$1" = shared ] && echo True || echo False)" \
        -o "purview/*:with_zarr=True" -o "purview/*:with_hdf5=True" -o "purview/*:with_archives=True" -o "purview/*:with_arrow=True" -o "purview/*:with_gpu=True" \
        -o "purview/*:with_mpi=True"
}

by_cmake() { # by_cmake KIND GENERATOR CMAKE
    local folder=$root/$1-$2 options
    mapfile -t options < <(of_kind "$1")
    rm -rf "$folder"
    mkdir -p "$folder"
    # From there, as it writes CMakeUserPresets.json where it finds a CMakeLists.txt.
    (cd "$folder" && conan install --requires="purview/$version" "${options[@]}" -g CMakeToolchain -g "$2" -of "$folder/conan") || return 1
    (
        set +u; . "$folder/conan/conanrun.sh"; set -u
        bin=$(dirname "$3")
        "$3" -S test_package -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release "-DPURVIEW_COMPONENTS=sparse;linalg;fft;image;csv;zarr;hdf5;archives;arrow;gpu;mpi" \
            -DCMAKE_TOOLCHAIN_FILE="$folder/conan/conan_toolchain.cmake" \
            && "$3" --build "$folder" && "$bin/ctest" --test-dir "$folder" --output-on-failure --no-tests=error && links "$folder"
    )
}

by_meson() { # by_meson KIND
    local folder=$root/$1-meson options
    mapfile -t options < <(of_kind "$1")
    rm -rf "$folder"
    conan install --requires="purview/$version" "${options[@]}" -g PkgConfigDeps -g VirtualRunEnv -of "$folder/conan" || return 1
    (
        set +u; . "$folder/conan/conanrun.sh"; set -u
        "$tools/meson" setup "$folder/build" tests/conan --buildtype="$meson_type" --pkg-config-path "$folder/conan" \
            && "$tools/meson" test -C "$folder/build" --print-errorlogs && links "$folder/build"
    )
}

conan_center() { # of a tarball of the checkout
    local recipe=$root/packaging/conan-center/recipes/purview/all tarball=$root/purview-$version.tar.gz
    git ls-files -z --cached --others --exclude-standard \
        | tar --create --gzip --file="$tarball" --null --files-from=- --transform="s,^,purview-$version/,S" || return 1
    packaging/make.py --out "$root/packaging" --tarball "$tarball" --url "file://$tarball" --homepage "https://example.com/purview" || return 1
    CONAN_HOME=$root/packaging/home conan export "$recipe" --version "$version" && conan source "$recipe" --version "$version" \
        && cmp "$recipe/src/conanfile.py" conanfile.py
}

# Without the recipe's build: one as the recipe configures it, of which nothing is compiled.
configured() { # configured KIND
    local folder=$root/$1-configured options presets asked each
    mapfile -t options < <(of_kind "$1")
    rm -rf "$folder"
    conan install . "${options[@]}" --build=missing -of "$folder" -c tools.cmake.cmaketoolchain:user_presets= || return 1
    presets=$(find "$folder" -name CMakePresets.json)
    mapfile -t asked < <(python3 -c 'import json, sys
for name, value in json.load(open(sys.argv[1]))["configurePresets"][0]["cacheVariables"].items(): print(f"-D{name}={value}")' "$presets")
    for each in BUILD_TESTS=OFF SPARSE=ON LINALG=ON FFT=ON IMAGE=ON CSV=ON ZARR=ON HDF5=ON ARCHIVES=ON GPU=ON MPI=ON; do
        [[ " ${asked[*]} " == *" -DPURVIEW_$each "* ]] || { echo "the recipe does not say PURVIEW_$each: ${asked[*]}"; return 1; }
    done
    cmake -S . -B "$folder/configured" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$(dirname "$presets")/conan_toolchain.cmake" "${asked[@]}"
}
packed() { # packed KIND
    local options
    mapfile -t options < <(of_kind "$1" | grep -vx -- --update)
    mkdir -p "$root/packed"
    ln -sfn "$from" "$root/packed/Release" # where the recipe has it built
    conan export-pkg . "${options[@]}" -c "tools.cmake.cmake_layout:build_folder=$root/packed" -c tools.cmake.cmaketoolchain:user_presets=
}

only_our_index() {
    conan profile detect --force && conan remote remove '*' && conan remote add system tools/conan -t local-recipes-index
}

timed "the cache and its only remote" only_our_index
for kind in "${kinds[@]}"; do
    mapfile -t options < <(of_kind "$kind")
    if [ -n "$from" ]; then
        timed "$kind: configured" configured "$kind"
        timed "$kind: packed and tested" packed "$kind"
    else
        timed "$kind: created and tested" conan create . "${options[@]}" --build=missing
    fi
    timed "$kind: consumed by CMakeDeps" by_cmake "$kind" CMakeDeps "$(command -v cmake)"
    timed "$kind: consumed by CMakeConfigDeps" by_cmake "$kind" CMakeConfigDeps "$tools/cmake"
    timed "$kind: consumed by Meson" by_meson "$kind"
done
timed "Conan Center's recipe made, exported, and its sources fetched" conan_center
[ ! -e CMakeUserPresets.json ] || { echo "conan: left CMakeUserPresets.json behind" >&2; exit 1; }
echo "conan: purview/$version is created and consumed"
