"""Examines the boxes of elements without layout: tells them from inline elements, and finds invisible ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf

from lxml.html import HtmlElement
from tinycss2.ast import Node

from crawler.css.cascade import Cascade, Properties
from crawler.css.values import (
    MEDIUM_PX,
    SCREENS,
    UNKNOWN,
    Units,
    font_size_px,
    functions,
    length_px,
    token_px,
    token_ratio,
)
from crawler.markup import BLOCKS

PICTURES = frozenset({"img", "svg", "video", "canvas", "iframe", "object", "embed", "input", "select", "textarea"})
_PARTS_OF_TABLES = frozenset({"caption", "thead", "tbody", "tfoot", "tr", "td", "th"})
_FLEXIBLE = ("flex", "inline-flex", "grid", "inline-grid", "-webkit-box", "-webkit-inline-box", "-webkit-flex")
_CLIPPING = ("hidden", "clip", "auto", "scroll", "overlay")
_LEAST_PX = 1.0  # the smallest side of a box in which something is visible


def is_inline(element: HtmlElement, own: Properties, *, is_item: bool) -> bool:
    """Return True if an element is inline, so that it ignores sizes, overflow and transforms.

    own: the declared values of the element. is_item: True if the parent lays out its children itself (flex, grid).
    """
    if is_item or own.get("position") in ("absolute", "fixed") or own.get("float", "none") != "none":
        return False
    display = own.get("display")
    if display is None:
        return element.tag not in BLOCKS and element.tag not in PICTURES
    return display in ("inline", "ruby", "contents", "inline flow", UNKNOWN)


def is_flexible(own: Properties) -> bool:
    """Return True if an element may give its children other sizes than they declare."""
    return own.get("display", "") in _FLEXIBLE


def is_part_of_table(element: HtmlElement, own: Properties) -> bool:
    """Return True if a box is a part of a table, such as a cell or a row.

    It has no margins and treats sizes as hints.
    """
    display = own.get("display")
    return element.tag in _PARTS_OF_TABLES if display is None else display.startswith("table-")


def is_flat(element: HtmlElement, own: Properties, units: Units, *, is_item: bool) -> bool:
    """Return True if a box that is not inline has no height or no width, and clips its contents."""
    if "overflow-x" not in own and "overflow-y" not in own:
        return False
    if element.tag in ("html", "body", "table") or "table" in own.get("display", "") or is_part_of_table(element, own):
        return False
    across, down = own.get("overflow-x", "visible"), own.get("overflow-y", "visible")
    # If overflow is not visible on one axis, it is not visible on the other axis either, except if it is `clip`.
    cuts_down = down in _CLIPPING or (across in _CLIPPING and across != "clip")
    cuts_across = across in _CLIPPING or (down in _CLIPPING and down != "clip")
    return (cuts_down and _is_flat("height", ("top", "bottom"), own, units, is_item)) or (
        cuts_across and _is_flat("width", ("left", "right"), own, units, is_item)
    )


def _is_flat(name: str, sides: Sequence[str], own: Properties, units: Units, is_item: bool) -> bool:
    sizes = [length_px(own.get(f"max-{name}"), units), None if is_item else length_px(own.get(name), units)]
    least = own.get(f"min-{name}", "auto")
    added = [length_px(own.get(f"padding-{side}", "0"), units) for side in sides]
    is_small = any(size is not None and 0.0 <= size <= _LEAST_PX for size in sizes)
    least_px = 0.0 if least == "auto" else length_px(least, units)
    is_free = least_px is not None and least_px <= _LEAST_PX
    return is_small and is_free and all(each is not None and each <= _LEAST_PX / 2 for each in added)


def is_cut_away(own: Properties) -> bool:
    """Return True if clip-path hides all of an element."""
    for name, parts in functions(own.get("clip-path", "")):
        numbers = [token for token in parts[0] if token.type in ("percentage", "dimension", "number")]
        if name == "inset" and _leaves_nothing(numbers[:4]):
            return True
        if name in ("circle", "ellipse") and parts[0][:1] == numbers[:1] and any(one.value == 0 for one in numbers[:1]):
            return True
    return False


def is_clipped(own: Properties, units: Units) -> bool:
    """Return True if `clip` hides all of a positioned element."""
    if own.get("position") not in ("absolute", "fixed"):
        return False
    return any(name == "rect" and _is_speck(parts, units) for name, parts in functions(own.get("clip", "")))


def _leaves_nothing(sides: Sequence[Node]) -> bool:
    """Return True if the percentages of inset() cover all of the height or all of the width."""
    shares = [(token_ratio(side) or 0.0) if side.type == "percentage" else 0.0 for side in sides]
    if not shares:
        return False
    top, right, bottom, left = [*shares, shares[1]] if len(shares) == 3 else (shares * 4)[:4]
    return top + bottom >= 1.0 or left + right >= 1.0


def _is_speck(parts: Sequence[Sequence[Node]], units: Units) -> bool:
    tokens = [token for part in parts for token in part]
    if len(tokens) != 4:
        return False
    top, right, bottom, left = (token_px(token, units) for token in tokens)
    is_low = top is not None and bottom is not None and bottom - top <= _LEAST_PX
    return is_low or (left is not None and right is not None and right - left <= _LEAST_PX)


# Bounds that replace layout: the largest extent of an element, and the height of the page above it.

_PICTURE_PX = 2_000.0  # for elements whose size only their file states; no screen is wider
_LINE_HEIGHT = 2.0  # times the font size; texts are set with 1.2 to 1.8
_WIDENING = ("width", "min-width", "left", "margin-left", "margin-right", "padding-left", "padding-right")
_HEIGHTENING = ("height", "min-height", "top", "margin-top", "padding-top", "padding-bottom")
# The height above an element: 1.5 px for each character (22 in a line of 24 px on a telephone), a line for each box,
# and the height of images.
_CHAR_ABOVE_PX, _BOX_ABOVE_PX, _PICTURE_ABOVE_PX = 1.5, 24.0, 600.0


@dataclass(frozen=True, slots=True)
class ContentExtent:
    """The largest extent of an element's contents, to the right and down from the element's origin, in px."""

    right_px: float
    down_px: float


class PageBounds:
    """The bounds of the elements of one page on one screen.

    request_count: the number of requests for bounds
    """

    def __init__(self, tree: HtmlElement, styles: Cascade, screen: int) -> None:
        self._tree, self._styles, self._screen = tree, styles, screen
        self._sizes: dict[HtmlElement, float] = {}
        self._extents: dict[HtmlElement, ContentExtent] = {}
        self.request_count = 0

    def extent(self, element: HtmlElement) -> ContentExtent:
        """Return the extent to the right if all text were on one line, and down if each line had one character."""
        self.request_count += 1
        if element not in self._extents:
            self._extents[element] = self._measure(element)
        return self._extents[element]

    def above_px(self, element: HtmlElement) -> float:
        """Return the largest possible height of the page above an element, in px."""
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
        """Return the largest font size of the text directly in an element, in px."""
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
