"""Aligns equal sentences that a walk left unaligned, as in texts made of formulas.

A walk proceeds sentence by sentence and takes the nearest of repeated sentences. In the end some sentences remain on
both sides, or are aligned with a different sentence although an equal one is free.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from matcher.align.jump_cells import UNALIGNED, AlignmentSide

# A sentence that is aligned anew frees another sentence of the work, to which another may belong. Of 24 shuffled texts
# of formulas, 10 are not shown correctly in each character with 2 rounds, 5 with 3, 1 with 4 and with 8 (2026-11-25).
MAX_ROUNDS = 4
FACTOR = 1_000_003  # of the sum by which sentences are sorted; equal sums are compared character by character


class _Sentences(NamedTuple):
    """The free sentences of the work.

    ranges: int64[n, 2], empty once assigned; sums: int64[n], their hashes, ascending.
    """

    ranges: NDArray[np.int64]
    sums: NDArray[np.int64]


@kernel()
def match_sentences(aligned_to: NDArray[np.int32], page: AlignmentSide, work: AlignmentSide) -> int:
    """Align each loose sentence of the page with an equal free sentence of the work; return how many were aligned.

    Only sentences between the first and the last aligned token of either side are considered. See `_is_loose`.
    aligned_to: the work token of each page token, or UNALIGNED.
    """
    aligned_count, is_last = 0, False
    for _ in range(MAX_ROUNDS):
        uses = np.zeros(work.tokens.size, np.int32)
        for work_index in aligned_to:
            if work_index != UNALIGNED:
                uses[work_index] += 1
        free = _free_sentences(uses, work)
        if not free.sums.size:
            break
        round_count = _match_round(aligned_to, page, work, uses, free, is_last)
        aligned_count += round_count
        if is_last and not round_count:
            break
        is_last = not round_count
    return aligned_count


@kernel(allocates=False)
def _match_round(  # noqa: PLR0917 - kernels take no keywords
    aligned_to: NDArray[np.int32],
    page: AlignmentSide,
    work: AlignmentSide,
    uses: NDArray[np.int32],
    free: _Sentences,
    is_last: bool,
) -> int:
    start, end, aligned_count = 0, aligned_to.size, 0
    while start < end and aligned_to[start] == UNALIGNED:
        start += 1
    while end > start and aligned_to[end - 1] == UNALIGNED:
        end -= 1
    while start < end:
        stop = start + 1
        while stop < end and not page.is_sentence_start[stop]:
            stop += 1
        if page.is_sentence_start[start] and _is_loose(aligned_to, page, work, uses, start, stop, is_last):
            before = aligned_to[start - 1] if start else UNALIGNED
            number = _find_equal_sentence(page, start, stop, work, free, before)
            if number != UNALIGNED:
                aligned_count += 1
                _assign_sentence(aligned_to, uses, start, stop, free.ranges[number])
        start = stop
    return aligned_count


@kernel(allocates=False)
def _find_equal_sentence(  # noqa: PLR0917
    page: AlignmentSide, start: int, stop: int, work: AlignmentSide, free: _Sentences, before: int
) -> int:
    """Return the number of an equal free sentence, or UNALIGNED.

    The sentence directly after the work token `before` is preferred.
    """
    checksum, candidate = _hash_characters(page.characters, start, stop), UNALIGNED
    number = as_int(np.searchsorted(free.sums, checksum))
    while number < free.sums.size and free.sums[number] == checksum:
        sentence = free.ranges[number]
        if sentence[1] - sentence[0] == stop - start and _have_same_characters(page, start, stop, work, sentence[0]):
            if sentence[0] - 1 == before:
                return number
            candidate = number if candidate == UNALIGNED else candidate
        number += 1
    return candidate


@kernel(allocates=False)
def _assign_sentence(
    aligned_to: NDArray[np.int32], uses: NDArray[np.int32], start: int, stop: int, sentence: NDArray[np.int64]
) -> None:
    for page_index in range(start, stop):
        if aligned_to[page_index] != UNALIGNED:
            uses[aligned_to[page_index]] -= 1
        aligned_to[page_index] = sentence[0] + page_index - start
    sentence[1] = sentence[0]


@kernel()
def _free_sentences(uses: NDArray[np.int32], work: AlignmentSide) -> _Sentences:
    """Return the whole sentences without aligned tokens, between the first and the last aligned token of the work."""
    start, end, count = 0, uses.size, 0
    while start < end and not uses[start]:
        start += 1
    while end > start and not uses[end - 1]:
        end -= 1
    ranges = np.empty((work.is_sentence_start[start:end].sum(), 2), np.int64)
    while start < end:
        stop, is_whole = start + 1, work.is_sentence_start[start] and not uses[start]
        while stop < end and not work.is_sentence_start[stop]:
            is_whole = is_whole and not uses[stop]
            stop += 1
        if is_whole:
            ranges[count, 0], ranges[count, 1] = start, stop
            count += 1
        start = stop
    sums = np.empty(count, np.int64)
    for number in range(count):
        sums[number] = _hash_characters(work.characters, ranges[number, 0], ranges[number, 1])
    order = np.argsort(sums, kind="mergesort")
    return _Sentences(ranges[order], sums[order])


@kernel(allocates=False)
def _is_loose(  # noqa: PLR0917
    aligned_to: NDArray[np.int32],
    page: AlignmentSide,
    work: AlignmentSide,
    uses: NDArray[np.int32],
    start: int,
    stop: int,
    is_last: bool,
) -> bool:
    """Return whether a sentence may be aligned elsewhere.

    It may if it continues no aligned neighbour and has no counterpart, a different one, a part of a sentence, or one
    that another sentence shares. is_last: whether the last two cases count even if it continues a neighbour on one
    side.
    """
    before, behind = aligned_to[start], aligned_to[stop - 1]
    follows = before > 0 and start > 0 and aligned_to[start - 1] == before - 1  # nothing precedes the first token
    leads = behind != UNALIGNED and stop < aligned_to.size and aligned_to[stop] == behind + 1
    if (follows and leads) or ((follows or leads) and not is_last):
        return False
    is_shared = True
    for position in range(start, stop):
        work_index = aligned_to[position]
        is_in_row = position == start or work_index == aligned_to[position - 1] + 1
        if work_index == UNALIGNED or not is_in_row or page.characters[position] != work.characters[work_index]:
            return not follows and not leads
        is_shared = is_shared and uses[work_index] > 1
    is_part = not work.is_sentence_start[before] or (
        behind + 1 < work.is_sentence_start.size and not work.is_sentence_start[behind + 1]
    )
    return is_shared or is_part


@kernel(allocates=False)
def _have_same_characters(page: AlignmentSide, start: int, stop: int, work: AlignmentSide, work_start: int) -> bool:
    for position in range(start, stop):
        if page.characters[position] != work.characters[work_start + position - start]:
            return False
    return True


@kernel(allocates=False)
def _hash_characters(characters: NDArray[np.uint32], start: int, stop: int) -> int:
    total = stop - start
    for position in range(start, stop):
        total = (total * FACTOR + as_int(characters[position])) & 0x3FFFFFFFFFFF
    return total
