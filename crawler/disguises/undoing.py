"""A page's tree with every disguise of its markup undone, and the record of what they were.

The order matters: scripts write first, since style hides what they wrote; what is hidden goes before order and shapes
are looked at; the order comes last, since it moves whatever is shown.
"""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from typing import Protocol

from lxml.html import HtmlElement

from core.pages import DisguiseFound
from crawler.characters.repertoire import count_han
from crawler.disguises.fonts import FontReader
from crawler.disguises.generated_text import insert_generated
from crawler.disguises.pictures import PictureReader, write_pictured
from crawler.disguises.reordered import is_chopped, restore_order
from crawler.disguises.scripted import write_scripted
from crawler.disguises.shown_fonts import write_shown
from crawler.disguises.stylesheets import (
    CONTENT_PROPERTIES,
    FACE_PROPERTIES,
    LAYOUT_PROPERTIES,
    PICTURE_PROPERTIES,
    Sheet,
    cascade,
)
from crawler.disguises.suspicion import needs_sheets
from crawler.disguises.undone import Undone, inside
from crawler.disguises.visibility import Removed, found, remove_hidden
from crawler.fetching.resources import NO_RESOURCES, ResourceKind, Resources, absolute
from crawler.markup import lines, parse

_IMPORT = re.compile(r"""@import\s+(?:url\(\s*)?["']?([^"')\s;]+)""", re.IGNORECASE)
_CONTENT = re.compile(r"content\s*:\s*(?:[^;}]*attr\(|[^;}]*[\u3400-\u9fff]|[^;}]*\\[3-9][0-9a-f]{3})", re.IGNORECASE)
_DIRECTION = re.compile(
    r"bidi-override|isolate-override|-reverse|(?<![-\w])order\s*:|direction\s*:\s*rtl", re.IGNORECASE
)
MIN_HAN_FOR_FACES = 100
_CHARSET = re.compile(rb"""^@charset\s+["']([\w-]{1,20})["']""")


class Sight(Protocol):
    """What a reader of pages has beside their bytes: what they refer to, and eyes for fonts and pictures."""

    def resources(self, url: str) -> Resources: ...

    @property
    def fonts(self) -> FontReader | None: ...

    @property
    def pictures(self) -> PictureReader | None: ...


@dataclass(frozen=True, slots=True)
class NoSight:
    """Markup alone: neither requests nor drawings."""

    fonts: None = None
    pictures: None = None

    def resources(self, url: str) -> Resources:
        return NO_RESOURCES


NO_SIGHT = NoSight()


@dataclass(slots=True)
class Undoing:
    """What was undone in a tree; `elements` are its elements as they stood before, in document order."""

    elements: Sequence[HtmlElement]
    removed: list[Removed] = field(default_factory=list)
    undone: list[Undone] = field(default_factory=list)

    def found(self, tree: HtmlElement, main_text: str) -> tuple[DisguiseFound, ...]:
        """What of it stood inside the main text."""
        if not self.removed and not self.undone:
            return ()
        containers = containers_of(tree, main_text)
        return (*found(self.removed, main_text, containers), *inside(self.undone, containers))

    def raw_text(self, tree: HtmlElement, main_text: str, markup: str) -> str:
        """The main text as it stands in the page's source: from the first of its lines to the last."""
        raw = parse(markup)
        containers = containers_of(tree, main_text)
        if raw is None or not containers:
            return ""
        numbers = {element: number for number, element in enumerate(self.elements)}
        wanted = [numbers[place] for each in containers if (place := _known(each, numbers)) is not None]
        if not wanted:
            return ""
        raw_elements = list(raw.iter())
        if len(raw_elements) != len(self.elements):
            return ""
        first, last = raw_elements[min(wanted)], raw_elements[max(wanted)]
        return _between(raw, first, last)


def undo(tree: HtmlElement, url: str, sight: Sight = NO_SIGHT) -> Undoing:
    """Undo the disguises of a page's tree, in place."""
    result = Undoing(list(tree.iter()))
    result.undone += write_scripted(tree)
    base, resources = _base(tree, url), sight.resources(url)
    sheets = _sheets_to_apply(tree, base, resources, sight)
    styles = cascade(tree, sheets, _watched(tree, sheets))
    result.removed = remove_hidden(tree, styles)
    result.undone += insert_generated(tree, styles)
    if sight.fonts is not None:
        result.undone += write_shown(tree, styles, base, resources, sight.fonts)
    if sight.pictures is not None:
        result.undone += write_pictured(tree, styles, base, resources, sight.pictures)
    result.undone += restore_order(tree, styles)
    return result


def containers_of(tree: HtmlElement, main_text: str) -> Set[HtmlElement]:
    """The blocks that the lines of a main text stand in."""
    wanted = set(main_text.split("\n"))
    return frozenset(line.container for line in lines(tree) if line.text in wanted)


def _known(element: HtmlElement | None, numbers: dict[HtmlElement, int]) -> HtmlElement | None:
    """The nearest element above that stood in the page's source: a script may have written the one asked for."""
    while element is not None and element not in numbers:
        element = element.getparent()
    return element


def _between(raw: HtmlElement, first: HtmlElement, last: HtmlElement) -> str:
    wanted: list[str] = []
    is_inside = False
    ends = set(last.iter())
    starts = set(first.iter())
    shown = lines(raw)
    final = max((number for number, line in enumerate(shown) if line.container in ends), default=-1)
    for number, line in enumerate(shown):
        is_inside = is_inside or line.container in starts
        if is_inside and number <= final:
            wanted.append(line.text)
    return "\n".join(wanted)


def _base(tree: HtmlElement, url: str) -> str:
    declared = next((element.get("href") or "" for element in tree.iter("base")), "")
    return absolute(url, declared) if declared else url


def _watched(tree: HtmlElement, sheets: Sequence[Sheet]) -> frozenset[str]:
    """What beside hiding is worth applying: only what some sheet or attribute of the page speaks of."""
    text = "\n".join([*(sheet.text for sheet in sheets), *(element.text or "" for element in tree.iter("style"))])
    more: frozenset[str] = frozenset()
    if "@font-face" in text.lower():
        more |= FACE_PROPERTIES
    if _CONTENT.search(text):
        more |= CONTENT_PROPERTIES
    is_styled = tree.xpath(
        "boolean(//*[contains(@style,'order') or contains(@style,'reverse') or contains(@style,'bidi') "
        "or contains(@style,'rtl') or contains(@style,'float')])"
    )
    if _DIRECTION.search(text) or is_styled or is_chopped(tree):
        more |= LAYOUT_PROPERTIES
    if "background" in text or tree.xpath("boolean(//*[contains(@style,'background')])"):
        more |= PICTURE_PROPERTIES
    return more


def _sheets_to_apply(tree: HtmlElement, base: str, resources: Resources, sight: Sight) -> Sequence[Sheet]:
    """All linked sheets where the text gives reason, else those that bring a face.

    Characters that stand for one another look like any text. Sheets are fetched once for a site.
    """
    if needs_sheets(tree):
        return _linked_sheets(tree, base, resources)
    if sight.fonts is None or count_han(tree.text_content()) < MIN_HAN_FOR_FACES:
        return []
    return [sheet for sheet in _linked_sheets(tree, base, resources) if "@font-face" in sheet.text]


def _linked_sheets(tree: HtmlElement, base: str, resources: Resources) -> Sequence[Sheet]:
    found: list[Sheet] = []
    for link in tree.iter("link"):
        is_sheet = "stylesheet" in (link.get("rel") or "").lower().split() and "alternate" not in (
            link.get("rel") or ""
        )
        if is_sheet and "print" not in (link.get("media") or "") and link.get("href"):
            found += _sheets(absolute(base, link.get("href")), resources)
    for style in tree.iter("style"):
        for reference in _IMPORT.findall((style.text or "")[:20_000]):
            found += _sheets(absolute(base, reference), resources)
    return found


def _sheets(address: str, resources: Resources) -> list[Sheet]:
    """A sheet with those that it imports before it; imports of imports are left alone."""
    data = resources.get(address, ResourceKind.STYLE) if address else None
    if not data:
        return []
    text = _text(data)
    imported = []
    for reference in _IMPORT.findall(text[:20_000]):
        more = resources.get(absolute(address, reference), ResourceKind.STYLE)
        if more:
            imported.append(Sheet(_text(more), absolute(address, reference)))
    return [*imported, Sheet(text, address)]


def _text(data: bytes) -> str:
    named = _CHARSET.match(data)
    try:
        return data.decode(named[1].decode("ascii") if named else "utf-8", "replace")
    except LookupError:
        return data.decode("utf-8", "replace")
