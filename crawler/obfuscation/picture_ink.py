"""A picture's bytes -> its ink on an even ground. Runs in the process for hostile files, beside the fonts."""

from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image

FORMATS = ("PNG", "GIF", "JPEG", "WEBP", "BMP")
MAX_PIXELS = 4_000_000  # a sheet of 2,000 characters of 44 px
MIN_CONTRAST = 40  # of 255, between ground and ink; less is not a text


def read_ink(picture: bytes) -> NDArray[np.uint8] | None:
    """Return uint8[height, width], 0 like the picture's edge, 255 most different; None for an unusable picture."""
    try:
        with Image.open(BytesIO(picture), formats=FORMATS) as opened:
            if opened.width * opened.height > MAX_PIXELS or not opened.width or not opened.height:
                return None
            shown = opened.convert("RGBA")
    except Exception:  # whatever a hostile file makes the decoder raise means one thing: no picture
        return None
    colors = np.asarray(shown, np.float32)
    ink, alpha = colors[:, :, :3].mean(axis=2), colors[:, :, 3] / 255
    if alpha.min() < 0.5:  # drawn on nothing: what is drawn is the ink, of whatever color
        differs = alpha * 255
    else:
        edge = np.concatenate([ink[0], ink[-1], ink[:, 0], ink[:, -1]])
        differs = np.abs(ink - np.median(edge))
    most = float(differs.max())
    if most < MIN_CONTRAST:
        return None
    return np.asarray(differs * (255 / most), np.uint8)
