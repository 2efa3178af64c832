"""Represents renderings of characters as vectors of edge directions, and finds the most similar known characters.

Serves obfuscated fonts and images in place of characters: both yield a small image of one character.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count, takewhile

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Raster = NDArray[np.uint8]  # uint8[height, width]: 0 background, 255 ink

# Of the 3,500 most frequent characters in SimHei, which is not among the references, 4 are misread with squares of 48
# in 10 fields, 5 with 32 or 40 in 8, 5 with 48 in 7, and 79 with grey values instead of directions (2026-11).
SIDE = 48  # px of the square to which a rendering is scaled
FIELDS = 10  # along each side; in each field, the edges of 8 directions are summed
FEATURES = 8 * FIELDS * FIELDS
_FIELD_SPREAD = 0.55  # of a field's width; fields overlap, so that slightly displaced strokes are still similar
_SMOOTHING = np.array([0.023, 0.23, 0.494, 0.23, 0.023], np.float32)  # a Gaussian of 0.8 px
_INK = 127
# Narrower characters (一, 1, 卜) keep their proportions. Wider ones fill the square, because their widths differ
# between fonts.
_MAX_STRETCH = 2.2
CANDIDATES = 20
# Dimensions of the projected features: those in which characters differ most and fonts least. 128 to 256 are equally
# good.
KEPT = 192
_RIDGE = 1.0  # times the mean scatter; added to the scatter between fonts, because two or three fonts are only a sample
_AT_ONCE = 500  # renderings that are processed together: 4.6 MB per plane


@dataclass(frozen=True, slots=True)
class Candidate:
    """A known character and its similarity to a rendering, [-1, 1]."""

    char: str
    similarity: float


@dataclass(frozen=True, slots=True)
class GlyphModel:
    """The known characters in one or more fonts, projected for comparison.

    center: float32[FEATURES], the mean of the features
    axes: float32[FEATURES, KEPT], the directions in which different characters are far apart and the fonts of one
    character are close (linear discriminant analysis: Fisher 1936, as in all multi-font recognisers)
    faces: float32[faces, characters, KEPT], vectors of length 1; zeros for a character that a font lacks
    """

    center: NDArray[np.float32]
    axes: NDArray[np.float32]
    faces: NDArray[np.float32]

    def project(self, of: NDArray[np.float32]) -> NDArray[np.float32]:
        """Project float32[rows, FEATURES] to float32[rows, KEPT] of length 1. A blank row becomes zeros."""
        return _project(of, self.center, self.axes)


def learn_model(known: NDArray[np.float32]) -> GlyphModel:
    """Learn from float32[faces, characters, FEATURES], as `features` returns; zeros if a font lacks a character."""
    center, axes = _discriminants(known)
    return GlyphModel(center, axes, np.stack([_project(face, center, axes) for face in known]))


class GlyphIndex:
    """Finds the known characters that are most similar to a rendering.

    chars: the known characters, in the order of `known`
    """

    def __init__(self, chars: Sequence[str], known: GlyphModel) -> None:
        self._chars = tuple(chars)
        self._numbers = {char: number for number, char in enumerate(self._chars)}
        self._known = known

    def similarities(self, rasters: Sequence[Raster]) -> NDArray[np.float32]:
        """Return float32[rasters, characters]: the similarity to each character in the most similar font."""
        wanted = self._known.project(features(rasters))
        most = wanted @ self._known.faces[0].T
        for face in self._known.faces[1:]:
            np.maximum(most, wanted @ face.T, out=most)
        return np.asarray(most, np.float32)

    def candidates(self, row: NDArray[np.float32]) -> list[Candidate]:
        """Return the most similar characters for a row of `similarities`, the best first."""
        most = min(CANDIDATES, row.size)
        best = np.argpartition(row, -most)[-most:]
        return [
            Candidate(self._chars[number], float(row[number])) for number in best[np.argsort(row[best])[::-1]].tolist()
        ]

    def own(self, row: NDArray[np.float32], char: str) -> float | None:
        """Return the similarity to `char` in a row of `similarities`, or None if the character is unknown."""
        number = self._numbers.get(char)
        return None if number is None else float(row[number])


def features(rasters: Sequence[Raster]) -> NDArray[np.float32]:
    """Return float32[rasters, FEATURES] of length 1, independent of size, position and weight; zeros for a blank.

    The gradient at each point is divided between the two nearest of eight directions, and summed in FIELDS by FIELDS
    fields. Source: C.-L. Liu et al., "Handwritten digit recognition: investigation of normalization and feature
    extraction techniques", Pattern Recognition 37 (2004), gradient features by parallelogram.
    """
    parts = takewhile(len, (rasters[start : start + _AT_ONCE] for start in count(0, _AT_ONCE)))
    found = [_directions(np.stack([_fit_square(raster) for raster in part])) for part in parts]
    return np.concatenate(found) if found else np.zeros((0, FEATURES), np.float32)


def crop_to_ink(raster: Raster, ground: int = _INK) -> Raster:
    """Return the smallest part of a raster that contains all ink, or the whole of a blank raster.

    ground: the maximum value of the background
    """
    rows, columns = np.flatnonzero(raster.max(axis=1) > ground), np.flatnonzero(raster.max(axis=0) > ground)
    return raster[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1] if rows.size else raster


def _discriminants(known: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the mean of the features, and the axes float32[FEATURES, KEPT] of the discriminant analysis.

    A single font gives no information about how fonts differ.
    """
    common = known[:, known.any(axis=2).all(axis=0)]
    means = common.mean(axis=0)
    center = means.mean(axis=0)
    apart = _scatter(means - center)
    rest = (common - means).reshape(-1, FEATURES)
    whitened = np.eye(FEATURES, dtype=np.float32)
    if len(known) > 1 and rest.any():
        values, vectors = np.linalg.eigh(_scatter(rest))
        whitened = np.asarray(vectors / np.sqrt(values + _RIDGE * values.mean()), np.float32)
    _, axes = np.linalg.eigh(whitened.T @ apart @ whitened)
    return np.asarray(center, np.float32), np.asarray(whitened @ axes[:, ::-1][:, :KEPT], np.float32)


def _project(of: NDArray[np.float32], center: NDArray[np.float32], axes: NDArray[np.float32]) -> NDArray[np.float32]:
    vectors = (of - center) @ axes
    vectors[~of.any(axis=1)] = 0
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6), np.float32)


def _scatter(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(rows.T @ rows / max(1, len(rows)), np.float32)


def _fit_square(raster: Raster) -> NDArray[np.float32]:
    square = np.zeros((SIDE, SIDE), np.float32)
    if raster.max() <= _INK:
        return square
    ink = crop_to_ink(raster)
    height, width = ink.shape
    longest = max(height, width)
    to_width = SIDE if width * _MAX_STRETCH > longest else max(3, SIDE * width // longest)
    to_height = SIDE if height * _MAX_STRETCH > longest else max(3, SIDE * height // longest)
    how = Image.Resampling.BOX if height > to_height else Image.Resampling.BICUBIC
    drawn = Image.fromarray(ink).resize((to_width, to_height), how)
    top, left = (SIDE - to_height) // 2, (SIDE - to_width) // 2
    square[top : top + to_height, left : left + to_width] = np.asarray(drawn, np.float32) / 255
    return square


def _directions(squares: NDArray[np.float32]) -> NDArray[np.float32]:
    fields = _fields()
    across, down = _gradients(_smooth(_smooth(squares, 1), 2))
    right, left, low, high = (np.maximum(part, 0) for part in (across, -across, down, -down))
    wide, tall = np.maximum(right, left), np.maximum(low, high)
    diagonal = np.float32(2**0.5)
    planes = (
        *(np.maximum(one - tall, 0) for one in (right, left)),
        *(np.maximum(one - wide, 0) for one in (low, high)),
        *(diagonal * np.minimum(one, other) for one in (right, left) for other in (low, high)),
    )
    summed = np.stack([fields @ plane @ fields.T for plane in planes], axis=1).reshape(len(squares), -1)
    roots = np.sqrt(summed)  # makes the sums more normally distributed (Liu 2004)
    return np.asarray(roots / np.maximum(np.linalg.norm(roots, axis=1, keepdims=True), 1e-6), np.float32)


def _fields() -> NDArray[np.float32]:
    """Return float32[FIELDS, SIDE], the share of each point along a side in each field."""
    width = SIDE / FIELDS
    middles = (np.arange(FIELDS) + 0.5) * width - 0.5
    away = (np.arange(SIDE)[None, :] - middles[:, None]) / (_FIELD_SPREAD * width)
    bells = np.exp(-0.5 * away**2)
    return np.asarray(bells / bells.sum(axis=1, keepdims=True), np.float32)


def _smooth(squares: NDArray[np.float32], axis: int) -> NDArray[np.float32]:
    reach = len(_SMOOTHING) // 2
    wide = np.pad(squares, [(reach, reach) if axis == each else (0, 0) for each in range(3)])
    total = np.zeros_like(squares)
    for step, weight in enumerate(_SMOOTHING):
        shifted = slice(step, step + SIDE)
        total += weight * (wide[:, shifted] if axis == 1 else wide[:, :, shifted])
    return total


def _gradients(squares: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return Sobel's gradients, float32[squares, SIDE, SIDE] each: from left to right, and from top to bottom."""
    wide = np.pad(squares, ((0, 0), (1, 1), (1, 1)))
    columns = wide[:, :, 2:] - wide[:, :, :-2]
    rows = wide[:, 2:] - wide[:, :-2]
    across = columns[:, :-2] + 2 * columns[:, 1:-1] + columns[:, 2:]
    down = rows[:, :, :-2] + 2 * rows[:, :, 1:-1] + rows[:, :, 2:]
    return across, down
