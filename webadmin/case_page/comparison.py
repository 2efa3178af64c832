"""A page beside the work it took from: both texts cut into what was copied, what was changed, and the rest.

Pure: takes texts and the frozen spans of a case, knows no database and no markup. Every character of a text stands in
exactly one piece of exactly one block, in order, whatever the spans are: offsets that lie outside a text are cut to it.
Spans may overlap (one passage of the work copied twice); a block then carries the numbers of all of them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from core.matches import ChangeKind
from webadmin.case_page.sweep import Mark, Placed, swept

Side = Literal["page", "work"]
BEGINNING_CHARS = 8  # of a moved piece: enough to know it again


@dataclass(frozen=True, slots=True)
class Link:
    """One change inside one passage: what stands on either side. Both numbers count from 1 in order of the page.

    begins: how the piece that was moved begins in the work; empty for every other kind.
    """

    passage: int
    change: int
    kind: ChangeKind
    page: str
    work: str
    begins: str = ""

    @property
    def key(self) -> str:
        return f"{self.passage}-{self.change}"


@dataclass(frozen=True, slots=True)
class Piece:
    """A run inside a copied passage: the same on both sides (no links), or changed. An empty text is a gap."""

    text: str
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Copied:
    """A run of pieces that belong to the same passages."""

    passages: tuple[int, ...]
    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class Uncopied:
    """Text that was not copied, with what comes before and after it."""

    text: str
    is_first: bool
    is_last: bool


@dataclass(frozen=True, slots=True)
class Source:
    """Another text of the rights holder as it is named to a reader, and where its own comparison stands."""

    name: str
    address: str


@dataclass(frozen=True, slots=True)
class Taken:
    """Text that was not copied from this text, but from another one of the rights holder."""

    text: str
    source: Source


@dataclass(frozen=True, slots=True)
class Missing:
    """Text that is no longer stored; only its length is known."""

    chars: int


Block = Copied | Uncopied | Taken | Missing


@dataclass(frozen=True, slots=True)
class Column:
    """One side. `chars`: its length where the whole text is known, else as far as the last passage."""

    side: Side
    blocks: tuple[Block, ...]
    chars: int
    is_whole: bool
    extents: tuple[tuple[int, int, int], ...]  # (passage, start, end) of each passage, in order of the page

    @property
    def text(self) -> str:
        """All that is known of the text; the text itself where it is whole."""
        return "".join(block.text for block in self.blocks if not isinstance(block, Missing))


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both columns, and every change in order of the page."""

    page: Column
    work: Column
    links: tuple[Link, ...]
    similarities: tuple[float, ...] = field(default=())  # of passage 1, 2, ...

    @property
    def passages(self) -> int:
        return len(self.similarities)


def compare(page_text: str | None, work_text: str | None, spans: Sequence[Mapping[str, Any]]) -> Comparison:
    """Cut both texts by spans as `records.snapshots` writes them; None for a text that is no longer there.

    A text that is not there is made of the spans' excerpts, with Missing between them. Time and size are linear in the
    lengths of the texts and the number of changes.
    """
    ordered = sorted(spans, key=lambda span: tuple(span["page"]))
    links = [_links(number, span) for number, span in enumerate(ordered, 1)]
    return Comparison(
        page=_column("page", page_text, ordered, links),
        work=_column("work", work_text, ordered, links),
        links=tuple(link for of_span in links for link in of_span),
        similarities=tuple(float(span.get("similarity", 0.0)) for span in ordered),
    )


def _links(number: int, span: Mapping[str, Any]) -> list[Link]:
    page, work = _Excerpt(span, "page"), _Excerpt(span, "work")
    return [
        Link(
            number,
            index,
            ChangeKind(kind),
            page[page_start, page_end],
            work[work_start, work_end],
            work[work_start, work_start + BEGINNING_CHARS] if kind == ChangeKind.MOVED else "",
        )
        for index, (kind, page_start, page_end, work_start, work_end) in enumerate(_marked_changes(span), 1)
    ]


def _marked_changes(span: Mapping[str, Any]) -> Iterator[tuple[str, int, int, int, int]]:
    """The changes as they are marked: of a piece that was moved, which may hold others, the places where it begins."""
    for kind, page_start, page_end, work_start, work_end in span.get("changes", ()):
        if kind == ChangeKind.MOVED:
            yield kind, page_start, page_start, work_start, work_start
        else:
            yield kind, page_start, page_end, work_start, work_end


def _column(side: Side, text: str | None, spans: Sequence[Mapping[str, Any]], links: Sequence[list[Link]]) -> Column:
    end = max((span[side][1] for span in spans), default=0)
    chars = end if text is None else len(text)
    placed = [_placed(number, span, side, chars) for number, span in enumerate(spans, 1)]
    excerpts = {number: _Excerpt(span, side) for number, span in enumerate(spans, 1)}
    blocks: list[Block] = []
    for run in swept(placed, chars):
        if run.passages:
            pieces = [
                Piece(_text(text, excerpts[run.passages[0]], cut.start, cut.end), _linked(cut.marks, links))
                for cut in run.cuts
            ]
            blocks.append(Copied(run.passages, tuple(pieces)))
        elif text is None:
            blocks.append(Missing(run.end - run.start))
        else:
            blocks.append(Uncopied(text[run.start : run.end], run.start == 0, run.end == chars))
    extents = tuple((item.passage, item.start, item.end) for item in placed)
    return Column(side, tuple(blocks), chars, text is not None, extents)


def _placed(number: int, span: Mapping[str, Any], side: Side, chars: int) -> Placed:
    start, end = (min(max(0, offset), chars) for offset in span[side])
    first = 1 if side == "page" else 3
    marks = (
        Mark(number, index, min(max(start, change[first]), end), min(max(start, change[first + 1]), end))
        for index, change in enumerate(_marked_changes(span), 1)
    )
    return Placed(number, start, max(start, end), tuple(sorted(marks, key=lambda mark: (mark.start, mark.end))))


def _linked(marks: Sequence[Mark], links: Sequence[list[Link]]) -> tuple[Link, ...]:
    return tuple(links[mark.passage - 1][mark.change - 1] for mark in marks)


def _text(text: str | None, excerpt: "_Excerpt", start: int, end: int) -> str:
    return excerpt[start, end] if text is None else text[start:end]


class _Excerpt:
    """The frozen excerpt of one side of a span, by offsets of the whole text."""

    def __init__(self, span: Mapping[str, Any], side: Side) -> None:
        self._start = span[side][0]
        self._text: str = span.get(f"{side}_excerpt", "")

    def __getitem__(self, offsets: tuple[int, int]) -> str:
        start, end = (max(0, offset - self._start) for offset in offsets)
        return self._text[start:end]
