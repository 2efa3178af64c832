"""Compares a page with the work side by side: cuts both texts into copied, changed and other pieces.

It uses texts and the frozen spans of a case, without database and markup. Every character of a text is in exactly one
piece of exactly one block, in order. Offsets outside a text are clipped. Spans may overlap, for example if a passage of
the work was copied twice; a block then has the numbers of all overlapping spans.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Literal

from core.matches import ChangeKind
from matcher.reworded.found import longest_in_order
from webadmin.review.pages.case_page.aligned_chunks import AlignedChunk, align_chunks
from webadmin.review.pages.case_page.sweep import ChangeMark, PassageRun, PlacedPassage, sweep_passages

Side = Literal["page", "work"]
BEGINNING_CHARS = 8  # characters that suffice to recognize a moved piece


@dataclass(frozen=True, slots=True)
class ChangeLink:
    """A change in a passage, with the texts of both sides. Changes are numbered from 1 in page order.

    begins: the beginning of a moved piece in the work, or "" for any other kind.
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
class PassagePiece:
    """A run of text in a copied passage that is equal on both sides or changed. An empty text is a gap.

    links: the changes, () if equal. pairs: the numbers of its chunks, which are the same on both sides. is_moved:
    whether its order differs from the rest.
    """

    text: str
    links: tuple[ChangeLink, ...] = ()
    pairs: tuple[int, ...] = ()
    is_moved: bool = False


@dataclass(frozen=True, slots=True)
class CopiedBlock:
    """Consecutive pieces that belong to the same passages."""

    passages: tuple[int, ...]
    pieces: tuple[PassagePiece, ...]

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class UncopiedBlock:
    """Text that was not copied. is_first, is_last: whether it begins or ends the whole text."""

    text: str
    is_first: bool
    is_last: bool


@dataclass(frozen=True, slots=True)
class SourceLink:
    """The name of another text of the rights holder, with the URL of its comparison."""

    name: str
    address: str


@dataclass(frozen=True, slots=True)
class SourcedBlock:
    """Text that was copied from another text of the rights holder."""

    text: str
    source: SourceLink


@dataclass(frozen=True, slots=True)
class MissingBlock:
    """Text that is no longer stored. Only its length is known."""

    chars: int


ColumnBlock = CopiedBlock | UncopiedBlock | SourcedBlock | MissingBlock


@dataclass(frozen=True, slots=True)
class ComparisonColumn:
    """One side of a comparison.

    chars: the length of the text, or the end of the last passage if the text is not stored.
    """

    side: Side
    blocks: tuple[ColumnBlock, ...]
    chars: int

    @property
    def text(self) -> str:
        """The text, or its known parts if it is incomplete."""
        return "".join(block.text for block in self.blocks if not isinstance(block, MissingBlock))

    @property
    def positioned_blocks(self) -> Iterator[tuple[int, ColumnBlock]]:
        """Yield each block with its offset in the text."""
        at = 0
        for block in self.blocks:
            yield at, block
            at += block.chars if isinstance(block, MissingBlock) else len(block.text)

    @property
    def pieces(self) -> Iterator[tuple[int, PassagePiece, tuple[int, ...]]]:
        """Yield each copied piece with its offset in the text and its passages."""
        for begin, block in self.positioned_blocks:
            if isinstance(block, CopiedBlock):
                at = begin
                for piece in block.pieces:
                    yield at, piece, block.passages
                    at += len(piece.text)


@dataclass(frozen=True, slots=True)
class PageComparison:
    """Both columns, and all changes in page order."""

    page: ComparisonColumn
    work: ComparisonColumn
    links: tuple[ChangeLink, ...]
    similarities: tuple[float, ...] = field(default=())  # of passages 1, 2, ...

    @property
    def passages(self) -> int:
        return len(self.similarities)


def compare(page_text: str | None, work_text: str | None, spans: Sequence[Mapping[str, Any]]) -> PageComparison:
    """Cut both texts at the frozen spans of a case. page_text, work_text: None if no longer stored.

    A missing text is replaced by the spans' excerpts, with a `MissingBlock` between them. Time and size are linear in
    the lengths of the texts and the number of changes.
    """
    ordered = sort_spans(spans)
    links = [_change_links(number, span) for number, span in enumerate(ordered, 1)]
    pairs = _passage_pairs(ordered, page_text, work_text)
    return PageComparison(
        page=_build_column("page", page_text, ordered, links, pairs),
        work=_build_column("work", work_text, ordered, links, pairs),
        links=tuple(link for of_span in links for link in of_span),
        similarities=tuple(float(span.get("similarity", 0.0)) for span in ordered),
    )


def sort_spans(spans: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Sort spans in page order, in which passages are numbered from 1."""
    return sorted(spans, key=lambda span: tuple(span["page"]))


@dataclass(frozen=True, slots=True)
class _Pair:
    """A chunk with the number of its passage. The chunk's own number is its position among all chunks, from 1."""

    passage: int
    chunk: AlignedChunk
    is_moved: bool


def _passage_pairs(spans: Sequence[Mapping[str, Any]], page: str | None, work: str | None) -> list[_Pair]:
    """Return the chunks of all passages, in page order."""
    in_order = longest_in_order([span["work"][0] for span in spans])
    return [
        _Pair(number, chunk, chunk.is_moved or number - 1 not in in_order)
        for number, span in enumerate(spans, 1)
        for chunk in align_chunks(span, _covered_text(span, "page", page), _covered_text(span, "work", work))
    ]


def _covered_text(span: Mapping[str, Any], side: Side, text: str | None) -> str:
    start, end = (max(0, at) for at in span[side])
    return span.get(f"{side}_excerpt", "") if text is None else text[start:end]


def _change_links(number: int, span: Mapping[str, Any]) -> list[ChangeLink]:
    page, work = _Excerpt(span, "page"), _Excerpt(span, "work")
    return [
        ChangeLink(
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
    """Yield the changes to mark. A moved piece, which may contain other changes, is only marked at its start."""
    for kind, page_start, page_end, work_start, work_end in span.get("changes", ()):
        if kind == ChangeKind.MOVED:
            yield kind, page_start, page_start, work_start, work_start
        else:
            yield kind, page_start, page_end, work_start, work_end


def _build_column(
    side: Side,
    text: str | None,
    spans: Sequence[Mapping[str, Any]],
    links: Sequence[list[ChangeLink]],
    pairs: Sequence[_Pair],
) -> ComparisonColumn:
    end = max((span[side][1] for span in spans), default=0)
    chars = end if text is None else len(text)
    of_passage: dict[int, list[int]] = {}
    for number, pair in enumerate(pairs, 1):
        of_passage.setdefault(pair.passage, []).append(number)
    placed = [
        each
        for number, span in enumerate(spans, 1)
        for each in _place_chunks(
            number, span, side, chars, [(pair, pairs[pair - 1].chunk) for pair in of_passage[number]]
        )
    ]
    excerpts = {number: _Excerpt(span, side) for number, span in enumerate(spans, 1)}
    blocks: list[ColumnBlock] = []
    for passages, runs in groupby(sweep_passages(placed, chars), lambda run: _run_passages(run, pairs)):
        if passages:
            excerpt = excerpts[passages[0]]
            pieces = (piece for run in runs for piece in _run_pieces(run, text, excerpt, links, pairs))
            blocks.append(CopiedBlock(passages, tuple(pieces)))
            continue
        for run in runs:
            if text is None:
                blocks.append(MissingBlock(run.end - run.start))
            else:
                blocks.append(UncopiedBlock(text[run.start : run.end], run.start == 0, run.end == chars))
    return ComparisonColumn(side, tuple(blocks), chars)


def _run_pieces(
    run: PassageRun, text: str | None, excerpt: "_Excerpt", links: Sequence[list[ChangeLink]], pairs: Sequence[_Pair]
) -> Iterator[PassagePiece]:
    is_moved = any(pairs[pair - 1].is_moved for pair in run.passages)
    for cut in run.cuts:
        part = excerpt[cut.start, cut.end] if text is None else text[cut.start : cut.end]
        linked = (links[pairs[mark.passage - 1].passage - 1][mark.change - 1] for mark in cut.marks)
        yield PassagePiece(part, tuple(linked), run.passages, is_moved)


def _run_passages(run: PassageRun, pairs: Sequence[_Pair]) -> tuple[int, ...]:
    return tuple(sorted({pairs[pair - 1].passage for pair in run.passages}))


def _clip_offsets(offsets: Sequence[int], chars: int) -> tuple[int, int]:
    start, end = (min(max(0, offset), chars) for offset in offsets)
    return start, max(start, end)


def _place_chunks(
    number: int, span: Mapping[str, Any], side: Side, chars: int, chunks: Sequence[tuple[int, AlignedChunk]]
) -> list[PlacedPassage]:
    """Return the chunks of a passage on one side, each with the changes that begin in it.

    number: of the passage. chars: the length of the text. chunks: each with the number of its pair.
    """
    start, end = _clip_offsets(span[side], chars)
    marks = sorted(
        (min(max(start, at[0]), end), min(max(start, at[1]), end), index)
        for index, at in enumerate(_change_places(span, side), 1)
    )
    begins = ((chunk.page if side == "page" else chunk.work, pair) for pair, chunk in chunks)
    at = sorted((min(max(start, place), end), pair) for place, pair in begins)
    placed = []
    for (begin, pair), (stop, _next) in zip(at, [*at[1:], (end, 0)], strict=True):
        since, until = (bisect_left(marks, (place, -1, -1)) for place in (begin, stop))
        of_chunk = marks[since:] if stop == end else marks[since:until]
        of_pair = tuple(ChangeMark(pair, index, start_at, end_at) for start_at, end_at, index in of_chunk)
        placed.append(PlacedPassage(pair, begin, stop, of_pair))
    return placed


def _change_places(span: Mapping[str, Any], side: Side) -> Iterator[tuple[int, int]]:
    """Yield the range of each change on one side."""
    for _kind, page_start, page_end, work_start, work_end in _marked_changes(span):
        yield (page_start, page_end) if side == "page" else (work_start, work_end)


class _Excerpt:
    """The frozen excerpt for one side of a span, indexed by offsets in the whole text."""

    def __init__(self, span: Mapping[str, Any], side: Side) -> None:
        self._start = span[side][0]
        self._text: str = span.get(f"{side}_excerpt", "")

    def __getitem__(self, offsets: tuple[int, int]) -> str:
        start, end = (max(0, offset - self._start) for offset in offsets)
        return self._text[start:end]
