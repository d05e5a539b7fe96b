"""Loops that take long let other threads go on, and hear signals, however deep they are; what `explain` says of loops."""

import signal
import threading
import time

import numpy as np
import pytest

import purview as pv

MANY = 2**28  # steps that would take far longer than a test
X = np.ones(1000)
ROWS = np.zeros(2**22)

half = lambda u: u * 0.5
many = lambda u: pv.iterate(half, u, MANY)
same = lambda u: u

LOOPS = {
    "iterate": lambda x: pv.iterate(half, x, MANY),
    "iterate_while": lambda x: pv.iterate_while(half, x, lambda u: pv.max(u) < 5, most=MANY),
    "scan_over": lambda x: pv.iterate(lambda u: pv.scan_over(lambda s, row: (s + row, None), u, ROWS)[0], x, 100),
    "in a loop": lambda x: pv.iterate(many, x, 3),
    "in two loops": lambda x: pv.iterate(lambda u: pv.iterate(many, u, 2), x, 2),
    "in a condition's loop": lambda x: pv.iterate_while(many, x, lambda u: pv.max(u) > 5),
    "in a choice": lambda x: pv.choose(pv.sum(x) > 0, many, same, x),
    "in a choice in a loop": lambda x: pv.iterate(lambda u: pv.choose(pv.sum(u) < 1e6, many, same, u), x, 3),
    "a loop in a choice in a choice": lambda x: pv.choose(pv.sum(x) > 0, lambda u: pv.choose(pv.sum(u) > 0, many, same, u), same, x),
}


class Counting(threading.Thread):
    """A thread of Python that goes on."""

    def __enter__(self):
        self.count, self.ends = 0, False
        self.start()
        return self

    def run(self):
        while not self.ends:
            self.count += 1
            time.sleep(0.001)

    def __exit__(self, *_):
        self.ends = True
        self.join()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer")
@pytest.mark.parametrize("name", LOOPS)
@pytest.mark.parametrize("first", [X, 1.0], ids=["array", "number"])
@pytest.mark.parametrize("way", ["at once", "compiled"])
def test_a_signal_ends_a_loop_and_other_threads_go_on(name, first, way):
    loop = LOOPS[name]
    if way == "compiled":
        loop = pv.compile(loop)
        loop.traced(first)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        with Counting() as other:
            signal.setitimer(signal.ITIMER_REAL, 0.15)
            began, counted = time.monotonic(), other.count
            with pytest.raises(KeyboardInterrupt):
                loop(first)
            took, counted = time.monotonic() - began, other.count - counted
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert took < 3  # with room for a machine that is busy
    assert counted > 10


def test_short_calls_are_as_before():
    """Compiled functions of a few steps."""
    f = pv.compile(lambda x: pv.iterate(half, x, 3))
    for _ in range(3):
        assert f(8.0) == 1.0 and f(X * 8).tolist() == X.tolist()


def heat(u):
    return u + 0.1 * (pv.roll(u, 1, 0) + pv.roll(u, -1, 0) - 2 * u)


def test_explain_says_how_loops_are_taken(tmp_path):
    large, small = pv.ones(2**19), pv.ones(10)
    assert "steps for each time memory is read, rows in a wavefront" in pv.explain(lambda: pv.iterate(heat, large, 100))
    text = pv.explain(pv.iterate, heat, small, 7)
    in_cache = "way: the states stay in the cache"
    assert text.startswith(in_cache) and text.endswith("a step is one box\n")
    assert text == pv.explain(lambda: pv.iterate(heat, small, 7))
    assert "because each step has a condition" in pv.explain(pv.iterate_while, heat, small, lambda u: pv.sum(u) > 0)
    assert "way: step by step, 10 of them" in pv.explain(pv.scan_over, lambda s, row: (s + row, s), 0.0, small)
    chosen = pv.explain(pv.choose, True, heat, lambda v: -v, small)
    assert chosen.startswith("way: one of two functions, by the first operand\nif true:\n") and "\nif false:\n" in chosen

    @pv.compile
    def f(x, *, by):
        return pv.sum(pv.iterate(heat, x * by, 100))

    text = pv.explain(f, large, by=2.0)
    assert "loop of 100 steps" in text and "16 steps for each time memory is read" in text
    assert "16 steps for each time memory is read" in pv.explain(lambda: f(large, by=2.0) + 1)
    assert in_cache in pv.explain(f, small, by=2.0)
    assert "loop of 10 steps, backwards" in pv.explain(pv.grad(lambda x: f(x, by=1.0)), small)
    assert "prepared" in pv.explain(pv.compile(lambda x: x + 1), small)
    path = tmp_path / "heat.purview"
    pv.save_computation(path, lambda x: pv.iterate(heat, x, 100), small)
    assert in_cache in pv.explain(pv.load_computation(path), small)

    class Model:
        @pv.compile
        def after(self, x):
            return pv.iterate(heat, x, 100)

    assert in_cache in pv.explain(Model().after, small)
    assert small.tolist() == [1.0] * 10


def test_explain_computes_nothing_of_a_loop():
    calls = []
    text = pv.explain(pv.iterate, lambda u: pv.emap(lambda v: calls.append(v) or v, u), 1.0, 3, call=calls.append)
    assert text.startswith("way: step by step, 3 of them") and not calls
    with pytest.raises(TypeError, match="explain: no function: 3"):
        pv.explain(3)
    with pytest.raises(pv.ShapeError, match="-1 steps"):
        pv.explain(pv.iterate, half, 1.0, -1)
    with pytest.raises(pv.ShapeError):
        pv.explain(pv.compile(lambda x, y: pv.iterate(half, x + y, 3)), pv.ones(2), pv.ones(3))
    assert pv.explain(pv.sort, [2, 1]) == "no chunks are read\n"
    assert pv.iterate(half, 8.0, 3) == 1.0  # nothing is explained any more


def test_arguments_that_are_refused_are_named():
    class Odd:
        def __repr__(self):
            return "Odd()"

    odd, holds = Odd(), lambda u: pv.max(u) > 0
    loop, cell = pv.iterate, lambda s, row: (s + row, s)
    for kind, text, call in (
        (TypeError, "iterate: steps is an integer, not 2.0", lambda: loop(half, X, 2.0)),
        (TypeError, "iterate: steps is an integer, not None", lambda: loop(half, X, None)),
        (TypeError, r"iterate: steps is an integer, not array\(\[1, 2\]\)", lambda: loop(half, X, pv.asarray([1, 2]))),
        (pv.ArgumentError, f"iterate: steps is an integer of 64 bits, not {10**30}", lambda: loop(half, X, 10**30)),
        (pv.ShapeError, "iterate: -2 steps", lambda: loop(half, X, -2)),
        (TypeError, "iterate: every is an integer, not 1.5", lambda: loop(half, X, 2, every=1.5)),
        (TypeError, "iterate: keep is an integer, not 'all'", lambda: loop(half, X, 2, keep="all")),
        (TypeError, "'evry'", lambda: loop(half, X, 2, evry=2)),
        (TypeError, r"iterate: state is an array or a number, not Odd\(\)", lambda: loop(half, odd, 2)),
        (TypeError, r"iterate: state\['b'\]\[1\] is an array or a number, not Odd\(\)", lambda: loop(same, {"a": X, "b": [X, odd]}, 2)),
        (TypeError, "iterate: what the step returns as state 0 is an array or a number, not None", lambda: loop(lambda u: None, X, 2)),
        (TypeError, r"as state 1 is an array or a number, not Odd\(\)", lambda: loop(lambda u, v: (u, odd), (X, X), 2)),
        (TypeError, r"not {'" + "a" * 98 + r"\.\.\.$", lambda: loop(lambda u: {"a" * 200: u}, X, 2)),
        (pv.ShapeError, "the step takes 2 states, and returns 3", lambda: loop(lambda u, v: (u, v, u), (X, X), 2)),
        (pv.ShapeError, "the step takes 2 states, and returns None", lambda: loop(lambda u, v: None, (X, X), 2)),
        (TypeError, "iterate_while: most is an integer, not 1000.0", lambda: pv.iterate_while(half, X, holds, most=1e3)),
        (pv.ShapeError, "iterate_while: -3 steps", lambda: pv.iterate_while(half, X, holds, most=-3)),
        (TypeError, "iterate_while: or_else is one of 'error', 'last', not None", lambda: pv.iterate_while(half, X, holds, or_else=None)),
        (ValueError, "iterate_while: or_else is one of 'error', 'last', not 'first'", lambda: pv.iterate_while(half, X, holds, or_else="first")),
        (pv.DtypeError, r"iterate_while: the condition is one bool, and not bool\[1000\]", lambda: pv.iterate_while(half, X, lambda u: u > 0)),
        (TypeError, "iterate_while: what the condition returns as result 0 is an array or a number, not None", lambda: pv.iterate_while(half, X, lambda u: None)),
        (TypeError, r"scan_over: inputs is an array or a number, not Odd\(\)", lambda: pv.scan_over(cell, 0.0, odd)),
        (TypeError, "scan_over: the cell returns a pair: .* not a tuple of 3", lambda: pv.scan_over(lambda s, row: (s, s, s), 0.0, X)),
        (TypeError, "scan_over: the cell returns a pair: .* not None", lambda: pv.scan_over(lambda s, row: None, 0.0, X)),
        (TypeError, r"scan_over: what the cell returns as output 0 is an array or a number, not Odd\(\)", lambda: pv.scan_over(lambda s, row: (s, odd), 0.0, X)),
        (TypeError, "scan_over: what the cell returns as state 0 is an array or a number, not None", lambda: pv.scan_over(lambda s, row: (None, s), 0.0, X)),
        (TypeError, "choose: the condition is an array or a number, not None", lambda: pv.choose(None, half, same, X)),
        (pv.ShapeError, r"choose: the condition is one bool, and not bool\[1000\]", lambda: pv.choose(X > 1, half, same, X)),
        (TypeError, r"choose: x\[1\] is an array or a number, not Odd\(\)", lambda: pv.choose(True, cell, cell, X, odd)),
        (TypeError, r"choose: what the function returns as result 1 is an array or a number, not Odd\(\)", lambda: pv.choose(True, lambda u: (u, odd), same, X)),
        (TypeError, "choose: no function: None", lambda: pv.choose(True, half, None, X)),
    ):
        with pytest.raises(kind, match=text):
            call()


def test_what_conversions_raise_passes_unchanged():
    error = KeyError("own")

    class Raises:
        def __array__(self, *_, **__):
            raise error

        def __index__(self):
            raise error

    for call in (
        lambda: pv.iterate(half, Raises(), 2),
        lambda: pv.iterate(half, 1.0, Raises()),
        lambda: pv.iterate(lambda u: Raises(), X, 2),
        lambda: pv.choose(Raises(), half, half, X),
    ):
        with pytest.raises(KeyError) as raised:
            call()
        assert raised.value is error
