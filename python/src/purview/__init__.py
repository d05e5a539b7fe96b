"""Lazy n-dimensional arrays over anything that can be read by index."""

from math import e, inf, nan, pi

from purview import _core, _names
from purview._core import *  # noqa: F403
from purview._core import __version__, bool
from purview._chunks import *  # noqa: F403
from purview._creation import *  # noqa: F403
from purview._devices import *  # noqa: F403
from purview._dims import *  # noqa: F403
from purview._elements import *  # noqa: F403
from purview._compile import *  # noqa: F403
from purview._computations import *  # noqa: F403
from purview._emap import *  # noqa: F403
from purview._errors import *  # noqa: F403
from purview._formulas import *  # noqa: F403
from purview._gradients import *  # noqa: F403
from purview._groups import *  # noqa: F403
from purview._joins import *  # noqa: F403
from purview._files import *  # noqa: F403
from purview._info import __array_api_version__, __array_namespace_info__
from purview._index_sets import *  # noqa: F403
from purview._lanes import *  # noqa: F403
from purview._loops import *  # noqa: F403
from purview._own_reducers import *  # noqa: F403
from purview._products import *  # noqa: F403
from purview._reductions import *  # noqa: F403
from purview._safetensors_files import *  # noqa: F403
from purview._shapes import *  # noqa: F403
from purview._sparse import *  # noqa: F403
from purview._statistics import *  # noqa: F403
from purview._stored import *  # noqa: F403
from purview._times import *  # noqa: F403
from purview._types import *  # noqa: F403

if hasattr(_core, "_load_mtx"):
    from purview._sparse_files import *  # noqa: F403
if hasattr(_core, "_load_image"):
    from purview._images import *  # noqa: F403
if hasattr(_core, "_open_zarr"):
    from purview._zarr_files import *  # noqa: F403
if hasattr(_core, "_open_hdf5"):
    from purview._hdf5_files import *  # noqa: F403
if hasattr(_core, "_open_arrow_file"):
    from purview._arrow_files import *  # noqa: F403
if hasattr(_core, "_open_many"):
    from purview._archives_files import *  # noqa: F403

newaxis = None


def __getattr__(name):
    """Of functions of a part of the library that the module was built without, the error tells which part that is."""
    raise AttributeError(_names.missing(name))


# Submodules, names of the package since they were imported.
_dims.lift(globals(), _formulas.ELEMENTWISE)  # noqa: F821
_names.add_names(globals())

from purview import _methods, _signatures, fft, linalg  # noqa: E402 (gives arrays their methods)
from purview._variables import *  # noqa: E402, F403 (gives those methods to variables, too)

_signatures.add_signatures()
