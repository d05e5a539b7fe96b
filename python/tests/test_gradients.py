"""Derivatives of traced functions, beside central differences, closed forms, and JAX where it is installed."""

import threading

import numpy as np
import pytest

import purview as pv

try:
    import jax
except ImportError:
    jax = None
else:
    jax.config.update("jax_enable_x64", True)


def random(*shape, seed=0):
    return np.random.default_rng(seed + sum(shape)).random(shape) + 0.25


def differences(function, arguments, number, step=1e-5):
    """The derivatives by an argument, by central differences of values that are computed at once."""
    arguments = [np.array(x, "float64") for x in arguments]
    result = np.empty(arguments[number].shape)
    for at in np.ndindex(result.shape):
        ends = []
        for sign in (1, -1):
            moved = [x.copy() for x in arguments]
            moved[number][at] += sign * step
            ends.append(float(function(*map(pv.asarray, moved))))
        result[at] = (ends[0] - ends[1]) / (2 * step)
    return result


def logsumexp_of(m):
    return m.logsumexp if m is pv else jax.scipy.special.logsumexp


def softmax_of(m):
    return m.softmax if m is pv else jax.nn.softmax


def norm_of(m):
    return m.norm if m is pv else m.linalg.norm


# Of x [n, 4] and y [n, 4].
FUNCTIONS = {
    "chain": lambda m, x, y: m.sum(m.sqrt((x - y) ** 2 + 1) * m.exp(-x)),
    "mean of squares": lambda m, x, y: m.mean((x * 2 - y) ** 2),
    "quotient": lambda m, x, y: m.sum(m.sum(x * y, axis=0) / m.sum(x, axis=0)),
    "extremes": lambda m, x, y: m.sum(m.max(x, axis=1) * m.min(y, axis=0)[0] - m.mean(y, axis=1)),
    "where": lambda m, x, y: m.sum(m.where(x > y, x * y, m.log(y))),
    "views": lambda m, x, y: m.sum(x[0] * y[::-1, ::-1].T[:, :1].T) + m.sum(x[-1:, 1:] ** 3),
    "matmul": lambda m, x, y: m.sum((x.T @ y) ** 2),
    "vector": lambda m, x, y: m.mean((x @ y[0] - 1) ** 2),
    "softmax": lambda m, x, y: m.sum(softmax_of(m)(x, axis=1) * y),
    "logsumexp": lambda m, x, y: m.sum(logsumexp_of(m)(x, axis=1) * logsumexp_of(m)(y, axis=1, keepdims=True).T),
    "norm": lambda m, x, y: norm_of(m)(x) + m.sum(norm_of(m)(y, axis=1)),
    "cumsum": lambda m, x, y: m.sum(m.cumsum(x, axis=1) * y),
    "lists": lambda m, x, y: m.sum(m.stack([x, y * 2]) ** 2) + m.sum(m.concatenate([x, y], axis=0) ** 3),
    "deviation": lambda m, x, y: m.std(x) + m.var(y, axis=1).sum(),
    "product": lambda m, x, y: m.prod(x[0]) + m.sum(m.prod(y, axis=1)),
    "power": lambda m, x, y: m.sum(x**y + y**-0.5),
    "angles": lambda m, x, y: m.sum(m.sin(x) * m.cos(y) + m.arctan2(x, y) + m.hypot(x, y) + m.tanh(x)),
    "repeated": lambda m, x, y: m.sum(x[np.array([0, 0, -1])] ** 2 * y[0]),
    "clip": lambda m, x, y: m.sum(m.clip(x, 0.5, 1.0) * y + m.abs(x - y) + m.maximum(x, y)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("rows", [1, 3, 40])
def test_beside_differences_and_jax(name, rows):
    x, y = random(rows, 4), random(rows, 4, seed=7)

    def function(x, y):
        return FUNCTIONS[name](pv, x, y)

    value, (by_x, by_y) = pv.value_and_grad(function, (0, 1))(x, y)
    np.testing.assert_allclose(np.asarray(value), np.asarray(function(pv.asarray(x), pv.asarray(y))), rtol=1e-12)
    assert by_x.shape == x.shape and by_x.dtype == pv.float64
    if rows < 40:
        np.testing.assert_allclose(np.asarray(by_x), differences(function, (x, y), 0), rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(np.asarray(by_y), differences(function, (x, y), 1), rtol=1e-5, atol=1e-7)
    if jax is not None:
        import jax.numpy as jnp

        of_jax = jax.grad(lambda x, y: FUNCTIONS[name](jnp, x, y), (0, 1))(x, y)
        for ours, theirs in zip((by_x, by_y), of_jax, strict=True):
            np.testing.assert_allclose(np.asarray(ours), np.asarray(theirs), rtol=1e-10, atol=1e-12)


@pytest.mark.skipif(jax is None, reason="JAX is not installed")
@pytest.mark.parametrize("name", ["chain", "softmax", "logsumexp", "matmul", "power", "product"])
def test_second_derivatives_beside_jax(name):
    import jax.numpy as jnp

    x, y = random(2, 4), random(2, 4, seed=7)
    ours = pv.hessian(lambda x, y: FUNCTIONS[name](pv, x, y), (0, 1))(x, y)
    theirs = jax.hessian(lambda x, y: FUNCTIONS[name](jnp, x, y), (0, 1))(x, y)
    for i in range(2):
        for j in range(2):
            np.testing.assert_allclose(np.asarray(ours[i][j]), np.asarray(theirs[i][j]), rtol=1e-9, atol=1e-11)


def test_argnums():
    def function(x, y, z):
        return pv.sum(x * y**2) + z

    x, y = np.array([1.0, 2, 3]), np.array([0.5, -1, 2])
    assert pv.grad(function)(x, y, 3.0).tolist() == [0.25, 1, 4]
    assert pv.grad(function, 1)(x, y, 3.0).tolist() == [1, -4, 12]
    assert pv.grad(function, -1)(x, y, 3.0).item() == 1
    one = pv.grad(function, (1,))(x, y, 3)
    assert isinstance(one, tuple) and one[0].tolist() == [1, -4, 12]
    by_y, by_x = pv.grad(function, argnums=[1, 0])(x, y, 3)
    assert by_x.tolist() == [0.25, 1, 4] and by_y.tolist() == [1, -4, 12]
    value, by_x = pv.value_and_grad(function)(x, y, 1)
    assert value.item() == 15.25 and by_x.tolist() == [0.25, 1, 4]
    for wrong in (3, -4, (0, 0), (0, -3)):
        with pytest.raises(pv.ArgumentError, match="argnums"):
            pv.grad(function, wrong)(x, y, 1)
    with pytest.raises(TypeError):
        pv.grad(function, 0.5)
    with pytest.raises(TypeError, match="grad: no function"):
        pv.grad(3)


def test_types():
    def squares(x):
        return pv.sum(x * x)

    for given, result in (("float64",) * 2, ("float32",) * 2, ("float16", "float32")):
        x = np.array([1, 2, 3], given)
        by = pv.grad(squares)(x)
        assert by.dtype.name == result and by.tolist() == [2, 4, 6]
    number = pv.grad(squares)(3.0)
    assert number.dtype == pv.float64 and number.shape == () and number.item() == 6
    assert pv.grad(squares)(np.float32(3)).dtype == pv.float32
    of_both = pv.grad(lambda x, scale: pv.sum(x * scale), (0, 1))(np.ones(3, "float32"), 2.0)
    assert [x.dtype for x in of_both] == [pv.float32, pv.float64]
    assert pv.grad(squares)(np.zeros((0, 3))).shape == (0, 3)
    narrow = pv.grad(lambda x: squares(x.astype("float32")))([0.1, 3.0])
    assert narrow.dtype == pv.float64 and narrow.tolist() == [2 * float(np.float32(0.1)), 6]
    assert pv.grad(lambda x: squares(x.astype("float64")))(np.ones(2, "float32")).dtype == pv.float32


def test_errors_name_the_argument_and_the_type():
    for argument in (3, True, [1, 2], 1j):
        with pytest.raises(pv.DtypeError, match="grad: argument 1 is of type") as error:
            pv.grad(lambda x, y: x * pv.sum(y), 1)(1.0, argument)
        assert pv.asarray(argument).dtype.name in str(error.value) and isinstance(error.value, TypeError)
    with pytest.raises(pv.ShapeError, match=r"value_and_grad: y has shape \[3\]") as error:
        pv.value_and_grad(lambda x: x * 2)([1.0, 2, 3])
    assert isinstance(error.value, ValueError)
    with pytest.raises(pv.DtypeError, match="int64"):
        pv.grad(lambda x: pv.asarray(3))(1.0)
    with pytest.raises(TypeError, match="returns no array"):
        pv.grad(lambda x: ())(1.0)
    with pytest.raises(pv.SymbolError):
        pv.grad(lambda x: pv.sum(pv.sort(x)))([1.0, 2])
    with pytest.raises(pv.SymbolError, match="no derivative"):
        pv.grad(lambda x: pv.sum(pv.emap(lambda e: e, x)))([1.0, 2])
    with pytest.raises(ZeroDivisionError):
        pv.grad(lambda x: 1 // 0)(1.0)
    kept = []
    pv.grad(lambda x: kept.append(x) or x)(1.0)
    with pytest.raises(pv.SymbolError):
        pv.grad(lambda x: x * kept[0])(1.0)


def test_composition():
    def cube(x):
        return x**3

    assert pv.grad(pv.grad(cube))(2.0).item() == 12
    assert pv.grad(pv.grad(pv.grad(pv.compile(cube))))(2.0).item() == 6
    assert pv.compile(pv.grad(pv.compile(pv.grad(cube))))(2.0).item() == 12
    value, (first, second) = pv.value_and_grad(pv.value_and_grad(cube))(2.0)[0], pv.value_and_grad(pv.grad(cube))(2.0)
    assert [x.item() for x in value] == [8, 12] and (first.item(), second.item()) == (12, 12)


def test_within_a_traced_function():
    @pv.compile
    def step(w, x):
        loss, by_w = pv.value_and_grad(lambda w: pv.sum((w * x - 1) ** 2))(w)
        return loss, w - 0.1 * by_w

    w, x = np.array([0.5, -1, 2]), np.array([1.0, 2, 3])
    loss, moved = step(w, x)
    assert np.isclose(loss.item(), ((w * x - 1) ** 2).sum())
    np.testing.assert_allclose(np.asarray(moved), w - 0.2 * (w * x - 1) * x)
    turned = pv.compile(lambda w: pv.grad(lambda v: pv.sum(v**3))(w[::-1]))(w)
    np.testing.assert_allclose(np.asarray(turned), 3 * w[::-1] ** 2)
    captured = pv.asarray(x)
    assert pv.compile(lambda w: pv.grad(lambda v: pv.sum(v**2 * w))(captured))(w).tolist() == (2 * w * x).tolist()

    def descended(w):
        for _ in range(5):
            w = w - 0.1 * pv.grad(lambda v: pv.sum(v**2))(w)
        return pv.sum(w)

    np.testing.assert_allclose(np.asarray(pv.grad(descended)(w)), np.full(3, 0.8**5))


def test_what_is_captured_is_constant():
    inner = pv.grad(lambda a: a * pv.grad(lambda b: a * b)(a))  # a * a
    assert inner(3.0).item() == 6
    both = pv.grad(lambda a: pv.grad(lambda b: pv.grad(lambda c: a * b * c**2)(b))(a))  # 2 a b², by b 4 a b, at b = a: 4 a²
    assert both(3.0).item() == 24
    weights = pv.asarray([1.0, 2.0])
    weighted = pv.grad(lambda x: pv.sum(x * weights))
    assert weighted([1.0, 1.0]).tolist() == [1, 2]
    weights[0] = 5
    assert weighted([1.0, 1.0]).tolist() == [5, 2]


def test_is_traced_once_for_each_signature():
    calls = []

    @pv.grad
    def slope(x):
        calls.append(x.shape)
        return pv.sum(x**2)

    for _ in range(3):
        assert slope([1.0, 2.0]).tolist() == [2, 4]
        assert slope(np.ones((2, 2), "float32")).dtype == pv.float32
    assert calls == [(2,), (2, 2)] and slope.__name__ == "slope" and "multiply" in str(slope.traced([1.0, 2.0]))


def test_several_results():
    def function(x):
        return pv.sum(x**2), (x + 1, pv.max(x))

    (total, (more, most)), by = pv.value_and_grad(function)([1.0, 2.0])
    assert total.item() == 5 and more.tolist() == [2, 3] and most.item() == 2 and by.tolist() == [2, 4]
    assert pv.grad(function)([1.0, 2.0]).tolist() == [2, 4]
    assert pv.grad(lambda x: 3.0)([1.0, 2.0]).tolist() == [0, 0]


def test_jacobian_and_hessian():
    x = np.array([1.0, 2, 3])
    by = pv.jacobian(lambda x: [x[0] * x[1], x[2] ** 2])(x)
    assert by.tolist() == [[2, 1, 0], [0, 0, 6]]
    assert pv.jacobian(lambda a, x: a * pv.outer(x, x))(2.0, x).tolist() == np.outer(x, x).tolist()
    by_a, by_x = pv.jacobian(lambda a, x: a * x, (0, 1))(2.0, x)
    assert by_a.tolist() == [1, 2, 3] and by_x.tolist() == (2 * np.eye(3)).tolist()
    assert pv.hessian(lambda x: pv.sum(x**3) + x[0] * x[1])(x).tolist() == [[6, 1, 0], [1, 12, 0], [0, 0, 18]]
    blocks = pv.hessian(lambda a, x: a**2 * pv.sum(x**2), (0, 1))(2.0, x)
    assert blocks[0][0].item() == 28 and blocks[0][1].tolist() == (8 * x).tolist()
    assert blocks[1][0].tolist() == blocks[0][1].tolist() and blocks[1][1].tolist() == (8 * np.eye(3)).tolist()
    with pytest.raises(pv.ShapeError, match="hessian"):
        pv.hessian(lambda x: x)(x)


def test_stop_gradient():
    assert pv.grad(lambda x: x * pv.stop_gradient(x))(3.0).item() == 3
    assert pv.grad(lambda x: pv.sum(pv.stop_gradient(x)))([1.0, 2.0]).tolist() == [0, 0]
    assert pv.stop_gradient([1, 2]).tolist() == [1, 2]
    i = pv.Dim("i")
    assert pv.grad(lambda x: (x[i] * pv.stop_gradient(x[i])).sum(i))([1.0, 2.0]).tolist() == [1, 2]


def test_numpy_names_and_methods():
    x = random(3, 4)
    functions = [
        lambda x: np.sum(np.sin(x) * np.exp(-x)),
        lambda x: (x**2).mean() + x.reshape(2, 6).T.sum(axis=1).max(),
        lambda x: np.linalg.norm(x) + np.cumsum(x, axis=1)[:, -1].sum(),
        lambda x: np.concatenate([x, x * 2]).var() + np.stack([x, x]).std(),
        lambda x: np.where(x > 0.5, x, 0).sum() + np.mean(np.maximum(x, 0.7)),
    ]
    for function in functions:
        np.testing.assert_allclose(np.asarray(pv.grad(function)(x)), differences(function, (x,), 0), rtol=1e-5, atol=1e-7)


def test_dims():
    a, b = random(3, 4), random(4, 5)

    def total(a, b):
        i, j, k = pv.dims(3)
        return ((a[i, k] * b[k, j]).sum(k) ** 2).sum((i, j))

    by_a, by_b = pv.grad(total, (0, 1))(a, b)
    np.testing.assert_allclose(np.asarray(by_a), 2 * a @ b @ b.T)
    np.testing.assert_allclose(np.asarray(by_b), 2 * a.T @ a @ b)
    i, k = pv.dims()
    by = pv.grad(lambda a: pv.logsumexp(a[i, k], k).sum(i) + pv.sum(pv.softmax(a[i, k], k).order(i, k) ** 2))(a)
    np.testing.assert_allclose(
        np.asarray(by), differences(lambda a: pv.sum(pv.logsumexp(a, axis=1)) + pv.sum(pv.softmax(a) ** 2), (a,), 0), rtol=1e-5, atol=1e-7
    )


def test_logistic_regression():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(400, 3))
    truth = np.array([1.0, -2, 0.5])
    labels = (rng.random(400) < 1 / (1 + np.exp(-x @ truth))).astype("float64")

    def loss(w, x, labels):
        scores = x @ w
        return pv.mean(pv.logaddexp(0, scores) - labels * scores)

    step = pv.value_and_grad(loss)
    w = np.zeros(3)
    values = []
    for _ in range(300):
        value, by_w = step(w, x, labels)
        values.append(value.item())
        w = w - np.asarray(by_w)
    np.testing.assert_allclose(np.asarray(by_w), x.T @ (1 / (1 + np.exp(-x @ w)) - labels) / 400, atol=1e-3)
    assert values[-1] < values[0] * 0.8 and np.abs(w - truth).max() < 0.7


def test_from_several_threads():
    slope = pv.grad(lambda x, y: pv.sum(pv.exp(x) * y), (0, 1))
    wrong = []

    def work(number):
        for rows in range(1, 40):
            x = random(rows, number + 1)
            by_x, by_y = slope(x, x)
            if not np.allclose(by_x, np.exp(x) * x) or not np.allclose(by_y, np.exp(x)):
                wrong.append((number, rows))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_clip_on_its_bounds():
    """Its derivative is that of `clamp` in C++: 1 on the bounds and between them, whichever there are."""
    x = np.array([-1.0, 0, 0.5, 1, 2])
    slopes = {(0.0, 1.0): [0, 1, 1, 1, 0], (None, 1.0): [1, 1, 1, 1, 0], (0.0, None): [0, 1, 1, 1, 1], (1.0, 1.0): [0, 0, 0, 1, 0]}
    for (low, high), expected in slopes.items():
        assert pv.grad(lambda x: pv.sum(pv.clip(x, low, high)))(x).tolist() == expected
        assert pv.compile(lambda x: pv.clip(x, low, high))(x).tolist() == np.clip(x, low, high).tolist()
    low = np.zeros((2, 5))
    assert pv.grad(lambda x: pv.sum(pv.clip(x, low, 1.0)))(x).tolist() == [0, 2, 2, 2, 0]
    assert np.isnan(pv.grad(lambda x: pv.sum(pv.clip(x, 0.0, 1.0)))(np.array([np.nan]))).all()
