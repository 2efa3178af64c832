"""Finds characters that look alike by the glyphs of one font, for laboratory.tables.build_near.

Requires Pillow and the Noto Sans CJK of mplfonts, which nothing else of this package imports.
"""

from collections.abc import Iterator
from pathlib import Path

import mplfonts
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter, ImageFont

FONT = Path(mplfonts.__file__).parent / "fonts" / "NotoSansCJKsc-Regular.otf"
EDGE_PIXELS, BASELINE_PIXELS = 48, 42
# Blur and threshold: docs/decisions/matching.md.
BLUR_PIXELS = 2
MIN_LIKENESS = 0.78
# Share of an edge: a part of this size contains the larger component of most characters and some of the other.
PART = 15 / 24
# Bonus of an everyday character over an equally similar rarer one.
EVERYDAY_BONUS = 0.05
BLOCK_ROWS = 1000

Pictures = NDArray[np.float32]


def gb2312(rows: range) -> frozenset[str]:
    """Return the characters of some rows of GB 2312: 16 to 55 are the 3,755 common ones, 56 to 87 the 3,008 others."""
    return _decode([(0xA0 + row, range(0xA1, 0xFF)) for row in rows], "gb2312")


def big5() -> frozenset[str]:
    """Return the 13,053 characters of Big5."""
    seconds = [*range(0x40, 0x7F), *range(0xA1, 0xFF)]
    return _decode([(first, seconds) for first in (*range(0xA4, 0xC7), *range(0xC9, 0xFA))], "big5")


def look_alikes(
    characters: list[str], common: frozenset[str], everyday: frozenset[str], width: int
) -> Iterator[list[str]]:
    """Yield, for each character, at most `width` of the common ones that look like it, the most similar first.

    The similarity is the mean of two correlations of the blurred pictures: of the whole, and of the most similar part
    (left, right, upper or lower). `everyday` characters get a small bonus.
    """
    parts = _parts(_pictures(characters))
    candidates = np.array([number for number, character in enumerate(characters) if character in common])
    bonus = np.array([EVERYDAY_BONUS if characters[number] in everyday else 0 for number in candidates], np.float32)
    for first in range(0, len(characters), BLOCK_ROWS):
        rows = np.arange(first, min(first + BLOCK_ROWS, len(characters)))
        whole, *others = (part[rows] @ part[candidates].T for part in parts)
        likeness = (whole + np.maximum.reduce(others)) / 2
        likeness[rows[:, None] == candidates] = 0
        best = np.argsort(-(likeness + bonus), axis=1, kind="stable")[:, :width]
        for row, order in zip(likeness, best, strict=True):
            yield [characters[candidates[at]] for at in order if row[at] >= MIN_LIKENESS]


def _pictures(characters: list[str]) -> Pictures:
    """Return float32[characters, 24, 24], blurred pictures with every second pixel."""
    font = ImageFont.truetype(FONT, EDGE_PIXELS)
    pictures = np.empty((len(characters), EDGE_PIXELS // 2, EDGE_PIXELS // 2), np.float32)
    for number, character in enumerate(characters):
        picture = Image.new("L", (EDGE_PIXELS, EDGE_PIXELS))
        ImageDraw.Draw(picture).text((0, BASELINE_PIXELS), character, font=font, fill=255, anchor="ls")
        pictures[number] = np.asarray(picture.filter(ImageFilter.GaussianBlur(BLUR_PIXELS)))[::2, ::2]
    return pictures


def _parts(pictures: Pictures) -> list[Pictures]:
    """Return the whole and the right, left, lower and upper part of pictures, as vectors; products are correlations."""
    edge = pictures.shape[1]
    size = round(PART * edge)
    wholes = [
        pictures,
        pictures[:, :, edge - size :],
        pictures[:, :, :size],
        pictures[:, edge - size :],
        pictures[:, :size],
    ]
    return [_normalize(part.reshape(len(part), -1)) for part in wholes]


def _normalize(vectors: Pictures) -> Pictures:
    centred = vectors - vectors.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(centred, axis=1, keepdims=True)
    return np.asarray(centred / np.maximum(lengths, 1), np.float32)


def _decode(cells: list[tuple[int, range]] | list[tuple[int, list[int]]], encoding: str) -> frozenset[str]:
    found = (bytes([first, second]).decode(encoding, "ignore") for first, seconds in cells for second in seconds)
    return frozenset(character for character in found if len(character) == 1)
