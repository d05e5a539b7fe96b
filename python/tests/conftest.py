"""`python -m pytest` of the repository's root finds its folders as packages: `sparse/`, which Dask would take for the library of that name."""

import os
import sys

sys.path = [path for path in sys.path if os.path.abspath(path) != os.getcwd()]
