"""Functions traced once and called many times."""

import copy
import functools
import gc
import inspect
import pickle
import weakref

import numpy as np
import pytest

import purview as pv


def random(*shape):
    return np.random.default_rng(sum(shape)).random(shape)


FUNCTIONS = [
    lambda m, x, y: m.sqrt((x - y) ** 2 + 1) * 2,
    lambda m, x, y: m.sum((x - y) ** 2),
    lambda m, x, y: m.sum(x * y, axis=0) / m.sum(x, axis=0),
    lambda m, x, y: m.max(x, axis=1) - m.mean(y, axis=1),
    lambda m, x, y: m.exp(x - m.max(x, axis=1, keepdims=True)) / m.sum(m.exp(x - m.max(x, axis=1, keepdims=True)), axis=1, keepdims=True),
    lambda m, x, y: (x + 1, m.sum(x), x[0] * y[:, ::-1]),
    lambda m, x, y: m.where(x > y, x, 0.5) @ np.eye(4) if m is np else m.where(x > y, x, 0.5),
    lambda m, x, y: x.T * 2 + 1,
]


@pytest.mark.parametrize("number", [i for i in range(len(FUNCTIONS))])
def test_as_numpy(number):
    function = FUNCTIONS[number]
    compiled = pv.compile(lambda x, y: function(pv, x, y))
    for shape in [(3, 4), (50, 4), (1, 4), (700, 4)]:
        x, y = random(*shape), random(*shape)[::-1]
        for arguments in [(x, y), (pv.asarray(x), pv.asarray(y)), (pv.asarray(x) * 1, pv.asarray(y))]:
            want = function(np, x, y)
            result = compiled(*arguments)
            if not isinstance(want, tuple):
                want, result = (want,), (result,)
            for a, b in zip(result, want, strict=True):
                np.testing.assert_allclose(np.asarray(a), b, rtol=1e-12)
                assert not pv.asarray(a).shape or np.asarray(a).flags.writeable


def test_is_traced_once_for_each_signature():
    calls = []

    @pv.compile
    def twice(x):
        calls.append(x.shape)
        return x * 2

    for _ in range(3):
        assert twice([1.0, 2.0]).tolist() == [2, 4]
        assert twice(np.ones((2, 2), "float32")).dtype == pv.float32
    assert calls == [(2,), (2, 2)]
    assert twice.__name__ == "twice" and "multiply" in str(twice.traced([1.0, 2.0]))


def test_programs_of_the_latest_signatures_are_kept():
    calls = []
    compiled = pv.compile(lambda x: calls.append(x.shape) or pv.sum(x))
    for size in [*range(1, 41), 40, 9, 1]:
        assert compiled(np.ones(size)).item() == size
    assert calls == [(size,) for size in [*range(1, 41), 1]]


def test_captured_arrays_are_read_at_each_call():
    weights = pv.asarray([1.0, 2.0])
    weighted = pv.compile(lambda x: pv.sum(x * weights))
    assert weighted([1.0, 1.0]).item() == 3
    weights[0] = 5
    assert weighted([1.0, 1.0]).item() == 7


def test_more_functions_as_they_are_computed_at_once():
    functions = [
        lambda x, y: x @ y.T,
        lambda x, y: (pv.softmax(x), pv.softmax(y, axis=0)),
        lambda x, y: (pv.logsumexp(x), pv.logsumexp(y, axis=1, keepdims=True)),
        lambda x, y: (pv.norm(x), pv.norm(y, 1, axis=0), pv.norm(y, np.inf, axis=1)),
        lambda x, y: (pv.cumsum(x), pv.cumulative_sum(y, axis=0, include_initial=True)),
        lambda x, y: (pv.stack([x, y], axis=1), pv.concat([x, y]), pv.asarray([x, y]), pv.concat([x, y], axis=None)),
        lambda x, y: pv.asarray([x[0, 0], y[0, 0] * 2, 1]),
        lambda x, y: (pv.sum([x, y], axis=0), pv.einsum("ik,jk->ij", x, y), pv.dot(x[0], y[1])),
        lambda x, y: (lambda i, k: (x[i, k] * y[i, k]).sum(k).order(i))(*pv.dims(2)),
        lambda x, y: (pv.sum(x, dtype="float32"), pv.std(x, axis=0), pv.distance(x, y)),
        lambda x, y: (x.astype("float32") * 2, pv.asarray(y, dtype="int64"), x.copy(), y.realise() + 1, pv.round(x, 1)),
    ]
    for shape in [(2, 3), (40, 5)]:
        x, y = map(pv.asarray, (random(*shape), random(*shape)[::-1]))
        for function in functions:
            want, result = function(x, y), pv.compile(function)(x, y)
            for a, b in zip(result, want, strict=True) if isinstance(want, tuple) else [(result, pv.asarray(want))]:
                assert a.dtype == b.dtype
                np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-6 if a.dtype == pv.float32 else 1e-12)


def test_results_are_tuples_of_tuples():
    a, (b, (), (c,)) = pv.compile(lambda x: (x, (x + 1, (), (pv.sum(x),))))([1.0, 2.0])
    assert a.tolist() == [1, 2] and b.tolist() == [2, 3] and c.item() == 3


def test_one_within_another():
    calls = []
    inner = pv.compile(lambda x, a: calls.append(x.shape) or pv.sum(x) * a)
    outer = pv.compile(lambda x: inner(x, 2) + inner(x * 2, 1.0))
    assert outer([1.0, 2.0]).item() == 12 and inner([1.0, 2.0], 1).item() == 3
    assert calls == [(2,)] * 3


def test_what_cannot_be_traced():
    for function in (lambda x: x if x[0] > 0 else -x, lambda x: pv.sort(x), lambda x: x.tolist(), lambda x: pv.argmax(x), lambda x: pv.sum(x, nan="skip")):
        with pytest.raises(pv.Error):
            pv.compile(function)([1.0, 2.0])
    elements = (lambda x: x if x > 0 else -x, lambda x: max(x, 1.0), lambda x: max(-x, x), lambda x: 1 if x[0] > 0 else 2, lambda x: float(x[0]), lambda x: x or 1)
    for function in elements:
        with pytest.raises(pv.SymbolError, match="where, maximum and minimum"):
            pv.compile(function)([1.0, 2.0])
    with pytest.raises(ZeroDivisionError):
        pv.compile(lambda x: 1 // 0)([1.0])
    with pytest.raises(TypeError):
        pv.compile(3)
    with pytest.raises(TypeError):
        pv.compile(lambda x: x)([1.0], [2.0])


def test_a_seed_that_is_an_argument_is_that_of_each_call(tmp_path):
    x = pv.asarray(random(4, 5))
    functions = [
        lambda seed: pv.dropout(x, 0.25, seed),
        lambda seed: pv.random_uniform((2, 3), seed),
        lambda seed: pv.random_uniform((), seed=seed, dtype="float32"),
        lambda seed: pv.random_normal((2, 0), seed, 3, 0.5),
        lambda seed: pv.random_normal(7, seed, deviation=0.5),
        lambda seed: pv.random_exponential(7, seed, 2, dtype="float32"),
        lambda seed: pv.random_poisson((2, 2), seed, 4.5),
        lambda seed: pv.random_like(x, seed),
        lambda seed: pv.sum(x * pv.random_like(x, seed + 1) > 0.3),
    ]
    for number, function in enumerate(functions):
        calls = []
        compiled = pv.compile(lambda seed: calls.append(seed) or function(seed))
        for seed in (0, 7, 2**40):
            want, result = function(seed), compiled(seed)
            assert result.dtype == want.dtype and result.shape == want.shape and result.tolist() == want.tolist()
            assert compiled(np.uint8(seed % 200)).tolist() == function(seed % 200).tolist()
        assert len(calls) == 2
        pv.save_computation(tmp_path / str(number), compiled, 0)
        assert pv.load_computation(tmp_path / str(number))(7).tolist() == function(7).tolist()
    drops = pv.grad(lambda x, seed: pv.sum(pv.dropout(x, 0.5, seed) * x))
    for seed in (1, 2):
        assert drops(x, seed).tolist() == pv.grad(lambda x: pv.sum(pv.dropout(x, 0.5, seed) * x))(x).tolist()
    frozen = pv.compile(lambda x: pv.dropout(x, 0.25, 3))
    assert "of the seed 3 at each call" in str(frozen.traced(x)) and frozen(x).tolist() == pv.dropout(x, 0.25, 3).tolist()


def test_what_is_no_seed():
    for wrong, error in [(1.5, pv.DtypeError), (True, pv.DtypeError), ([1, 2], pv.ShapeError)]:
        with pytest.raises(error, match="seed: one integer is asked for, of rank 0, and "):
            pv.compile(lambda seed: pv.random_uniform(3, seed))(wrong)
    draws = [
        ("argshuffle", lambda seed: pv.argshuffle(5, seed)),
        ("sample", lambda seed: pv.sample([1, 2, 3], 2, seed)),
        ("choice", lambda seed: pv.choice([1, 2, 3], 2, seed)),
    ]
    for name, draw in draws:
        with pytest.raises(pv.SymbolError, match=f"^{name}: a symbol has no elements"):
            pv.compile(draw)(7)
    draws = {
        "argshuffle": lambda seed: pv.argshuffle(5, seed),
        "argsample": lambda seed: pv.argsample(5, 2, seed),
        "argchoice": lambda seed: pv.argchoice(5, 2, seed),
        "sample": lambda seed: pv.sample([1, 2, 3], 2, seed),
        "choice": lambda seed: pv.choice([1, 2, 3], 2, seed),
        "dropout": lambda seed: pv.dropout([1.0], 0.5, seed),
        "random_uniform": lambda seed: pv.random_uniform(3, seed),
        "random_normal": lambda seed: pv.random_normal(3, seed),
        "random_exponential": lambda seed: pv.random_exponential(3, seed),
        "random_poisson": lambda seed: pv.random_poisson(3, seed, 1.0),
        "random_like": lambda seed: pv.random_like([1.0], seed),
    }
    for name, draw in draws.items():
        for wrong in (-1, 2**64, 1.5, None, "a", [1], np.float64(1)):
            error = pv.ArgumentError if isinstance(wrong, int) else TypeError
            with pytest.raises(error) as raised:
                draw(wrong)
            assert str(raised.value) == f"{name}: a seed is an integer from 0 to 2**64 - 1, not {wrong!r}"
        assert draw(2**64 - 1).tolist() == draw(np.uint64(2**64 - 1)).tolist() and draw(np.int8(3)).tolist() == draw(3).tolist()


class Model:
    def __init__(self, w):
        self.w = pv.asarray(w)

    @pv.compile
    def scaled(self, x, *, by=1.0):
        """x, scaled."""
        return self.w * x * by

    @pv.value_and_grad
    def loss(self, x):
        return pv.sum((self.w * x - 1) ** 2)

    @functools.partial(pv.grad, argnums=(0, 1))
    def product(self, x, y):
        return pv.sum(self.w * x * y)

    @pv.compile
    @staticmethod
    def free(x):
        return x + 1

    @pv.grad
    @pv.compile
    def slope(self, x):
        return pv.sum(self.w * x)

    softmax = pv.compile(functools.partial(pv.softmax, axis=0))  # as in a class of Python's: no method


def test_methods():
    x = np.array([1.0, 2.0])
    first, second = Model([1.0, 2.0]), Model([10.0, 20.0])
    for _ in range(2):
        assert first.scaled(x).tolist() == [1, 4] and second.scaled(x, by=2).tolist() == [20, 80]
        value, by = first.loss(x)
        assert value.item() == 9 and by.tolist() == [0, 12]
        by_x, by_y = first.product(x, pv.asarray(x))
        assert by_x.tolist() == by_y.tolist() == [1, 4]
        assert Model.free(x).tolist() == first.free(x).tolist() == [2, 3]
        assert first.slope(x).tolist() == [1, 2] and first.softmax(x * 0).tolist() == [0.5, 0.5]
    assert Model.scaled.__name__ == first.scaled.__name__ == "scaled" and first.scaled.__doc__ == "x, scaled."
    assert str(inspect.signature(first.scaled)) == "(x, *, by=1.0)" and not hasattr(first.scaled, "nothing")
    assert first.scaled.__self__ is first and "multiply" in str(first.scaled.traced(x))
    first.w[0] = 5
    assert first.scaled(x).tolist() == [5, 4]
    assert pv.grad(lambda x: pv.sum(first.scaled(x)))(x).tolist() == [5, 2]


def test_methods_of_objects_that_are_copied_and_let_go():
    x = pv.asarray([1.0, 1.0])
    model = Model([1.0, 2.0])
    assert model.scaled(x).tolist() == [1, 2]
    other = copy.deepcopy(model)
    other.w[...] = 7
    assert other.scaled(x).tolist() == [7, 7] and pickle.loads(pickle.dumps(model)).scaled(x).tolist() == [1, 2]
    scaled, gone = model.scaled, weakref.ref(model)
    del model
    gc.collect()
    assert scaled(x).tolist() == [1, 2] and gone() is not None
    del scaled
    gc.collect()
    assert gone() is None and len(Model.scaled._methods) == 1
    for w in range(50):  # some have the place in memory of one before
        assert Model([w, w]).scaled(x).tolist() == [w, w]


def test_methods_are_traced_once_for_each_object():
    calls = []

    class Counted:
        @pv.compile
        def twice(self, x):
            calls.append(self)
            return x * 2

    a, b = Counted(), Counted()
    for _ in range(3):
        a.twice(1.0), b.twice(1.0)
    assert calls == [a, b]


def test_a_method_of_an_object_without_weak_references():
    class Slots:
        __slots__ = ("w",)

        @pv.compile
        def scaled(self, x):
            return self.w * x

    slots = Slots()
    slots.w = 2
    with pytest.raises(TypeError, match="^scaled: .*give Slots.__slots__ a '__weakref__', or compile a function of it"):
        slots.scaled(1.0)
