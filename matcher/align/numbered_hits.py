"""Encodes hits as numbers, which sort ten times faster than rows, and selects those worth extending."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from matcher.align.token_agreement import Tokens
from matcher.corpus import Hits, TokenStreams

MAX_BITS = 62
SURE_TOKENS = 5  # of every hit except a hit of windows, which is kept however few more it has
GLANCE = 8  # tokens on either side: if none agrees, the score falls by twice the drop that ends an extension
# The least number of equal tokens among them. On the 8,600 pages of the quality set 1, 2 and 3 give the same matches,
# and 32, 33 and 37 of 4,853 innocent news items are accused; at 10^9 characters 1,166 and 551 hits a page are left with
# 1 and 2 (2026-11).
MIN_EQUAL = 2
TOUCHED_AT_ONCE = 64  # 16 to 1,024 tried at 10^9 characters: 16 is slower, 64 and more are equal


class NumberForm(NamedTuple):
    """The layout of hits as numbers: the text above the diagonal above the place on the page.

    page_bits, diagonal_bits: the bits of the two lower parts; 0 if the hits do not fit into numbers. span: the number
    of page tokens, which is added to diagonals to make them non-negative.
    """

    page_bits: int
    diagonal_bits: int
    span: int


@kernel()
def number_hits(span: int, hits: Hits) -> tuple[NDArray[np.int64], NumberForm]:
    """Return each hit as a number, sorted.

    span: the number of page tokens.
    """
    numbers = np.empty(hits.texts.size, np.int64)
    last_text, last_diagonal = 0, 0
    for hit in range(numbers.size):
        last_text = max(last_text, as_int(hits.texts[hit]))
        last_diagonal = max(last_diagonal, as_int(hits.works[hit]) - as_int(hits.pages[hit]) + span)
    page_bits, diagonal_bits = _count_bits(span), _count_bits(last_diagonal)
    if page_bits + diagonal_bits + _count_bits(last_text) > MAX_BITS:
        return numbers, NumberForm(0, 0, span)
    for hit in range(numbers.size):
        page_at = as_int(hits.pages[hit])
        line = as_int(hits.texts[hit]) << diagonal_bits | as_int(hits.works[hit]) - page_at + span
        numbers[hit] = line << page_bits | page_at
    return numbers, NumberForm(page_bits, diagonal_bits, span)


@kernel(allocates=False)
def _count_bits(number: int) -> int:
    bits = 1
    while number >> bits:
        bits += 1
    return bits


@kernel(allocates=False)
def _decode_hit(number: int, form: NumberForm) -> tuple[int, int, int]:
    """Return the text of a hit, its position on the page and its position in the text."""
    page_at, line = number & ((1 << form.page_bits) - 1), number >> form.page_bits
    diagonal = (line & ((1 << form.diagonal_bits) - 1)) - form.span
    return line >> form.diagonal_bits, page_at, diagonal + page_at


@kernel()
def promising_hits(page: Tokens, texts: TokenStreams, numbers: NDArray[np.int64], form: NumberForm, band: int) -> Hits:
    """Return the hits, without isolated hits that have fewer than MIN_EQUAL equal tokens around them.

    Most hits of a page, and nearly all in a large corpus, are isolated on their diagonals: extending them took most of
    the time. numbers: in increasing order; band: diagonals on either side that count as the same.
    """
    kept = numbers
    if min(page.size, texts.tokens.size) >= SURE_TOKENS + 2 * GLANCE:
        kept, count = np.empty_like(numbers), 0
        for start in range(0, numbers.size, TOUCHED_AT_ONCE):
            end = min(start + TOUCHED_AT_ONCE, numbers.size)
            _prefetch_tokens(kept, texts, numbers, form, start, end)
            count = _keep_promising(kept, count, page, texts, numbers, form, start, end, band)
        kept = kept[:count]
    rows = np.empty((3, kept.size), np.int32)
    for hit in range(kept.size):
        rows[0, hit], rows[1, hit], rows[2, hit] = _decode_hit(kept[hit], form)
    return Hits(rows[0], rows[1], rows[2])


@kernel(allocates=False)
def _prefetch_tokens(  # noqa: PLR0917 - kernels take no keywords
    kept: NDArray[np.int64], texts: TokenStreams, numbers: NDArray[np.int64], form: NumberForm, start: int, end: int
) -> None:
    """Read tokens on either side of some hits, to bring them into the cache.

    They are scattered over gigabytes, and a processor waits for many reads at once if nothing depends on them. The
    values go to unused places in `kept`: the compiler would remove a loop without effect.
    """
    for hit in range(start, end):
        text, _, work_at = _decode_hit(numbers[hit], form)
        there = texts.starts[text] + work_at
        behind, ahead = max(there - GLANCE, 0), min(there + SURE_TOKENS + GLANCE, texts.tokens.size) - 1
        kept[hit] = texts.tokens[behind] + texts.tokens[ahead]


@kernel(allocates=False)
def _keep_promising(  # noqa: PLR0917
    kept: NDArray[np.int64],
    count: int,
    page: Tokens,
    texts: TokenStreams,
    numbers: NDArray[np.int64],
    form: NumberForm,
    start: int,
    end: int,
    band: int,
) -> int:
    """Append the promising hits to the `count` in `kept` without branches; return the new count."""
    tokens, starts, ends = texts
    last_here, last_there = page.size - SURE_TOKENS - GLANCE, tokens.size - SURE_TOKENS - GLANCE
    is_near = start > 0 and _are_neighbours(numbers[start - 1], numbers[start], form, band)
    for hit in range(start, end):
        number = numbers[hit]
        is_near_next = hit + 1 < numbers.size and _are_neighbours(number, numbers[hit + 1], form, band)
        text, here, work_at = _decode_hit(number, form)
        there = starts[text] + work_at
        is_inside = (here >= GLANCE) & (here <= last_here) & (work_at >= GLANCE)
        is_inside &= there + SURE_TOKENS + GLANCE <= ends[text]
        here, there = max(min(here, last_here), GLANCE), max(min(there, last_there), GLANCE)
        equal = _count_equal(page, tokens, here - GLANCE, there - GLANCE)
        equal += _count_equal(page, tokens, here + SURE_TOKENS, there + SURE_TOKENS)
        kept[count] = number
        count += is_near | is_near_next | (not is_inside) | (equal >= MIN_EQUAL)
        is_near = is_near_next
    return count


@kernel(allocates=False)
def _are_neighbours(number: int, other: int, form: NumberForm, band: int) -> bool:
    """Return whether a hit and the next are in one text and on nearly one diagonal.

    It may also be true, harmlessly, at the edge of two texts.
    """
    return (other >> form.page_bits) - (number >> form.page_bits) <= band


@kernel(allocates=False)
def _count_equal(page: Tokens, work: Tokens, page_at: int, work_at: int) -> int:
    """Count the equal tokens among the GLANCE tokens from two places on."""
    here, there, equal = np.uint64(page_at), np.uint64(work_at), 0
    for place in range(GLANCE):
        equal += page[here + np.uint64(place)] == work[there + np.uint64(place)]
    return equal
