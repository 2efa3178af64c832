"""Finds elements that are off the page: beyond the left or upper edge, or several screens to the right.

Unless style states otherwise, an element may be anywhere on the widest screen, and its contents have their largest
extent.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple

from lxml.html import HtmlElement
from tinycss2.ast import Node

from crawler.css.cascade import Properties
from crawler.css.values import SCREENS, WIDEST_PX, Units, functions, length_px, parse_value, token_px, token_ratio
from crawler.obfuscation.boxes import PageBounds

# A page may scroll beyond the right edge, but nobody scrolls more than four screens to read a sentence.
FAR_PX = 5_000.0
_PLACING = frozenset([
    "position", "left", "right", "top", "bottom", "margin-left", "margin-top", "transform", "translate", "scale",
    "filter", "width", "padding-left",
])  # fmt: skip
_HIGHEST_PX = max(screen.height_px for screen in SCREENS)
_RETURNING = _PLACING | {"text-align", "direction", "float", "margin-right"}


class Movement(NamedTuple):
    """The range of a movement in px: its minimum and maximum."""

    least: float
    most: float

    def and_then(self, other: "Movement") -> "Movement":
        return Movement(self.least + other.least, self.most + other.most)

    def back(self) -> "Movement":
        return Movement(-self.most, -self.least)


_NOWHERE, _ANYWHERE, _ON_SCREEN = Movement(0.0, 0.0), Movement(-inf, inf), Movement(0.0, WIDEST_PX)


@dataclass(frozen=True, slots=True)
class Transform:
    """The effect of transform, translate and scale on a box.

    scale: the smaller of the factors in both directions
    """

    across: Movement = _NOWHERE
    down: Movement = _NOWHERE
    scale: float = 1.0


@dataclass(frozen=True, slots=True)
class ElementPlace:
    """The position of an element's contents, and the alignment of its lines.

    is_frame: True if absolute children are positioned relative to an element and not to the page. is_fixed_frame: True
    if fixed children are, too
    """

    across: Movement = _ON_SCREEN
    down: Movement = _NOWHERE
    is_frame: bool = False
    is_fixed_frame: bool = False
    indent_px: float = 0.0
    align: str = "start"
    is_from_right: bool = False

    @property
    def is_from_left(self) -> bool:
        """True if lines begin at the left edge."""
        return self.align in ("start", "left", "justify") and not self.is_from_right


def read_transform(own: Properties, units: Units) -> Transform:
    """Return the translation and scale of a box. A rotated box may be anywhere."""
    result = Transform()
    for name in ("translate", "scale"):
        tokens = parse_value(own.get(name, "none"))
        if tokens and tokens[0].type != "ident":
            result = _combine(result, name, [[token] for token in tokens], units)
    for name, arguments in functions(own.get("transform", "none")):
        result = _combine(result, name, arguments, units)
    return result


def _combine(before: Transform, name: str, arguments: Sequence[Sequence[Node]], units: Units) -> Transform:
    first, second = [*(part[0] for part in arguments if len(part) == 1), None, None][:2]
    if name.startswith("translate") and before.scale == 1.0:
        across, down = (None, first) if name == "translatey" else (first, second)
        right = _NOWHERE if name == "translatez" else _movement(across, units)
        below = _NOWHERE if name in ("translatex", "translatez") else _movement(down, units)
        return replace(before, across=before.across.and_then(right), down=before.down.and_then(below))
    if name in ("scale", "scale3d", "scalex", "scaley"):
        shares = [token_ratio(token) for token in (first, second) if token is not None]
        factors = [inf if share is None else abs(share) for share in shares]
        return replace(before, scale=before.scale * min(factors, default=inf))
    return Transform(_ANYWHERE, _ANYWHERE, inf if name.startswith("matrix") else before.scale)


def _movement(token: Node | None, units: Units) -> Movement:
    """Return the movement by an argument of translate. Percentages refer to the unknown size of the box."""
    if token is None:
        return _NOWHERE
    if token.type == "percentage":
        return _NOWHERE if token.value == 0 else Movement(-inf, 0.0) if token.value < 0 else Movement(0.0, inf)
    size = token_px(token, units)
    return _ANYWHERE if size is None else Movement(size, size)


def _offset(value: str | None, units: Units) -> Movement:
    """Return the movement by left, top or a margin. Percentages refer to at most one screen."""
    if value in (None, "auto"):
        return _NOWHERE
    size = length_px(value, units)
    if size is not None:
        return Movement(size, size)
    token = parse_value(value or "")[:1]
    if len(parse_value(value or "")) == 1 and token[0].type == "percentage":
        return Movement(*sorted((0.0, token[0].value / 100 * WIDEST_PX)))
    return _ANYWHERE


@dataclass(frozen=True, slots=True)
class Shift:
    """The movement of one element inside `place`."""

    element: HtmlElement
    own: Properties
    units: Units
    place: ElementPlace
    transform: Transform
    bounds: PageBounds
    is_line: bool  # the element is inline, and may begin another line
    has_margins: bool

    @property
    def _is_placed(self) -> bool:
        return self.own.get("position") in ("absolute", "fixed")

    @property
    def _is_on_page(self) -> bool:
        """True if the element is positioned relative to the page and not to another element."""
        is_fixed = self.own.get("position") == "fixed"
        return self._is_placed and not (self.place.is_fixed_frame if is_fixed else self.place.is_frame)

    def _along(self, first: str, last: str, screen_px: float) -> Movement:
        """Return the movement by left and right, or by top and bottom. first, last: the names of these properties."""
        position = self.own.get("position")
        if position not in ("relative", "absolute", "fixed"):
            return _NOWHERE
        if self.own.get(first, "auto") != "auto":
            return _offset(self.own[first], self.units)
        moved = _offset(self.own.get(last), self.units).back()
        if position == "relative" or moved == _NOWHERE:
            return moved
        # The edge of the page where it ends.
        return Movement(-inf, screen_px + moved.most) if self._is_on_page else _NOWHERE

    def _is_free(self, first: str, last: str) -> bool:
        """Return True if style declares the position of the element on the page."""
        return self._is_on_page and {self.own.get(first, "auto"), self.own.get(last, "auto")} != {"auto"}

    def across(self) -> Movement:
        """Return the range of the element's start, measured from the left edge of the page."""
        begins = _NOWHERE if self._is_free("left", "right") else self.place.across
        margin = _offset(self.own.get("margin-left"), self.units) if self.has_margins else _NOWHERE
        margin = Movement(min(0.0, margin.least), margin.most) if self.is_line else margin
        moved = self._along("left", "right", WIDEST_PX).and_then(margin)
        return begins.and_then(moved).and_then(self.transform.across)

    def down(self) -> Movement:
        """Return the range of the element's start, measured from the top edge of the page."""
        moved = self._moved_down()
        if self._is_free("top", "bottom"):
            return moved
        above_px = self.bounds.above_px(self.element) if moved.most < 0.0 else 0.0
        return Movement(0.0, above_px).and_then(self.place.down).and_then(moved)

    def _moved_down(self) -> Movement:
        margin = _offset(self.own.get("margin-top"), self.units) if self._is_placed else _NOWHERE
        return self._along("top", "bottom", _HIGHEST_PX).and_then(margin).and_then(self.transform.down)

    def is_off(self) -> bool:
        """Return True if no reader can reach the contents of the element."""
        if self.own.keys().isdisjoint(_PLACING):
            return False
        across, down = self.across(), self.down()
        is_fixed = self.own.get("position") == "fixed" and self._is_on_page
        if across.least >= (WIDEST_PX if is_fixed else FAR_PX) or (is_fixed and down.least >= _HIGHEST_PX):
            return True
        if across.most < 0.0 and across.most + self._slack() + self.bounds.extent(self.element).right_px <= 0.0:
            return True
        return down.most < 0.0 and down.most + self.bounds.extent(self.element).down_px <= 0.0

    def _slack(self) -> float:
        """Return the largest distance between the left edge of a wide box and its text."""
        if self.place.is_from_right:
            return inf
        is_narrow = self._is_placed and "auto" in (self.own.get("left", "auto"), self.own.get("right", "auto"))
        if self.place.is_from_left or (is_narrow and "width" not in self.own):
            return 0.0
        is_stretched = self.own.get("margin-left", "0") != "0" or self._is_placed
        return inf if is_stretched and self.place.align != "center" else float(WIDEST_PX)

    @property
    def is_moving(self) -> bool:
        """True if the element moves all its contents after layout, including fixed ones."""
        return any(self.own.get(name, "none") != "none" for name in ("transform", "translate", "scale", "filter"))

    @property
    def overlaps(self) -> bool:
        """True if the element may overlap elements that are not its ancestors."""
        ways = self._along("left", "right", WIDEST_PX), self._along("top", "bottom", _HIGHEST_PX)
        return self._is_placed or ways != (_NOWHERE, _NOWHERE) or self.transform != Transform()

    @property
    def may_return(self) -> bool:
        """True if the position of the element may differ from that of its parent."""
        return not self.own.keys().isdisjoint(_RETURNING)

    def inside(self) -> ElementPlace:
        """Return the position of the element's children."""
        if self.own.keys().isdisjoint(_PLACING):
            return self.place
        before, across = self.place.across, self.across()
        wide = max(0.0, (length_px(self.own.get("width"), self.units) or 0.0) - WIDEST_PX)
        padding = max(0.0, _offset(self.own.get("padding-left"), self.units).most)
        is_frame = self.is_moving or self.own.get("position", "static") != "static"
        return replace(
            self.place,
            across=Movement(min(before.least, across.least), max(before.most, across.most) + padding + wide),
            down=Movement(0.0, max(self.place.down.most, self._moved_down().most, 0.0)),
            is_frame=self.place.is_frame or is_frame,
            is_fixed_frame=self.place.is_fixed_frame or self.is_moving,
        )


def with_lines(place: ElementPlace, own: Properties, units: Units) -> ElementPlace:
    """Return the position, with the alignment of lines that an element declares."""
    align, direction = own.get("text-align", "inherit"), own.get("direction", "inherit")
    if own.keys().isdisjoint(("text-align", "direction", "text-indent")):
        return place
    indent = place.indent_px if own.get("text-indent", "inherit") == "inherit" else length_px(own["text-indent"], units)
    return replace(
        place,
        align=place.align if align == "inherit" else align.removeprefix("-webkit-"),
        is_from_right=place.is_from_right if direction == "inherit" else direction == "rtl",
        indent_px=0.0 if indent is None else indent,
    )


def is_indented_away(
    element: HtmlElement, place: ElementPlace, bounds: PageBounds, is_one_line: Callable[[HtmlElement], bool]
) -> bool:
    """Return True if the indent moves the only line of a block off the screen.

    is_one_line: returns True if a block has one line
    """
    if place.across.most + place.indent_px >= 0.0 or not (place.is_from_left or place.align == "center"):
        return False
    slack = 0.0 if place.is_from_left else WIDEST_PX
    fits = place.across.most + place.indent_px + slack + bounds.extent(element).right_px <= 0.0
    return fits and element.tag != "pre" and is_one_line(element)
