#!/usr/bin/env bash
# Measures the Python module beside NumPy, numexpr, PyTorch, JAX, Numba, Devito, bottleneck, pandas, SciPy and Dask, in one run.
#     scripts/python_bench.sh [--library BUILD | --module FOLDER] [--filter RE] [--rounds N] [--markdown FILE] [--json FILE]
# --library: the static library that BUILD has, instead of compiling it once more. --module: the folder of a module that is built. Peers are
# installed into build/python-bench; what pip cannot install is named and left out. See docs/performance_python.md.
set -euo pipefail
library='' module=''
while [ $# -gt 0 ]; do
    case "$1" in
        -h | --help) sed -n '2,5s/^# \?//p' "$0"; exit 0 ;;
        --library) library=$(realpath "${2:?}"); shift 2 ;;
        --module) module=$(realpath "${2:?}"); shift 2 ;;
        *) break ;;
    esac
done
here=$PWD
cd "$(dirname "$0")/.."
repository=$PWD
python=$PWD/build/python-bench/bin/python
pip=("$python" -m pip install --quiet --disable-pip-version-check)

[ -x "$python" ] || python3 -m venv --clear build/python-bench
for name in numpy numexpr bottleneck pandas scipy distributed jax numba devito; do
    package=$name
    [ "$name" != distributed ] || package="dask[array] distributed"
    # shellcheck disable=SC2086 # two packages
    "$python" -c "import $name" 2>/dev/null || "${pip[@]}" $package || echo "python_bench: pip cannot install $name"
done

# PyTorch without a GPU: its own index, or Debian's package, if that is of this Python's version.
if ! "$python" -c "import torch" 2>/dev/null && ! timeout 60 "${pip[@]}" --retries 0 torch --index-url https://download.pytorch.org/whl/cpu 2>/dev/null; then
    site=$("$python" -c "import sysconfig; print(sysconfig.get_path('purelib'))")
    "${pip[@]}" typing_extensions
    for name in torch functorch torchgen; do
        [ ! -d "/usr/lib/python3/dist-packages/$name" ] || ln -sfn "/usr/lib/python3/dist-packages/$name" "$site/$name"
    done
    if ! "$python" -c "import torch" 2>/dev/null; then
        rm -f "$site"/{torch,functorch,torchgen}
        echo "python_bench: pip cannot install PyTorch, and Debian's (python3-torch) is not there or of another Python"
    fi
fi

if [ -n "$module" ]; then
    export PYTHONPATH=$module
else
    "${pip[@]}" "nanobind>=3.1,<4" "scikit-build-core>=0.11" ninja
    options=()
    if [ -n "$library" ]; then
        rm -rf build/python-library
        cmake --install "$library" --prefix build/python-library >/dev/null
        options=(-C cmake.define.PURVIEW_FROM=package -C "cmake.define.purview_ROOT=$PWD/build/python-library")
    fi
    CMAKE_CXX_COMPILER_LAUNCHER=ccache "${pip[@]}" --no-build-isolation --force-reinstall --no-deps ./python "${options[@]}"
    compgen -G "build/wheels/*.whl" >/dev/null || scripts/python_wheel.sh --no-try || echo "python_bench: without the size of a wheel"
fi
cd "$here"
exec "$python" "$repository/python/benchmarks/run.py" "$@"
