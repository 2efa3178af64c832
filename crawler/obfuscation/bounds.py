"""Bounds in place of layout: the largest extent of an element, and the height of the page above it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf

from lxml.html import HtmlElement

from crawler.css.cascade import Cascade, Properties
from crawler.css.screens import SCREENS
from crawler.css.values import MEDIUM_PX, Units, font_size_px, length_px
from crawler.markup import BLOCKS
from crawler.obfuscation.boxes import PICTURES

_PICTURE_PX = 2_000.0  # of what has a size that only its file tells; no screen is wider
_LINE_HEIGHT = 2.0  # times the size of the characters; texts are set with 1.2 to 1.8
_WIDENING = ("width", "min-width", "left", "margin-left", "margin-right", "padding-left", "padding-right")
_HEIGHTENING = ("height", "min-height", "top", "margin-top", "padding-top", "padding-bottom")
# Of what is above an element: 1.5 px for each character (22 in a line of 24 px on a telephone), a line for each box,
# and what pictures have.
_CHAR_ABOVE_PX, _BOX_ABOVE_PX, _PICTURE_ABOVE_PX = 1.5, 24.0, 600.0


@dataclass(frozen=True, slots=True)
class ContentExtent:
    """Largest extent of an element's contents, to the right and down from its beginning, in px."""

    right_px: float
    down_px: float


class PageBounds:
    """Bounds of one page on one screen. request_count: number of requests for them."""

    def __init__(self, tree: HtmlElement, styles: Cascade, screen: int) -> None:
        self._tree, self._styles, self._screen = tree, styles, screen
        self._sizes: dict[HtmlElement, float] = {}
        self._extents: dict[HtmlElement, ContentExtent] = {}
        self.request_count = 0

    def extent(self, element: HtmlElement) -> ContentExtent:
        """Return the extent as if text stood in one line, or each character in a line of its own."""
        self.request_count += 1
        if element not in self._extents:
            self._extents[element] = self._measure(element)
        return self._extents[element]

    def above_px(self, element: HtmlElement) -> float:
        """Return the largest height of the page above an element."""
        self.request_count += 1
        return self._above[element]

    def _measure(self, element: HtmlElement) -> ContentExtent:
        right_px = down_px = largest_px = 0.0
        for each in element.iter("*"):
            size_px, own = self._size(each), self._styles.properties(each, self._screen)
            units, picture_px = Units(min(size_px, 1e6)), _PICTURE_PX if each.tag in PICTURES else 0.0
            largest_px = max(largest_px, size_px)
            right_px += picture_px + _sum_lengths(("width",) if each is element else _WIDENING, own, units)
            down_px += picture_px + _sum_lengths(("height",) if each is element else _HEIGHTENING, own, units)
        chars = len("".join("".join(element.itertext()).split()))
        text_px = chars * largest_px if chars else 0.0
        return ContentExtent(right_px + text_px, down_px + text_px * _LINE_HEIGHT)

    def _size(self, element: HtmlElement) -> float:
        """Return the largest size of the characters directly in an element."""
        if element not in self._sizes:
            parent = element.getparent()
            size = MEDIUM_PX if parent is None else self._size(parent)
            size *= 2.0 if element.tag in ("h1", "h2") else 1.0
            value = self._styles.properties(element, self._screen).get("font-size")
            stated = font_size_px(value, size, Units(min(size, 1e6), screen=SCREENS[self._screen])) if value else size
            self._sizes[element] = inf if stated is None else stated
        return self._sizes[element]

    @cached_property
    def _above(self) -> dict[HtmlElement, float]:
        result, px = {}, 0.0
        for element in self._tree.iter("*"):
            result[element] = px
            px += _sum_lengths(_HEIGHTENING, self._styles.properties(element, self._screen), Units())
            px += _BOX_ABOVE_PX if element.tag in BLOCKS or element.tag == "br" else 0.0
            px += _PICTURE_ABOVE_PX if element.tag in PICTURES else 0.0
            px += _CHAR_ABOVE_PX * (len(element.text or "") + len(element.tail or ""))
        return result


def _sum_lengths(names: Sequence[str], own: Properties, units: Units) -> float:
    if not own:
        return 0.0
    return sum(max(0.0, length_px(own[name], units) or 0.0) for name in names if name in own)
