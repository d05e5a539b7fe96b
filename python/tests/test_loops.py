"""Loops of functions, against loops of NumPy outside."""

import collections
import inspect
import signal
import threading

import numpy as np
import pytest

import purview as pv

X = np.array([0.0, 1.0, 5.0, 2.0, -1.0, 0.5, 3.0])
Pair = collections.namedtuple("Pair", "a b")


def heat(m):
    return lambda u: u + 0.1 * (m.roll(u, 1, 0) + m.roll(u, -1, 0) - 2 * u)


def looped(step, state, steps):
    for _ in range(steps):
        state = step(state)
    return state


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 10, 101])
def test_steps_as_a_loop_outside(steps):
    want = looped(heat(np), X, steps)
    for given in (X, pv.asarray(X), pv.asarray(X) * 1, X.tolist()):
        result = pv.iterate(heat(pv), given, steps)
        np.testing.assert_allclose(np.asarray(result), want, rtol=1e-13)
        assert isinstance(result, pv.Array) and np.asarray(result).flags.writeable
    np.testing.assert_array_equal(np.asarray(pv.compile(lambda x: pv.iterate(heat(pv), x, steps))(X)), np.asarray(result))


def test_results_are_new_memory():
    x = pv.asarray(X.copy())
    same = pv.iterate(heat(pv), x, np.int64(0))
    same[0] = 7
    assert x[0] == 0
    image = np.random.default_rng(0).random((20, 30)).astype("float32")
    smooth = lambda m: lambda u: (u + m.roll(u, 1, 0) + m.roll(u, 1, 1)) / np.float32(3)
    result = pv.iterate(smooth(pv), image, 7)
    assert result.dtype == pv.float32
    np.testing.assert_allclose(np.asarray(result), looped(smooth(np), image, 7), rtol=1e-5)


def test_numbers_are_numbers():
    assert pv.iterate(lambda x: x * 2, 3, 4) == 48
    assert abs(pv.iterate(pv.cos, 1.0, 100) - 0.7390851332151607) < 1e-15
    found = [pv.iterate(lambda x: x, each, 2) for each in (3, 1.5, True, 2**63)]
    assert found == [3, 1.5, True, 2**63] and list(map(type, found)) == [int, float, bool, int]
    assert pv.iterate(lambda a, b: (b, a + b), (0, 1), 10) == (55, 89)
    for each in (np.float64(2), np.float32(2), pv.asarray(2.0), np.asarray(2.0)):
        result = pv.iterate(lambda x: x * 2, each, 3)
        assert isinstance(result, pv.Array) and result.dtype == pv.asarray(each).dtype and result == 16
    assert pv.iterate(lambda x, n: (x + n, n + 1), (pv.zeros(2), 0), 4)[0].tolist() == [6, 6]
    assert pv.iterate(lambda x, once: (x + 1, False), (0.0, True), 2) == (2.0, False)


def test_several_states_and_what_the_step_captures():
    weight = pv.asarray([1.0, 2.0, 3.0])

    def step(at, speed):
        speed = speed - 0.1 * at / weight
        return at + 0.1 * speed, speed

    at, speed = np.array([0.0, 1.0, 2.0]), np.array([1.0, 0.0, -1.0])
    result = pv.iterate(step, (at, speed), 20)
    as_list = pv.iterate(lambda *states: list(step(*states)), [at, speed], 20)
    for _ in range(20):
        speed = speed - 0.1 * at / np.asarray(weight)
        at = at + 0.1 * speed
    assert type(result) is tuple and type(as_list) is list
    for each in (result, as_list):
        np.testing.assert_allclose(np.asarray(each[0]), at, rtol=1e-13)
        np.testing.assert_allclose(np.asarray(each[1]), speed, rtol=1e-13)
    assert pv.iterate(lambda x: (x + 1,), (1.0,), 3) == (4.0,)


def test_states_are_trees():
    def step(p, n):
        return {"b": p["b"] * 2, "w": [p["w"][0] + p["b"], p["w"][1]]}, n + 1

    first = {"w": [pv.ones(2), pv.zeros(1)], "b": 1.0}
    p, n = pv.iterate(step, (first, 0), 3)
    assert n == 3 and p["b"] == 8.0 and list(p) == ["w", "b"] and p["w"][0].tolist() == [8, 8] and p["w"][1].tolist() == [0]
    pair = pv.iterate(lambda p: Pair(p.b, p.a + p.b), Pair(0, 1), 10)
    assert pair == Pair(55, 89) and isinstance(pair, Pair)
    assert pv.iterate(lambda p: {"x": p["x"] * 2}, {"x": 1.5}, 2) == {"x": 6.0}
    with pytest.raises(pv.ArgumentError, match=r"iterate: what the step returns has to be a dict of \['x'\]"):
        pv.iterate(lambda p: {"y": p["x"]}, {"x": 1.5}, 2)


def test_while():
    newton = lambda x: (x + 2 / x) / 2
    root, steps = pv.iterate_while(newton, [1.0, 2.0, 100.0], lambda now, before: pv.max(abs(now - before)) > 1e-12)
    now, taken, goes_on = np.array([1.0, 2.0, 100.0]), 0, True
    while goes_on:
        before, now, taken = now, newton(now), taken + 1
        goes_on = np.max(abs(now - before)) > 1e-12
    np.testing.assert_array_equal(np.asarray(root), now)
    assert steps == taken and type(steps) is int
    assert pv.iterate_while(lambda x: x * 2, 1, lambda x: x < 1000) == (1024, 10)
    assert pv.iterate_while(lambda x: x + 1, 5, lambda x: x < 0) == (6, 1)  # at least one
    both = pv.iterate_while(lambda a, b: (a + b, b + 1), (0, 1), lambda a, b: a < 20)
    assert both == ((21, 7), 6)
    assert pv.iterate_while(lambda a, b: (a + b, b + 1), (0, 1), lambda a, b, *before: (a < 20) & (before[1] < 3)) == ((6, 4), 3)
    # A parameter with a default is no state.
    assert pv.iterate_while(lambda x: x * 2, 1, lambda x, most=20: x < most) == (32, 5)
    assert pv.iterate_while(lambda x: x * 2, 1.0, pv.isfinite)[1] == 1024
    compiled = pv.compile(lambda x: pv.iterate_while(lambda y: y / 2, x, lambda y: pv.max(y) > 1))
    small, steps = compiled([1.0, 8.0])
    assert small.tolist() == [0.125, 1.0] and steps == 3 and isinstance(steps, pv.Array)


def test_no_more_steps_than_there_may_be():
    def goes_on(x):
        return x > 0

    with pytest.raises(pv.ArgumentError, match="condition still holds after 7 steps"):
        pv.iterate_while(lambda x: x + 1, 1, goes_on, most=7)
    assert pv.iterate_while(lambda x: x + 1, 1, goes_on, most=7, or_else="last") == (8, 7)
    with pytest.raises(ValueError, match="or_else"):
        pv.iterate_while(lambda x: x + 1, 1, goes_on, or_else="none")


def test_scan():
    rows = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])

    def cell(total, row):
        total = 0.5 * total + row
        return total, total * total

    last, seen = pv.scan_over(cell, np.zeros(2), rows)
    total, want = np.zeros(2), []
    for row in rows:
        total, output = cell(total, row)
        want.append(output)
    np.testing.assert_array_equal(np.asarray(last), total)
    np.testing.assert_array_equal(np.asarray(seen), want)
    # Several of each; rows of an array of rank 1 have no axes.
    states, outputs = pv.scan_over(lambda s, x: ((s[0] + x[0], s[1] * x[1]), (s[0], s[1], x[0] * x[1])), (0.0, 1), ([1.0, 2.0, 3.0], np.array([2, 3, 4])))
    assert states == (6.0, 24) and type(states[1]) is int
    assert [each.tolist() for each in outputs] == [[0, 1, 3], [1, 2, 6], [2, 6, 12]]
    last, outputs = pv.scan_over(lambda s, x: (s + x["a"], {"s": s, "twice": 2 * x["a"]}), 0, {"a": range(4)})
    assert last == 6 and {key: each.tolist() for key, each in outputs.items()} == {"s": [0, 0, 1, 3], "twice": [0, 2, 4, 6]}
    assert pv.scan_over(lambda s, x: (s + x, None), 1.0, [1.0, 2.0]) == (4.0, None)
    # A cell without a state, and no rows.
    nothing, squares = pv.scan_over(lambda s, x: (s, x * x), None, [1.0, 2.0, 3.0])
    assert nothing is None and squares.tolist() == [1, 4, 9]
    same, none = pv.scan_over(lambda s, x: (s + x, s), 4.0, pv.zeros(0))
    assert same == 4.0 and none.shape == (0,)


def test_choose():
    double, more = (lambda y: y * 2), (lambda y: y + 100)
    for condition in (True, np.bool_(True), pv.asarray(True), pv.sum(X) > 5):
        assert pv.choose(condition, double, more, X).tolist() == (X * 2).tolist()
    assert pv.choose(pv.sum(X) > 100, double, more, X).tolist() == (X + 100).tolist()
    compiled = pv.compile(lambda y: pv.choose(pv.sum(y) > 5, double, more, y))
    assert compiled(X).tolist() == (X * 2).tolist() and compiled(-X).tolist() == (100 - X).tolist()
    assert pv.choose(False, lambda a, b: (a, b), lambda a, b: (b, a), 1.0, 2.0) == (2.0, 1.0)
    assert pv.choose(True, lambda p: {"s": pv.sum(p["x"])}, lambda p: {"s": 0.0}, {"x": X})["s"] == X.sum()
    captured = pv.asarray([1.0, 2.0])
    assert pv.choose(False, lambda: captured, lambda: captured * 3).tolist() == [3, 6]
    with pytest.raises(pv.ShapeError, match=r"float64\[7\], and of the other float64\[2\]"):
        pv.choose(True, lambda y: y, lambda y: y[:2], X)
    with pytest.raises(pv.ShapeError, match="one function returns 2 results, and the other 1"):
        pv.choose(True, lambda y: (y, y), lambda y: y, X)
    with pytest.raises(pv.DtypeError, match="the condition is one bool"):
        pv.choose(1, double, more, X)
    with pytest.raises(pv.ShapeError, match="`where` chooses"):
        pv.choose(X > 1, double, more, X)


def test_what_is_watched():
    seen = []
    last = pv.iterate(lambda x: x + 1, [0.0, 1.0], 10, every=3, call=lambda taken, x: seen.append((taken, x)))
    assert [taken for taken, _ in seen] == [3, 6, 9] and last.tolist() == [10, 11]
    assert [x.tolist() for _, x in seen] == [[3, 4], [6, 7], [9, 10]]
    seen[0][1][...] = 0
    seen.clear()
    pv.iterate_while(lambda x, n: (x * 2, n + 1), (1.0, 0), lambda x, n: n < 3, call=lambda *now: seen.append(now))
    assert seen == [(1, 2.0, 1), (2, 4.0, 2), (3, 8.0, 3)]
    inner = []
    pv.iterate(lambda x: x + 1, 0.0, 2, call=lambda taken, x: inner.append(pv.iterate(lambda y: y * x, 1.0, taken)))
    assert inner == [1.0, 4.0]
    with pytest.raises(pv.SymbolError, match="leave `call` out"):
        pv.compile(lambda x: pv.iterate(lambda y: y + 1, x, 2, call=print))(1.0)


def test_what_python_raises_passes_unchanged():
    error = KeyError("own")

    def fails(*_):
        raise error

    good, holds = (lambda x: x + 1), (lambda x: x < 5)
    for call in (
        lambda: pv.iterate(fails, 1.0, 2),
        lambda: pv.iterate_while(fails, 1.0, holds),
        lambda: pv.iterate_while(good, 1.0, fails),
        lambda: pv.scan_over(fails, 1.0, [1.0]),
        lambda: pv.choose(True, fails, good, 1.0),
        lambda: pv.choose(True, good, fails, 1.0),
        lambda: pv.iterate(good, 1.0, 2, call=fails),
        lambda: pv.iterate(lambda x: pv.emap(fails, x), 1.0, 2),
        lambda: pv.compile(lambda x: pv.iterate(fails, x, 2))(1.0),
    ):
        with pytest.raises(KeyError) as raised:
            call()
        assert raised.value is error and raised.traceback[-1].name == "fails"


def test_what_is_refused():
    for step, state, kind, text in (
        (lambda u: u[:2], X, pv.ShapeError, r"state 0 as float64\[7\], and returns float64\[2\]"),
        (lambda u: u > 0, X, pv.DtypeError, r"state 0 as float64\[7\], and returns bool\[7\]"),
        (lambda u, v: (u, v, u), (X, X), pv.ShapeError, "takes 2 states, and returns 3"),
        (lambda u, v: u, (X, X), pv.ShapeError, "takes 2 states, and returns 1"),
        (lambda u: (u, u), X, pv.ShapeError, "takes 1 states, and returns 2"),
        (lambda u: [u, u], X, pv.ShapeError, "takes 1 states, and returns 2"),
        (lambda u: None, X, TypeError, "what the step returns as state 0 is an array or a number, not None"),
        (lambda u: u * 1j, X, pv.DtypeError, "complex128"),
        (lambda u: u, 1j, pv.DtypeError, "complex128"),
        (lambda u: u, "text", TypeError, None),
        (lambda u: u, (), pv.ArgumentError, "no array in the state"),
        (lambda u: u, None, pv.ArgumentError, "no array in the state"),
        (3, X, TypeError, "iterate: no function"),
    ):
        with pytest.raises(kind, match=text):
            pv.iterate(step, state, 2)
    same = lambda u: u
    for options, kind in (({"every": 0}, pv.ShapeError), ({"keep": -1}, pv.ShapeError), ({"call": 3}, TypeError), ({"every": 1.5}, TypeError)):
        with pytest.raises(kind):
            pv.iterate(same, X, 2, **options)
    with pytest.raises(pv.ShapeError, match="-1 steps"):
        pv.iterate(same, X, -1)
    with pytest.raises(TypeError):
        pv.iterate(same, X, 2.0)
    with pytest.raises(pv.DtypeError, match="the condition is one bool"):
        pv.iterate_while(same, X, lambda u: u > 0)
    with pytest.raises(pv.ShapeError, match="input 0 is a number"):
        pv.scan_over(lambda s, r: (s + r, r), 0.0, 1.5)
    with pytest.raises(pv.ShapeError, match="their first axes have different lengths"):
        pv.scan_over(lambda s, r: (s, r[0]), 0.0, (pv.ones(2), pv.ones(3)))
    with pytest.raises(TypeError, match="the cell returns a pair"):
        pv.scan_over(lambda s, r: s, 0.0, [1.0])
    with pytest.raises(pv.SymbolError):
        pv.iterate(lambda u: u if pv.sum(u) > 1 else -u, X, 2)
    with pytest.raises(pv.ArithmeticError, match="step 4: "):
        pv.iterate(lambda a, b: (a // b, b - 1), (10, 3), 5)
    leaked = []
    pv.compile(lambda x: leaked.append(x) or x)(X)
    with pytest.raises(pv.SymbolError, match="outside of the call"):
        pv.iterate(lambda u: u + leaked[0], X, 2)


def test_dims_and_matrix_products_in_steps():
    A = np.random.default_rng(1).random((5, 5)) / 5
    i, j = pv.dims()
    M = pv.asarray(A)
    by_dims = pv.iterate(lambda x: (M[i, j] * x[j]).sum(j).order(i), np.ones(5), 6)
    by_product = pv.iterate(lambda x: M @ x, np.ones(5), 6)
    want = np.linalg.matrix_power(A, 6) @ np.ones(5)
    np.testing.assert_allclose(np.asarray(by_dims), want, rtol=1e-12)
    np.testing.assert_allclose(np.asarray(by_product), want, rtol=1e-12)


def test_threads_and_functions_of_python():
    """A step that calls Python's functions of elements, from several threads at once."""
    results = [None] * 4

    def work(n):
        results[n] = pv.iterate(lambda u: pv.emap(lambda v: v * 0.5 + n, u), np.ones(300), 20, call=lambda *_: None)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    for n, result in enumerate(results):
        np.testing.assert_allclose(np.asarray(result), looped(lambda u: u * 0.5 + n, np.ones(300), 20), rtol=1e-13)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer")
def test_a_signal_ends_a_loop():
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            pv.iterate(lambda u: pv.sin(u) + pv.sum(u), np.ones(1000), 2**50)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_signatures():
    assert str(inspect.signature(pv.iterate)) == "(step, state, steps, *, every=1, call=None, keep=0)"
    assert list(inspect.signature(pv.iterate_while).parameters)[:4] == ["step", "state", "condition", "most"]
