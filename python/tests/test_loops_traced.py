"""Loops as parts of functions that are traced: called again, differentiated, saved, let go."""

import gc
import weakref

import numpy as np
import pytest

import purview as pv

X = np.array([0.0, 1.0, 5.0, 2.0, -1.0, 0.5, 3.0])


def looped(step, state, steps):
    for _ in range(steps):
        state = step(state)
    return state


def test_in_functions_that_are_traced():
    calls = []

    @pv.compile
    def f(x, rate):
        calls.append(1)
        after = pv.iterate(lambda u: u + rate * (pv.roll(u, 1, 0) - u), x * 1, 5)
        return pv.sum(after), after * 2

    want = looped(lambda u: u + 0.25 * (np.roll(u, 1) - u), X, 5)
    for _ in range(2):
        total, twice = f(X, 0.25)
        assert abs(total - want.sum()) < 1e-12
        np.testing.assert_allclose(np.asarray(twice), want * 2, rtol=1e-13)
    assert len(calls) == 1 and "loop of 5 steps" in str(f.traced(X, 0.25))


def test_captured_arrays_are_read_at_each_call():
    w = pv.asarray([1.0, 2.0])
    weight = pv.variable([1.0, 2.0], "w")
    of_symbol = pv.compile(lambda y: pv.iterate(lambda u: u * 0.5 + w + pv.sum(weight), y, 3))
    of_captured = pv.compile(lambda y: y + pv.iterate(lambda u: u * 2, w, 3))
    of_number = pv.compile(lambda y: y + pv.iterate(lambda n: n + pv.sum(w), 0.0, 3))
    chosen = pv.compile(lambda y: y + pv.choose(pv.sum(w) > 5, lambda: w, lambda: -w))
    for new in ([1.0, 2.0], [0.0, 1.0], [5.0, 1.0]):
        w[...] = new
        weight.update(new)
        new = np.array(new)
        np.testing.assert_allclose(np.asarray(of_symbol([1.0, 2.0])), looped(lambda u: u * 0.5 + new + new.sum(), np.array([1.0, 2.0]), 3))
        assert of_captured([0.0, 0.0]).tolist() == (8 * new).tolist()
        assert of_number([0.0]).tolist() == [3 * new.sum()]
        assert chosen([0.0, 0.0]).tolist() == (new if new.sum() > 5 else -new).tolist()
        assert pv.iterate(lambda u: u + pv.sum(weight) + pv.sum(w * 2), 1.0, 2) == 1 + 6 * new.sum()


def test_loops_nest():
    y = np.array([0.5, 0.25, -1.0])

    def f(x, y):
        def step(u):
            inner = pv.iterate(lambda v: v * 0.5 + u + y, u, 3)
            return pv.choose(pv.sum(inner) > 10, lambda v: v * 0.25, lambda v: v + y, inner)

        return pv.iterate(step, x, 4)

    u = np.array([1.0, 2.0, 3.0])
    results = f(u, y), f(pv.asarray(u), pv.asarray(y)), pv.compile(f)(u, y)
    for _ in range(4):
        v = looped(lambda v: v * 0.5 + u + y, u, 3)
        u = v * 0.25 if v.sum() > 10 else v + y
    for result in results:
        np.testing.assert_allclose(np.asarray(result), u, rtol=1e-13)


def test_gradients():
    w = pv.asarray([0.5, 1.0, 2.0, 0.1, 0.2, 1.5, 0.3])

    def step(u):
        return pv.sin(u) * w + 0.1 * pv.roll(u, 1, 0)

    def of_loop(loop):
        return lambda x: pv.sum(loop(step, x, 9) ** 2)

    want = np.asarray(pv.grad(of_loop(looped))(X))
    for keep in (0, 1, 3, 9):
        found = pv.grad(of_loop(lambda *a: pv.iterate(*a, keep=keep)))(X)
        np.testing.assert_allclose(np.asarray(found), want, rtol=1e-12)
    pv.check_gradient(of_loop(pv.iterate), X)
    np.testing.assert_allclose(
        np.asarray(pv.jacobian(lambda x: pv.iterate(step, x, 4))(X)), np.asarray(pv.jacobian(lambda x: looped(step, x, 4))(X)), rtol=1e-12
    )
    rate = pv.grad(lambda rate, x: pv.sum(pv.iterate(lambda u: u - rate * u**3, x, 6)), argnums=(0, 1))
    want = pv.grad(lambda rate, x: pv.sum(looped(lambda u: u - rate * u**3, x, 6)), argnums=(0, 1))
    for found, of_unrolled in zip(rate(0.01, X), want(0.01, X)):
        np.testing.assert_allclose(np.asarray(found), np.asarray(of_unrolled), rtol=1e-12)
    last, slopes = pv.value_and_grad(lambda s, x: pv.scan_over(lambda s, row: (s * row, s), s, x)[0], argnums=(0, 1))(2.0, [1.0, 2.0, 3.0])
    assert last == 12 and slopes[0] == 6 and slopes[1].tolist() == [12, 6, 4]
    steps = pv.grad(lambda x: pv.iterate_while(lambda y: y * 2, x, lambda y: y < 100)[0])(3.0)
    assert steps == 64
    assert pv.grad(lambda x: pv.choose(x > 1, lambda y: y**2, lambda y: y * 5, x))(3.0) == 6
    assert pv.vjp(lambda x: pv.iterate(lambda u: u * x, 1.0, 3), 2.0)[1](1.0)[0] == 12


def test_gradients_in_steps():
    """Symbols of the step, of the function around it, and of the gradient are different ones."""

    def descent(x):
        return pv.iterate(lambda u: u - 0.1 * pv.grad(lambda v: pv.sum((v - x) ** 2))(u), pv.zeros(2), 3)

    want = np.array([1.0, 2.0]) * (1 - 0.8**3)
    for found in (descent(pv.asarray([1.0, 2.0])), pv.compile(descent)([1.0, 2.0])):
        np.testing.assert_allclose(np.asarray(found), want, rtol=1e-14)
    np.testing.assert_allclose(np.asarray(pv.jacobian(descent)([1.0, 2.0])), np.eye(2) * (1 - 0.8**3), rtol=1e-13)
    two = pv.compile(lambda x, y: pv.iterate(lambda u, v: (u + pv.grad(lambda z: z * u * v * x * y)(x), v + 1), (x, y), 2))
    u, v, x, y = 2.0, 3.0, 2.0, 3.0
    for _ in range(2):
        u, v = u + u * v * x * y, v + 1
    assert [float(each) for each in two(x, y)] == [u, v]


def test_saved_and_loaded(tmp_path):
    w = pv.variable([0.5, 2.0], "w")

    def f(x):
        after = pv.iterate(lambda u: pv.sin(u) * w, x, 5)
        small, steps = pv.iterate_while(lambda y: y / 2, after + 10, lambda y: pv.max(y) > 1)
        last, seen = pv.scan_over(lambda s, r: (s + r, s * r), 0.0, x)
        return after, small, steps, last, seen, pv.choose(last > 3, lambda y: y * 2, lambda y: -y, x)

    path = tmp_path / "loops.purview"
    pv.save_computation(path, f, [1.0, 2.0])
    loaded = pv.load_computation(path)
    for x in ([1.0, 2.0], [2.0, -1.0]):
        for a, b in zip(loaded(x), pv.compile(f)(x), strict=True):
            np.testing.assert_array_equal(np.asarray(a), np.asarray(b))
    np.testing.assert_allclose(
        np.asarray(pv.grad(lambda x: pv.sum(loaded(x)[0]))([1.0, 2.0])), np.asarray(pv.grad(lambda x: pv.sum(f(x)[0]))([1.0, 2.0])), rtol=1e-13
    )
    # A loaded function in a step that runs now, of what the step captures alone.
    shift = pv.asarray([1.0, 2.0])
    total = pv.iterate(lambda u: u + pv.sum(loaded(shift)[4]), 0.0, 2)
    assert abs(total - 2 * float(pv.sum(f(shift)[4]))) < 1e-12


def test_compiled_functions_are_steps():
    step = pv.compile(lambda u: pv.sqrt(u + pv.mean(u)))
    want = looped(lambda u: np.sqrt(u + u.mean()), X + 2, 8)
    np.testing.assert_allclose(np.asarray(pv.iterate(step, X + 2, 8)), want, rtol=1e-13)


ONE = pv.ones(2)


@pytest.mark.parametrize(
    "traced",
    [
        lambda x, f: pv.iterate(lambda u: pv.emap(f, u), x, 3),
        lambda x, f: pv.iterate(lambda u: u + pv.emap(f, ONE), x, 3) + pv.emap(f, ONE),
        lambda x, f: pv.iterate(lambda u: pv.iterate(lambda v: pv.emap(f, v) + pv.emap(f, ONE), u, 2), x, 3) + pv.emap(f, x),
        lambda x, f: pv.choose(pv.sum(x) > 1, lambda v: pv.emap(f, v), lambda v: v, x),
        lambda x, f: pv.scan_over(lambda s, row: (pv.emap(f, s), row), 0.0, x)[1],
    ],
)
def test_cycles_through_steps_are_collected(traced):
    def make():
        class Object:
            pass

        own = Object()
        own.compiled = pv.compile(lambda x: traced(x, lambda v: v + (own is None)))
        assert own.compiled([1.0, 2.0]).shape == (2,)
        return weakref.ref(own)

    known = make()
    gc.collect()
    assert known() is None
