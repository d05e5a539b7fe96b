#!/usr/bin/env bash
# Runs array-api-tests, the conformance tests of the Array API standard, on the Python module that scripts/python.sh has installed.
#     scripts/array_api.sh [CHECKOUT] [arguments of pytest]
# They come from GitHub, at the commit below, unless CHECKOUT, a folder with their submodule, is given. Where they cannot be had, it says so.
set -euo pipefail
cd "$(dirname "$0")/.."
commit=55fcc60179efa2680ddd6cd926ddf17b83530e2b # of 2026-04-03

checkout=build/array-api-tests
if [ -d "${1:-}" ]; then
    checkout=$1
    shift
elif [ ! -e $checkout/array-api/src ]; then
    rm -rf $checkout
    git init -q $checkout
    if ! git -C $checkout fetch -q --depth 1 https://github.com/data-apis/array-api-tests $commit; then
        echo "array_api: GitHub cannot be reached: the conformance tests are left out"
        exit 0
    fi
    git -C $checkout checkout -q FETCH_HEAD
    git -C $checkout submodule --quiet update --init --depth 1
fi
python=$PWD/build/python/bin/python
"$python" -c "import purview" || { echo "array_api: first run scripts/python.sh" >&2; exit 1; }
"$python" -m pip install --quiet --disable-pip-version-check "hypothesis>=6.151" "ndindex>=1.8" pytest-json-report
cd "$checkout"
ARRAY_API_TESTS_MODULE=purview ARRAY_API_TESTS_VERSION=2025.12 "$python" -m pytest -q -p no:cacheprovider --disable-warnings \
    --hypothesis-disable-deadline --max-examples 50 array_api_tests "$@"
