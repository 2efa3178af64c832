"""Drawn characters as vectors, and which known character a drawing looks like.

Serves obfuscated fonts and pictures in place of characters: both end in a small picture of one character.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Raster = NDArray[np.uint8]  # uint8[height, width]: 0 ground, 255 ink

SIDE = 24  # of a vector's square. Of a face never seen 24 tells 97 %, 32 tells 96 % (2026-11, SimHei)
_INK = 127
# Narrower than that a character keeps its shape (一, 1, 卜); wider it fills the square, as faces differ there.
_MAX_STRETCH = 2.2
CANDIDATES = 20


@dataclass(frozen=True, slots=True)
class Candidate:
    """A known character and how alike it is, [-1, 1]."""

    char: str
    similarity: float


class GlyphIndex:
    """Known characters in one or more faces.

    vectors: float32[faces, characters, SIDE * SIDE], each of length 1; a character that a face lacks is all zero.
    """

    def __init__(self, chars: Sequence[str], vectors: NDArray[np.float32]) -> None:
        self._chars, self._vectors = tuple(chars), vectors
        self._numbers = {char: number for number, char in enumerate(self._chars)}

    def similarities(self, rasters: Sequence[Raster]) -> NDArray[np.float32]:
        """float32[rasters, characters]: how alike, in the face that is most alike."""
        wanted = np.stack([vector(raster) for raster in rasters]) if rasters else np.zeros((0, SIDE * SIDE), np.float32)
        each = [wanted @ face.T for face in self._vectors]
        return np.asarray(np.max(each, axis=0), np.float32)

    def candidates(self, row: NDArray[np.float32]) -> list[Candidate]:
        """The characters of one row of `similarities` that are most alike, best first."""
        most = min(CANDIDATES, row.size)
        best = np.argpartition(row, -most)[-most:]
        return [
            Candidate(self._chars[number], float(row[number])) for number in best[np.argsort(row[best])[::-1]].tolist()
        ]

    def own(self, row: NDArray[np.float32], char: str) -> float | None:
        """How alike the drawing of one row is to `char`, None for an unknown character."""
        number = self._numbers.get(char)
        return None if number is None else float(row[number])


def vector(raster: Raster) -> NDArray[np.float32]:
    """A drawing as float32[SIDE * SIDE] of length 1, without regard to size, place and weight; zeros for a blank."""
    ink = _cropped(raster)
    if ink is None:
        return np.zeros(SIDE * SIDE, np.float32)
    flat = _blurred(_in_square(ink)).ravel()
    flat = flat - flat.mean()
    length = float(np.linalg.norm(flat))
    return np.asarray(flat / length if length else flat, np.float32)


def _cropped(raster: Raster) -> Raster | None:
    rows, columns = np.flatnonzero(raster.max(axis=1) > _INK), np.flatnonzero(raster.max(axis=0) > _INK)
    if not rows.size:
        return None
    return raster[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def _in_square(ink: Raster) -> NDArray[np.float32]:
    height, width = ink.shape
    longest = max(height, width)
    to_width = SIDE if width * _MAX_STRETCH > longest else max(3, SIDE * width // longest)
    to_height = SIDE if height * _MAX_STRETCH > longest else max(3, SIDE * height // longest)
    drawn = Image.fromarray(ink).resize((to_width, to_height), Image.Resampling.BOX)
    square = np.zeros((SIDE, SIDE), np.float32)
    top, left = (SIDE - to_height) // 2, (SIDE - to_width) // 2
    square[top : top + to_height, left : left + to_width] = np.asarray(drawn, np.float32) / 255
    return square


def _blurred(square: NDArray[np.float32]) -> NDArray[np.float32]:
    """Strokes a little apart are alike still: each point a quarter from each side."""
    wide = np.pad(square, 1)
    rows = (wide[:-2] + 2 * wide[1:-1] + wide[2:]) / 4
    return np.asarray((rows[:, :-2] + 2 * rows[:, 1:-1] + rows[:, 2:]) / 4, np.float32)
