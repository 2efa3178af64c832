"""Compiled twins of matcher.extension, equal to it hit by hit; numba keeps the machine code on disk."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

WILDCARD = 0xFFFF  # fingerprint.normalization.WILDCARD; numba needs a constant of this module
NOWHERE = -(1 << 28)


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def score_of(page_token: int, work_token: int) -> int:
    if page_token == WILDCARD or work_token == WILDCARD:  # noqa: PLR1714 - the kernel compares numbers, no tuples
        return 0
    return 1 if page_token == work_token else -1


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def ungapped(
    page: NDArray[np.uint16], work: NDArray[np.uint16], page_at: int, work_at: int, drop: int
) -> tuple[int, int, int]:
    """See matcher.extension.ungapped."""
    score, ahead_score, ahead, step = 0, 0, 0, 0
    limit = min(page.size - page_at, work.size - work_at)
    while step < limit:
        score += score_of(page[page_at + step], work[work_at + step])
        step += 1
        if score > ahead_score:
            ahead_score, ahead = score, step
        if score < ahead_score - drop:
            break
    score, best, back, step = ahead_score, ahead_score, 0, 1
    limit = min(page_at, work_at)
    while step <= limit:
        score += score_of(page[page_at - step], work[work_at - step])
        if score > best:
            best, back = score, step
        if score < best - drop:
            break
        step += 1
    return best, back, ahead


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def gapped(  # noqa: C901, PLR0912, PLR0917 - one loop nest: numba would pay for every call inside it
    page: NDArray[np.uint16],
    work: NDArray[np.uint16],
    page_at: int,
    work_at: int,
    direction: int,
    drop: int,
    band: int,
    rows: NDArray[np.int32],
) -> tuple[int, int, int, int]:
    """See matcher.extension.gapped. rows: int32[4, 2 * band + 1], working memory."""
    page_left = page.size - page_at if direction > 0 else page_at + 1
    work_left = work.size - work_at if direction > 0 else work_at + 1
    best, best_page, best_work, best_matches = 0, 0, 0, 0
    if page_left <= 0 or work_left <= 0:
        return best, best_page, best_work, best_matches
    width = 2 * band + 1
    old, old_matches, new, new_matches = rows[0], rows[1], rows[2], rows[3]
    for column in range(width):
        gap = column - band
        old[column] = -gap if 0 <= gap <= work_left and gap <= drop else NOWHERE
        old_matches[column] = 0
    shift = 0
    for row in range(1, page_left + 1):
        token = page[page_at + (row - 1) * direction]
        is_alive, row_best, row_column = False, NOWHERE, band
        for column in range(width):
            place = row + column - band + shift
            value, matches = NOWHERE, 0
            if 0 <= place <= work_left:
                if place >= 1 and old[column] != NOWHERE:
                    gain = score_of(token, work[work_at + (place - 1) * direction])
                    value = old[column] + gain
                    matches = old_matches[column] + (1 if gain == 1 else 0)
                if column + 1 < width and old[column + 1] != NOWHERE and old[column + 1] - 1 > value:
                    value, matches = old[column + 1] - 1, old_matches[column + 1]
                if column > 0 and new[column - 1] != NOWHERE and new[column - 1] - 1 > value:
                    value, matches = new[column - 1] - 1, new_matches[column - 1]
            if value < best - drop:
                value = NOWHERE
            else:
                is_alive = True
            new[column], new_matches[column] = value, matches
            if value > row_best:
                row_best, row_column = value, column
            if value > best:
                best, best_page, best_work, best_matches = value, row, place, matches
        if not is_alive:
            break
        moved = row_column - band
        if abs(moved) <= band // 2:
            moved = 0
        shift += moved
        for column in range(width):
            source = column + moved
            if 0 <= source < width:
                old[column], old_matches[column] = new[source], new_matches[source]
            else:
                old[column], old_matches[column] = NOWHERE, 0
    return best, best_page, best_work, best_matches


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def extend_hits(  # noqa: PLR0917 - arrays and numbers only: numba compiles no records
    page: NDArray[np.uint16],
    work: NDArray[np.uint16],
    page_hits: NDArray[np.int32],
    work_hits: NDArray[np.int32],
    limits: NDArray[np.int64],
    max_segments: int,
) -> NDArray[np.int32]:
    """See matcher.extension.extend_hits. limits: drop, least score (ungapped), drop, band, least score (gapped)."""
    drop, min_ungapped, gapped_drop = int(limits[0]), int(limits[1]), int(limits[2])
    band, min_score = int(limits[3]), int(limits[4])
    segments = np.empty((max_segments, 6), np.int32)
    found = 0
    rows = np.empty((4, 2 * band + 1), np.int32)
    last_diagonal, last_end = -(1 << 40), -1
    for hit in range(page_hits.size):
        page_at, work_at = int(page_hits[hit]), int(work_hits[hit])
        diagonal = work_at - page_at
        if diagonal == last_diagonal and page_at < last_end:
            continue
        if is_covered(segments, found, page_at, work_at, band):
            continue
        score, back, ahead = ungapped(page, work, page_at, work_at, drop)
        last_diagonal, last_end = diagonal, page_at + ahead
        if score < min_ungapped:
            continue
        middle = (ahead - back) // 2
        page_mid, work_mid = page_at + middle, work_at + middle
        up, up_page, up_work, up_matches = gapped(page, work, page_mid, work_mid, 1, gapped_drop, band, rows)
        down, down_page, down_work, down_matches = gapped(
            page, work, page_mid - 1, work_mid - 1, -1, gapped_drop, band, rows
        )
        if up + down >= min_score and found < max_segments:
            segments[found, 0], segments[found, 1] = page_mid - down_page, page_mid + up_page
            segments[found, 2], segments[found, 3] = work_mid - down_work, work_mid + up_work
            segments[found, 4], segments[found, 5] = up_matches + down_matches, up + down
            found += 1
    return segments[:found]


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def is_covered(segments: NDArray[np.int32], found: int, page_at: int, work_at: int, band: int) -> bool:
    for number in range(found - 1, -1, -1):
        segment = segments[number]
        if segment[0] <= page_at < segment[1] and segment[2] <= work_at < segment[3]:
            length = max(1, segment[1] - segment[0])
            expected = segment[2] + (page_at - segment[0]) * (segment[3] - segment[2]) // length
            if abs(expected - work_at) <= 2 * band:
                return True
    return False
