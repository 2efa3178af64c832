"""Finds the texts that a page sets in its own fonts, and replaces them by the characters displayed."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lxml.html import HtmlElement

from core.obfuscations import Obfuscation
from crawler.characters.repertoire import HAN, PRIVATE_USE
from crawler.css.cascade import Cascade
from crawler.css.sheets import FontFace
from crawler.css.values import families
from crawler.fetching.resources import ResourceKind, Resources, absolute_url
from crawler.obfuscation.fonts import FontReader, ShownChars
from crawler.obfuscation.glyph_choice import mark_doubtful
from crawler.obfuscation.repairs import STYLE, MarkedPage, Repair, Repaired
from crawler.obfuscation.visibility import NEVER_SHOWN

MIN_HAN_IN_FACE = 20  # fewer characters are a heading or a badge; private-use characters always count
_EXAMPLE_CHARS = 30
_DOUBTFUL_SHOWN = 5  # number of doubtful characters in an example, which has 80


@dataclass(frozen=True, slots=True)
class _TextRun:
    """A text in the tree: the text of an element before its first child, or the text after the element."""

    element: HtmlElement
    is_tail: bool

    @property
    def text(self) -> str:
        return (self.element.tail if self.is_tail else self.element.text) or ""

    def put(self, text: str) -> None:
        if self.is_tail:
            self.element.tail = text
        else:
            self.element.text = text


def write_shown(page: MarkedPage, reader: FontReader) -> list[Repaired]:
    """Write the characters that the fonts of a page display into its tree. The tree is changed. Return records."""
    styles = page.styles
    faces = _index_faces(styles.faces)
    if not faces:
        return []
    runs: dict[str, list[_TextRun]] = {}
    for run, family in _runs(page.tree, styles, faces):
        runs.setdefault(family, []).append(run)
    repaired: list[Repaired] = []
    for family, of_family in runs.items():
        chars = Counter("".join(run.text for run in of_family))
        if not _is_worth_reading(chars):
            continue
        face, sheet_base = faces[family]
        font = _fetch_font(face, sheet_base or page.base, page.resources)
        if font is None:
            continue
        shown = reader.read_remapping(font, chars.keys())
        if shown.chars:
            repaired += _write_runs(of_family, shown)
    return repaired


def _index_faces(faces: Sequence[tuple[FontFace, str]]) -> dict[str, tuple[FontFace, str]]:
    """Return the font faces by family. The last of several faces of a family counts, as in a browser."""
    return {face.family: (face, base) for face, base in faces}


def _fetch_font(face: FontFace, base: str, resources: Resources) -> bytes | None:
    for source in face.sources[:2]:
        address = absolute_url(base, source)
        font = resources.get(address, ResourceKind.FONT) if address else None
        if font:
            return font
    return None


def _is_worth_reading(chars: Mapping[str, int]) -> bool:
    han = sum(count for char, count in chars.items() if HAN.fullmatch(char))
    return han >= MIN_HAN_IN_FACE or any(PRIVATE_USE.fullmatch(char) for char in chars)


def _runs(
    tree: HtmlElement, styles: Cascade, faces: Mapping[str, tuple[FontFace, str]]
) -> Iterator[tuple[_TextRun, str]]:
    """Yield every text that is displayed in one of the faces, with its family."""
    pending: list[tuple[HtmlElement, str]] = [(tree, "")]
    while pending:
        element, inherited = pending.pop()
        if not isinstance(element.tag, str) or (element.tag in NEVER_SHOWN and element is not tree):
            continue
        family = _family(element, styles, faces, inherited)
        if family and element.text:
            yield _TextRun(element, is_tail=False), family
        for child in element:
            if family and child.tail:
                yield _TextRun(child, is_tail=True), family
            pending.append((child, family))


def _family(element: HtmlElement, styles: Cascade, faces: Mapping[str, tuple[FontFace, str]], inherited: str) -> str:
    own = styles.properties(element)
    value = own.get("font-family") or element.get("face", "")
    if not value or value.strip().lower() == "inherit":
        return inherited
    named = families(value)
    for name in named:
        # A `font` value has size and style before the first family, separated by spaces.
        found = name if name in faces else next((each for each in faces if name.endswith(f" {each}")), "")
        if found:
            return found
    return ""


def _write_runs(runs: Sequence[_TextRun], shown: ShownChars) -> Iterator[Repaired]:
    table = {ord(char): other for char, other in shown.chars.items()}
    for run in runs:
        before = run.text
        count = sum(1 for char in before if char in shown.chars)
        if count:
            run.put(before.translate(table))
            place = run.element.getparent() if run.is_tail else run.element
            yield Repaired(Obfuscation.FONT, run.element if place is None else place, count, _example(before, shown))


def _example(text: str, shown: ShownChars) -> str:
    piece = " ".join(text.split())[:_EXAMPLE_CHARS]
    written = "".join(shown.chars.get(char, char) for char in piece)
    return f"{mark_doubtful(shown.doubtful[:_DOUBTFUL_SHOWN])}{piece} → {written}"


def _repair(page: MarkedPage) -> Sequence[Repaired]:
    if page.fonts is None:
        return ()
    return write_shown(page, page.fonts)


REPAIR = Repair(in_tree=_repair, needs=frozenset({STYLE}))
