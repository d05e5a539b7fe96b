#!/usr/bin/env bash
# Installs the newest NumPy and pyarrow into build/python, for the tests that exchange arrays with them. Where that cannot be done,
# it says so, and CMake leaves those tests out.
set -euo pipefail
cd "$(dirname "$0")/.."

python=build/python/bin/python
if [ -x "$python" ] && "$python" -c "import numpy, pyarrow" 2>/dev/null; then
    echo "python_peers: NumPy and pyarrow are there"
elif ! python3 -m venv --clear build/python >/dev/null 2>&1; then
    echo "python_peers: python3 makes no virtual environment (Debian: python3-venv): nothing is exchanged with NumPy"
elif ! "$python" -m pip install --quiet --disable-pip-version-check "numpy>=2.1" "pyarrow>=16"; then
    echo "python_peers: pip cannot install NumPy and pyarrow: nothing is exchanged with them"
fi
