"""One thing that was undone in a page's tree: of which kind, where, and how it stood there."""

from collections.abc import Iterable, Set
from dataclasses import dataclass

from lxml.html import HtmlElement

from core.pages import Disguise, DisguiseFound
from crawler.markup import BLOCKS

EXAMPLE_CHARS = 80


@dataclass(frozen=True, slots=True)
class Undone:
    """`place`: the element that was changed; `count` pieces of it; `example` shows one as it stood."""

    kind: Disguise
    place: HtmlElement
    count: int
    example: str


def inside(undone: Iterable[Undone], containers: Set[HtmlElement]) -> tuple[DisguiseFound, ...]:
    """What of `undone` belongs to the main text, which stands in the blocks `containers`; one entry a kind."""
    found: dict[Disguise, DisguiseFound] = {}
    for one in undone:
        if not _is_inside(one.place, containers):
            continue
        before = found.get(one.kind)
        count = one.count + (before.count if before else 0)
        found[one.kind] = DisguiseFound(one.kind, count, before.example if before else one.example[:EXAMPLE_CHARS])
    return tuple(found.values())


def block_of(element: HtmlElement | None) -> HtmlElement | None:
    """The block that an element's text stands in."""
    while element is not None and element.tag not in BLOCKS:
        element = element.getparent()
    return element


def _is_inside(place: HtmlElement, containers: Set[HtmlElement]) -> bool:
    if block_of(place) in containers:
        return True
    # A block whose blocks were changed: at least two lines of the main text stand below it, and directly.
    return sum(1 for child in place if child in containers) > 1
