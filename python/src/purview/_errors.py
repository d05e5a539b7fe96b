"""The errors of the library. Each is also the builtin error that Python has for it."""

import builtins

__all__ = """
    Error ShapeError IndexError CastError DtypeError KindError ReadOnlyError ArithmeticError LinAlgError DimError SymbolError FormatError
    DeviceError MemoryLimitError ArgumentError
""".split()


class Error(Exception):
    """The base of all errors that the library raises on its own account."""


class ShapeError(Error, ValueError):
    """Shapes, strides or sizes that do not fit together."""


class IndexError(Error, builtins.IndexError):
    """An index or an axis that is out of range, or a wrong number of indexes."""


class CastError(Error, OverflowError):
    """A value that the element type cannot hold."""


class DtypeError(Error, TypeError):
    """An element type that an operation does not have."""


class KindError(Error, TypeError):
    """Sparse data given to an operation that has no sparse form, or that would have to become dense."""


class ReadOnlyError(Error, ValueError):
    """A write to something that is read-only."""


class ArithmeticError(Error, ZeroDivisionError):
    """Arithmetic without a result: integer division by zero."""


class LinAlgError(ArithmeticError, ValueError):
    """A matrix that is singular, or not positive definite, or whose eigenvalues do not converge. It names the matrix of a batch, and the pivot."""


class DimError(Error, ValueError):
    """A dim used in conflict with its size or its binding."""


class SymbolError(Error, RuntimeError):
    """A symbol used where elements are needed."""


class FormatError(Error, ValueError):
    """A file or a foreign description that does not follow its format."""


class ArgumentError(Error, ValueError):
    """A value that an argument cannot have."""


class DeviceError(Error, BufferError):
    """Memory that the processor cannot read."""


class MemoryLimitError(Error, MemoryError):
    """Chunks, or what is held while they are walked, are more than `memory_limit()`."""


for _name in __all__:
    globals()[_name].__module__ = "purview"  # as they are imported and caught
