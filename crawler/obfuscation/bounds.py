"""How far what stands in an element may reach, and how much of a page may be above it: bounds in place of layout."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Protocol

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
class Extent:
    """How far what stands in an element reaches at most, to the right and down from where it begins, in px."""

    right_px: float
    down_px: float


class Bounds(Protocol):
    """What is known of places and sizes on a page. asked: how often it was asked for."""

    asked: int

    def extent(self, element: HtmlElement) -> Extent: ...

    def above_px(self, element: HtmlElement) -> float:
        """How much of the page is above an element, at most."""
        ...


class NoBounds:
    """Nothing stands in an element, and nothing above it."""

    asked = 0

    def extent(self, element: HtmlElement) -> Extent:
        return Extent(0.0, 0.0)

    def above_px(self, element: HtmlElement) -> float:
        return 0.0


@dataclass(slots=True)
class _Sum:
    """What stands in an element: characters, the size of the largest, and what is added to them."""

    chars: int = 0
    size_px: float = 0.0
    right_px: float = 0.0
    down_px: float = 0.0

    def add(self, other: "_Sum") -> None:
        self.chars += other.chars
        self.size_px = max(self.size_px, other.size_px)
        self.right_px += other.right_px
        self.down_px += other.down_px

    def extent(self, width_px: float, height_px: float) -> Extent:
        text_px = self.chars * self.size_px if self.chars else 0.0
        return Extent(self.right_px + width_px + text_px, self.down_px + height_px + text_px * _LINE_HEIGHT)


class PageBounds:
    """The bounds of one page on one screen, worked out when they are first asked for."""

    def __init__(self, tree: HtmlElement, styles: Cascade, screen: int) -> None:
        self._tree, self._styles, self._screen = tree, styles, screen
        self._sizes: dict[HtmlElement | None, float] = {None: MEDIUM_PX}
        self._extents: dict[HtmlElement, Extent] = {}
        self._measured = self.asked = 0

    def extent(self, element: HtmlElement) -> Extent:
        """As if text stood in one line, or each character in a line of its own."""
        self.asked += 1
        if element not in self._extents:
            # What is asked for lies apart, as a rule; else all of the page is measured at once.
            self._measure(element if self._measured <= len(self._elements) else self._tree)
        return self._extents[element]

    def above_px(self, element: HtmlElement) -> float:
        self.asked += 1
        return self._above[element]

    @cached_property
    def _elements(self) -> Sequence[HtmlElement]:
        return list(self._tree.iter("*"))

    def _size(self, element: HtmlElement) -> float:
        """How large the characters right in an element are, at most; it is known of what is around."""
        if element not in self._sizes:
            size = self._sizes[element.getparent()] * (2.0 if element.tag in ("h1", "h2") else 1.0)
            value = self._styles.of(element, self._screen).get("font-size")
            stated = font_size_px(value, size, Units(min(size, 1e6), screen=SCREENS[self._screen])) if value else size
            self._sizes[element] = inf if stated is None else stated
        return self._sizes[element]

    def _measure(self, root: HtmlElement) -> None:
        """Find the extents of an element and of all in it."""
        inside = list(root.iter("*"))
        self._measured += len(inside)
        for element in (*reversed(list(root.iterancestors())), *inside):
            self._size(element)
        sums: dict[HtmlElement | None, _Sum] = {}
        for element in reversed(inside):
            size_px, own = self._sizes[element], self._styles.of(element, self._screen)
            units, picture_px = Units(min(size_px, 1e6)), _PICTURE_PX if element.tag in PICTURES else 0.0
            total = sums.pop(element, _Sum())
            total.add(_Sum(_chars(element.text), size_px, picture_px, picture_px))
            self._extents[element] = total.extent(_added(("width",), own, units), _added(("height",), own, units))
            around = sums.setdefault(element.getparent(), _Sum())
            around.add(total)
            around.add(_Sum(_chars(element.tail), 0.0, _added(_WIDENING, own, units), _added(_HEIGHTENING, own, units)))

    @cached_property
    def _above(self) -> dict[HtmlElement, float]:
        result, px = {}, 0.0
        for element in self._elements:
            result[element] = px
            px += _added((*_HEIGHTENING, "margin-bottom"), self._styles.of(element, self._screen), Units())
            px += _BOX_ABOVE_PX if element.tag in BLOCKS or element.tag == "br" else 0.0
            px += _PICTURE_ABOVE_PX if element.tag in PICTURES else 0.0
            px += _CHAR_ABOVE_PX * (len(element.text or "") + len(element.tail or ""))
        return result


def _added(names: Sequence[str], own: Properties, units: Units) -> float:
    if not own:
        return 0.0
    return sum(max(0.0, length_px(own[name], units) or 0.0) for name in names if name in own)


def _chars(text: str | None) -> int:
    return len("".join(text.split())) if text else 0
