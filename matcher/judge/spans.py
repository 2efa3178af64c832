"""From compared passages to the spans of a match, in offsets of both texts as given."""

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

from core.matches import Change, ChangeKind, Span
from core.taken import NO_PLACES, Places
from core.text import TextRange
from matcher.align.changes import CHANGE_KINDS, PassageComparison, kind_number
from matcher.align.token_alignment import FROM_PAGE, FROM_WORK, KIND, TO_PAGE, TO_WORK
from matcher.align.tokenized_text import TokenizedText
from matcher.judge.figures import mark_places
from matcher.judge.obfuscation import hiding_places


def to_spans(page: TokenizedText, work: TokenizedText, comparisons: Sequence[PassageComparison]) -> tuple[Span, ...]:
    """Return the spans in order of the page."""
    spans = [
        Span(
            page.text_range(found.page_start, found.page_end),
            work.text_range(found.work_start, found.work_end),
            found.similarity,
            ChangesOfSpan(page, work, found),
        )
        for found in comparisons
    ]
    return tuple(sorted(spans, key=lambda span: span.page))


def find_taken_places(offsets: NDArray[np.int32], comparisons: Sequence[PassageComparison]) -> tuple[Places, int]:
    """Return the distinct offsets of the work's characters on the page, and their number.

    offsets: of the work's tokens in the text as given.
    """
    matched = [found.work_matched for found in comparisons if found.work_matched.size]
    if not matched:
        return NO_PLACES, 0
    marked, first, count = mark_places(np.concatenate(matched) if len(matched) > 1 else matched[0], offsets)
    return Places(int.from_bytes(marked.tobytes(), "little") << first), count


class ChangesOfSpan(Sequence[Change]):
    """The changes of a span in order of the page, with those that hide it; created on first access.

    A chapter may have a thousand, and most are only counted: creating them took a third of the time of a match.
    """

    def __init__(self, page: TokenizedText, work: TokenizedText, found: PassageComparison) -> None:
        self._compared = page, work, found

    @cached_property
    def _changes(self) -> tuple[Change, ...]:
        with _without_garbage_collection():
            return _write_out(*self._compared)

    @overload
    def __getitem__(self, at: int) -> Change: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[Change, ...]: ...

    def __getitem__(self, at: int | slice) -> Change | tuple[Change, ...]:
        return self._changes[at]

    def __len__(self) -> int:
        return len(self._changes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._changes == tuple(other)

    def __hash__(self) -> int:
        return hash(self._changes)

    def __repr__(self) -> str:
        return repr(self._changes)


def _write_out(page: TokenizedText, work: TokenizedText, found: PassageComparison) -> tuple[Change, ...]:
    rows, hiding = found.changes, hiding_places(page, work, found)
    moved = found.moved
    kinds = np.concatenate(
        [
            np.full(len(moved), kind_number(ChangeKind.MOVED), np.int32),
            rows[:, KIND],
            np.full(len(hiding), kind_number(ChangeKind.NOISE), np.int32),
        ]
    )
    elsewhere = *page.ranges(moved[:, 0], moved[:, 1]), *work.ranges(moved[:, 2], moved[:, 3])
    changed = [
        *page.ranges(rows[:, FROM_PAGE], rows[:, TO_PAGE]),
        *work.ranges(rows[:, FROM_WORK], rows[:, TO_WORK]),
    ]
    for row, letters in found.letters.items():
        changed[0][row], changed[1][row] = letters.start, letters.end
    hidden = hiding.starts, hiding.ends, hiding.work_places, hiding.work_places
    columns = zip(elsewhere, changed, hidden, strict=True)
    page_starts, page_ends, work_starts, work_ends = (np.concatenate(parts) for parts in columns)
    order = np.lexsort((page_ends, kinds != kind_number(ChangeKind.MOVED), page_starts))
    on_page = map(TextRange, page_starts[order].tolist(), page_ends[order].tolist())
    in_work = map(TextRange, work_starts[order].tolist(), work_ends[order].tolist())
    return tuple(map(Change, [CHANGE_KINDS[number] for number in kinds[order].tolist()], on_page, in_work))


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Suspend the search for reference cycles.

    A page set with zero-width characters has thousands of changes, none of them in a cycle; to look through the whole
    process while they are made took as long as all the rest (3,000 characters, November 2026: 73 pages/s, 159 without).
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
