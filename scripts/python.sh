#!/usr/bin/env bash
# Builds the Python module of this checkout, installs it into build/python, and runs its tests.
#     scripts/python.sh [--library BUILD] [arguments of pytest]
# --library: the static library that BUILD has, instead of compiling it once more. Where Python makes no virtual environment, or pip
# reaches nothing, it says so and does nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
library=
if [ "${1:-}" = --library ]; then
    library=${2:?}
    shift 2
fi

scripts/python_peers.sh
python=$PWD/build/python/bin/python
if ! "$python" -c "import numpy" 2>/dev/null; then
    echo "python: without NumPy the module is not tested"
    exit 0
fi
if ! "$python" -c "import nanobind, scikit_build_core, pytest, distributed, mypy, nbclient, ipykernel, scipy, xarray, cubed, zarr, tensorstore, h5py, safetensors, xdist" 2>/dev/null \
    && ! "$python" -m pip install --quiet --disable-pip-version-check "nanobind>=3.1,<4" "scikit-build-core>=0.11" ninja pytest "dask[array]" distributed mypy nbclient ipykernel \
        pandas scipy xarray cubed "zarr>=3" tensorstore h5py safetensors pytest-xdist; then
    echo "python: pip cannot install nanobind, scikit-build-core, pytest with xdist, Dask, mypy, nbclient, SciPy, xarray, Cubed, zarr, tensorstore, h5py and safetensors: the module is not built"
    exit 0
fi

options=()
if [ -n "$library" ]; then
    rm -rf build/python-library
    cmake --install "$library" --prefix build/python-library >/dev/null
    # Arrays on CUDA are tried on a driver over the host's memory, if the tests of BUILD have it.
    fake=$(realpath "$library")/tests/fake_cuda/libcuda.so.1
    [ ! -e "$fake" ] || export PURVIEW_FAKE_CUDA=$fake
    # For tests alone, so it is compiled without optimisation.
    options=(-C "cmake.define.CMAKE_CXX_FLAGS_RELEASE=-O0 -DNDEBUG" -C cmake.define.PURVIEW_FROM=package -C "cmake.define.purview_ROOT=$PWD/build/python-library")
fi
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=true CCACHE_SLOPPINESS=pch_defines,time_macros # as CMakePresets.json
CMAKE_CXX_COMPILER_LAUNCHER=ccache "$python" -m pip install --quiet --disable-pip-version-check --no-build-isolation --force-reinstall \
    --no-deps ./python "${options[@]}"
export POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable # as the tests of purview::gpu
"$python" -m pytest -q -p no:cacheprovider -n "$(nproc)" python/tests "$@"
