"""Which boxes of a page lie around which."""

from collections.abc import Iterator, Sequence

from lxml.html import HtmlElement


def around(boxes: Sequence[HtmlElement]) -> HtmlElement | None:
    """The smallest box that holds all of some boxes, or is one of them; None where they are of different pages."""
    path = list(upwards(boxes[0]))
    for box in boxes[1:]:
        above = set(upwards(box))
        path = path[next((place for place, node in enumerate(path) if node in above), len(path)) :]
    return path[0] if path else None


def upwards(box: HtmlElement) -> Iterator[HtmlElement]:
    """A box and those around it, from inside out."""
    yield box
    yield from box.iterancestors()


def child(parent: HtmlElement, box: HtmlElement) -> HtmlElement | None:
    """Which child of `parent` a box stands in, or is; None for `parent` itself and for what is outside."""
    node: HtmlElement | None = box
    while node is not None and node is not parent:
        above = node.getparent()
        if above is parent:
            return node
        node = above
    return None


def is_inside(parent: HtmlElement, box: HtmlElement) -> bool:
    """Whether `parent` is a box or one around it."""
    return any(node is parent for node in upwards(box))
