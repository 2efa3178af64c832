"""Segments: stretches of a page aligned with stretches of a text, as rows of seven columns.

Positions are in tokens; positions in the work count from the start of its text.
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
# The agreeing tokens along the diagonal of a hit, however few: page start, page end, text.
Phrases = NDArray[np.int32]

BLOCK_BITS = 8  # segments are looked up by blocks of 256 page tokens
LINK_SEGMENT, LINK_NEXT = 0, 1
NO_LINK = -1
# A segment may deviate from its straight line by 1 in 16 of its length: twenty times the effect of 5 % random cuts.
STRAIGHTNESS = 16
LONG_TOKENS, FAITHFUL_SHARE = 2_000, 0.8  # a chapter, as lightly edited as anything that X-drop passes through


class SegmentBlocks(NamedTuple):
    """The segments that touch each block of the page, as linked lists.

    heads: the last link of each block; links: a segment and the previous link in the block.
    """

    heads: NDArray[np.int32]
    links: NDArray[np.int32]


@kernel(allocates=False)
def block_number(page_index: int) -> int:
    """Return the number of the block that contains a page token."""
    return page_index >> BLOCK_BITS


@kernel()
def new_blocks(page_tokens: int, links: int) -> SegmentBlocks:
    """Return blocks without segments, and with room for `links` links."""
    heads = np.full(block_number(page_tokens) + 2, NO_LINK, np.int32)
    return SegmentBlocks(heads, np.empty((links, 2), np.int32))


@kernel(allocates=False)
def add_segment(blocks: SegmentBlocks, used: int, start: int, end: int, number: int) -> int:
    """Add a link to a segment in each block of the page that it touches; return the number of used links.

    used: the number of links used so far; number: the row of the segment.
    """
    for block in range(block_number(start), block_number(end) + 1):
        blocks.links[used, LINK_SEGMENT], blocks.links[used, LINK_NEXT] = number, blocks.heads[block]
        blocks.heads[block] = used
        used += 1
    return used


@kernel(allocates=False)
def clear_blocks(blocks: SegmentBlocks, segments: Segments, first: int, last: int) -> None:
    """Empty the blocks of the segments in rows [first, last); all segments in the blocks must be among them."""
    for row in range(first, last):
        for block in range(block_number(segments[row, PAGE_START]), block_number(segments[row, PAGE_END]) + 1):
            blocks.heads[block] = NO_LINK


@kernel(allocates=False)
def is_covered(segments: Segments, blocks: SegmentBlocks, page_index: int, work_index: int, band: int) -> bool:
    """Return whether a hit adds nothing to the segments.

    It does not if it is near the diagonal of a segment, or on the page range of a faithful one. The allowed distance
    grows with the segment, since edits make it deviate from a straight line. A segment is faithful if it is long and
    matches nearly every token: it explains its page range, and repetitions in the text would only explain it again.
    """
    link = blocks.heads[block_number(page_index)]
    while link != NO_LINK:
        row = segments[blocks.links[link, LINK_SEGMENT]]
        if row[PAGE_START] <= page_index < row[PAGE_END]:
            length = row[PAGE_END] - row[PAGE_START]
            if length >= LONG_TOKENS and row[MATCHES] >= FAITHFUL_SHARE * length:
                return True
            if row[WORK_START] <= work_index < row[WORK_END]:
                ahead = np.int64(page_index - row[PAGE_START]) * (row[WORK_END] - row[WORK_START]) // length
                if abs(row[WORK_START] + ahead - work_index) <= 2 * band + length // STRAIGHTNESS:
                    return True
        link = blocks.links[link, LINK_NEXT]
    return False
