"""Finds transposed characters, caused by typing errors or meant to evade filters.

A walk with leaps (matcher.align.jump_walk) does not leap for a single character. It leaves transposed characters as
deleted in one position and inserted in another.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from matcher.align.jump_cells import UNALIGNED, AlignmentSide

# Tokens that change places among themselves. On pages with random neighbours or threes in another order, 4 finds all of
# them; 6 allows for a word that changes places with another (2026-11, 48 passages; 2 to 10 tried).
MAX_TRANSPOSED = 6


@kernel()
def settle_transpositions(aligned_to: NDArray[np.int32], page: AlignmentSide, work: AlignmentSide) -> int:
    """Align stretches that contain the same characters in another order; return the number of transposed stretches.

    aligned_to: the work token of each page token, or UNALIGNED. A stretch must follow an aligned token. Tokens outside
    it that were aligned with a different character inside it become unaligned.
    """
    owners = np.full(work.tokens.size, UNALIGNED, np.int32)
    for page_start in range(aligned_to.size):
        if aligned_to[page_start] != UNALIGNED:
            owners[aligned_to[page_start]] = page_start
    return _settle_stretches(aligned_to, owners, page, work)


@kernel(allocates=False)
def _settle_stretches(
    aligned_to: NDArray[np.int32], owners: NDArray[np.int32], page: AlignmentSide, work: AlignmentSide
) -> int:
    stretch_count, page_start, work_start, min_size = 0, 0, as_int(UNALIGNED), 2
    while page_start < aligned_to.size:
        aligned = as_int(aligned_to[page_start])
        if work_start != UNALIGNED and (
            aligned != work_start or page.characters[page_start] != work.characters[work_start]
        ):
            size = _find_transposed_size(aligned_to, owners, page, work, page_start, work_start, min_size)
            if size:
                stretch_count += _pair_characters(aligned_to, owners, page, work, page_start, work_start, size)
                page_start, work_start = page_start + size, work_start + size
                min_size = 1  # the walk may have missed it if half of the characters are the same
                continue
        if aligned != UNALIGNED:
            work_start = aligned + 1
        page_start, min_size = page_start + 1, 2
    return stretch_count


@kernel(allocates=False)
def _find_transposed_size(  # noqa: PLR0917 - kernels take no keywords
    aligned_to: NDArray[np.int32],
    owners: NDArray[np.int32],
    page: AlignmentSide,
    work: AlignmentSide,
    page_start: int,
    work_start: int,
    min_size: int,
) -> int:
    """Return the smallest size of a stretch with the same characters on both sides, or 0 if there is none."""
    max_size = min(MAX_TRANSPOSED, aligned_to.size - page_start, work.tokens.size - work_start)
    if max_size < min_size or not _has_character(page.characters, page_start, max_size, work.characters[work_start]):
        return 0
    for size in range(min_size, max_size + 1):
        if _is_self_contained(aligned_to, owners, page, work, page_start, work_start, size) and _have_same_characters(
            page, work, page_start, work_start, size
        ):
            return size
    return 0


@kernel(allocates=False)
def _has_character(characters: NDArray[np.uint32], start: int, size: int, character: int) -> bool:
    for position in range(start, start + size):  # noqa: SIM110 - a generator is not compiled
        if characters[position] == character:
            return True
    return False


@kernel(allocates=False)
def _is_self_contained(  # noqa: PLR0917
    aligned_to: NDArray[np.int32],
    owners: NDArray[np.int32],
    page: AlignmentSide,
    work: AlignmentSide,
    page_start: int,
    work_start: int,
    size: int,
) -> bool:
    """Return whether no character of either stretch is aligned with an equal character outside the other stretch."""
    for position in range(size):
        aligned, owner = aligned_to[page_start + position], owners[work_start + position]
        is_inside = aligned == UNALIGNED or work_start <= aligned < work_start + size
        if not is_inside and page.characters[page_start + position] == work.characters[aligned]:
            return False
        is_inside = owner == UNALIGNED or page_start <= owner < page_start + size
        if not is_inside and page.characters[owner] == work.characters[work_start + position]:
            return False
    return True


@kernel(allocates=False)
def _have_same_characters(
    page: AlignmentSide, work: AlignmentSide, page_start: int, work_start: int, size: int
) -> bool:
    """Return whether both stretches contain the same characters equally often."""
    for position in range(page_start, page_start + size):
        character, surplus = page.characters[position], 0
        for candidate in range(size):
            surplus += page.characters[page_start + candidate] == character
            surplus -= work.characters[work_start + candidate] == character
        if surplus:
            return False
    return True


@kernel(allocates=False)
def _pair_characters(  # noqa: PLR0917
    aligned_to: NDArray[np.int32],
    owners: NDArray[np.int32],
    page: AlignmentSide,
    work: AlignmentSide,
    page_start: int,
    work_start: int,
    size: int,
) -> bool:
    """Align each character with an equal one: in the same position if possible, otherwise with the first free one.

    Returns whether any character changes its position.
    """
    for position in range(size):
        if owners[work_start + position] != UNALIGNED:
            aligned_to[owners[work_start + position]] = UNALIGNED
        if aligned_to[page_start + position] != UNALIGNED:
            owners[aligned_to[page_start + position]] = UNALIGNED
        owners[work_start + position] = aligned_to[page_start + position] = UNALIGNED
    for position in range(size):
        if page.characters[page_start + position] == work.characters[work_start + position]:
            aligned_to[page_start + position], owners[work_start + position] = (
                work_start + position,
                page_start + position,
            )
    is_transposed = False
    for position in range(page_start, page_start + size):
        if aligned_to[position] != UNALIGNED:
            continue
        is_transposed = True
        for candidate in range(work_start, work_start + size):
            if work.characters[candidate] == page.characters[position] and owners[candidate] == UNALIGNED:
                aligned_to[position], owners[candidate] = candidate, position
                break
    return is_transposed
