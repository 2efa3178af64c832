"""The first and last words of an article, which stand beside the box that holds most of it."""

import re
from collections.abc import Sequence
from itertools import islice

from lxml.html import HtmlElement

from crawler.characters.repertoire import count_han
from crawler.main_text.ancestry import is_inside
from crawler.main_text.density import MAX_LINK_SHARE, is_small_print
from crawler.main_text.metadata import is_byline
from crawler.main_text.post_marks import is_elsewhere
from crawler.markup import BLOCKS, Line

# What a box around a nameless main one may add: at .25 a message's first six lines are lost, .6 and 1 read all open
# pages and the 58 alike (2026-11).
MAX_SHARE_OF_EDGES = 0.6
MAX_LEVELS, MAX_LINES_OF_LEAD, MIN_HAN_OF_LEAD = 6, 12, 16
_NO_EDGES = frozenset({"html", "body", "table", "tbody", "tr"})
_MARK = re.compile("[，。！？；]")


def edged(page: Sequence[Line], main: HtmlElement | None, titles: Sequence[int]) -> HtmlElement | None:
    """A box around a main one that has no name instead, where it adds little and that is text.

    A box that the page's title stands in also holds what stands around texts. titles: places in `page`.
    """
    if main is None:
        return None
    best = main
    for box in islice(main.iterancestors(*BLOCKS), MAX_LEVELS):
        is_closed = best.get("class") or best.get("id") or box.tag in _NO_EDGES
        if is_closed or any(is_inside(box, page[place].container) for place in titles):
            break
        inner, outer = inside_of(page, best), inside_of(page, box)
        within = {id(line) for line in inner}
        added = [line for line in outer if id(line) not in within]
        if _chars(added) > MAX_SHARE_OF_EDGES * _chars(inner) or not _are_words(added):
            break
        best = box
    return best


def lead(page: Sequence[Line], main: Sequence[Line], titles: Sequence[int]) -> list[Line]:
    """The sentences between an article's heading and its box: what it is about, set apart. titles: as above."""
    first = next((place for place, line in enumerate(page) if main and line is main[0]), 0)
    heading = max((place for place in titles if place < first), default=first)
    if first - heading > MAX_LINES_OF_LEAD:
        return []
    return [line for line in page[heading + 1 : first] if _is_sentence(line) and not _is_menu(line)]


def inside_of(page: Sequence[Line], box: HtmlElement | None) -> list[Line]:
    """The lines that stand in a box."""
    within = set(box.iter()) if box is not None else set()
    return [line for line in page if line.container in within]


def _is_sentence(line: Line) -> bool:
    is_long = count_han(line.text) >= MIN_HAN_OF_LEAD
    return is_long and not line.link_chars and _MARK.search(line.text) is not None and not is_byline(line.text)


def _are_words(added: Sequence[Line]) -> bool:
    linked = sum(line.link_chars for line in added)
    return linked <= MAX_LINK_SHARE * _chars(added) and not any(map(_is_menu, added))


def _is_menu(line: Line) -> bool:
    return is_elsewhere(line.container) or is_small_print(line.text)


def _chars(chosen: Sequence[Line]) -> int:
    return sum(len(line.text) for line in chosen)
