"""Segments: stretches of a page aligned with a stretch of one text, as rows of seven named columns.

Positions are counted in tokens; those in the work start at the beginning of its text.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import kernel

SEGMENT_COLUMNS = 7
PAGE_START, PAGE_END, WORK_START, WORK_END, MATCHES, SCORE, TEXT = range(SEGMENT_COLUMNS)
PHRASE_COLUMNS = 3
PHRASE_START, PHRASE_END, PHRASE_TEXT = range(PHRASE_COLUMNS)

Segments = NDArray[np.int32]
# The tokens that agree along the diagonal of a hit, however few: page start, page end, text.
Phrases = NDArray[np.int32]

BLOCK_BITS = 8  # segments are looked up by blocks of 256 page tokens
LINK_SEGMENT, LINK_NEXT = 0, 1
NO_LINK = -1
# A segment may deviate from its straight line by 1 in 16 of its length: twenty times the effect of 5 % random cuts.
STRAIGHTNESS = 16
LONG_TOKENS, FAITHFUL_SHARE = 2_000, 0.8  # a chapter, as lightly edited as anything that X-drop passes through


class SegmentBlocks(NamedTuple):
    """The segments in each block of the page.

    heads: the last link of each block; links: a segment and the previous link.
    """

    heads: NDArray[np.int32]
    links: NDArray[np.int32]


@kernel(allocates=False)
def block_number(page_at: int) -> int:
    """Return the number of a page token's block."""
    return page_at >> BLOCK_BITS


@kernel()
def new_blocks(page_tokens: int, links: int) -> SegmentBlocks:
    """Return blocks without segments, with room for this many links."""
    heads = np.full(block_number(page_tokens) + 2, NO_LINK, np.int32)
    return SegmentBlocks(heads, np.empty((links, 2), np.int32))


@kernel(allocates=False)
def add_segment(blocks: SegmentBlocks, used: int, start: int, end: int, number: int) -> int:
    """Add a link to a segment in each block of the page that it touches; return the number of used links."""
    for block in range(block_number(start), block_number(end) + 1):
        blocks.links[used, LINK_SEGMENT], blocks.links[used, LINK_NEXT] = number, blocks.heads[block]
        blocks.heads[block] = used
        used += 1
    return used


@kernel(allocates=False)
def clear_blocks(blocks: SegmentBlocks, segments: Segments, first: int, last: int) -> None:
    """Remove the segments of these rows; all of them must be in the blocks."""
    for row in range(first, last):
        for block in range(block_number(segments[row, PAGE_START]), block_number(segments[row, PAGE_END]) + 1):
            blocks.heads[block] = NO_LINK


@kernel(allocates=False)
def is_covered(segments: Segments, blocks: SegmentBlocks, page_at: int, work_at: int, band: int) -> bool:
    """Return whether a hit adds nothing: it lies in a segment near its diagonal, or in a faithful segment.

    The distance allowed grows with the segment, since edits make it deviate from the straight line. If a long segment
    has nearly every token, its page range is explained, and repetitions in the text would only explain it again.
    """
    link = blocks.heads[block_number(page_at)]
    while link != NO_LINK:
        row = segments[blocks.links[link, LINK_SEGMENT]]
        if row[PAGE_START] <= page_at < row[PAGE_END]:
            length = row[PAGE_END] - row[PAGE_START]
            if length >= LONG_TOKENS and row[MATCHES] >= FAITHFUL_SHARE * length:
                return True
            if row[WORK_START] <= work_at < row[WORK_END]:
                ahead = np.int64(page_at - row[PAGE_START]) * (row[WORK_END] - row[WORK_START]) // length
                if abs(row[WORK_START] + ahead - work_at) <= 2 * band + length // STRAIGHTNESS:
                    return True
        link = blocks.links[link, LINK_NEXT]
    return False
