"""Resolves overlaps: if segments of several texts share a page range, the best segment takes it."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.ids import WorkTextId
from fingerprint.compilation import as_int, kernel
from matcher.align.segments import (
    LINK_NEXT,
    LINK_SEGMENT,
    MATCHES,
    NO_LINK,
    PAGE_END,
    PAGE_START,
    SCORE,
    TEXT,
    WORK_START,
    SegmentBlocks,
    Segments,
    add_segment,
    block_number,
    new_blocks,
)
from matcher.calibration import Calibration

KEPT = -1
STRETCH_TOKENS = 2_000  # about what a page copies from a work

Numbers = NDArray[np.int64]
ALONE = np.array([0, 1], np.int64)


class ResolvedSegments(NamedTuple):
    """The segments that keep their page range, and those that lose it to another text.

    kept: by text, each text's in order of the page; starts int64[t + 1]: the start of each text's segments. lost:
    segments whose page range mostly belongs to another text; winners int32[n]: these texts.
    """

    kept: Segments
    starts: Numbers
    lost: Segments
    winners: NDArray[np.int32]

    def by_text(self) -> Iterator[tuple[int, Segments]]:
        """Yield each text that keeps segments, with its segments in order of the page."""
        for start, end in pairwise(self.starts.tolist()):
            yield self.kept.item(start, TEXT), self.kept[start:end]

    def competing_texts(self, text: int, starts: NDArray[np.int32], ends: NDArray[np.int32]) -> dict[int, int]:
        """Return the texts that lost parts of these passages to `text`, with their matching tokens there.

        starts, ends: the page ranges of the passages.
        """
        return dict(count_lost_matches(self.lost, self.winners, text, starts, ends).tolist())


@kernel()
def resolve(
    segments: Segments, ranks: NDArray[np.int32], page_tokens: int, max_overlap: float, home_bonus: float
) -> ResolvedSegments:
    """Give each segment its page range, highest bid first, unless a segment with a higher bid has most of the range.

    ranks: int32[segments]; of two equal bids, the segment with the lower rank comes first.
    """
    blockers, size = _find_blockers(segments, _sort_by_bids(segments, ranks, home_bonus), page_tokens, max_overlap), 0
    lost, winners, losers = np.empty_like(segments), np.empty(len(segments), np.int32), 0
    rows = np.empty(len(segments), np.int64)
    for number in range(len(segments)):
        if blockers[number] == KEPT:
            rows[size] = number
            size += 1
        elif segments[blockers[number], TEXT] != segments[number, TEXT]:
            lost[losers], winners[losers] = segments[number], segments[blockers[number], TEXT]
            losers += 1
    kept = in_page_order(segments[rows[:size]])
    starts, texts = np.zeros(size + 1, np.int64), 0
    for number in range(size):
        if number == 0 or kept[number, TEXT] != kept[number - 1, TEXT]:
            starts[texts] = number
            texts += 1
    starts[texts] = size
    return ResolvedSegments(kept, starts[: texts + 1], lost[:losers], winners[:losers])


@kernel()
def in_page_order(segments: Segments) -> Segments:
    """Return the segments ordered by text, then by start and end on the page, then by start in the work."""
    order = np.arange(len(segments))
    for column in (WORK_START, PAGE_END, PAGE_START, TEXT):
        order = order[np.argsort(segments[order, column], kind="mergesort")]
    return segments[order]


@kernel()
def count_lost_matches(
    lost: Segments, winners: NDArray[np.int32], text: int, starts: NDArray[np.int32], ends: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Return the texts that lost parts of these passages to `text`, with their matching tokens there, int64[n, 2].

    starts, ends: the page ranges of the passages.
    """
    found, count = np.zeros((len(lost), 2), np.int64), 0
    for row in range(len(lost)):
        if winners[row] != text or not _overlaps_any(lost[row, PAGE_START], lost[row, PAGE_END], starts, ends):
            continue
        number = 0
        while number < count and found[number, 0] != lost[row, TEXT]:
            number += 1
        found[number, 0] = lost[row, TEXT]
        found[number, 1] += lost[row, MATCHES]
        count = max(count, number + 1)
    return found[:count]


@kernel(allocates=False)
def _overlaps_any(start: int, end: int, starts: NDArray[np.int32], ends: NDArray[np.int32]) -> bool:
    for number in range(starts.size):  # noqa: SIM110 - compiled: no generators
        if start < ends[number] and end > starts[number]:
            return True
    return False


@kernel()
def _sort_by_bids(segments: Segments, ranks: NDArray[np.int32], home_bonus: float) -> Numbers:
    """Return the rows of the segments, highest bid first.

    A bid is the segment's score, raised by up to `home_bonus` if the page copies much of that stretch of the work.
    """
    bids = np.empty(len(segments), np.float64)
    for shift in (0, STRETCH_TOKENS // 2):
        shares = _home_scores(segments, shift)
        for number in range(len(segments)):
            bids[number] = shares[number] if shift == 0 else max(bids[number], shares[number])
    max_bid = bids.max()
    for number in range(len(segments)):
        bids[number] = -segments[number, SCORE] * (1 + home_bonus * (bids[number] / max_bid))
    order = np.argsort(segments[:, PAGE_START], kind="mergesort")
    order = order[np.argsort(ranks[order], kind="mergesort")]
    return order[np.argsort(bids[order], kind="mergesort")]


@kernel()
def _home_scores(segments: Segments, shift: int) -> NDArray[np.float64]:
    """Return, for each segment, the sum of the scores of all segments in the same stretch of the work, float64[n]."""
    stretches = np.empty(len(segments), np.int64)
    for number in range(len(segments)):
        stretch = (as_int(segments[number, WORK_START]) + shift) // STRETCH_TOKENS
        stretches[number] = as_int(segments[number, TEXT]) << 32 | stretch
    order, scores = np.argsort(stretches), np.zeros(len(segments), np.float64)
    first = 0
    while first < order.size:
        last, total = first, 0
        while last < order.size and stretches[order[last]] == stretches[order[first]]:
            total += as_int(segments[order[last], SCORE])
            last += 1
        scores[order[first:last]] = total
        first = last
    return scores


@kernel()
def _find_blockers(segments: Segments, order: Numbers, page_tokens: int, max_overlap: float) -> NDArray[np.int32]:
    """Return for each segment a segment that covers more than `max_overlap` of its page range, or KEPT, int32[n]."""
    links, used_links = 0, 0
    for number in range(len(segments)):
        links += block_number(segments[number, PAGE_END]) - block_number(segments[number, PAGE_START]) + 1
    blockers, blocks = np.full(len(segments), KEPT, np.int32), new_blocks(page_tokens, links)
    for candidate in order:
        start, end = segments[candidate, PAGE_START], segments[candidate, PAGE_END]
        blockers[candidate] = _find_blocker(segments, blocks, start, end, max_overlap)
        if blockers[candidate] == KEPT:
            used_links = add_segment(blocks, used_links, start, end, candidate)
    return blockers


@kernel(allocates=False)
def _find_blocker(segments: Segments, blocks: SegmentBlocks, start: int, end: int, max_overlap: float) -> int:
    """Return the first segment that covers more than `max_overlap` of a page range, or KEPT if there is none."""
    for block in range(block_number(start), block_number(end) + 1):
        link = blocks.heads[block]
        while link != NO_LINK:
            row = segments[blocks.links[link, LINK_SEGMENT]]
            if min(end, row[PAGE_END]) - max(start, row[PAGE_START]) > max_overlap * (end - start):
                return int(blocks.links[link, LINK_SEGMENT])
            link = blocks.links[link, LINK_NEXT]
    return KEPT


def resolve_overlaps(
    segments: Segments, names: Mapping[int, WorkTextId], page_tokens: int, calibration: Calibration
) -> ResolvedSegments:
    """Return the segments that each text keeps, and the segments that lose their page range.

    segments: at least one. names: the names of the texts; of equal bids the first name wins, so the result does not
    depend on the numbers in an index.
    """
    if len(segments) == 1:
        return ResolvedSegments(segments, ALONE, segments[:0], segments[:0, TEXT])
    ranks = {text: rank for rank, text in enumerate(sorted(names, key=names.__getitem__))}
    rank_of = np.array([ranks[text] for text in segments[:, TEXT].tolist()], np.int32)
    return resolve(segments, rank_of, page_tokens, calibration.max_overlap_of_claims, calibration.home_bonus)
