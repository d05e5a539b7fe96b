#!/usr/bin/env bash
# Builds the documentation as a static site into build/site: guides, catalogue, and a reference of every public name, with a search
# that needs no server. It works opened from the folder (build/site/index.html) and below any address. Broken links, and public
# names that are not in the reference, are errors. Python's packages go to build/site-python.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh --site
python=build/site-python/bin/python
requirements=tools/site/requirements.txt
if ! cmp -s "$requirements" build/site-python/installed.txt; then
    echo "site: installing mkdocs and libclang into build/site-python"
    python3 -m venv --clear build/site-python
    "$python" -m pip install --quiet --disable-pip-version-check -r "$requirements"
    cp "$requirements" build/site-python/installed.txt
fi
# Not --quiet: mkdocs would not count its warnings, which are errors here.
NO_MKDOCS_2_WARNING=1 "$python" -m mkdocs build --config-file tools/site/mkdocs.yml
"$python" tools/site/check_site.py build/site build/site-build
echo "site: build/site/index.html"
