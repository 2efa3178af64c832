"""Text that a style sheet puts before or after elements: words of the copy that no program finds in the markup."""

import re
from collections.abc import Iterator

from lxml.html import HtmlElement

from core.pages import Disguise
from crawler.characters.repertoire import HAN, count_han
from crawler.disguises.stylesheets import CONTENT_PROPERTIES, Cascade, Properties, unescaped
from crawler.disguises.undone import Undone, block_of
from crawler.disguises.visibility import INLINE, is_not_drawn, shown_text

__all__ = ["CONTENT_PROPERTIES", "insert_generated"]

MAX_CHARS = 5_000  # of one text; a paragraph has a tenth of it
MIN_PIECES = 2  # a single label ("作者：") is design
MIN_HAN_OF_LINE = 8
_PARTS = re.compile(r""""((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|attr\(\s*([\w-]+)[^)]*\)""", re.DOTALL)


def insert_generated(tree: HtmlElement, styles: Cascade) -> list[Undone]:
    """Write into `tree` (changed in place) what its sheets show before and after its elements inside sentences."""
    pieces = list(_pieces(styles))
    if len(pieces) < MIN_PIECES:
        return []
    for element, place, text in pieces:
        if place == "before":
            element.text = text + (element.text or "")
        else:
            _append(element, text)
    return [Undone(Disguise.GENERATED_TEXT, element, 1, text) for element, _, text in pieces]


def _pieces(styles: Cascade) -> Iterator[tuple[HtmlElement, str, str]]:
    for element in styles.with_content():
        for place in ("before", "after"):
            own = styles.beside(element, place)
            text, is_of_attribute = _content(element, own)
            if not HAN.search(text) or is_not_drawn(own):
                continue
            if is_of_attribute or _is_in_sentence(element):
                yield element, place, text


def _content(element: HtmlElement, own: Properties) -> tuple[str, bool]:
    """The text, and whether it stands in an attribute of the element."""
    value = own.get("content", "")[: MAX_CHARS * 2]
    parts, is_of_attribute = [], False
    for match in _PARTS.finditer(value):
        if match[3]:
            parts.append(element.get(match[3].lower()) or "")
            is_of_attribute = True
        else:
            parts.append(unescaped(match[1] or match[2] or ""))
    return "".join(parts)[:MAX_CHARS], is_of_attribute


def _is_in_sentence(element: HtmlElement) -> bool:
    """Whether an element stands in a line of running text: a label before a line of its own does not."""
    block = block_of(element)
    return element.tag in INLINE and block is not None and count_han(shown_text(block)) >= MIN_HAN_OF_LINE


def _append(element: HtmlElement, text: str) -> None:
    if len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text
