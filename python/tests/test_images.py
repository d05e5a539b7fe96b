"""PNG files, where the module has them."""

import struct
import zlib

import numpy as np
import pytest

import purview as pv

pytest.importorskip("purview._images", exc_type=ImportError)

generator = np.random.default_rng(5)


def png(x):
    """A PNG file as the format has it."""
    channels = x.shape[2] if x.ndim == 3 else 1

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", x.shape[1], x.shape[0], 8 * x.itemsize, {1: 0, 2: 4, 3: 2, 4: 6}[channels], 0, 0, 0)
    rows = b"".join(b"\0" + row.astype(x.dtype.newbyteorder(">")).tobytes() for row in x)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


@pytest.mark.parametrize("name", ["uint8", "uint16"])
def test_images(tmp_path, name):
    path = tmp_path / "x.png"
    for shape in [(5, 7), (5, 7, 2), (5, 7, 3), (5, 7, 4), (1, 1)]:
        x = generator.integers(0, np.iinfo(name).max, shape, endpoint=True).astype(name)
        path.write_bytes(png(x))
        t = pv.load_image(path)
        assert t.dtype.name == name and t.shape == shape and np.array_equal(np.asarray(t), x)
        pv.save_image(str(path), pv.asarray(x)[::-1])
        assert np.array_equal(np.asarray(pv.load_image(path)), x[::-1])


def test_errors(tmp_path):
    path = tmp_path / "x.png"
    whole = png(generator.integers(0, 255, (40, 50)).astype("uint8"))
    for broken in [b"", whole[:20], whole[:300], b"text" * 50]:
        path.write_bytes(broken)
        with pytest.raises(pv.FormatError, match="x.png"):
            pv.load_image(path)
    with pytest.raises(FileNotFoundError):
        pv.load_image(tmp_path / "none.png")
    with pytest.raises(pv.DtypeError):
        pv.save_image(path, np.zeros((3, 4)))
    for shape in [(3,), (0, 3), (3, 4, 5)]:
        with pytest.raises(pv.ShapeError):
            pv.save_image(path, np.zeros(shape, dtype="uint8"))
