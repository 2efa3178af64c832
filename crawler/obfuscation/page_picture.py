"""Decodes an image to its brightness, recognises images of text, and finds cuts between lines.

Runs in the process for images of text. No character is recognised here: photographs are excluded by their brightness
before a recogniser is loaded.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Grey = NDArray[np.uint8]  # uint8[height, width], 0 black

MIN_SIDES_PX = (16, 100)  # height and width; smaller images contain no line
# Pixels of one image in memory. A chapter of 3,000 characters of 44 px has 11,000,000.
MAX_PIXELS = 24_000_000
MAX_WIDTH_PX = 1_200  # of the image that is recognised; wider images are for high-density screens
TILE_ROWS, MIN_TILE_ROWS = 1_000, 600  # a tile ends at the emptiest row between these two heights
_NEAR_GROUND = 24  # of 255; the difference due to the texture of paper, noise, and JPEG artefacts
_MIN_SHARE_OF_GROUND = 0.5  # rendered pages have .7 and more, photographs .1 to .4 (2026-11)
_MIN_CONTRAST = 40
_SHARES_OF_INK = 0.001, 0.35
_LINE_PX = 7, 130  # minimum and maximum height of a line


@dataclass(frozen=True, slots=True)
class SeenLine:
    """A line or column in an image: its box in px, its text, and the confidence of its characters, [0, 1]."""

    left: int
    top: int
    right: int
    bottom: int
    text: str
    confidence: float


def open_picture(picture: bytes, max_pixels: int) -> Grey | None:
    """Return the brightness of an image's first frame, or None if the image is broken or has too many pixels."""
    try:
        with Image.open(BytesIO(picture), formats=FORMATS) as found:
            if found.width * found.height > min(max_pixels, MAX_PIXELS):
                return None
            # Transparent images are meant for a light page, unless their contents are light.
            shown = found.convert("LA") if found.has_transparency_data else found.convert("L")
        if shown.mode == "LA":
            grey, alpha = (np.asarray(band) for band in shown.split())
            drawn = grey[alpha > 127]
            background = 0 if drawn.size and float(drawn.mean()) > 160 else 255
            shown = Image.composite(shown.getchannel(0), Image.new("L", shown.size, background), shown.getchannel(1))
        if shown.width > MAX_WIDTH_PX:
            shown = shown.resize((MAX_WIDTH_PX, max(1, round(shown.height * MAX_WIDTH_PX / shown.width))))
        return np.asarray(shown, np.uint8)
    except MemoryError:
        raise
    except Exception:  # a hostile file may cause any error in the decoder; then there is no image
        return None


def looks_like_text(grey: Grey) -> bool:
    """Return True if an image has an even background, with ink in rows or columns as high as lines."""
    if grey.shape[0] < MIN_SIDES_PX[0] or grey.shape[1] < MIN_SIDES_PX[1]:
        return False
    background = _background(grey)
    differs = np.abs(grey.astype(np.int16) - background)
    if float((differs <= _NEAR_GROUND).mean()) < _MIN_SHARE_OF_GROUND:
        return False
    is_ink = _ink(differs)
    if is_ink is None or not _SHARES_OF_INK[0] <= float(is_ink.mean()) <= _SHARES_OF_INK[1]:
        return False
    return _has_lines(is_ink.mean(axis=1)) or _has_lines(is_ink.mean(axis=0))


def tiles(grey: Grey) -> Iterator[tuple[int, int]]:
    """Yield the start and end rows of each tile. Tiles are cut at the rows with the least ink."""
    is_ink = _ink(np.abs(grey.astype(np.int16) - _background(grey)))
    rows = is_ink.mean(axis=1) if is_ink is not None else np.zeros(grey.shape[0])
    top, height = 0, grey.shape[0]
    while height - top > TILE_ROWS + MIN_TILE_ROWS:
        part = rows[top + MIN_TILE_ROWS : top + TILE_ROWS]
        starts, ends = _stretches(part <= part.min())
        widest = int((ends - starts).argmax())
        cut = top + MIN_TILE_ROWS + int(starts[widest] + ends[widest]) // 2
        yield top, cut
        top = cut
    yield top, height


def _background(grey: Grey) -> int:
    """Return the most frequent brightness of an image."""
    counts = np.bincount(grey.reshape(-1), minlength=256).astype(np.float64)
    return int(np.convolve(counts, np.ones(9), "same").argmax())


def _ink(differs: NDArray[np.int16]) -> NDArray[np.bool_] | None:
    """Return the pixels that differ from the background more than a watermark does, or None at low contrast."""
    most = float(np.percentile(differs[:: max(1, differs.shape[0] // 500)], 99.9))
    return differs > 0.55 * most if most >= _MIN_CONTRAST else None


def _has_lines(ink: NDArray[np.floating]) -> bool:
    """Return True if most ink is in runs of rows that are as high as lines and similar in height.

    ink: the share of ink in each row or column
    """
    is_line = ink > 0.15 * float(np.percentile(ink, 95))
    starts, ends = _stretches(is_line)
    heights = ends - starts
    heights = heights[heights >= _LINE_PX[0]]
    if not heights.size:
        return False
    usual = float(np.median(heights))
    alike = heights[(heights > 0.5 * usual) & (heights < 2 * usual)]
    return usual <= _LINE_PX[1] and float(alike.sum()) > 0.6 * float(is_line.sum())


def _stretches(holds: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the starts and ends of the runs of True values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], holds, [False]]).astype(np.int8)))
    return edges[::2], edges[1::2]


# Reads the ink of an image on an even background. Runs in the process for hostile files, as the fonts do.

FORMATS = ("PNG", "GIF", "JPEG", "WEBP", "BMP")
MAX_PIXELS_OF_LINE = 4_000_000  # an image of 2,000 characters of 44 px
MIN_CONTRAST_OF_LINE = 40  # of 255, between background and ink; images with less contrast display no text


def read_ink(picture: bytes) -> NDArray[np.uint8] | None:
    """Return uint8[height, width], from 0 like the edge of an image to 255 most different; None if it is unusable."""
    try:
        with Image.open(BytesIO(picture), formats=FORMATS) as opened:
            if opened.width * opened.height > MAX_PIXELS_OF_LINE or not opened.width or not opened.height:
                return None
            shown = opened.convert("RGBA")
    except Exception:  # a hostile file may cause any error in the decoder; then there is no image
        return None
    colors = np.asarray(shown, np.float32)
    ink, alpha = colors[:, :, :3].mean(axis=2), colors[:, :, 3] / 255
    if alpha.min() < 0.5:  # on a transparent background, all opaque pixels are ink, whatever their colour
        differs = alpha * 255
    else:
        edge = np.concatenate([ink[0], ink[-1], ink[:, 0], ink[:, -1]])
        differs = np.abs(ink - np.median(edge))
    most = float(differs.max())
    if most < MIN_CONTRAST_OF_LINE:
        return None
    return np.asarray(differs * (255 / most), np.uint8)
