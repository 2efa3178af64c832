"""Aligns equal sentences of a passage that a walk left unaligned, as in texts made of formulas.

A walk proceeds sentence by sentence and takes the nearest of repeated sentences. In the end some are left over on both
sides, or are aligned with a different sentence although an equal one is free.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from matcher.align.jump_cells import UNALIGNED, AlignmentSide

# A sentence that gets its own place leaves another place free, where another sentence may belong. Of 24 shuffled texts
# of formulas, 10 are not shown correctly in each character with 2 rounds, 5 with 3, 1 with 4 and with 8 (2026-11-25).
MAX_ROUNDS = 4
FACTOR = 1_000_003  # of the sum by which sentences are sorted; equal sums are compared character by character


class _Sentences(NamedTuple):
    """Free sentences of the work: places int64[n, 2], empty once assigned; sums int64[n], ascending."""

    places: NDArray[np.int64]
    sums: NDArray[np.int64]


@kernel()
def match_sentences(aligned_to: NDArray[np.int32], page: AlignmentSide, work: AlignmentSide) -> int:
    """Align each loose sentence of the page with an equal free sentence of the work; return how many were aligned.

    A sentence is loose if it has no counterpart, is alone next to a different sentence, is part of one, or is shared.
    Sentences between the first and the last token with a counterpart are considered, on either side. aligned_to: tokens
    of `work`, or UNALIGNED.
    """
    found, is_last = 0, False
    for _ in range(MAX_ROUNDS):
        uses = np.zeros(work.tokens.size, np.int32)
        for there in aligned_to:
            if there != UNALIGNED:
                uses[there] += 1
        free = _free_sentences(uses, work)
        if not free.sums.size:
            break
        given = _match_once(aligned_to, page, work, uses, free, is_last)
        found += given
        if is_last and not given:
            break
        is_last = not given
    return found


@kernel(allocates=False)
def _match_once(  # noqa: PLR0917 - kernels take no keywords
    aligned_to: NDArray[np.int32],
    page: AlignmentSide,
    work: AlignmentSide,
    uses: NDArray[np.int32],
    free: _Sentences,
    is_last: bool,
) -> int:
    start, end, given = 0, aligned_to.size, 0
    while start < end and aligned_to[start] == UNALIGNED:
        start += 1
    while end > start and aligned_to[end - 1] == UNALIGNED:
        end -= 1
    while start < end:
        stop = start + 1
        while stop < end and not page.begins[stop]:
            stop += 1
        if page.begins[start] and _is_loose(aligned_to, page, work, uses, start, stop, is_last):
            before = aligned_to[start - 1] if start else UNALIGNED
            number = _find_same(page, start, stop, work, free, before)
            if number != UNALIGNED:
                given += 1
                _assign_sentence(aligned_to, uses, start, stop, free.places[number])
        start = stop
    return given


@kernel(allocates=False)
def _find_same(  # noqa: PLR0917
    page: AlignmentSide, start: int, stop: int, work: AlignmentSide, free: _Sentences, before: int
) -> int:
    """Return the number of an equal free sentence, or UNALIGNED.

    The sentence after the work's token `before` is preferred.
    """
    wanted, found = _hash_characters(page.characters, start, stop), UNALIGNED
    number = as_int(np.searchsorted(free.sums, wanted))
    while number < free.sums.size and free.sums[number] == wanted:
        place = free.places[number]
        if place[1] - place[0] == stop - start and _are_same(page, start, stop, work, place[0]):
            if place[0] - 1 == before:
                return number
            found = number if found == UNALIGNED else found
        number += 1
    return found


@kernel(allocates=False)
def _assign_sentence(
    aligned_to: NDArray[np.int32], uses: NDArray[np.int32], start: int, stop: int, place: NDArray[np.int64]
) -> None:
    for here in range(start, stop):
        if aligned_to[here] != UNALIGNED:
            uses[aligned_to[here]] -= 1
        aligned_to[here] = place[0] + here - start
    place[1] = place[0]


@kernel()
def _free_sentences(uses: NDArray[np.int32], work: AlignmentSide) -> _Sentences:
    """Return the sentences without aligned tokens between the first and the last aligned tokens."""
    start, end, count = 0, uses.size, 0
    while start < end and not uses[start]:
        start += 1
    while end > start and not uses[end - 1]:
        end -= 1
    places = np.empty((work.begins[start:end].sum(), 2), np.int64)
    while start < end:
        stop, is_whole = start + 1, work.begins[start] and not uses[start]
        while stop < end and not work.begins[stop]:
            is_whole = is_whole and not uses[stop]
            stop += 1
        if is_whole:
            places[count, 0], places[count, 1] = start, stop
            count += 1
        start = stop
    sums = np.empty(count, np.int64)
    for number in range(count):
        sums[number] = _hash_characters(work.characters, places[number, 0], places[number, 1])
    order = np.argsort(sums, kind="mergesort")
    return _Sentences(places[order], sums[order])


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
    """Return whether a sentence has no counterpart, is alone next to a different one, part of one, or shared.

    is_last: whether a sentence that is part of one or shared counts even if it follows on one side.
    """
    before, behind = aligned_to[start], aligned_to[stop - 1]
    follows = before > 0 and start > 0 and aligned_to[start - 1] == before - 1  # nothing precedes the first token
    leads = behind != UNALIGNED and stop < aligned_to.size and aligned_to[stop] == behind + 1
    if (follows and leads) or ((follows or leads) and not is_last):
        return False
    is_shared = True
    for place in range(start, stop):
        there = aligned_to[place]
        is_in_row = place == start or there == aligned_to[place - 1] + 1
        if there == UNALIGNED or not is_in_row or page.characters[place] != work.characters[there]:
            return not follows and not leads
        is_shared = is_shared and uses[there] > 1
    is_part = not work.begins[before] or (behind + 1 < work.begins.size and not work.begins[behind + 1])
    return is_shared or is_part


@kernel(allocates=False)
def _are_same(page: AlignmentSide, start: int, stop: int, work: AlignmentSide, there: int) -> bool:
    for place in range(start, stop):  # noqa: SIM110 - compiled: no generators
        if page.characters[place] != work.characters[there + place - start]:
            return False
    return True


@kernel(allocates=False)
def _hash_characters(characters: NDArray[np.uint32], start: int, stop: int) -> int:
    total = stop - start
    for place in range(start, stop):
        total = (total * FACTOR + as_int(characters[place])) & 0x3FFFFFFFFFFF
    return total
