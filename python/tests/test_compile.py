"""Functions traced once and called many times."""

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


def test_captured_arrays_are_read_at_each_call():
    weights = pv.asarray([1.0, 2.0])
    weighted = pv.compile(lambda x: pv.sum(x * weights))
    assert weighted([1.0, 1.0]).item() == 3
    weights[0] = 5
    assert weighted([1.0, 1.0]).item() == 7


def test_what_cannot_be_traced():
    for function in (lambda x: x if x[0] > 0 else -x, lambda x: x @ x, lambda x: pv.sort(x), lambda x: x.tolist(), lambda x: pv.argmax(x)):
        with pytest.raises(pv.Error):
            pv.compile(function)([1.0, 2.0])
    with pytest.raises(ZeroDivisionError):
        pv.compile(lambda x: 1 // 0)([1.0])
    with pytest.raises(TypeError):
        pv.compile(3)
    with pytest.raises(TypeError):
        pv.compile(lambda x: x)([1.0], [2.0])
