"""Arrays of text, against NumPy's and Python's."""

import copy
import pickle

import numpy as np
import pytest

import purview as pv

generator = np.random.default_rng(3)
LETTERS = list("aAbBzZ  .é€𝄞1")


def some(shape):
    texts = ["".join(generator.choice(LETTERS, generator.integers(0, 9))).rstrip("\0") for _ in range(int(np.prod(shape)))]
    return np.array(texts, dtype="U8").reshape(shape)


def mapped(function, x, otype=object):
    return np.array([function(each) for each in x.ravel().tolist()], dtype=otype).reshape(x.shape)


@pytest.mark.parametrize("shape", [(20,), (4, 5), (2, 3, 4), (0, 3), (3, 0), ()])
def test_in_and_out(shape):
    x = some(shape)
    for each in [x, x.astype(x.dtype.newbyteorder(">")), x.copy(order="F"), np.repeat(x[None], 2, axis=0)[1]]:
        t = pv.asarray(each)
        assert t.dtype == pv.string and t.dtype.name == "string" and t.shape == shape and t.tolist() == x.tolist()
        assert np.array_equal(np.asarray(t), x) and np.asarray(t).dtype.kind == "U"
        assert np.array_equal(np.asarray(t, dtype=object), x.astype(object)) and np.asarray(t, dtype=object).dtype == object
    if x.size:
        assert pv.asarray(x.tolist()).tolist() == x.tolist() and pv.asarray(x.astype(object)).tolist() == x.tolist()
    for each in [pickle.loads(pickle.dumps(t)), copy.deepcopy(t), t.copy()]:
        assert each.dtype == pv.string and each.shape == shape and each.tolist() == x.tolist()


def test_views_and_writes():
    x = some((6, 7))
    t = pv.asarray(x)
    for key in [(1, 2), slice(None, None, -2), (slice(1, 4), 3), ([3, 0, 3],), (x > "a",)]:
        assert np.array_equal(np.asarray(t[key]), x[key])
    assert t.T.tolist() == x.T.tolist() and pv.concat([t, t]).tolist() == np.concatenate([x, x]).tolist()
    assert t[1, 2].item() == x[1, 2]
    t[1, 2], x[1, 2] = "new", "new"
    t[0], x[0] = "row", "row"
    t[:, 1], x[:, 1] = [str(i) for i in range(6)], [str(i) for i in range(6)]
    assert t.tolist() == x.tolist()
    strided = pv.asarray(x[::2, ::-3])
    assert strided.tolist() == x[::2, ::-3].tolist()


def test_comparisons():
    x, y = some((50,)), some((50,))
    t, u = pv.asarray(x), pv.asarray(y)
    # UTF-8 is ordered as code points are.
    for name in "equal not_equal less less_equal greater greater_equal".split():
        function = getattr(np, name)
        for ours, theirs in [((t, u), (x, y)), ((t, "b"), (x, "b")), ((t, y), (x, y))]:
            assert np.array_equal(np.asarray(getattr(pv, name)(*ours)), function(*theirs))
    assert np.array_equal(np.asarray("b" < t), "b" < x) and (t == t).all() and not (t != x).any()
    assert np.array_equal(np.asarray(pv.sort(t)), np.sort(x)) and np.array_equal(np.asarray(pv.unique_values(t)), np.unique(x))
    for call in [lambda: t == 1, lambda: pv.asarray([1.0]) == "a", lambda: t * 2, lambda: pv.sqrt(t), lambda: t.sum()]:
        with pytest.raises(TypeError):
            call()
    with pytest.raises(pv.ShapeError):
        t == u[:3]


def ascii_only(function):
    return lambda text: "".join(function(c) if c.isascii() else c for c in text)


def test_functions():
    for shape in [(60,), (5, 6), (0,), ()]:
        x = some(shape)
        t = pv.asarray(x)
        texts = x.astype(object)
        assert np.array_equal(np.asarray(pv.to_lower(t), dtype=object), mapped(ascii_only(str.lower), texts))
        assert np.array_equal(np.asarray(pv.to_upper(t), dtype=object), mapped(ascii_only(str.upper), texts))
        assert np.array_equal(np.asarray(pv.trim(t), dtype=object), mapped(str.strip, texts))
        assert np.array_equal(np.asarray(pv.text_length(t)), mapped(lambda s: len(s.encode()), texts, "int64"))
        for part in ["a", "é", "", " .", "zz"]:
            assert np.array_equal(np.asarray(pv.contains(t, part)), mapped(lambda s: part in s, texts, bool))
            assert np.array_equal(np.asarray(pv.starts_with(t, part)), mapped(lambda s: s.startswith(part), texts, bool))
            assert np.array_equal(np.asarray(pv.ends_with(t, part)), mapped(lambda s: s.endswith(part), texts, bool))
            assert np.array_equal(np.asarray(pv.find_text(t, part)), mapped(lambda s: s.encode().find(part.encode()), texts, "int64"))
        assert np.array_equal(np.asarray(pv.replace_all(t, "a", "é."), dtype=object), mapped(lambda s: s.replace("a", "é."), texts))
    t = pv.asarray(["some text", "", "abc"])
    assert pv.substring(t, 2).tolist() == ["me text", "", "c"] and pv.substring(t, -3, 2).tolist() == ["ex", "", "ab"]
    assert pv.contains(t, ["me", "x", "b"]).tolist() == [True, False, True]
    assert pv.to_upper("abc").item() == "ABC" and pv.to_lower(["A", "B"]).tolist() == ["a", "b"]
    assert pv.to_upper(pv.trim(pv.asarray([" a ", "b"]))).tolist() == ["A", "B"]


@pytest.mark.parametrize("name", "bool int8 int32 int64 uint8 uint64 float32 float64".split())
def test_numbers(name):
    x = generator.integers(0, 100, (5, 6)).astype(name)
    if "float" in name:
        x = (x / 7).astype(name)
    texts = pv.to_text(x)
    assert texts.dtype == pv.string and texts.shape == x.shape
    back = pv.parse(texts, name)
    assert back.dtype.name == name and np.array_equal(np.asarray(back), x)
    assert pv.parse([" 1 ", "0"], name).tolist() == [1, 0]


def test_errors():
    with pytest.raises(pv.CastError, match="'x'.*index 1"):
        pv.parse(["1", "x"]).realise()
    with pytest.raises(pv.CastError):
        pv.parse(["300"], "uint8").realise()
    for call in [
        lambda: pv.to_lower([1.0]),
        lambda: pv.contains(["a"], 1),
        lambda: pv.parse([1.0]),
        lambda: pv.to_text(["a"]),
        lambda: pv.parse(["a"], "complex64"),
        lambda: pv.asarray(["a", 1]),
        lambda: pv.asarray([1, "a"]),
        lambda: pv.asarray(np.array(["a", None], dtype=object)),
        lambda: pv.asarray(["a"], dtype="float64"),
    ]:
        with pytest.raises(TypeError):
            call()
    with pytest.raises(UnicodeEncodeError):
        pv.asarray(["\ud800"])
    with pytest.raises(pv.FormatError, match="55296"):
        pv.asarray(np.array(["\ud800"]))
    with pytest.raises(pv.ShapeError):
        pv.asarray([["a"], ["b", "c"]])


def test_text_of_texts():
    t = pv.asarray(["a", "it's", "<b>"])
    assert repr(t) == """array([   'a', "it's",  '<b>'], dtype=string)"""
    assert "&lt;b&gt;" in t._repr_html_() and "<b>" not in t._repr_html_()
    cut = pv.substring(["é"], 0, 1)
    assert cut.item().encode("utf-8", "surrogateescape") == "é".encode()[:1]


def test_bytes_that_are_no_utf_8():
    """They are surrogates in Python, as in os.fsdecode, and the same bytes again: of lists, of NumPy, and compared."""
    texts = [b"\xb0C".decode("utf-8", "surrogateescape"), "é", "", "\udcff\udc80"]
    for t in (pv.asarray(texts), pv.asarray(np.array(texts)), pv.asarray(np.array(texts, dtype=object))):
        assert t.tolist() == texts and np.asarray(t).tolist() == texts
        assert (t == texts[0]).tolist() == [True, False, False, False]
    assert pv.text_length(pv.asarray(texts)).tolist() == [2, 2, 0, 2]
