"""Reads images of characters by shape and by OCR, and caches the results by the digest of the image."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.ids import digest
from crawler.obfuscation.font_process import FontProcess
from crawler.obfuscation.fonts import MIN_SIMILARITY
from crawler.obfuscation.glyph_choice import GlyphEvidence, Script, choose
from crawler.obfuscation.glyph_ocr import Recognizer
from crawler.obfuscation.glyph_shapes import Candidate, Raster, crop_to_ink
from crawler.obfuscation.reference_fonts import ReferenceFonts

MAX_HEIGHT_PX = 160
MAX_CHARS = 60  # per image, which displays a line
# The minimum confidence of a line. Correct readings have .9 or more, and an ornament that is read as text .5 or less
# (2026-11).
MIN_OCR_CONFIDENCE = 0.6
MAX_KEPT = 5_000
_INK = 96


@dataclass(frozen=True, slots=True)
class PictureText:
    """The text in an image, and those of its characters that are doubtful."""

    text: str = ""
    doubtful: str = ""


@dataclass(frozen=True, slots=True)
class PicturePart:
    """An image, and its visible part: left, top, width and height in px, or None for the whole image."""

    picture: bytes
    box: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class _PictureLine:
    """The ink of an image, and its characters from left to right; no characters if it is not a line of text."""

    ink: Raster
    cells: Sequence[Raster]


class PictureReader:
    """Reads images of characters."""

    def __init__(self, process: FontProcess, references: ReferenceFonts, recognizer: Recognizer) -> None:
        self._process, self._references, self._recognizer = process, references, recognizer
        self._kept: dict[str, PictureText] = {}  # the most recently used image is last

    @property
    def can_read(self) -> bool:
        return self._references.are_installed or self._recognizer.is_there

    def texts(self, parts: Sequence[PicturePart], script: Script = Script.EITHER) -> list[PictureText]:
        """Read the text of each part of an image, or "" if it displays no characters.

        script: the script of the surrounding text
        """
        keys = [f"{digest(part.picture)}{part.box or ''}{script.name}" for part in parts]
        read = {key: self._kept.pop(key) for key in set(keys) if key in self._kept}
        missing = {key: part for key, part in zip(keys, parts, strict=True) if key not in read}
        read.update(zip(missing, self._read_parts(list(missing.values()), script), strict=True))
        self._kept |= read
        while len(self._kept) > MAX_KEPT:
            del self._kept[next(iter(self._kept))]
        return [read[key] for key in keys]

    def _read_parts(self, parts: Sequence[PicturePart], script: Script) -> list[PictureText]:
        inks = {picture: self._process.ink(picture) for picture in dict.fromkeys(part.picture for part in parts)}
        lines = [_line(inks[part.picture], part.box) for part in parts]
        candidates = iter(self._candidates([cell for line in lines for cell in line.cells]))
        return [self._text(line, [next(candidates) for _ in line.cells], script) for line in lines]

    def _candidates(self, cells: Sequence[Raster]) -> Sequence[Sequence[Candidate]]:
        """Return the candidates for each character.

        All are compared at once: a single one takes 12 ms, and one of 25 takes 1 ms (2026-11).
        """
        index = self._references.index if cells else None
        return [()] * len(cells) if index is None else [index.candidates(row) for row in index.similarities(cells)]

    def _text(self, line: _PictureLine, candidates: Sequence[Sequence[Candidate]], script: Script) -> PictureText:
        seen, confidence = self._recognizer.line(line.ink) if len(line.cells) > 1 else ("", 0.0)
        if confidence >= MIN_OCR_CONFIDENCE and len(seen) != len(line.cells):
            return PictureText(seen)
        chars = [
            self._char(cell, of_cell, script, seen[number : number + 1])
            for number, (cell, of_cell) in enumerate(zip(line.cells, candidates, strict=True))
        ]
        return PictureText("".join(char.text for char in chars), "".join(char.doubtful for char in chars))

    def _char(self, cell: Raster, candidates: Sequence[Candidate], script: Script, seen: str) -> PictureText:
        if not candidates:
            read, confidence = (seen, 1.0) if seen else self._recognizer.one(cell)
            return PictureText(read) if confidence >= MIN_OCR_CONFIDENCE and len(read) == 1 else PictureText()
        if candidates[0].similarity < MIN_SIMILARITY:
            return PictureText()
        choice = choose(candidates, GlyphEvidence(script))
        if not choice.is_sure:
            opinion = (seen, 1.0) if seen else self._recognizer.one(cell)
            choice = choose(candidates, GlyphEvidence(script, seen=opinion))
        return PictureText(choice.char, "" if choice.is_sure else choice.char)


def split_cells(ink: NDArray[np.uint8]) -> list[NDArray[np.uint8]]:
    """Return the characters of an image of one line, from left to right; none if there are more than MAX_CHARS.

    The shape of the image determines the number of characters, because characters are square even if their ink is not
    (一). Cuts are made only near multiples of a square's width, so that the parts of a character (川) are not
    separated.
    """
    count = max(1, round(ink.shape[1] / ink.shape[0]))
    if count > MAX_CHARS:  # a PNG of 4 kB can contain 4,000,000 squares of one px, which take half a minute to cut
        return []
    line = crop_to_ink(ink, _INK)
    if count == 1:
        return [line]
    width = ink.shape[1]
    empty = ink.max(axis=0) <= _INK
    cuts, step = [0], width / count
    for number in range(1, count):
        wanted, reach = number * step, 0.3 * step
        gaps = [at for at in range(int(wanted - reach), int(wanted + reach) + 1) if 0 < at < width and empty[at]]
        cuts.append(min(gaps, key=lambda at: abs(at - wanted)) if gaps else round(wanted))
    cells = (ink[:, start:end] for start, end in pairwise([*cuts, width]))
    return [crop_to_ink(cell, _INK) for cell in cells if cell.size and cell.max() > _INK]


def _part(ink: NDArray[np.uint8], box: tuple[float, float, float, float] | None) -> NDArray[np.uint8]:
    if box is None:
        return ink
    left, top, width, height = (max(0, round(each)) for each in box)
    return ink[top : top + height, left : left + width]


def _line(ink: Raster | None, box: tuple[float, float, float, float] | None) -> _PictureLine:
    shown = _part(ink, box) if ink is not None else np.zeros((0, 0), np.uint8)
    if not shown.size or shown.max() <= _INK:
        return _PictureLine(shown, ())
    tight = crop_to_ink(shown, _INK)
    return _PictureLine(tight, split_cells(shown) if tight.shape[0] <= MAX_HEIGHT_PX else ())
