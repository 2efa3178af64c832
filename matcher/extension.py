"""From hits to segments: X-drop extension along the diagonal, then with gaps. A match +1, a wildcard 0, all else -1.

This is the definition; matcher.kernels holds the compiled twin that runs. A segment is a row of six numbers: page
start, page end, work start, work end (tokens), matches, score.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprint.normalization import WILDCARD
from matcher import kernels
from matcher.calibration import Calibration

Tokens = NDArray[np.uint16]
Segment = tuple[int, int, int, int, int, int]


def segments_of(
    page: Tokens, work: Tokens, page_hits: NDArray[np.int32], work_hits: NDArray[np.int32], calibration: Calibration
) -> NDArray[np.int32]:
    """int32[segments, 6]: the segments that hits lead to, by the compiled kernel. Hits in any order."""
    order = np.lexsort((page_hits, work_hits.astype(np.int64) - page_hits))
    return np.asarray(
        kernels.extend_hits(
            page, work, page_hits[order], work_hits[order], limits_of(calibration), calibration.max_segments_of_text
        )
    )


def limits_of(calibration: Calibration) -> NDArray[np.int64]:
    """int64[5]: ungapped drop, least ungapped score, gapped drop, band, least score of a segment."""
    return np.array(
        [
            calibration.ungapped_drop,
            calibration.min_ungapped_score,
            calibration.gapped_drop,
            calibration.band_tokens,
            calibration.min_segment_score,
        ],
        np.int64,
    )


def extend_hits(page: Tokens, work: Tokens, hits: list[tuple[int, int]], limits: list[int]) -> list[Segment]:
    """The definition: hits sorted by diagonal, then by page position; one inside a found segment is skipped."""
    drop, min_ungapped, gapped_drop, band, min_score = limits
    segments: list[Segment] = []
    diagonal_done, page_done = None, -1
    for page_at, work_at in hits:
        if work_at - page_at == diagonal_done and page_at < page_done:
            continue
        if any(_covers(segment, page_at, work_at, band) for segment in segments):
            continue
        score, back, ahead = ungapped(page, work, page_at, work_at, drop)
        diagonal_done, page_done = work_at - page_at, page_at + ahead
        if score < min_ungapped:
            continue
        middle = (ahead - back) // 2
        page_mid, work_mid = page_at + middle, work_at + middle
        up = gapped(page[page_mid:], work[work_mid:], gapped_drop, band)
        down = gapped(page[:page_mid][::-1], work[:work_mid][::-1], gapped_drop, band)
        if up[0] + down[0] >= min_score:
            ranges = (page_mid - down[1], page_mid + up[1], work_mid - down[2], work_mid + up[2])
            segments.append((*ranges, up[3] + down[3], up[0] + down[0]))
    return segments


def ungapped(page: Tokens, work: Tokens, page_at: int, work_at: int, drop: int) -> tuple[int, int, int]:
    """Best score along the diagonal through a hit, and how far it reaches back and ahead (tokens)."""
    ahead_score, ahead = _best_prefix(page[page_at:], work[work_at:], drop, 0)
    score, back = _best_prefix(page[:page_at][::-1], work[:work_at][::-1], drop, ahead_score)
    return score, back, ahead


def gapped(page: Tokens, work: Tokens, drop: int, band: int) -> tuple[int, int, int, int]:
    """Best alignment of a prefix of each: score, length on the page, length in the work, matches.

    Row by row over the page, in a band of work positions that follows the best one of each row; what falls more than
    `drop` below the best score so far is given up.
    """
    best = (0, 0, 0, 0)
    if not page.size or not work.size:
        return best
    row = {place: (-place, 0) for place in range(min(band, drop, work.size) + 1)}
    centre = 0
    for done, token in enumerate(page.tolist(), start=1):
        centre += 1
        grown: dict[int, tuple[int, int]] = {}
        for place in range(max(0, centre - band), min(work.size, centre + band) + 1):
            cell = _best_cell(row, grown, place, token, work)
            if cell is not None and cell[0] >= best[0] - drop:
                grown[place] = cell
                if cell[0] > best[0]:
                    best = (cell[0], done, place, cell[1])
        if not grown:
            break
        leader = max(grown, key=lambda place: (grown[place][0], -place))
        if abs(leader - centre) > band // 2:
            centre = leader
        row = {place: cell for place, cell in grown.items() if abs(place - centre) <= band}
    return best


def _best_cell(
    row: dict[int, tuple[int, int]], grown: dict[int, tuple[int, int]], place: int, token: int, work: Tokens
) -> tuple[int, int] | None:
    candidates = []
    if place and place - 1 in row:
        gain = _score(token, int(work[place - 1]))
        candidates.append((row[place - 1][0] + gain, row[place - 1][1] + (gain == 1)))
    candidates += [(cells[at][0] - 1, cells[at][1]) for cells, at in ((row, place), (grown, place - 1)) if at in cells]
    return max(candidates, key=lambda cell: cell[0], default=None)


def _best_prefix(page: Tokens, work: Tokens, drop: int, start_score: int) -> tuple[int, int]:
    score, best, length = start_score, start_score, 0
    for step, (page_token, work_token) in enumerate(zip(page.tolist(), work.tolist(), strict=False), start=1):
        score += _score(page_token, work_token)
        if score > best:
            best, length = score, step
        if score < best - drop:
            break
    return best, length


def _covers(segment: Segment, page_at: int, work_at: int, band: int) -> bool:
    if not (segment[0] <= page_at < segment[1] and segment[2] <= work_at < segment[3]):
        return False
    expected = segment[2] + (page_at - segment[0]) * (segment[3] - segment[2]) // max(1, segment[1] - segment[0])
    return abs(expected - work_at) <= 2 * band


def _score(page_token: int, work_token: int) -> int:
    if WILDCARD in (page_token, work_token):
        return 0
    return 1 if page_token == work_token else -1
