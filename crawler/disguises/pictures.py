"""Pictures in place of characters: what they show is read by shape and by OCR and put into the text.

A picture counts as a character where it stands inside a sentence and is no larger than one; a strip of them, where
style shows a part of it, counts as well. What is read is kept by the digest of the picture.
"""

import re
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from lxml.html import HtmlElement
from numpy.typing import NDArray

from core.ids import digest
from core.pages import Disguise
from crawler.characters.repertoire import HAN, count_han
from crawler.disguises.font_process import FontProcess
from crawler.disguises.fonts import MIN_SIMILARITY
from crawler.disguises.glyph_choice import Evidence, Script, choose, in_doubt, script_of
from crawler.disguises.glyph_ocr import Recognizer
from crawler.disguises.glyph_shapes import Candidate, Raster
from crawler.disguises.reference_fonts import ReferenceFonts
from crawler.disguises.stylesheets import Cascade, Properties, address_in
from crawler.disguises.undone import Undone
from crawler.disguises.visibility import INLINE, length_px
from crawler.fetching.resources import ResourceKind, Resources, absolute

MIN_PICTURES = 2  # in one page's sentences; one alone is an ornament
MIN_HAN_AROUND_DIGITS = 10  # of the block where a picture stands between digits: 1963年11月
MAX_STATED_PX = 120.0  # of a height; 40 px is usual, and screens of high density have three times that
MAX_HEIGHT_PX = 160
MAX_CHARS = 60  # of one picture: a line
MIN_OCR_CONFIDENCE = 0.6  # of a line; right readings have .9 and more, an ornament read as text .5 and less (2026-11)
MAX_KEPT = 5_000
_INK = 96
_BOX_STYLES = ("background", "background-image")


@dataclass(frozen=True, slots=True)
class _Place:
    element: HtmlElement
    address: str
    box: tuple[float, float, float, float] | None = None  # left, top, width, height in px of a strip


@dataclass(frozen=True, slots=True)
class PictureText:
    """What a picture shows, and those of its characters that stay in doubt."""

    text: str = ""
    doubtful: str = ""


@dataclass(frozen=True, slots=True)
class PicturePart:
    """A picture and the part of it that is shown: left, top, width, height in px; None: all of it."""

    picture: bytes
    box: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class _Line:
    """The ink of a picture and its characters from left to right; none where it is no line of text."""

    ink: Raster
    cells: Sequence[Raster]


class PictureReader:
    """Reads pictures of characters. Safe to use from several threads."""

    def __init__(self, process: FontProcess, references: ReferenceFonts, recognizer: Recognizer) -> None:
        self._process, self._references, self._recognizer = process, references, recognizer
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, PictureText] = OrderedDict()

    @property
    def can_read(self) -> bool:
        return self._references.are_there or self._recognizer.is_there

    def texts(self, parts: Sequence[PicturePart], script: Script = Script.EITHER) -> list[PictureText]:
        """What each of `parts` shows; "" where it has no characters. script: that of the text around them."""
        keys = [f"{digest(part.picture)}{part.box or ''}{script.name}" for part in parts]
        with self._lock:
            read = {key: self._kept[key] for key in keys if key in self._kept}
        missing = {key: part for key, part in zip(keys, parts, strict=True) if key not in read}
        read.update(zip(missing, self._read(list(missing.values()), script), strict=True))
        with self._lock:
            for key, text in read.items():
                self._kept[key] = text
                self._kept.move_to_end(key)
            while len(self._kept) > MAX_KEPT:
                self._kept.popitem(last=False)
        return [read[key] for key in keys]

    def _read(self, parts: Sequence[PicturePart], script: Script) -> list[PictureText]:
        inks = {picture: self._process.ink(picture) for picture in dict.fromkeys(part.picture for part in parts)}
        lines = [_line(inks[part.picture], part.box) for part in parts]
        candidates = iter(self._candidates([cell for line in lines for cell in line.cells]))
        return [self._text(line, [next(candidates) for _ in line.cells], script) for line in lines]

    def _candidates(self, cells: Sequence[Raster]) -> Sequence[Sequence[Candidate]]:
        """All at once: to walk through the references for each takes 12 ms of each, for 25 together 1 ms (2026-11)."""
        index = self._references.index if cells else None
        return [()] * len(cells) if index is None else [index.candidates(row) for row in index.similarities(cells)]

    def _text(self, line: _Line, candidates: Sequence[Sequence[Candidate]], script: Script) -> PictureText:
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
        choice = choose(candidates, Evidence(script))
        if not choice.is_sure:
            opinion = (seen, 1.0) if seen else self._recognizer.one(cell)
            choice = choose(candidates, Evidence(script, seen=opinion))
        return PictureText(choice.char, "" if choice.is_sure else choice.char)


def write_pictured(
    tree: HtmlElement, styles: Cascade, base: str, resources: Resources, reader: PictureReader
) -> list[Undone]:
    """Put the characters into `tree` (changed in place) that pictures inside its sentences show."""
    undone = list(_write_drawn_text(tree))
    places = list(_places(tree, styles, base))
    if len(places) < MIN_PICTURES or not reader.can_read:
        return undone
    script = script_of(tree.text_content())
    found = [(place, resources.get(place.address, ResourceKind.PICTURE)) for place in places]
    there = [(place, PicturePart(picture, place.box)) for place, picture in found if picture]
    texts = reader.texts([part for _, part in there], script)
    for (place, _), read in zip(there, texts, strict=True):
        if read.text:
            _replace(place.element, read.text)
            name = place.address if not place.address.startswith("data:") else "data:"
            example = f"{in_doubt(read.doubtful)}{read.text} ← {name[-60:]}"
            undone.append(Undone(Disguise.PICTURE_TEXT, place.element, 1, example))
    return undone


def stands_in_sentence(element: HtmlElement) -> bool:
    """Whether characters of a sentence stand on one side at least, or another such picture does."""
    parent, brother, after = element.getparent(), element.getprevious(), element.getnext()
    if parent is None:
        return False
    before = (brother.tail if brother is not None else parent.text) or ""
    near = before.rstrip()[-1:] + (element.tail or "").lstrip()[:1]
    if count_han(near) or re.search("[，。！？；：、“”「」…]", near):
        return True
    if re.fullmatch(r"\d\d", near) and count_han(parent.text_content() or "") >= MIN_HAN_AROUND_DIGITS:
        return True
    is_between = any(
        other is not None and other.tag == element.tag and not text.strip()
        for other, text in ((brother, before), (after, element.tail or ""))
    )
    return is_between and count_han(parent.text_content() or "") >= MIN_PICTURES


def cells_of(ink: NDArray[np.uint8]) -> list[NDArray[np.uint8]]:
    """The characters of a picture of one line, from left to right.

    How many they are is told by the picture's own shape, since characters are square and ink is not (一); parts of one
    (川) stay together, since cuts are made only near where a whole number of squares ends.
    """
    count = max(1, round(ink.shape[1] / ink.shape[0]))
    line = box_of_ink(ink)
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
    return [box_of_ink(cell) for cell in cells if cell.size and cell.max() > _INK]


def box_of_ink(ink: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The least part of a drawing that holds all its ink."""
    rows, columns = np.flatnonzero(ink.max(axis=1) > _INK), np.flatnonzero(ink.max(axis=0) > _INK)
    if not rows.size:
        return ink
    return ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def _places(tree: HtmlElement, styles: Cascade, base: str) -> Iterator[_Place]:
    for element in tree.iter("img", *INLINE):
        if element.tag == "img":
            source = next(
                (value for name in ("data-src", "data-original", "src") if (value := element.get(name, "").strip())), ""
            )
            address = absolute(base, source)
            if address and _is_small(element, styles.of(element)) and stands_in_sentence(element):
                yield _Place(element, address)
        elif not len(element) and not (element.text or "").strip():
            own = styles.of(element)
            source = next((address_in(own[name]) for name in _BOX_STYLES if "url(" in own.get(name, "")), "")
            if source and stands_in_sentence(element):
                yield _Place(element, absolute(base, source), _box(own))


def _is_small(element: HtmlElement, own: Properties) -> bool:
    stated = own.get("height") or element.get("height") or ""
    if not stated:
        return True
    match = re.fullmatch(r"(\d*\.?\d+)em", stated)
    return (float(match[1]) * 16 if match else length_px(stated, 16.0)) <= MAX_STATED_PX


def _box(own: Properties) -> tuple[float, float, float, float] | None:
    """What part of a strip is shown: it is moved by `background-position` under a window of the element's size."""
    position = own.get("background-position") or own.get("background", "").rpartition(")")[2]
    offsets = [length_px(part) for part in position.split() if re.match(r"-?\d", part)]
    width, height = length_px(own.get("width")), length_px(own.get("height"))
    if not width or not height:
        return None
    left, top = [*offsets, 0.0, 0.0][:2]
    return -left, -top, width, height


def _part(ink: NDArray[np.uint8], box: tuple[float, float, float, float] | None) -> NDArray[np.uint8]:
    if box is None:
        return ink
    left, top, width, height = (max(0, round(each)) for each in box)
    return ink[top : top + height, left : left + width]


def _line(ink: Raster | None, box: tuple[float, float, float, float] | None) -> _Line:
    shown = _part(ink, box) if ink is not None else np.zeros((0, 0), np.uint8)
    if not shown.size or shown.max() <= _INK:
        return _Line(shown, ())
    tight = box_of_ink(shown)
    cells = cells_of(shown) if tight.shape[0] <= MAX_HEIGHT_PX else []
    return _Line(tight, cells if len(cells) <= MAX_CHARS else ())


def _write_drawn_text(tree: HtmlElement) -> Iterator[Undone]:
    """Characters that stand in a drawing (<svg><text>) inside a sentence need no reading."""
    for drawing in list(tree.iter("svg")):
        text = "".join(" ".join(part.itertext()) for part in drawing.iter("text")).strip()
        if HAN.search(text) and len(text) <= MAX_CHARS and stands_in_sentence(drawing):
            _replace(drawing, text)
            yield Undone(Disguise.PICTURE_TEXT, drawing, 1, f"{text} ← <svg>")


def _replace(element: HtmlElement, text: str) -> None:
    element.clear(keep_tail=True)
    element.tag = "span"
    element.text = text
