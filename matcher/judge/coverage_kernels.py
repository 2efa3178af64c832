"""The loops of judging: the parts of a page's passages in other texts, and the taken parts of a work."""

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from matcher.align.segments import PHRASE_END, PHRASE_START, PHRASE_TEXT, Phrases

RUN_TOKENS = 3
Starts = NDArray[np.int32]


@kernel()
def count_own_tokens(  # noqa: PLR0917 - kernels take no keywords
    starts: Starts, ends: Starts, phrases: Phrases, same: Starts, capped: NDArray[np.int32], anchor_tokens: int
) -> int:
    """Count the tokens of passages [starts, ends) outside capped anchors and phrases of texts other than `same`.

    capped: page positions of anchors that occur too often, each of `anchor_tokens` tokens.
    """
    own = 0
    for passage in range(starts.size):
        start, end = as_int(starts[passage]), as_int(ends[passage])
        edges = np.zeros(end - start + 1, np.int32)
        for row in range(len(phrases)):
            if not _contains(same, phrases[row, PHRASE_TEXT]):
                _cover(edges, as_int(phrases[row, PHRASE_START]) - start, as_int(phrases[row, PHRASE_END]) - start)
        for place in capped:
            if start <= place < end:
                _cover(edges, place - start, place - start + anchor_tokens)
        own += _count_bare(edges)
    return own


@kernel()
def count_phrases_around(starts: Starts, ends: Starts, phrases: Phrases, page_tokens: int) -> tuple[int, int]:
    """Return the number of tokens outside all passages that a phrase covers, and the number of all outside."""
    edges, is_rest = np.zeros(page_tokens + 1, np.int32), np.ones(page_tokens, np.bool_)
    for passage in range(starts.size):
        is_rest[starts[passage] : ends[passage]] = False
    for row in range(len(phrases)):
        _cover(edges, as_int(phrases[row, PHRASE_START]), as_int(phrases[row, PHRASE_END]))
    covered, rest, depth = 0, 0, 0
    for place in range(page_tokens):
        depth += as_int(edges[place])
        rest += is_rest[place]
        covered += is_rest[place] and depth > 0
    return covered, rest


@kernel(allocates=False)
def _cover(edges: NDArray[np.int32], start: int, end: int) -> None:
    """Note a range in the edges of what is covered, as far as it lies there."""
    last = edges.size - 1
    if start < last and end > 0:
        edges[max(start, 0)] += 1
        edges[min(end, last)] -= 1


@kernel(allocates=False)
def _count_bare(edges: NDArray[np.int32]) -> int:
    bare, depth = 0, 0
    for place in range(edges.size - 1):
        depth += as_int(edges[place])
        bare += depth == 0
    return bare


@kernel(allocates=False)
def _contains(numbers: Starts, wanted: int) -> bool:
    for number in numbers:  # noqa: SIM110 - compiled: no generators
        if number == wanted:
            return True
    return False


@kernel()
def count_distinct_runs(tokens: NDArray[np.uint16], starts: Starts, ends: Starts, enough: int) -> int:
    """Count the distinct runs of three tokens in the passages, up to `enough`."""
    seen, count = np.empty(enough, np.uint64), 0
    for passage in range(starts.size):
        for place in range(starts[passage], ends[passage] - RUN_TOKENS + 1):
            run = np.uint64(tokens[place]) << 32 | np.uint64(tokens[place + 1]) << 16 | np.uint64(tokens[place + 2])
            is_new = True
            for other in range(count):
                is_new &= seen[other] != run
            if is_new:
                seen[count] = run
                count += 1
                if count == enough:
                    return count
    return count


@kernel()
def mark_places(tokens: NDArray[np.int32], offsets: NDArray[np.int32]) -> tuple[NDArray[np.uint8], int, int]:
    """Return a bit for each place of a text at which one of these tokens, at least one, begins.

    uint8[b], the lowest bit of a byte first; the place of the first bit, a multiple of 8; how many bits are set.
    """
    first, last, count = as_int(offsets[tokens[0]]), 0, 0
    for token in tokens:
        first, last = min(first, as_int(offsets[token])), max(last, as_int(offsets[token]))
    first = first >> 3 << 3
    marked = np.zeros(((last - first) >> 3) + 1, np.uint8)
    for token in tokens:
        place = as_int(offsets[token]) - first
        bit = np.uint8(1 << (place & 7))
        count += not marked[place >> 3] & bit
        marked[place >> 3] |= bit
    return marked, first, count
