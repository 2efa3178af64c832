"""Inserts text that a style sheet displays before or after elements: words of the copy that the markup lacks."""

from collections.abc import Iterator

from lxml.html import HtmlElement

from core.obfuscations import Obfuscation
from crawler.characters.repertoire import HAN, count_han
from crawler.css.cascade import Cascade, Properties
from crawler.css.values import DESKTOP, parse_value
from crawler.obfuscation.rendering import PageRendering, TextState
from crawler.obfuscation.repairs import STYLE, HanCounts, MarkedPage, Repair, Repaired, enclosing_block
from crawler.obfuscation.visibility import INLINE, shown_text

MAX_CHARS = 5_000  # of one inserted text; a paragraph has a tenth of that
MIN_PIECES = 2  # a single label ("作者：") is design
MIN_HAN_OF_LINE = 8


def insert_generated(styles: Cascade) -> list[Repaired]:
    """Insert the text that sheets display before and after elements inside sentences. The tree is changed.

    Return a record for each inserted text; none if there are fewer than MIN_PIECES.
    """
    pieces = list(_pieces(styles))
    if len(pieces) < MIN_PIECES:
        return []
    for element, place, text in pieces:
        if place == "before":
            element.text = text + (element.text or "")
        else:
            _append(element, text)
    return [Repaired(Obfuscation.GENERATED_TEXT, element, 1, text) for element, _, text in pieces]


def _pieces(styles: Cascade) -> Iterator[tuple[HtmlElement, str, str]]:
    han = _ShownHan()
    for element in styles.with_content():
        for place in ("before", "after"):
            own = styles.pseudo_properties(element, place)
            text, is_of_attribute = _content(element, own)
            if (
                not HAN.search(text)
                or not PageRendering(element, styles, DESKTOP).compute_state(element, own, TextState()).shows_text
            ):
                continue
            if is_of_attribute or _is_in_sentence(element, han):
                yield element, place, text


def _content(element: HtmlElement, own: Properties) -> tuple[str, bool]:
    """Return the generated text of a pseudo-element, and True if it comes from an attribute of the element."""
    parts, is_of_attribute = [], False
    for token in parse_value(own.get("content", "")[: MAX_CHARS * 2]):
        if token.type == "string":
            parts.append(token.value)
        elif token.type == "function" and token.lower_name == "attr":
            name = next((each.lower_value for each in token.arguments if each.type == "ident"), "")
            parts.append(element.get(name) or "")
            is_of_attribute = True
    return "".join(parts)[:MAX_CHARS], is_of_attribute


class _ShownHan(HanCounts):
    def __missing__(self, element: HtmlElement) -> int:
        self[element] = count_han(shown_text(element))
        return self[element]


def _is_in_sentence(element: HtmlElement, han: HanCounts) -> bool:
    """Return True if an element is in a line of running text, unlike a label before a separate line."""
    block = enclosing_block(element)
    return element.tag in INLINE and block is not None and han[block] >= MIN_HAN_OF_LINE


def _append(element: HtmlElement, text: str) -> None:
    if len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text


def _repair(page: MarkedPage) -> list[Repaired]:
    return insert_generated(page.styles)


REPAIR = Repair(in_tree=_repair, needs=frozenset({STYLE}))
