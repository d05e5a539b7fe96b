"""Columns of integers with gaps, of pandas and Polars."""

from purview._errors import CastError


def refuse_rounded(x, made):
    """Raises CastError where NumPy's float64 `made`, with NaN for what is missing, has rounded integers of a column or of a table: from 2**53 on."""
    if made.dtype.kind != "f":
        return
    types = [x.dtype] if hasattr(x, "dtype") else list(getattr(x, "dtypes", ()))
    for i, each in enumerate(types):
        if not str(each).lower().startswith(("int", "uint")) or isinstance(each, type(made.dtype)):
            continue
        numbers = made if len(types) == 1 else made[:, i]
        if (abs(numbers) >= 2**53).any():
            raise CastError(f"asarray: {each} with missing values becomes float64, and not all of its integers fit: fill what is missing, or from_arrow(x)")
