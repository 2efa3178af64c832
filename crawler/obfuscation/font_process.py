"""Renders glyphs of untrusted fonts, and opens images of characters, in a separate process."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import numpy as np
from fontTools.pens.basePen import BasePen
from fontTools.ttLib import TTFont
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from crawler.obfuscation.page_picture import read_ink
from crawler.obfuscation.worker_process import WorkerProcess

# Renders the requested characters of a font. This runs in a separate process, because fonts may be hostile.
#
# Only outlines are read, by fontTools, which is memory-safe. Neither hinting nor a system library processes the file.

SIZE_PX = 72  # side of a rendering: the em square and a margin
MAX_GLYPHS = 4_000  # per font; no page shows more different characters
MAX_POINTS = 4_000  # per glyph; the most complex one of Noto Serif (龘) has 420
MAX_PARTS = 64  # per composite glyph
_FINER = 3  # glyphs are rendered this many times larger, then averaged
_CURVE_STEPS = 6
_MARGIN = 0.15  # of the em, on each side, for accents and marks outside the em square


class TooMuch(ValueError):
    """Raised if a glyph exceeds a limit that no honest font reaches."""


@dataclass(slots=True)
class GlyphRasters:
    """The rasters of a font's glyphs.

    codes: the code points that have a glyph. rasters: uint8[codes, SIZE_PX, SIZE_PX]; 255 is ink
    """

    codes: list[int]
    rasters: NDArray[np.uint8]


def draw(font: bytes, codes: Sequence[int]) -> GlyphRasters:
    """Render each code point for which the font has an outline. Raises fontTools' exceptions for a broken font."""
    face = TTFont(BytesIO(font), lazy=True, recalcBBoxes=False, recalcTimestamp=False, fontNumber=0)
    names: dict[int, str] = face.getBestCmap() or {}
    glyphs, em = face.getGlyphSet(), float(face["head"].unitsPerEm) or 1000.0
    drawn: list[int] = []
    rasters: list[NDArray[np.uint8]] = []
    for code in codes[:MAX_GLYPHS]:
        outline = _outline(glyphs, names.get(code, ""))
        if outline:
            drawn.append(code)
            rasters.append(_fill(outline, em))
    empty = np.zeros((0, SIZE_PX, SIZE_PX), np.uint8)
    return GlyphRasters(drawn, np.stack(rasters) if rasters else empty)


def _outline(glyphs: Any, name: str) -> list[list[tuple[float, float]]]:
    if not name or name not in glyphs:
        return []
    pen = _PolygonPen(glyphs)
    try:
        glyphs[name].draw(pen)
    except (TooMuch, ArithmeticError, LookupError, ValueError, TypeError, AttributeError, AssertionError):
        return []  # a broken glyph is no reason to skip the others
    return [contour for contour in pen.contours if len(contour) > 2]


@dataclass(slots=True)
class _Count:
    points: int = 0
    parts: int = 0


class _PolygonPen(BasePen):  # type: ignore[misc]
    """Collects the contours of a glyph as polygons. Raises TooMuch if it has too many points or parts."""

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


def _fill(contours: Sequence[Sequence[tuple[float, float]]], em: float) -> NDArray[np.uint8]:
    """Return uint8[SIZE_PX, SIZE_PX], filled by the non-zero rule, as all font renderers do. em: units per em."""
    side = SIZE_PX * _FINER
    scale = side / (em * (1 + 2 * _MARGIN))
    winding = np.zeros((side, side), np.int8)
    for contour in contours:
        # The descender of CJK fonts is 0.12 of the em (Source Han). The margin makes room for it.
        points = [((x + _MARGIN * em) * scale, side - (y + (_MARGIN + 0.12) * em) * scale) for x, y in contour]
        plane = Image.new("1", (side, side))
        ImageDraw.Draw(plane).polygon([(_clamp(x, side), _clamp(y, side)) for x, y in points], fill=1)
        winding += np.asarray(plane, np.int8) * (1 if _area(points) > 0 else -1)
    ink = Image.fromarray(np.where(winding != 0, 255, 0).astype(np.uint8))
    return np.asarray(ink.resize((SIZE_PX, SIZE_PX), Image.Resampling.BOX), np.uint8)


def _clamp(value: float, side: int) -> float:
    return min(max(value, -side), 2.0 * side)


def _area(points: Sequence[tuple[float, float]]) -> float:
    following = [*points[1:], points[0]]
    return sum(x * later_y - later_x * y for (x, y), (later_x, later_y) in zip(points, following, strict=True))


MAX_SECONDS = 20.0  # for one font; 4,000 glyphs of Noto Serif take 6 s (2026-11)
MAX_SECONDS_OF_PICTURE = 5.0  # for an image of a character or a line; one takes 2 ms
MAX_FONT_BYTES = 12_000_000  # a whole CJK font as WOFF2; sites do not send larger ones to readers


class FontProcess:
    """Renders glyphs of untrusted fonts in a process of its own. Call `close` when done."""

    def __init__(self) -> None:
        self._worker = WorkerProcess(answer)

    def draw(self, font: bytes, codes: Sequence[int]) -> GlyphRasters | None:
        """Render glyphs in the process, as the function `draw` does.

        Return None if `codes` is empty, or the font is broken, too large or too slow.
        """
        if len(font) > MAX_FONT_BYTES or not codes:
            return None
        given = self._worker.ask(list(codes), font, MAX_SECONDS)
        if given is None:
            return None
        numbers, pixels = given
        return GlyphRasters(numbers, np.frombuffer(pixels, np.uint8).reshape(len(numbers), SIZE_PX, SIZE_PX))

    def ink(self, picture: bytes) -> NDArray[np.uint8] | None:
        """Return the ink of an image as `read_ink` does; None if the image is broken, too large or too slow."""
        given = self._worker.ask(None, picture, MAX_SECONDS_OF_PICTURE)
        if given is None or len(given[0]) != 2:
            return None
        return np.frombuffer(given[1], np.uint8).reshape(given[0])

    def close(self) -> None:
        """End the process. Nothing can be rendered afterwards."""
        self._worker.close()


def answer(codes: list[int] | None, data: bytes) -> tuple[list[int], bytes]:
    """Return a font's code points and the rasters of their glyphs or, without `codes`, an image's size and ink."""
    if codes is None:
        ink = read_ink(data)
        return (list(ink.shape), ink.tobytes()) if ink is not None else ([], b"")
    try:
        glyphs = draw(data, codes)
    except MemoryError:
        raise
    except Exception:  # a hostile font may cause any error in fontTools; then it has no glyphs
        return [], b""
    return glyphs.codes, glyphs.rasters.tobytes()
