"""What was undone in a page's tree: of which kind, where, and how it stood there; and what of it is the main text's."""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from lxml.html import HtmlElement

from core.obfuscations import Obfuscation, ObfuscationFound
from core.zones import LineBeside
from crawler.characters.repertoire import count_han
from crawler.main_text.zones import zone_around
from crawler.markup import BLOCKS

EXAMPLE_CHARS = 80
MIN_PIECES_WITHOUT_HAN = 4


@dataclass(frozen=True, slots=True)
class Repaired:
    """`place`: the element that was changed; `count` pieces of it; `example` shows one as it stood."""

    kind: Obfuscation
    place: HtmlElement
    count: int
    example: str


@dataclass(frozen=True, slots=True)
class Removed:
    """One piece that was taken out, and the visible text right before and right after it inside its parent.

    names: classes and id of what it was; folded: of a block with a text, its lines: a click may show them.
    """

    kind: Obfuscation
    text: str
    before: str
    after: str
    is_inline: bool
    parent: HtmlElement | None = None
    names: tuple[str, str] = ("", "")
    folded: tuple[str, ...] = ()


def inside(repaired: Iterable[Repaired], containers: Set[HtmlElement]) -> tuple[ObfuscationFound, ...]:
    """What of `repaired` belongs to the main text, which stands in the blocks `containers`; one entry a kind."""
    found: dict[Obfuscation, ObfuscationFound] = {}
    for one in repaired:
        if not _is_inside(one.place, containers):
            continue
        before = found.get(one.kind)
        count = one.count + (before.count if before else 0)
        found[one.kind] = ObfuscationFound(one.kind, count, before.example if before else one.example[:EXAMPLE_CHARS])
    return tuple(found.values())


def hidden_inside(
    removed: Sequence[Removed], main_text: str, containers: Set[HtmlElement] = frozenset()
) -> tuple[ObfuscationFound, ...]:
    """What of `removed` stood inside the main text: a closed menu hides nothing from anybody.

    containers: the blocks that the main text stands in; what stood in one of them between other characters needs no
    other sign. The characters around a piece may have been obfuscated themselves.
    """
    body = "".join(main_text.split())
    result = []
    for kind in (Obfuscation.HIDDEN_TEXT, Obfuscation.DECOYS, Obfuscation.RUBY):
        inside = [
            piece
            for piece in removed
            if piece.kind is kind
            and (_stood_in(piece, body) or (piece.is_inline and block_of(piece.parent) in containers))
        ]
        # A date for programs (microformats) is hidden honestly; it has no word of a text.
        if (
            len(inside) >= MIN_PIECES_WITHOUT_HAN
            or count_han("".join(piece.text for piece in inside))
            or (inside and kind is Obfuscation.RUBY)
        ):
            result.append(ObfuscationFound(kind, len(inside), inside[0].text[:EXAMPLE_CHARS]))
    return tuple(result)


def folded_beside(removed: Iterable[Removed], main_text: str, after: int) -> list[LineBeside]:
    """What a click may show of the hidden blocks: replies, tabs, texts to be unfolded; but for what hides the text.

    after: as of LineBeside.
    """
    body = "".join(main_text.split())
    folded = [piece for piece in removed if piece.folded and not _stood_in(piece, body)]
    return [
        LineBeside(zone_around(piece.names, piece.parent), line, after) for piece in folded for line in piece.folded
    ]


def _stood_in(piece: Removed, body: str) -> bool:
    if not piece.is_inline and not (piece.before and piece.after):
        return False
    return bool(piece.before or piece.after) and piece.before in body and piece.after in body


class HanCounts(dict[HtmlElement, int]):
    """How many Chinese characters stand in elements, each counted once: hold it no longer than they do not change."""

    def __missing__(self, element: HtmlElement) -> int:
        self[element] = count_han(element.text_content() or "")
        return self[element]


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
