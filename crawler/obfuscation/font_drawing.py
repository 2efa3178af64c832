"""A font's bytes -> drawings of the characters asked for. Runs in a process of its own: what it reads is hostile.

Only outlines are read, by fontTools, which is memory-safe; no hinting, no system library sees the file.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import numpy as np
from fontTools.pens.basePen import BasePen
from fontTools.ttLib import TTFont
from numpy.typing import NDArray
from PIL import Image, ImageDraw

SIZE_PX = 72  # of a drawing's side: the em square and a margin
MAX_GLYPHS = 4_000  # asked of one font: no page shows more different characters
MAX_POINTS = 4_000  # of one glyph; the richest of Noto Serif (龘) has 420
MAX_PARTS = 64  # of one composite glyph
_FINER = 3  # drawn so much larger, then averaged
_CURVE_STEPS = 6
_MARGIN = 0.15  # of the em, on each side: accents and marks stand out of it


class TooMuch(ValueError):
    """A glyph or font that no honest font has."""


@dataclass(slots=True)
class Drawings:
    """codes: which were drawn; rasters: uint8[codes, SIZE_PX, SIZE_PX], 255 ink."""

    codes: list[int]
    rasters: NDArray[np.uint8]


def draw(font: bytes, codes: Sequence[int]) -> Drawings:
    """Those of `codes` that the font has an outline for. Raises whatever fontTools raises for a broken font."""
    face = TTFont(BytesIO(font), lazy=True, recalcBBoxes=False, recalcTimestamp=False, fontNumber=0)
    names: dict[int, str] = face.getBestCmap() or {}
    glyphs, em = face.getGlyphSet(), float(face["head"].unitsPerEm) or 1000.0
    drawn: list[int] = []
    rasters: list[NDArray[np.uint8]] = []
    for code in codes[:MAX_GLYPHS]:
        outline = _outline(glyphs, names.get(code, ""))
        if outline:
            drawn.append(code)
            rasters.append(_filled(outline, em))
    empty = np.zeros((0, SIZE_PX, SIZE_PX), np.uint8)
    return Drawings(drawn, np.stack(rasters) if rasters else empty)


def _outline(glyphs: Any, name: str) -> list[list[tuple[float, float]]]:
    if not name or name not in glyphs:
        return []
    pen = _PolygonPen(glyphs)
    try:
        glyphs[name].draw(pen)
    except (TooMuch, ArithmeticError, LookupError, ValueError, TypeError, AttributeError, AssertionError):
        return []  # one broken glyph is no reason to leave the others
    return [contour for contour in pen.contours if len(contour) > 2]


@dataclass(slots=True)
class _Count:
    points: int = 0
    parts: int = 0


class _PolygonPen(BasePen):  # type: ignore[misc]
    """Collects contours as polygons."""

    def __init__(self, glyphs: Any) -> None:
        super().__init__(glyphs)
        self.contours: list[list[tuple[float, float]]] = []
        self._count = _Count()

    def _moveTo(self, point: tuple[float, float]) -> None:  # noqa: N802, the interface's name
        self.contours.append([])
        self._add(point)

    def _lineTo(self, point: tuple[float, float]) -> None:  # noqa: N802
        self._add(point)

    def _curveToOne(  # noqa: N802
        self, first: tuple[float, float], second: tuple[float, float], end: tuple[float, float]
    ) -> None:
        start = self._getCurrentPoint()
        for step in range(1, _CURVE_STEPS + 1):
            t = step / _CURVE_STEPS
            a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
            self._add(
                (
                    a * start[0] + b * first[0] + c * second[0] + d * end[0],
                    a * start[1] + b * first[1] + c * second[1] + d * end[1],
                )
            )

    def addComponent(self, name: str, transformation: Any) -> None:  # noqa: N802
        self._count.parts += 1
        if self._count.parts > MAX_PARTS:
            raise TooMuch(name)
        super().addComponent(name, transformation)

    def _add(self, point: tuple[float, float]) -> None:
        self._count.points += 1
        if self._count.points > MAX_POINTS or not self.contours:
            raise TooMuch("points")
        self.contours[-1].append((float(point[0]), float(point[1])))


def _filled(contours: Sequence[Sequence[tuple[float, float]]], em: float) -> NDArray[np.uint8]:
    """uint8[SIZE_PX, SIZE_PX]: filled by the non-zero rule, as all font renderers do."""
    side = SIZE_PX * _FINER
    scale = side / (em * (1 + 2 * _MARGIN))
    winding = np.zeros((side, side), np.int8)
    for contour in contours:
        # The descender of CJK faces is 0.12 of the em (Source Han); with the margin nothing of them is cut.
        points = [((x + _MARGIN * em) * scale, side - (y + (_MARGIN + 0.12) * em) * scale) for x, y in contour]
        plane = Image.new("1", (side, side))
        ImageDraw.Draw(plane).polygon([(_near(x, side), _near(y, side)) for x, y in points], fill=1)
        winding += np.asarray(plane, np.int8) * (1 if _area(points) > 0 else -1)
    ink = Image.fromarray(np.where(winding != 0, 255, 0).astype(np.uint8))
    return np.asarray(ink.resize((SIZE_PX, SIZE_PX), Image.Resampling.BOX), np.uint8)


def _near(value: float, side: int) -> float:
    return min(max(value, -side), 2.0 * side)


def _area(points: Sequence[tuple[float, float]]) -> float:
    following = [*points[1:], points[0]]
    return sum(x * later_y - later_x * y for (x, y), (later_x, later_y) in zip(points, following, strict=True))


__all__ = ["MAX_GLYPHS", "SIZE_PX", "Drawings", "draw"]
