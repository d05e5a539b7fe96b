"""Arrays on a device of OpenCL, which PoCL makes of the processor."""

import numpy as np
import pytest
from samples import values

import purview as pv

TYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split()
DEVICE = next((each for each in pv.devices() if each.startswith("opencl")), None)
on_device = pytest.mark.skipif(DEVICE is None, reason="there is no device of OpenCL")



def there(x):
    return pv.to_device(x, "opencl")


def back(x):
    """NumPy's array of what lies on a device."""
    assert x.device == DEVICE
    return np.asarray(x.to_device("cpu"))


def same(x, want):
    """Asserts the type, the shape and the bits."""
    have = back(x)
    assert (have.dtype, have.shape) == (want.dtype, want.shape)
    np.testing.assert_array_equal(have, want)
    if want.dtype.kind == "f":
        np.testing.assert_array_equal(np.signbit(have), np.signbit(want))


def sample(shape, dtype, seed=0):
    """Random elements, integers of which are not 0."""
    x = values(shape, dtype, seed)
    return x + 1 if x.dtype.kind in "iu" else x
