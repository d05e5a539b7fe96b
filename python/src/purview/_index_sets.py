"""Sets of indexes: what Python adds to the class of the core."""

import operator

from purview._core import IndexSet

__all__ = "IndexSet index_difference index_intersection index_union".split()

_BLOCK = 4096
_SHOWN = 20


def _iter(self):
    for begin in range(0, len(self), _BLOCK):
        yield from self._part(begin, _BLOCK)


def _text(self):
    n = len(self)
    if n > 2 and self.max() - self.min() == n - 1:
        return f"IndexSet(range({self.min()}, {self.max() + 1}))"
    if n <= _SHOWN:
        return f"IndexSet({self._part(0, n)})"
    first, last = self._part(0, 3), self._part(n - 3, 3)
    return f"<IndexSet of {n}: {', '.join(map(str, first))}, …, {', '.join(map(str, last))}>"


def _to_numpy(self, dtype=None, copy=None):
    import numpy  # which is who asks

    return numpy.asarray(self.to_array(), dtype)


IndexSet.__iter__ = _iter
IndexSet.__repr__ = _text
IndexSet.__array__ = _to_numpy


def _of_indexes(name, text):
    call = getattr(operator, name)

    def function(x, y):
        return call(IndexSet(x), IndexSet(y)).to_array()

    function.__doc__ = f"The indexes {text}, ascending, each once: int64. Of integers in any order. O(n)."
    return function


index_union = _of_indexes("or_", "of x and of y")
index_intersection = _of_indexes("and_", "that are in x and in y")
index_difference = _of_indexes("sub", "of x that are not in y")
for _name in __all__[1:]:
    globals()[_name].__name__ = globals()[_name].__qualname__ = _name
