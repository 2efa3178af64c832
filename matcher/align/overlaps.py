"""Overlaps: of the segments of several texts that cover one page range, the best keeps it."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.ids import WorkTextId
from fingerprint.compilation import kernel
from matcher.align.segments import (
    LINK_NEXT,
    LINK_SEGMENT,
    NO_LINK,
    PAGE_END,
    PAGE_START,
    SCORE,
    SEGMENT_COLUMNS,
    TEXT,
    WORK_START,
    SegmentBlocks,
    Segments,
    add_segment,
    block_of,
    new_blocks,
)
from matcher.calibration import Calibration

KEPT = -1
STRETCH_TOKENS = 2_000  # about what a page has of a work


@dataclass(slots=True, eq=False)
class TextSegments:
    """What one text keeps of a page.

    segments: those that it keeps; competing: those of other texts that lost to them (TEXT says whose).
    """

    segments: Segments
    competing: Segments = field(default_factory=lambda: np.zeros((0, SEGMENT_COLUMNS), np.int32))


def resolve_overlaps(
    segments: Segments, names: Mapping[int, WorkTextId], page_tokens: int, calibration: Calibration
) -> dict[int, TextSegments]:
    """What each text keeps, by text; texts that keep nothing are left out.

    names: what the texts are called; of equal bids that of the first name wins, whatever numbers an index gives.
    """
    if not len(segments):
        return {}
    if len(segments) == 1:
        return {int(segments[0, TEXT]): TextSegments(segments)}
    bids = segments[:, SCORE] * (1 + calibration.home_bonus * _home_shares(segments))
    ranks = {text: rank for rank, text in enumerate(sorted(names, key=names.__getitem__))}
    rank_of = np.array([ranks[text] for text in segments[:, TEXT].tolist()], np.int32)
    order = np.lexsort((segments[:, PAGE_START], rank_of, -bids))
    blockers = _find_blockers(segments, order, page_tokens, calibration.max_overlap_of_claims)
    kept = segments[blockers == KEPT]
    found = {text: TextSegments(kept[kept[:, TEXT] == text]) for text in sorted(set(kept[:, TEXT].tolist()))}
    lost = np.flatnonzero(blockers != KEPT)
    winners = segments[blockers[lost], TEXT]
    is_competing = winners != segments[lost, TEXT]
    for winner, rows in _rows_by_key(winners[is_competing], segments[lost[is_competing]]).items():
        found[winner].competing = rows
    return found


def _home_shares(segments: Segments) -> NDArray[np.float64]:
    """float64[n], 0-1: what the page has of the stretch of the work around each segment beside the fullest such."""
    found = np.zeros(len(segments), np.float64)
    for start in (0, STRETCH_TOKENS // 2):
        stretches = segments[:, TEXT].astype(np.int64) << 32 | (segments[:, WORK_START] + start) // STRETCH_TOKENS
        _, numbers = np.unique(stretches, return_inverse=True)
        found = np.maximum(found, np.bincount(numbers, weights=segments[:, SCORE])[numbers])
    return np.asarray(found / found.max(), np.float64)


def _rows_by_key(keys: NDArray[np.int32], rows: Segments) -> dict[int, Segments]:
    groups: dict[int, list[int]] = defaultdict(list)
    for number, key in enumerate(keys.tolist()):
        groups[key].append(number)
    return {key: rows[numbers] for key, numbers in groups.items()}


@kernel()
def _find_blockers(
    segments: Segments, order: NDArray[np.int64], page_tokens: int, max_overlap: float
) -> NDArray[np.int32]:
    """int32[n]: KEPT, or the kept segment that takes more than `max_overlap` of a segment's page range.

    order: the segments by their bids, the best first.
    """
    blockers, blocks = np.full(segments.shape[0], KEPT, np.int32), new_blocks(page_tokens)
    for candidate in order:
        start, end = segments[candidate, PAGE_START], segments[candidate, PAGE_END]
        blockers[candidate] = _find_blocker(segments, blocks, start, end, max_overlap)
        if blockers[candidate] == KEPT:
            blocks = add_segment(blocks, start, end, candidate)
    return blockers


@kernel(allocates=False)
def _find_blocker(segments: Segments, blocks: SegmentBlocks, start: int, end: int, max_overlap: float) -> int:
    """The first segment found that covers more than `max_overlap` of a page range; KEPT where there is none."""
    for block in range(block_of(start), block_of(end) + 1):
        link = blocks.heads[block]
        while link != NO_LINK:
            row = segments[blocks.links[link, LINK_SEGMENT]]
            if min(end, row[PAGE_END]) - max(start, row[PAGE_START]) > max_overlap * (end - start):
                return int(blocks.links[link, LINK_SEGMENT])
            link = blocks.links[link, LINK_NEXT]
    return KEPT
