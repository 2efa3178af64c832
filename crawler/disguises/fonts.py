"""Obfuscated fonts: which characters a page's font shows in place of those that stand in its source.

Each glyph is drawn and compared with free faces by shape; where that leaves doubt, a recogniser of characters is asked
as well. A font that draws its characters as what they are changes nothing.
"""

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence, Set

from core.ids import digest
from crawler.characters.repertoire import COMMON_HAN, FREQUENT_HAN, HAN, PRIVATE_USE
from crawler.disguises.font_process import FontProcess
from crawler.disguises.glyph_ocr import Recognizer
from crawler.disguises.glyph_shapes import Candidate, GlyphIndex, Raster
from crawler.disguises.reference_fonts import ReferenceFonts

# All from 567 to 645 characters of faces that are in the references and of one that is not (SimHei), 2026-11.
MIN_SIMILARITY = 0.62  # below it a drawing is none of the known characters; the worst right one of SimHei has .65
MIN_TO_BE_SURE = 0.93  # without a second opinion; a face among the references has .88 to 1
MIN_MARGIN_TO_BE_SURE = 0.02  # to the next candidate
# A character that is drawn as another: that must be much more alike than its own. Its own is at .97 to 1 in the same
# face, at .65 or more in any face seen, and two characters taken at random are at .3 in the mean.
MAX_OWN_SIMILARITY, MIN_LEAD = 0.75, 0.12
MIN_REMAPPED = 3  # of a font's characters; two may be an odd drawing in an honest one
# Of two that look the same, the character that texts have: differences between faces are of this size.
_FREQUENT_BONUS, _COMMON_BONUS = 0.03, 0.015
_SEEN_BY_OCR_BONUS = 0.06  # times its confidence
_LEAST_DOUBT = 0.3  # 口 and 囗 are one shape but for their size, and only one of them is a word
_DOUBT_AT = 0.15  # this far from the same shape a face is none of the references
MAX_FONTS_KEPT = 64
_MAX_ASKED_OF_OCR = 300  # glyphs of one font: 16 ms each


class FontReader:
    """Reads the fonts of pages; what a font shows is kept by the digest of its bytes."""

    def __init__(self, process: FontProcess, references: ReferenceFonts, recognizer: Recognizer) -> None:
        self._process, self._references, self._recognizer = process, references, recognizer
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, dict[str, str]] = OrderedDict()

    @property
    def can_read(self) -> bool:
        """Whether there is anything to compare with."""
        return self._references.index is not None

    def remapped(self, font: bytes, chars: Set[str]) -> Mapping[str, str]:
        """What the font shows for those of `chars` that it does not draw as what they are; {} for an honest font."""
        index = self._references.index
        wanted = {char for char in chars if PRIVATE_USE.fullmatch(char) or HAN.fullmatch(char) or char.isalnum()}
        if index is None or not wanted:
            return {}
        key = digest(font)
        with self._lock:
            known = dict(self._kept.get(key, {}))
        missing = wanted - known.keys()
        if missing:
            known.update(self._read(font, sorted(missing), index))
            self._keep(key, known)
        changed = {char: known[char] for char in wanted if known.get(char, "") not in ("", char)}
        is_private = any(PRIVATE_USE.fullmatch(char) for char in changed)
        return changed if is_private or len(changed) >= MIN_REMAPPED else {}

    def close(self) -> None:
        self._process.close()

    def _keep(self, key: str, known: dict[str, str]) -> None:
        with self._lock:
            self._kept[key] = known
            self._kept.move_to_end(key)
            while len(self._kept) > MAX_FONTS_KEPT:
                self._kept.popitem(last=False)

    def _read(self, font: bytes, chars: Sequence[str], index: GlyphIndex) -> dict[str, str]:
        drawings = self._process.draw(font, [ord(char) for char in chars])
        shown = dict.fromkeys(chars, "")
        if drawings is None:
            return shown
        similarities = index.similarities(list(drawings.rasters))
        doubtful: list[tuple[float, str, list[Candidate], Raster]] = []
        for code, row, raster in zip(drawings.codes, similarities, drawings.rasters, strict=True):
            char, candidates = chr(code), index.candidates(row)
            if is_another(char, index.own(row, char), candidates):
                shown[char] = best(candidates)
                if not _is_sure(candidates):
                    doubtful.append((candidates[0].similarity, char, candidates, raster))
            else:
                shown[char] = "" if PRIVATE_USE.fullmatch(char) else char
        for _, char, candidates, raster in sorted(doubtful, key=lambda one: one[0])[:_MAX_ASKED_OF_OCR]:
            shown[char] = best(candidates, *self._recognizer.line(raster))
        return shown


def is_another(char: str, own: float | None, candidates: Sequence[Candidate]) -> bool:
    """Whether a drawing that stands for `char` shows one of `candidates` instead."""
    top = candidates[0]
    if top.similarity < MIN_SIMILARITY:
        return False
    if PRIVATE_USE.fullmatch(char):
        return True
    return own is not None and own < MAX_OWN_SIMILARITY and top.similarity - own >= MIN_LEAD


def best(candidates: Sequence[Candidate], seen: str = "", confidence: float = 0.0) -> str:
    """The likeliest of the candidates, best first, with what a recogniser saw as a second opinion.

    The closer the shapes, the less else counts: a face that is among the references shows 晌 at .97 and 响 at .93.
    """
    doubt = min(1.0, (1.0 - candidates[0].similarity) / _DOUBT_AT)

    def likelihood(candidate: Candidate) -> float:
        frequent = _FREQUENT_BONUS if candidate.char in FREQUENT_HAN else _COMMON_BONUS * (candidate.char in COMMON_HAN)
        seconded = _SEEN_BY_OCR_BONUS * confidence if candidate.char == seen else 0.0
        return candidate.similarity + max(doubt, _LEAST_DOUBT) * frequent + doubt * seconded

    return max(candidates, key=likelihood).char


def _is_sure(candidates: Sequence[Candidate]) -> bool:
    margin = candidates[0].similarity - candidates[1].similarity if len(candidates) > 1 else 1.0
    return candidates[0].similarity >= MIN_TO_BE_SURE and margin >= MIN_MARGIN_TO_BE_SURE
