"""Defines the interface of repairs, the page that they change, and the records of what they changed."""

import re
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import import_module

from lxml.html import HtmlElement

from core.marks import SURROUNDING
from core.obfuscations import Obfuscation, ObfuscationFound, merge_findings
from core.wording import Message
from core.zones import SurroundingLine
from crawler.characters.repertoire import count_han
from crawler.css.cascade import Cascade
from crawler.fetching.resources import Resources
from crawler.main_text.zones import zone_around
from crawler.markup import BLOCKS
from crawler.obfuscation.fonts import FontReader
from crawler.obfuscation.hidden_elements import HiddenElementFinder
from crawler.obfuscation.picture_reader import PictureReader
from crawler.obfuscation.text_origins import KindOf
from crawler.obfuscation.text_process import TextProcess
from crawler.opening import SkippedPart

EXAMPLE_CHARS = 80
STYLE = "style"  # stands for the tag <style> and for anything else that styles the page
MIN_PIECES_WITHOUT_HAN = 4


@dataclass(frozen=True, slots=True)
class Repaired:
    """The record of a repaired element.

    place: the element that was changed. count: the number of repaired parts. example: one part before the repair
    """

    kind: Obfuscation
    place: HtmlElement
    count: int
    example: str


@dataclass(frozen=True, slots=True)
class Removed:
    """The record of a removed element or text, with the visible text directly before and after it inside its parent.

    names: its classes and id. folded: the lines of a removed block that a click may display
    """

    kind: Obfuscation
    text: str
    before: str
    after: str
    is_inline: bool
    parent: HtmlElement | None = None
    names: tuple[str, str] = ("", "")
    folded: tuple[str, ...] = ()


def summarize_repaired(repaired: Iterable[Repaired], containers: Set[HtmlElement]) -> tuple[ObfuscationFound, ...]:
    """Return a record for each kind of repair in the main text.

    containers: the block elements that contain its lines.
    """
    inside = (one for one in repaired if _is_inside(one.place, containers))
    return merge_findings(ObfuscationFound(one.kind, one.count, one.example[:EXAMPLE_CHARS]) for one in inside)


def summarize_removed(
    removed: Sequence[Removed], main_text: str, containers: Set[HtmlElement] = frozenset()
) -> tuple[ObfuscationFound, ...]:
    """Return records of removed elements inside the main text. A closed menu elsewhere hides nothing from readers.

    containers: the block elements that contain the main text. An inline element in such a block always counts. Any
    other must have its neighbouring characters in the main text, which may have been obfuscated itself.
    """
    body = "".join(main_text.split())
    result = []
    for kind in (Obfuscation.HIDDEN_TEXT, Obfuscation.DECOYS, Obfuscation.RUBY):
        inside = [
            piece
            for piece in removed
            if piece.kind is kind
            and (_is_in_text(piece, body) or (piece.is_inline and enclosing_block(piece.parent) in containers))
        ]
        # A date for programs (microformats) is hidden for good reason, and contains no Chinese word.
        if (
            len(inside) >= MIN_PIECES_WITHOUT_HAN
            or count_han("".join(piece.text for piece in inside))
            or (inside and kind is Obfuscation.RUBY)
        ):
            result.append(ObfuscationFound(kind, len(inside), inside[0].text[:EXAMPLE_CHARS]))
    return tuple(result)


def folded_lines(removed: Iterable[Removed], main_text: str, after: int) -> list[SurroundingLine]:
    """Return the lines of hidden blocks that a click may display, such as replies, except blocks inside the main text.

    after: the number of main lines before them, as in SurroundingLine
    """
    body = "".join(main_text.split())
    folded = [piece for piece in removed if piece.folded and not _is_in_text(piece, body)]
    return [
        SurroundingLine(zone_around(piece.names, piece.parent), line, after)
        for piece in folded
        for line in piece.folded
    ]


def _is_in_text(piece: Removed, body: str) -> bool:
    if not piece.is_inline and not (piece.before and piece.after):
        return False
    return bool(piece.before or piece.after) and piece.before in body and piece.after in body


class HanCounts(dict[HtmlElement, int]):
    """A cache of the number of Chinese characters in each element. It is valid until an element changes."""

    def __missing__(self, element: HtmlElement) -> int:
        self[element] = count_han(element.text_content() or "")
        return self[element]


def enclosing_block(element: HtmlElement | None) -> HtmlElement | None:
    """Return the element if it is a block element, or else the nearest block element around it, or None."""
    while element is not None and element.tag not in BLOCKS:
        element = element.getparent()
    return element


def _is_inside(place: HtmlElement, containers: Set[HtmlElement]) -> bool:
    if enclosing_block(place) in containers:
        return True
    # A block whose child blocks were changed counts if at least two of its children contain the main text.
    return sum(1 for child in place if child in containers) > 1


# Attributes differences between the source of a page and its main text to obfuscations.

_TAKEN_OUT = (Obfuscation.DECOYS, Obfuscation.HIDDEN_TEXT, Obfuscation.RUBY)


def kind_classifier(removed: Sequence[Removed], found: Sequence[ObfuscationFound]) -> KindOf:
    """Return a function that returns the kind of a difference for a removed text and its replacement.

    removed: the hidden elements. found: the obfuscations in the main text. A removed line that was not hidden belongs
    to another zone.
    """
    of_words = {word: each.kind for each in removed for word in each.text.split()}
    kinds = [one.kind for one in found]
    hidden = [kind for kind in _TAKEN_OUT if kind in kinds]
    changed = [kind for kind in kinds if kind not in hidden]

    def classify(old: str, new: str) -> str:
        if new.strip():
            return _kind_of_replacement(old, new, changed) or SURROUNDING
        words = old.split()
        if words and all(word in of_words for word in words):
            return of_words[words[0]].value
        if Obfuscation.ENCODED_TEXT in changed and old.isascii():
            return Obfuscation.ENCODED_TEXT.value  # lines of a code do not correspond to lines of the text
        if "\n" in old or not (hidden or changed):
            return SURROUNDING
        return (hidden or changed)[0].value

    return classify


def _kind_of_replacement(old: str, new: str, changed: Sequence[Obfuscation]) -> str:
    """Return the most likely kind.

    It is a font if the lengths are equal, because a font replaces each character by one.
    """
    is_drawn = len(old) == len(new)
    likely = sorted(changed, key=lambda kind: (kind is Obfuscation.FONT) != is_drawn)
    return likely[0].value if likely else ""


# The interface of a repair, and its input: the tree of a page with its styles, or the main text.

Styled = tuple[Cascade, HiddenElementFinder | None]
TextRepair = Callable[[str, str], tuple[str, ObfuscationFound | None]]


@dataclass(eq=False)
class MarkedPage:
    """The tree of a page, which repairs change.

    base: the base URL of relative URLs
    removed: the hidden text that was removed
    style: applies the page's sheets; called by the first repair that needs them, after scripts have written to the tree
    notes: what could not be undone on this machine, for the operator
    skipped: the parts that are too large to be read
    """

    tree: HtmlElement
    url: str
    base: str
    resources: Resources
    fonts: FontReader | None
    pictures: PictureReader | None
    texts: TextProcess | None
    style: Callable[[], Styled]
    removed: list[Removed] = field(default_factory=list)
    notes: list[Message] = field(default_factory=list)
    skipped: list[SkippedPart] = field(default_factory=list)

    @cached_property
    def _applied_style(self) -> Styled:
        styles, finder = self.style()
        self.skipped += styles.skipped
        return styles, finder

    @property
    def styles(self) -> Cascade:
        return self._applied_style[0]

    @property
    def hidden_finder(self) -> HiddenElementFinder | None:
        """The finder of hidden elements that has examined the page with these styles, or None."""
        return self._applied_style[1]


@dataclass(frozen=True, slots=True)
class Repair:
    """The detection and removal of one obfuscation. Neither function finds anything on an ordinary page.

    in_tree: changes the tree of a page and returns records of the changes
    needs: tags, or STYLE; a page with none of them is not passed to `in_tree`
    in_text: takes the main text and the host, and returns the repaired text and a record or None
    signs: a text without a match is not passed to `in_text`; None passes every text
    is_repeated: True to run `in_text` again at the end if other repairs changed the text
    """

    in_tree: Callable[[MarkedPage], Iterable[Repaired]] | None = None
    needs: frozenset[str] = frozenset()
    in_text: TextRepair | None = None
    signs: re.Pattern[str] | None = None
    is_repeated: bool = False


@cache
def repairs() -> tuple[Repair, ...]:
    """Return the repairs of all obfuscations, each once, in the order of their application."""
    return tuple(map(_load, dict.fromkeys(kind.repair for kind in Obfuscation if kind.repair)))


def _load(path: str) -> Repair:
    module, _, name = path.rpartition(".")
    repair = getattr(import_module(module), name)
    assert isinstance(repair, Repair)
    return repair
