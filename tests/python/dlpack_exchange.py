#!/usr/bin/env python3
"""NumPy and PyTorch exchange every element type with Purview through DLPack, in both directions.

    tests/python/dlpack_exchange.py MODULE

MODULE is the shared library of exchange.cpp. Exits with 77, ctest's sign for a skipped test, when
neither NumPy nor PyTorch can be imported.
"""

import ctypes
import gc
import sys

SKIPPED = 77
VERSIONED = b"dltensor_versioned"
UNVERSIONED = b"dltensor"

api = ctypes.pythonapi
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_IsValid.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

# Capsules keep a pointer to their name only.
USED = {VERSIONED: ctypes.create_string_buffer(b"used_dltensor_versioned"),
        UNVERSIONED: ctypes.create_string_buffer(b"used_dltensor")}
NAMES = {VERSIONED: ctypes.create_string_buffer(VERSIONED), UNVERSIONED: ctypes.create_string_buffer(UNVERSIONED)}


class Exchange:
    """The functions of the module, from and to Python objects."""

    def __init__(self, path):
        self.module = ctypes.CDLL(path)
        for name in ("transposed", "computed"):
            function = getattr(self.module, name)
            function.restype = ctypes.c_void_p
            function.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]
        self.module.last_error.restype = ctypes.c_char_p
        self.module.release.argtypes = [ctypes.c_void_p, ctypes.c_int]

    def take(self, producer, versioned):
        """The managed tensor of a producer, and whether it is versioned; it is the caller's now."""
        if versioned:
            capsule = producer.__dlpack__(max_version=(1, 0))
        else:
            capsule = producer.__dlpack__()
        name = VERSIONED if api.PyCapsule_IsValid(capsule, VERSIONED) else UNVERSIONED
        managed = api.PyCapsule_GetPointer(capsule, name)
        api.PyCapsule_SetName(capsule, ctypes.cast(USED[name], ctypes.c_char_p))
        return managed, name == VERSIONED

    def call(self, name, producer, versioned):
        managed, is_versioned = self.take(producer, versioned)
        result = getattr(self.module, name)(managed, is_versioned, versioned)
        if not result:
            raise ValueError(self.module.last_error().decode())
        return Exported(self.module, result, versioned)


class Exported:
    """What a consumer's from_dlpack takes."""

    def __init__(self, module, managed, versioned):
        self.module, self.managed, self.versioned = module, managed, versioned

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        name = VERSIONED if self.versioned else UNVERSIONED
        managed, self.managed = self.managed, None
        return api.PyCapsule_New(managed, ctypes.cast(NAMES[name], ctypes.c_char_p), None)

    def __dlpack_device__(self):
        return 1, 0

    def __del__(self):
        if self.managed:
            self.module.release(self.managed, self.versioned)


def speaks_versions(array):
    try:
        array.__dlpack__(max_version=(1, 0))
        return True
    except TypeError:
        return False


def check_numpy(exchange):
    import numpy as np
    versions = [False, True] if speaks_versions(np.zeros(1)) else [False]
    names = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
             "float16", "float32", "float64", "complex64", "complex128"]
    if np.lib.NumpyVersion(np.__version__) < "1.25.0":  # bool came into DLPack late
        names.remove("bool")
    for versioned in versions:
        for name in names:
            whole = (np.arange(60).reshape(3, 4, 5) % 7).astype(name)
            for array in (whole, whole.T, whole[::-1, 1:3], whole[:, ::2, ::-2], whole[0, 0, 0], whole[:0]):
                array = np.asarray(array)
                before = sys.getrefcount(whole)
                back = np.from_dlpack(exchange.call("transposed", array, versioned))
                assert back.dtype == array.dtype, (name, back.dtype)
                assert np.array_equal(back, array.T), name
                assert np.shares_memory(back, array) or array.size == 0, name
                if array.ndim > 0:
                    copied = np.from_dlpack(exchange.call("computed", array, versioned))
                    assert np.array_equal(copied, np.concatenate([array[::-1], array[::-1]])), name
                    assert not np.shares_memory(copied, array), name
                    del copied
                del back
                gc.collect()
                assert sys.getrefcount(whole) == before, (name, "references")
        if versioned:
            fixed = np.arange(6.0)
            fixed.flags.writeable = False
            assert not np.from_dlpack(exchange.call("transposed", fixed, True)).flags.writeable
            free = np.from_dlpack(exchange.call("transposed", np.arange(6.0), True))
            assert free.flags.writeable
            free[2] = 7
    kept = np.from_dlpack(exchange.call("computed", np.arange(1000.0), False))
    gc.collect()
    assert kept[0] == 999.0
    print(f"NumPy {np.__version__}: {len(names)} element types, versions {versions}")


def check_torch(exchange):
    import torch
    versions = [False, True] if speaks_versions(torch.zeros(1)) else [False]
    names = ["bool", "int8", "int16", "int32", "int64", "uint8", "float16", "bfloat16", "float32",
             "float64", "complex64", "complex128"]
    for versioned in versions:
        for name in list(names):
            whole = (torch.arange(60).reshape(3, 4, 5) % 7).to(getattr(torch, name))
            try:
                whole.__dlpack__()
            except Exception as error:  # an old PyTorch has no bool there
                print(f"PyTorch does not export {name}: {error}")
                names.remove(name)
                continue
            for tensor in (whole, whole.permute(2, 1, 0), whole[1:, 1:3], whole[:, ::2, ::2], whole[0, 0, 0]):
                back = torch.from_dlpack(exchange.call("transposed", tensor, versioned))
                expected = tensor.permute(tuple(reversed(range(tensor.ndim))))
                assert back.dtype == tensor.dtype, (name, back.dtype)
                assert torch.equal(back, expected), name
                assert back.data_ptr() == tensor.data_ptr(), name
                if tensor.ndim > 0:
                    copied = torch.from_dlpack(exchange.call("computed", tensor, versioned))
                    assert torch.equal(copied, torch.cat([tensor.flip(0), tensor.flip(0)])), name
    print(f"PyTorch {torch.__version__}: {len(names)} element types, versions {versions}")


def main():
    exchange = Exchange(sys.argv[1])
    checked = 0
    for library, check in (("numpy", check_numpy), ("torch", check_torch)):
        try:
            __import__(library)
        except ImportError as error:
            print(f"skipped: {error}")
            continue
        check(exchange)
        checked += 1
    return 0 if checked else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
