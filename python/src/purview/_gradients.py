"""Derivatives of functions that are traced."""

import functools
import itertools
import operator

from purview import _core
from purview._common import named
from purview._compile import Compiled, checked, compile
from purview._core import asarray
from purview._errors import ArgumentError
from purview._trees import join, names, on_leaves, split, split_as, split_call

__all__ = ["check_gradient", "grad", "hessian", "hessian_vector_product", "jacobian", "jvp", "value_and_grad", "vjp"]


class _Differentiated(Compiled):
    """A function of the same arguments that returns derivatives, compiled: see `grad`."""

    def __init__(self, what, function, argnums):
        super().__init__(checked(what, function))
        self._what, self._differentiated = what, function
        self._is_one = hasattr(argnums, "__index__")
        self._argnums = (operator.index(argnums),) if self._is_one else tuple(map(operator.index, argnums))
        self._function = named(what, "gradient")(self._traced_once)

    def _traced_function(self):
        return self._differentiated

    def _of_function(self, function):
        return _Differentiated(self._what, function, self._argnums[0] if self._is_one else self._argnums)

    def _traced_once(self, *arguments, **options):
        count = len(arguments)
        for i in self._argnums:
            if not -count <= i < count:
                raise ArgumentError(f"{self._what}: argnums has {i}, and there are {count} arguments")
        by = [i % count for i in self._argnums]
        if len(set(by)) < len(by):
            raise ArgumentError(f"{self._what}: argnums names an argument twice: {self._argnums}")
        form, leaves = split_call(arguments, options)
        known = [names(each, str(i)) for i, each in enumerate(form[0])]
        begins = list(itertools.accumulate(map(len, known), initial=0))
        leaves_by = [leaf for i in by for leaf in range(begins[i], begins[i + 1])]
        if not leaves_by:
            raise ArgumentError(f"{self._what}: there is no array in argument {', '.join(map(str, by)) or self._argnums}")
        function = on_leaves(self._differentiated, form)
        value, derivatives = _core._differentiated(self._what, function, tuple(leaves), leaves_by, sum(known, []), ())
        forms = [form[0][i] for i in by]
        if self._what == "hessian":
            n = len(leaves_by)
            derivatives = [self._one_or_all(forms, derivatives[i * n : (i + 1) * n]) for i in range(n)]
        derivatives = self._one_or_all(forms, derivatives)
        return (value, derivatives) if self._what == "value_and_grad" else derivatives

    def _one_or_all(self, forms, derivatives):
        rest = iter(derivatives)
        trees = tuple([join(each, rest) for each in forms])
        return trees[0] if self._is_one else trees


def grad(function, argnums=0):
    """The function that returns the derivatives of a number, `function` of the same arguments, by some of these: one array for an int, a tuple for a tuple
    of ints; a dict, list or tuple of arrays for an argument that is one. Of several results, the first is differentiated.

    It is traced and compiled as by `compile`, and may be called in a function that is traced, and differentiated itself. Derivatives have the shapes and
    types of the arguments, float32 for 16-bit floats; a float of Python is one of float64. DtypeError where an argument of these is not of floats, or the result;
    ShapeError where that has axes; SymbolError of functions without derivatives.
    """
    return _Differentiated("grad", function, argnums)


def value_and_grad(function, argnums=0):
    """The function that returns `(value, derivatives)`: what `function` returns, and what `grad` of it does."""
    return _Differentiated("value_and_grad", function, argnums)


def jacobian(function, argnums=0):
    """The derivatives of each element of the result by each of an argument, of both shapes, the result's first. A list is one array, as to
    `asarray`. Otherwise as `grad`."""
    return _Differentiated("jacobian", function, argnums)


def hessian(function, argnums=0):
    """The second derivatives of a number, of the shapes of two arguments; for a tuple of ints a tuple of tuples, for a dict a dict of dicts. Otherwise as `grad`."""
    return _Differentiated("hessian", function, argnums)


class _OfPrimals:
    """A function as one of the leaves of its arguments."""

    def __init__(self, what, function, primals):
        self.form, leaves = split_call(primals, {})
        self.function = on_leaves(checked(what, function), self.form)
        self.arrays = tuple(map(asarray, leaves))
        if not self.arrays:
            raise ArgumentError(f"{what}: there is no array among the arguments")
        self.names = [each for i, form in enumerate(self.form[0]) for each in names(form, str(i))]
        self._what = what

    def products(self, arrays, vectors):
        """The value, a list of leaves of it, and of products with vectors: for each of these, one for each argument; or the other way round."""
        by = list(range(len(self.arrays)))
        return _core._differentiated(self._what, self.function, arrays, by, self.names, vectors)

    def value(self, *arrays):
        """What the function returns."""
        return _core._differentiated(self._what, self.function, arrays, [], self.names, ())[0]

    def in_place(self, leaves):
        """As many arrays in the places of the arguments."""
        rest = iter(leaves)
        return tuple([join(each, rest) for each in self.form[0]])


def _vectors(given, like):
    """Leaves as arrays, numbers and lists of the types of others."""
    return tuple([x if hasattr(x, "dtype") else asarray(x, dtype=each.dtype) for x, each in zip(given, like)])


def _sums(products, count):
    """The sum of every `count` that follow one another."""
    return tuple([functools.reduce(operator.add, products[i : i + count]) for i in range(0, len(products), count)])


@named("vjp", "vector_jacobian_product")
def vjp(function, *primals):
    """`(value, pull)`: what `function` returns for the arguments, and the function of a cotangent v, of the form, shape and type of that value, which
    returns a tuple: the derivatives of `sum(v * value)` by each argument, of its form and shape. Both are compiled; `pull` when it is first called, and it reads the
    arguments at each call. Where it is called more often than once for some arguments: `compile` of a function that calls vjp.

    ArgumentError for a v of another form, ShapeError for one of another shape, DtypeError for one of another type, or arguments that are not of floats.
    """
    of = _OfPrimals("vjp", function, primals)
    value = compile(of.value)(*of.arrays)
    values = []
    form = split(value, values)
    count = len(values)

    @Compiled
    def products(*arrays):
        rows = of.products(arrays[count:], arrays[:count])[1]  # for each result, of each argument
        return _sums([rows[i] for k in range(len(of.arrays)) for i in range(k, len(rows), len(of.arrays))], count)

    @named("vjp", "vector_jacobian_product")
    def pull(cotangent):
        leaves = []
        split_as(form, cotangent, leaves, "vjp: the cotangent")
        return of.in_place(products(*_vectors(leaves, values), *of.arrays))

    return value, pull


@named("jvp", "jacobian_vector_product")
def jvp(function, primals, tangents):
    """`(value, tangent)`: what `function` returns for a tuple of arguments, and how that moves, of its form and shape, where the arguments move along
    `tangents`, of their forms, shapes and types. Forward mode: some two times the work of the value. It is traced at each call; `compile` a function
    that calls it often. Raises as `vjp`.
    """
    if not isinstance(primals, (list, tuple)):
        raise TypeError(f"jvp: primals are a tuple of arguments, not {type(primals).__name__}")
    of = _OfPrimals("jvp", function, primals)
    leaves = []
    split_as((tuple, range(len(primals)), of.form[0]), tangents, leaves, "jvp: tangents")
    count = len(of.arrays)

    @Compiled
    def both(*arrays):
        value, products = of.products(arrays[:count], arrays[count:])
        return value, _sums(products, count)

    value, moved = both(*of.arrays, *_vectors(leaves, of.arrays))
    return value, join(split(value, []), iter(moved))


def hessian_vector_product(function, x, v):
    """The second derivatives of a number, `function(x)`, times v, of the form and shape of x, without making them: some four times the work of the
    function. It is traced at each call; `compile` a function that calls it often, for `hessp` of SciPy's. Raises as `grad` and `jvp`.
    """
    of = _OfPrimals("hessian_vector_product", function, (x,))
    leaves = []
    split_as(of.form[0][0], v, leaves, "hessian_vector_product: v")
    by = range(len(of.arrays))
    product = named("hessian_vector_product", "grad", "jvp")(jvp)(grad(of.function, by), of.arrays, leaves)[1]
    return of.in_place(product)[0]


def check_gradient(function, *arguments, **options):
    """Compares the derivatives of the number that `function` returns, by each argument that is of floats, with central differences of its values, element by
    element: for tests, as it calls the function four times for each element, up to 28.

    ArithmeticError naming the argument, the element and both numbers where they differ by more than such differences may be off.
    """
    form, leaves = split_call(arguments, options)
    compiled = compile(checked("check_gradient", function))
    compiled.traced(*arguments, **options).check_gradient(tuple(map(asarray, leaves)))
