"""Restores text that style displays in another order than the source: bidi overrides, reversed boxes, floats."""

import re
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from lxml.html import HtmlElement

from core.obfuscations import Obfuscation, ObfuscationFound
from crawler.characters.repertoire import count_han
from crawler.css.cascade import Cascade, Properties
from crawler.css.values import MEDIUM_PX, Units, length_px, ratio
from crawler.markup import BLOCKS
from crawler.obfuscation.repairs import EXAMPLE_CHARS, STYLE, MarkedPage, Repair, Repaired
from crawler.obfuscation.visibility import shown_text

MAX_CHARS_OF_PIECE = 2  # a character and its punctuation mark, which are positioned separately
MIN_PIECES = 3  # two adjacent boxes are layout
MAX_REVERSED_CHARS = 100_000  # of one element
MAX_DEPTH = 60
_LINE_PX = 800.0  # width of a line, to which positions in percent refer
_PIECE_TAGS = frozenset({"span", "i", "b", "em", "font", "s", "u", "strong", "bdi", "small", "div"})
_RIGHT_TO_LEFT_OVERRIDE = re.compile("\u202e([^\u202c\u202d\u202e\n]*)\u202c?")
_PAIRS = "()[]{}<>（）［］｛｝〈〉《》「」『』【】〔〕〖〗"
_MIRRORED = {ord(char): _PAIRS[number ^ 1] for number, char in enumerate(_PAIRS)}
_FLEX = ("flex", "inline-flex")
_GRID = ("grid", "inline-grid")
_OF_ITSELF = frozenset({"direction", "unicode-bidi", "flex-direction"})
_OF_ITS_PARENT = frozenset({"order", "position", "float"})

Item: TypeAlias = HtmlElement | str


def is_chopped(tree: HtmlElement) -> bool:
    """Return True if a line is split into single characters, each in an element of its own that is not a link."""
    for element in tree.iter():
        if not isinstance(element.tag, str) or len(element) < MIN_PIECES:
            continue
        single = sum(1 for child in element if child.tag in _PIECE_TAGS and count_han(_own_text(child)) == 1)
        if single >= MIN_PIECES and single * 2 >= len(element):
            return True
    return False


def _own_text(element: HtmlElement) -> str:
    """Return the text of an element if it is at most a character and a punctuation mark, or "" for other elements."""
    text = (element.text or "").strip() if not len(element) else ""
    return text if len(text) <= MAX_CHARS_OF_PIECE else ""


def restore_order(tree: HtmlElement, styles: Cascade) -> list[Repaired]:
    """Put the text of a tree in the order in which it is displayed.

    The tree is changed. Return a record of each change.
    """
    repaired: list[Repaired] = []
    may_differ = _with_style_of_order(tree, styles)
    # Innermost elements first, because an outer element moves its contents as a whole.
    for element in reversed(list(tree.iter())) if may_differ else ():
        if element not in may_differ or not isinstance(element.tag, str) or element.getparent() is None:
            continue
        own = styles.properties(element)
        if _is_overridden(element, own):
            before = shown_text(element)
            count = _reverse(element, styles)
        elif (shown := _shown_order(element, own, styles)) is not None:
            before = shown_text(element)
            count, ordered = shown
            _replace_children(element, ordered)
        else:
            continue
        if count and count_han(before):
            repaired.append(Repaired(Obfuscation.REORDERED, element, count, " ".join(before.split())))
    return repaired[::-1]


def _with_style_of_order(tree: HtmlElement, styles: Cascade) -> set[HtmlElement]:
    """Return the elements whose style, or whose children's style, may display their text in another order."""
    found = set(tree.iter("bdo"))
    for element in styles.elements():
        own = styles.properties(element)
        if not own.keys().isdisjoint(_OF_ITSELF):
            found.add(element)
        if not own.keys().isdisjoint(_OF_ITS_PARENT) and element.getparent() is not None:
            found.add(element.getparent())
    return found


def apply_overrides(text: str) -> tuple[str, int, str]:
    """Put the text after right-to-left overrides in the order displayed. Also return their number and the first one.

    >>> apply_overrides("他\u202e了来\u202c。")
    ('他来了。', 1, '了来')
    """
    pieces = [match[1] for match in _RIGHT_TO_LEFT_OVERRIDE.finditer(text) if match[1].strip()]
    if not pieces:
        return text, 0, ""
    return _RIGHT_TO_LEFT_OVERRIDE.sub(lambda match: mirror(match[1]), text), len(pieces), pieces[0]


def mirror(text: str) -> str:
    """Reverse a text and mirror its brackets, as if it were displayed from right to left.

    >>> mirror("《文追》")
    '《追文》'
    """
    return text[::-1].translate(_MIRRORED)


def _is_overridden(element: HtmlElement, own: Properties) -> bool:
    direction = own.get("direction", (element.get("dir") or "").strip().lower())
    override = own.get("unicode-bidi", "bidi-override" if element.tag == "bdo" else "")
    return direction == "rtl" and override in ("bidi-override", "isolate-override")


def _reverse(element: HtmlElement, styles: Cascade) -> int:
    """Reverse the text of an element line by line. Elements in it with their own direction are not changed.

    Return the number of changed blocks; 0 if the text is too long.
    """
    if sum(map(len, element.itertext())) > MAX_REVERSED_CHARS:
        return 0
    blocks = [child for child in element if child.tag in BLOCKS]
    for child in blocks:
        _reverse(child, styles)
    if blocks:
        return len(blocks)
    units = list(_units(element, styles, 0))
    is_block = element.tag in BLOCKS
    element.clear(keep_tail=True)
    element.tag = element.tag if is_block else "span"
    element.text = "".join(reversed(units))
    return 1


def _units(element: HtmlElement, styles: Cascade, depth: int) -> Iterable[str]:
    yield from _signs(element.text)
    for child in element:
        if isinstance(child.tag, str) and depth < MAX_DEPTH and child.tag not in ("script", "style"):
            own = styles.properties(child)
            if own.get("direction", child.get("dir")) == "ltr" and child.tag in ("bdo", "bdi", "span", "i", "b"):
                yield shown_text(child)
            elif child.tag == "br":
                yield "\n"
            else:
                yield from _units(child, styles, depth + 1)
        yield from _signs(child.tail)


def _signs(text: str | None) -> Iterable[str]:
    return (char.translate(_MIRRORED) for char in text or "")


def _shown_order(element: HtmlElement, own: Properties, styles: Cascade) -> tuple[int, list[Item]] | None:
    """Return the number of moved children and all children in the order displayed, or None if none is moved."""
    if not len(element):
        return None
    display = own.get("display", "")
    if display in _FLEX or display in _GRID:
        items = _items(element)
        ordered = _flex_order(items, own, styles)
    elif _is_of_pieces(element):
        items = _items(element)
        ordered = _piece_order(items, own, styles)
    else:
        return None
    moved = sum(1 for old, new in zip(items, ordered, strict=True) if old is not new)
    return (moved, ordered) if moved else None


def _flex_order(items: Sequence[Item], own: Properties, styles: Cascade) -> list[Item]:
    ordered = sorted(items, key=lambda item: _order(item, styles))
    direction = own.get("flex-direction", "row")
    is_right_to_left = own.get("direction") == "rtl" and direction.startswith("row")
    return ordered[::-1] if direction.endswith("-reverse") != is_right_to_left else ordered


def _order(item: Item, styles: Cascade) -> int:
    if isinstance(item, str):
        return 0
    value = styles.properties(item).get("order", "0")
    return int(value) if re.fullmatch(r"-?\d{1,9}", value) else 0


def _piece_order(items: Sequence[Item], own: Properties, styles: Cascade) -> list[Item]:
    of_items: list[Properties] = [{} if isinstance(item, str) else styles.properties(item) for item in items]
    if own.get("direction") == "rtl" and all(one.get("display", "").startswith("inline-") for one in of_items):
        return list(items[::-1])
    if sum(1 for one in of_items if one.get("position") in ("absolute", "relative")) >= MIN_PIECES - 1:
        return _order_by_position(items, of_items, own)
    return _without_floats(items, of_items)


def _order_by_position(items: Sequence[Item], of_items: Sequence[Properties], own: Properties) -> list[Item]:
    """Order items by their positions: from top to bottom, and from left to right in a row."""
    em_px = length_px(own.get("font-size")) or MEDIUM_PX
    places, flow_px = [], 0.0
    for item, one in zip(items, of_items, strict=True):
        position = one.get("position")
        left, top = _offset_px(one, "left", "right", em_px), _offset_px(one, "top", "bottom", em_px)
        if position == "absolute":
            places.append((round(top), left))
            continue
        shifted = position == "relative"
        places.append((round(top) if shifted else 0, flow_px + (left if shifted else 0.0)))
        flow_px += em_px * len((item if isinstance(item, str) else shown_text(item)).strip())
    order = sorted(range(len(items)), key=lambda number: places[number])
    return [items[number] for number in order]


def _offset_px(one: Properties, side: str, other: str, em_px: float) -> float:
    for name, sign in ((side, 1.0), (other, -1.0)):
        value = one.get(name)
        if value and value != "auto":
            px = length_px(value, Units(em_px, is_quirky=True))
            return sign * (_LINE_PX * (ratio(value) or 0.0) if px is None else px)
    return 0.0


def _without_floats(items: Sequence[Item], of_items: Sequence[Properties]) -> list[Item]:
    """Return the items with each run of right floats reversed, because the first of them is the rightmost."""
    result: list[Item] = []
    run: list[Item] = []
    for item, one in zip(items, of_items, strict=True):
        if one.get("float") == "right":
            run.append(item)
            continue
        result += run[::-1] if len(run) >= MIN_PIECES else run
        run = []
        result.append(item)
    return result + (run[::-1] if len(run) >= MIN_PIECES else run)


def _is_of_pieces(element: HtmlElement) -> bool:
    pieces = 0
    for child in element:
        if not isinstance(child.tag, str) or len(child) > 1:
            return False
        text = (child.text_content() or "").strip()
        if len(text) > MAX_CHARS_OF_PIECE:
            return False
        pieces += bool(text)
    return pieces >= MIN_PIECES


def _items(element: HtmlElement) -> list[Item]:
    items: list[Item] = [element.text] if element.text and element.text.strip() else []
    for child in element:
        items.append(child)
        if child.tail and child.tail.strip():
            items.append(child.tail)
    return items


def _replace_children(element: HtmlElement, items: Sequence[Item]) -> None:
    for child in list(element):
        child.tail = None
        element.remove(child)
    element.text = None
    last: HtmlElement | None = None
    for item in items:
        if not isinstance(item, str):
            element.append(item)
            last = item
        elif last is None:
            element.text = (element.text or "") + item
        else:
            last.tail = (last.tail or "") + item


def _repair_tree(page: MarkedPage) -> list[Repaired]:
    return restore_order(page.tree, page.styles)


def _repair_text(text: str, _host: str) -> tuple[str, ObfuscationFound | None]:
    text, count, example = apply_overrides(text)
    return text, ObfuscationFound(Obfuscation.REORDERED, count, example[:EXAMPLE_CHARS]) if count else None


REPAIR = Repair(
    in_tree=_repair_tree,
    needs=frozenset({"bdo", STYLE}),
    in_text=_repair_text,
    signs=re.compile("\u202e"),
)
