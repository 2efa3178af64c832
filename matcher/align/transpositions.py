"""Finds transposed characters, caused by typing errors or evasion of filters.

A walk with leaps (matcher.align.jump_walk) does not leap for a single character: it shows transposed characters as
deleted in one place and inserted in another.
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
    """Align the characters of stretches with the same characters in another order on both sides; return how many.

    aligned_to: the work token of each page token, or UNALIGNED. A stretch follows tokens with counterparts. Tokens
    outside it that were only aligned with a different character inside it become unaligned.
    """
    owners = np.full(work.tokens.size, UNALIGNED, np.int32)
    for here in range(aligned_to.size):
        if aligned_to[here] != UNALIGNED:
            owners[aligned_to[here]] = here
    return _settle_stretches(aligned_to, owners, page, work)


@kernel(allocates=False)
def _settle_stretches(
    aligned_to: NDArray[np.int32], owners: NDArray[np.int32], page: AlignmentSide, work: AlignmentSide
) -> int:
    found, here, there, least = 0, 0, as_int(UNALIGNED), 2
    while here < aligned_to.size:
        aligned = as_int(aligned_to[here])
        if there != UNALIGNED and (aligned != there or page.characters[here] != work.characters[there]):
            size = _size_of_transposed(aligned_to, owners, page, work, here, there, least)
            if size:
                found += _pair_characters(aligned_to, owners, page, work, here, there, size)
                here, there = here + size, there + size
                least = 1  # the walk may have missed it if half of the characters are the same
                continue
        if aligned != UNALIGNED:
            there = aligned + 1
        here, least = here + 1, 2
    return found


@kernel(allocates=False)
def _size_of_transposed(  # noqa: PLR0917 - kernels take no keywords
    aligned_to: NDArray[np.int32],
    owners: NDArray[np.int32],
    page: AlignmentSide,
    work: AlignmentSide,
    here: int,
    there: int,
    least: int,
) -> int:
    """Return the least size of a stretch from here with the same characters on both sides; 0 if there is none."""
    most = min(MAX_TRANSPOSED, aligned_to.size - here, work.tokens.size - there)
    if most < least or not _has_character(page.characters, here, most, work.characters[there]):
        return 0
    for size in range(least, most + 1):
        if _is_apart(aligned_to, owners, page, work, here, there, size) and _are_same(page, work, here, there, size):
            return size
    return 0


@kernel(allocates=False)
def _has_character(characters: NDArray[np.uint32], start: int, size: int, character: int) -> bool:
    for place in range(start, start + size):  # noqa: SIM110 - a generator is not compiled
        if characters[place] == character:
            return True
    return False


@kernel(allocates=False)
def _is_apart(  # noqa: PLR0917
    aligned_to: NDArray[np.int32],
    owners: NDArray[np.int32],
    page: AlignmentSide,
    work: AlignmentSide,
    here: int,
    there: int,
    size: int,
) -> bool:
    """Return whether no character of either stretch has an equal counterpart outside the other stretch."""
    for place in range(size):
        aligned, owner = aligned_to[here + place], owners[there + place]
        is_inside = aligned == UNALIGNED or there <= aligned < there + size
        if not is_inside and page.characters[here + place] == work.characters[aligned]:
            return False
        is_inside = owner == UNALIGNED or here <= owner < here + size
        if not is_inside and page.characters[owner] == work.characters[there + place]:
            return False
    return True


@kernel(allocates=False)
def _are_same(page: AlignmentSide, work: AlignmentSide, here: int, there: int, size: int) -> bool:
    """Return whether both stretches have the same characters with the same counts."""
    for place in range(here, here + size):
        character, more = page.characters[place], 0
        for other in range(size):
            more += page.characters[here + other] == character
            more -= work.characters[there + other] == character
        if more:
            return False
    return True


@kernel(allocates=False)
def _pair_characters(  # noqa: PLR0917
    aligned_to: NDArray[np.int32],
    owners: NDArray[np.int32],
    page: AlignmentSide,
    work: AlignmentSide,
    here: int,
    there: int,
    size: int,
) -> bool:
    """Align each character with the one in its own place, if equal, or with the first free one.

    Returns whether any character is in another place.
    """
    for place in range(size):
        if owners[there + place] != UNALIGNED:
            aligned_to[owners[there + place]] = UNALIGNED
        if aligned_to[here + place] != UNALIGNED:
            owners[aligned_to[here + place]] = UNALIGNED
        owners[there + place] = aligned_to[here + place] = UNALIGNED
    for place in range(size):
        if page.characters[here + place] == work.characters[there + place]:
            aligned_to[here + place], owners[there + place] = there + place, here + place
    is_transposed = False
    for place in range(here, here + size):
        if aligned_to[place] != UNALIGNED:
            continue
        is_transposed = True
        for other in range(there, there + size):
            if work.characters[other] == page.characters[place] and owners[other] == UNALIGNED:
                aligned_to[place], owners[other] = other, place
                break
    return is_transposed
