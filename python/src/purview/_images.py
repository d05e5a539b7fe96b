"""PNG files, where the module was built with purview::image."""

from purview._common import creatable, existing
from purview._core import _load_image, _save_image, asarray, uint8, uint16
from purview._core import bool as bool_
from purview._errors import DtypeError

__all__ = """
    load_image save_image
""".split()


def load_image(path):
    """The picture of a PNG file, uint8 or uint16: [height, width] if it is grey, else [height, width, channels]."""
    return _load_image(existing(path))


def save_image(path, x):
    """Writes uint8 or uint16 [height, width], or [height, width, channels] of 1 to 4 channels, as a PNG file."""
    path = creatable(path)
    if not str(path).lower().endswith(".png"):
        raise ValueError(f"save_image: a name that ends in .png is needed, not '{path}'")
    x = asarray(x)
    if x.dtype not in (uint8, uint16):
        advice = "x * 255" if x.dtype == bool_ else "pv.round(pv.clip(x, 0, 1) * 255) of levels from 0 to 1, x of those from 0 to 255"
        raise DtypeError(f"save_image: a picture has levels of uint8 or uint16, not {x.dtype.name}: save pv.astype(…, pv.uint8) of {advice}")
    _save_image(path, x)
