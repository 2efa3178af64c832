"""Boxes of elements without layout: tells boxes from parts of lines, and finds those of which nothing is seen."""

from collections.abc import Sequence

from lxml.html import HtmlElement
from tinycss2.ast import Node

from crawler.css.cascade import Properties
from crawler.css.values import UNKNOWN, Units, functions, length_px, token_px, token_ratio
from crawler.markup import BLOCKS

PICTURES = frozenset({"img", "svg", "video", "canvas", "iframe", "object", "embed", "input", "select", "textarea"})
_PARTS_OF_TABLES = frozenset({"caption", "thead", "tbody", "tfoot", "tr", "td", "th"})
_FLEXIBLE = ("flex", "inline-flex", "grid", "inline-grid", "-webkit-box", "-webkit-inline-box", "-webkit-flex")
_CLIPPING = ("hidden", "clip", "auto", "scroll", "overlay")
_LEAST_PX = 1.0  # of a box in which something is seen


def is_inline(element: HtmlElement, own: Properties, *, is_item: bool) -> bool:
    """Return True if an element is a part of a line: sizes, overflow and transforms do not hold for it.

    is_item: the element around lays its children out itself (flex, grid).
    """
    if is_item or own.get("position") in ("absolute", "fixed") or own.get("float", "none") != "none":
        return False
    display = own.get("display")
    if display is None:
        return element.tag not in BLOCKS and element.tag not in PICTURES
    return display in ("inline", "ruby", "contents", "inline flow", UNKNOWN)


def is_flexible(own: Properties) -> bool:
    """Return True if an element gives its children other sizes than they ask for."""
    return own.get("display", "") in _FLEXIBLE


def is_part_of_table(element: HtmlElement, own: Properties) -> bool:
    """Return True if a box is a cell, a row or a group of rows: it has no margins, and sizes are wishes."""
    display = own.get("display")
    return element.tag in _PARTS_OF_TABLES if display is None else display.startswith("table-")


def is_flat(element: HtmlElement, own: Properties, units: Units, *, is_item: bool) -> bool:
    """Return True if a box that is no part of a line has no height or width, and clips its contents."""
    if "overflow-x" not in own and "overflow-y" not in own:
        return False
    if element.tag in ("html", "body", "table") or "table" in own.get("display", "") or is_part_of_table(element, own):
        return False
    across, down = own.get("overflow-x", "visible"), own.get("overflow-y", "visible")
    # Where one is not visible, the other is not either, but for `clip`.
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
    """Return True if clip-path leaves nothing of an element."""
    for name, parts in functions(own.get("clip-path", "")):
        numbers = [token for token in parts[0] if token.type in ("percentage", "dimension", "number")]
        if name == "inset" and _leaves_nothing(numbers[:4]):
            return True
        if name in ("circle", "ellipse") and parts[0][:1] == numbers[:1] and any(one.value == 0 for one in numbers[:1]):
            return True
    return False


def is_clipped(own: Properties, units: Units) -> bool:
    """Return True if clip leaves nothing of an element that is positioned."""
    if own.get("position") not in ("absolute", "fixed"):
        return False
    return any(name == "rect" and _is_speck(parts, units) for name, parts in functions(own.get("clip", "")))


def _leaves_nothing(sides: Sequence[Node]) -> bool:
    """Return True if inset() takes all of the height or of the width, in shares of them."""
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
