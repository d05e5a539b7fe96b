"""Arrays as text, as NumPy prints them with its default options."""

import html
import math
import struct

from purview import _core
from purview._errors import SymbolError

_EDGE = 3  # elements shown at each end of an axis
_THRESHOLD = 1000  # elements from which on the middle is left out
_WIDTH = 75
_PRECISION = 8
_FORMATS = {"float32": "f", "float16": "e", "complex64": "f"}
_DEFAULTS = ("float64", "int64", "bool", "complex128")


def _shortest(x, kind):
    """The fewest digits that give x back, as mantissa digits and a decimal exponent: x = 0.DDD · 10ᵉ."""
    if kind is None:
        text = repr(abs(x))
    else:
        text = next(t for t in (f"{abs(x):.{p}g}" for p in range(1, 18)) if struct.unpack(kind, struct.pack(kind, float(t)))[0] == abs(x))
    mantissa, _, exponent = text.partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    shift = len(whole) if whole.strip("0") else -(len(fraction) - len(fraction.lstrip("0")))
    return digits.rstrip("0"), shift + int(exponent or 0)


def _sign(x, plus):
    return "-" if math.copysign(1, x) < 0 else plus


def _positional(x, kind, plus):
    """Whole digits with their sign, and fractional ones."""
    digits, exponent = _shortest(x, kind) if x else ("", 0)
    if len(digits) - exponent > _PRECISION:
        text = f"{abs(x):.{_PRECISION}f}"
    else:
        digits = digits.ljust(exponent, "0")
        text = f"{digits[: max(exponent, 0)] or '0'}.{'0' * max(-exponent, 0)}{digits[max(exponent, 0) :]}"
    whole, _, fraction = text.partition(".")
    return _sign(x, plus) + whole, fraction.rstrip("0")


def _scientific(x, kind, plus):
    """The first digit with its sign, the other ones, and the exponent."""
    digits, exponent = _shortest(x, kind) if x else ("0", 1)
    if len(digits) > _PRECISION + 1:
        mantissa, _, power = f"{abs(x):.{_PRECISION}e}".partition("e")
        digits, exponent = mantissa.replace(".", "").rstrip("0"), int(power) + 1
    return _sign(x, plus) + digits[:1], digits[1:], exponent - 1


def _floats(values, kind, plus=""):
    """Numbers with their points below each other."""
    nonzero = [abs(x) for x in values if x and math.isfinite(x)]
    least, most = min(nonzero, default=1), max(nonzero, default=1)
    texts = {}
    if most >= 1e8 or least < 1e-4 or most / least > 1000:
        parts = {i: _scientific(x, kind, plus) for i, x in enumerate(values) if math.isfinite(x)}
        right = max((len(p[1]) for p in parts.values()), default=0)
        power = max((max(len(str(abs(p[2]))), 2) for p in parts.values()), default=2)
        for i, (whole, fraction, e) in parts.items():
            texts[i] = f"{whole}.{fraction:<0{right}}e{'-' if e < 0 else '+'}{abs(e):0{power}d}"
    else:
        parts = {i: _positional(x, kind, plus) for i, x in enumerate(values) if math.isfinite(x)}
        right = max((len(p[1]) for p in parts.values()), default=0)
        texts = {i: f"{whole}.{fraction:<{right}}" for i, (whole, fraction) in parts.items()}
    texts = [texts.get(i) or _sign(x, plus) * (x > 0 or bool(plus)) + repr(x).lstrip("-" if plus else "") for i, x in enumerate(values)]
    width = max(map(len, texts), default=0)
    return [t.rjust(width) for t in texts]


def _texts(values, name):
    kind = _FORMATS.get(name)
    if name.startswith("complex"):
        imaginary = [t.rstrip() + "j" + " " * (len(t) - len(t.rstrip())) for t in _floats([z.imag for z in values], kind, "+")]
        return [re + im for re, im in zip(_floats([z.real for z in values], kind), imaginary)]
    if name.startswith(("float", "bfloat")):
        return _floats(values, kind)
    texts = [repr(v) if name == "string" else "NaT" if v is None else str(v) for v in values]
    width = max(map(len, texts), default=0)
    return [t.rjust(width) for t in texts]


def _shown(x):
    """The elements that are shown, as nested lists, and for each axis whether its middle is left out."""
    cut = [False] * x.ndim
    if x.size > _THRESHOLD:
        for axis, extent in enumerate(x.shape):
            if extent > 2 * _EDGE:
                cut[axis] = True
                x = x[(slice(None),) * axis + ([*range(_EDGE), *range(extent - _EDGE, extent)],)]
    return x.realise().tolist(), cut


def _flat(nested, rank):
    return [nested] if rank == 0 else [y for each in nested for y in _flat(each, rank - 1)]


def _lines(texts, shape, cut, indent, width, separator):
    """The text of the elements that `texts` gives one after the other, on lines of at most `width`."""
    if not shape:
        return next(texts)
    extent = 2 * _EDGE if cut[0] else shape[0]
    indent += 1
    parts = [_lines(texts, shape[1:], cut[1:], indent, width - 1, separator) for _ in range(extent)]
    if cut[0]:
        parts.insert(_EDGE, "...")
    if len(shape) > 1:
        return "[" + (separator.rstrip() + "\n" * (len(shape) - 1) + " " * indent).join(parts) + "]"
    width -= max(len(separator.rstrip()), 1)
    lines, line = [], " " * indent
    for i, part in enumerate(parts):
        if len(line) + len(part) > width and len(line) > indent:
            lines.append(line.rstrip())
            line = " " * indent
        line += part + (separator if i + 1 < len(parts) else "")
    return "[" + "\n".join([*lines, line])[indent:] + "]"


def text_of(x, prefix, suffix):
    """The text of an array between a prefix and a suffix; with them also its type and shape, where the elements do not show them."""
    try:
        return _text_of(x, prefix, suffix)
    except SymbolError:  # in a function that is traced there are no elements
        return f"<symbol of {x.dtype.name}, shape={x.shape}>"


def _text_of(x, prefix, suffix):
    name = x.dtype.name
    if prefix and x.ndim and x.is_sparse:
        return f"<sparse array of {name}, shape={x.shape}, nnz={x.nnz}, fill={x.fill.item()}>"
    if "64[" in name:  # times, which NumPy is asked for, if it is there
        try:
            import numpy as np

            return (repr if prefix else str)(np.asarray(x))
        except ImportError:
            x, name = _core.format_times(x), repr(name)
    if x.size == 0:
        shape = f", shape={x.shape}" if x.shape != (0,) else ""
        device = f", device={x.device!r}" if x.device != "cpu" else ""
        return f"{prefix}[]{shape}, dtype={name}{device}{suffix}" if prefix else "[]"
    if x.ndim == 0 and not prefix and name.startswith("complex"):
        return str(x.item())
    nested, cut = _shown(x)
    texts = _texts(_flat(nested, x.ndim), x.dtype.name)
    if x.ndim == 0:
        texts = [texts[0].strip()]
    body = prefix + _lines(iter(texts), x.shape, cut, len(prefix), _WIDTH - len(suffix), ", " if prefix else " ")
    extras = [f"shape={x.shape}"] * any(cut) + [f"dtype={name}"] * (name not in _DEFAULTS) + [f"device={x.device!r}"] * (x.device != "cpu")
    if not prefix or not extras:
        return body + suffix
    extra = ", ".join(extras) + suffix
    fits = len(body) + 1 - (body.rfind("\n") + 1) + len(extra) + 1 <= _WIDTH
    return body + "," + (" " if fits else "\n" + " " * len(prefix)) + extra


def html_of(x):
    """A table for notebooks: the elements at the ends of the last two axes, with type and shape."""
    device = f" {x.device}" if x.device != "cpu" else ""
    title = f"<div><code>{x.dtype.name} {list(x.shape)}{device}</code></div>"
    if x.ndim not in (1, 2) or x.size == 0:
        return f"{title}<pre>{html.escape(text_of(x, '', ''))}</pre>"
    nested, cut = _shown(x)
    texts = _texts(_flat(nested, x.ndim), x.dtype.name)
    columns = len(texts) if x.ndim == 1 else len(texts) // len(nested)
    rows = [texts[i : i + columns] for i in range(0, len(texts), columns)]
    if cut[-1]:
        rows = [[*row[:_EDGE], "…", *row[_EDGE:]] for row in rows]
    if x.ndim == 2 and cut[0]:
        rows.insert(_EDGE, ["⋮"] * len(rows[0]))
    body = "".join("<tr>" + "".join(f"<td>{html.escape(t.strip())}</td>" for t in row) + "</tr>" for row in rows)
    return f"{title}<table>{body}</table>"
