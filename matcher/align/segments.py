"""Segments: stretches of a page aligned with a stretch of one text, as rows of seven numbers.

The names of the columns say which. Positions are tokens; those of the work count from the beginning of its text.
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
# What agrees along the diagonal of a hit, however little: page start, page end, text.
Phrases = NDArray[np.int32]

BLOCK_BITS = 8  # segments are looked up by blocks of 256 page tokens
LINK_SEGMENT, LINK_NEXT = 0, 1
NO_LINK = -1
# A segment may wander off its straight line by 1 in 16 of its length: twenty times what 5 % of random cuts make of it.
STRAIGHTNESS = 16
LONG_TOKENS, FAITHFUL_SHARE = 2_000, 0.8  # a chapter, as lightly edited as anything that X-drop goes through


class SegmentBlocks(NamedTuple):
    """Which segments touch a block of the page.

    heads: the last link of each block; links: a segment and the link before; used: how many links there are.
    """

    heads: NDArray[np.int32]
    links: NDArray[np.int32]
    used: int


@kernel(allocates=False)
def block_of(page_at: int) -> int:
    """The block of a page token."""
    return page_at >> BLOCK_BITS


@kernel()
def new_blocks(page_tokens: int) -> SegmentBlocks:
    """Blocks without segments."""
    heads = np.full(block_of(page_tokens) + 2, NO_LINK, np.int32)
    return SegmentBlocks(heads, np.empty((256, 2), np.int32), 0)


@kernel()
def add_segment(blocks: SegmentBlocks, start: int, end: int, number: int) -> SegmentBlocks:
    """Note a segment in each block of the page that it touches."""
    heads, links, used = blocks
    for block in range(block_of(start), block_of(end) + 1):
        if used == links.shape[0]:
            links = double_rows(links)
        links[used, LINK_SEGMENT], links[used, LINK_NEXT] = number, heads[block]
        heads[block] = used
        used += 1
    return SegmentBlocks(heads, links, used)


@kernel()
def clear_blocks(blocks: SegmentBlocks, segments: Segments) -> SegmentBlocks:
    """The same memory without these segments, which are all that it holds."""
    for row in segments:
        for block in range(block_of(row[PAGE_START]), block_of(row[PAGE_END]) + 1):
            blocks.heads[block] = NO_LINK
    return SegmentBlocks(blocks.heads, blocks.links, 0)


@kernel(allocates=False)
def is_covered(segments: Segments, blocks: SegmentBlocks, page_at: int, work_at: int, band: int) -> bool:
    """Whether a hit adds nothing: it lies inside a segment, near its diagonal at that point, or in a faithful one.

    How near grows with the segment, since edits make it wander off the straight line. Where a long one has nearly every
    token, its page range is explained, and repetitions in the text would only explain it again.
    """
    link = blocks.heads[block_of(page_at)]
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


@kernel()
def double_rows(rows: NDArray[np.int32]) -> NDArray[np.int32]:
    """The rows, with room for as many again."""
    grown = np.empty((2 * rows.shape[0], rows.shape[1]), np.int32)
    grown[: rows.shape[0]] = rows
    return grown
