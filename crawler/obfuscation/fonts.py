"""Detects obfuscated fonts, which display other characters than the page's source contains.

Each glyph is rendered, and its shape is compared with free fonts. If the result is uncertain, character recognition
gives a second opinion. A font that displays every character as itself changes nothing.
"""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from math import log

import numpy as np

from core.ids import digest
from crawler.characters.repertoire import HAN, PRIVATE_USE
from crawler.obfuscation.font_process import FontProcess
from crawler.obfuscation.glyph_choice import GlyphChoice, GlyphEvidence, Script, choose, detect_script
from crawler.obfuscation.glyph_ocr import Recognizer
from crawler.obfuscation.glyph_shapes import Candidate, GlyphIndex, Raster
from crawler.obfuscation.reference_fonts import ReferenceFonts

# Measured on the 4,600 characters of texts in SimHei, Noto Serif and Noto Sans, each excluded from the references in
# turn (2026-11). The right character scores at least .76 in SimHei, and at least .64 for 99.9 % in the others; 99.9 %
# of random pairs of characters score below .60.
MIN_SIMILARITY = 0.62  # below it, a rendering shows none of the known characters
# A glyph counts as another character only if that character is much more similar than the glyph's own, which is at most
# .08 less similar than the best in any font, for all but one in 5,000.
MAX_OWN_SIMILARITY, MIN_LEAD = 0.75, 0.12
MIN_REMAPPED = 3  # of a font's characters; two may be unusual glyphs in an honest font
MAX_FONTS_KEPT = 64
_MAX_ASKED_OF_OCR = 300  # glyphs of one font; each takes 16 ms
# A glyph is doubtful if it is this many times further below the font's median than the 5th percentile is. This is true
# for 8 of 8 characters that are in no list (樫, 覇) in Noto Sans and in Noto Serif and for 6 in SimHei; of 3,424 known
# ones, it is true for none, none and 1 (2026-11).
_SPREADS, _MIN_GLYPHS_TO_JUDGE = 3.0, 40
# Judged separately: digits have fewer strokes to compare, and most fonts that garble Chinese leave digits unchanged.
_KINDS = (PRIVATE_USE, HAN, re.compile(f"(?!{PRIVATE_USE.pattern}|{HAN.pattern})."))


@dataclass(slots=True)
class _Glyph:
    """The rendering of a character in a font.

    own: its similarity to that character. seen: the result of the recogniser, or None if it was not used
    """

    own: float | None
    candidates: Sequence[Candidate]
    raster: Raster
    seen: tuple[str, float] | None = None


@dataclass(frozen=True, slots=True)
class _SourceChar:
    """A character in the source, and its glyph.

    odds: the odds that the glyph shows the character itself, in nats
    """

    char: str
    glyph: _Glyph
    odds: float

    def choice(self, script: Script) -> GlyphChoice:
        return choose(
            self.glyph.candidates, GlyphEvidence(script, (self.char, self.odds), self.glyph.seen or ("", 0.0))
        )


@dataclass(frozen=True, slots=True)
class ShownChars:
    """The characters that a font displays in place of those in a page's source.

    chars: maps each replaced character to the displayed one. doubtful: the displayed characters that are uncertain
    """

    chars: Mapping[str, str]
    doubtful: str = ""


class FontReader:
    """Reads the fonts of pages, and caches their glyphs by the digest of the font."""

    def __init__(self, process: FontProcess, references: ReferenceFonts, recognizer: Recognizer) -> None:
        self._process, self._references, self._recognizer = process, references, recognizer
        self._kept: dict[str, dict[str, _Glyph | None]] = {}  # the most recently used font is last

    def read_remapping(self, font: bytes, chars: Set[str]) -> ShownChars:
        """Map those of `chars` that a font displays as other characters to these.

        An honest font yields an empty mapping.
        """
        index = self._references.index
        wanted = {char for char in chars if PRIVATE_USE.fullmatch(char) or HAN.fullmatch(char) or char.isalnum()}
        if index is None or not wanted:
            return ShownChars({})
        known = self._glyphs(font, wanted, index)
        glyphs = {char: glyph for char in sorted(wanted) if (glyph := known.get(char)) is not None}
        private, han, rest = (_select_kind(glyphs, kind) for kind in _KINDS)
        return self._choose_chars([*_weigh_chars(private, 0), *_weigh_chars(han), *_weigh_chars(rest)])

    def close(self) -> None:
        self._process.close()

    def _choose_chars(self, stated: Sequence[_SourceChar]) -> ShownChars:
        script = detect_script(one.glyph.candidates[0].char for one in stated)
        choices = [one.choice(script) for one in stated]
        doubtful = [number for number, choice in enumerate(choices) if not choice.is_sure]
        for number in sorted(doubtful, key=lambda each: choices[each].probability)[:_MAX_ASKED_OF_OCR]:
            glyph = stated[number].glyph
            glyph.seen = glyph.seen or self._recognizer.one(glyph.raster)
            choices[number] = stated[number].choice(script)
        least = _least_of_known([one.glyph.candidates[0].similarity for one in stated])
        changed = [(one, choice) for one, choice in zip(stated, choices, strict=True) if choice.char != one.char]
        doubtful_chars = [
            choice.char for one, choice in changed if not choice.is_sure or one.glyph.candidates[0].similarity < least
        ]
        return ShownChars({one.char: choice.char for one, choice in changed}, "".join(doubtful_chars))

    def _glyphs(self, font: bytes, wanted: Set[str], index: GlyphIndex) -> Mapping[str, _Glyph | None]:
        key = digest(font)
        known = self._kept.pop(key, {})
        self._kept[key] = known  # the last used font is the last one to be dropped
        missing = wanted - known.keys()
        if missing:
            known.update(self._read(font, sorted(missing), index))
            if len(self._kept) > MAX_FONTS_KEPT:
                del self._kept[next(iter(self._kept))]
        return known

    def _read(self, font: bytes, chars: Sequence[str], index: GlyphIndex) -> dict[str, _Glyph | None]:
        """Render and compare characters. A value is None if the font lacks the character or shows no known one."""
        read: dict[str, _Glyph | None] = dict.fromkeys(chars)
        glyphs = self._process.draw(font, [ord(char) for char in chars])
        if glyphs is None:
            return read
        rows = index.similarities(list(glyphs.rasters))
        for code, row, raster in zip(glyphs.codes, rows, glyphs.rasters, strict=True):
            candidates = index.candidates(row)
            if candidates[0].similarity >= MIN_SIMILARITY:
                read[chr(code)] = _Glyph(index.own(row, chr(code)), candidates, raster)
        return read


def is_another(char: str, own: float | None, candidates: Sequence[Candidate]) -> bool:
    """Return True if the rendering of `char` certainly shows one of `candidates` instead.

    own: its similarity to `char`.
    """
    top = candidates[0]
    if top.similarity < MIN_SIMILARITY:
        return False
    if PRIVATE_USE.fullmatch(char):
        return True
    return own is not None and own < MAX_OWN_SIMILARITY and top.similarity - own >= MIN_LEAD


def _select_kind(glyphs: Mapping[str, _Glyph], kind: re.Pattern[str]) -> dict[str, _Glyph]:
    return {char: glyph for char, glyph in glyphs.items() if kind.fullmatch(char)}


def _weigh_chars(glyphs: Mapping[str, _Glyph], at_least: int = MIN_REMAPPED) -> list[_SourceChar]:
    """Return the characters of one kind with their odds; none if fewer than `at_least` are displayed as others."""
    others = sum(1 for char, glyph in glyphs.items() if is_another(char, glyph.own, glyph.candidates))
    if others < at_least:
        return []
    odds = log((len(glyphs) - others + 1) / (others + 1))
    return [_SourceChar(char, glyph, odds) for char, glyph in glyphs.items()]


def _least_of_known(similarities: Sequence[float]) -> float:
    """Return the minimum similarity of known characters in this font. A glyph with less is probably unknown."""
    if len(similarities) < _MIN_GLYPHS_TO_JUDGE:
        return 0.0
    low, middle = np.percentile(similarities, [5, 50])
    return float(middle - _SPREADS * (middle - low))
