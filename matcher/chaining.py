"""Who keeps a page range that several texts claim. Segments are rows of matcher.extension."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numba import njit
from numpy.typing import NDArray

from core.ids import WorkTextId
from matcher.calibration import Calibration
from matcher.extension import PAGE_START, SCORE, TEXT, Segments
from matcher.kernels import BLOCK_BITS, SEGMENT_COLUMNS


@dataclass(slots=True, eq=False)
class Holding:
    """What one text keeps of a page.

    segments: those that it keeps; rivals: those of other texts that fell to it (their TEXT says whose).
    """

    segments: Segments
    rivals: Segments = field(default_factory=lambda: np.zeros((0, SEGMENT_COLUMNS), np.int32))


def holdings(
    claims: Segments, names: Mapping[int, WorkTextId], page_tokens: int, calibration: Calibration
) -> dict[int, Holding]:
    """Settle the claims of all texts: the better one keeps a range, the others are noted as rivals. By text.

    names: what the texts are called; of equal claims the one of the first name wins, whatever numbers an index gives.
    """
    if not len(claims):
        return {}
    if len(claims) == 1:
        return {int(claims[0, TEXT]): Holding(claims)}
    totals = np.bincount(claims[:, TEXT], weights=claims[:, SCORE])
    bids = claims[:, SCORE] * (1 + calibration.home_bonus * totals[claims[:, TEXT]] / totals.max())
    ranks = {text: rank for rank, text in enumerate(sorted(names, key=names.__getitem__))}
    of_claims = np.array([ranks[text] for text in claims[:, TEXT].tolist()], np.int32)
    order = np.lexsort((claims[:, PAGE_START], of_claims, -bids))
    fate = _settled(claims, order, page_tokens, calibration.max_overlap_of_claims)
    kept = claims[fate < 0]
    found = {text: Holding(kept[kept[:, TEXT] == text]) for text in sorted(set(kept[:, TEXT].tolist()))}
    fallen = np.flatnonzero(fate >= 0)
    winners = claims[fate[fallen], TEXT]
    is_rival = winners != claims[fallen, TEXT]
    for winner, rows in _grouped(winners[is_rival], claims[fallen[is_rival]]).items():
        found[winner].rivals = rows
    return found


def _grouped(keys: NDArray[np.int32], rows: Segments) -> dict[int, Segments]:
    groups: dict[int, list[int]] = defaultdict(list)
    for number, key in enumerate(keys.tolist()):
        groups[key].append(number)
    return {key: rows[numbers] for key, numbers in groups.items()}


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def _settled(
    rows: NDArray[np.int32], order: NDArray[np.int64], page_tokens: int, max_overlap: float
) -> NDArray[np.int32]:
    """int32[n]: for each segment -1 when it keeps its page range, else the kept one that takes more than `max_overlap`.

    Segments come in `order`, the best bid first; one that overlaps a kept one by more than that share of itself falls.
    """
    fate = np.full(rows.shape[0], -1, np.int32)
    heads = np.full((page_tokens >> BLOCK_BITS) + 2, -1, np.int32)
    links, link_count = np.empty((256, 2), np.int32), 0
    for candidate in order:
        start, end = rows[candidate, 0], rows[candidate, 1]
        blocker = -1
        for block in range(start >> BLOCK_BITS, (end >> BLOCK_BITS) + 1):
            link = heads[block]
            while link >= 0 and blocker < 0:
                other = links[link, 0]
                overlap = min(end, rows[other, 1]) - max(start, rows[other, 0])
                if overlap > max_overlap * (end - start):
                    blocker = other
                link = links[link, 1]
            if blocker >= 0:
                break
        fate[candidate] = blocker
        if blocker >= 0:
            continue
        for block in range(start >> BLOCK_BITS, (end >> BLOCK_BITS) + 1):
            if link_count == links.shape[0]:
                longer = np.empty((2 * link_count, 2), np.int32)
                longer[:link_count] = links
                links = longer
            links[link_count, 0], links[link_count, 1] = candidate, heads[block]
            heads[block] = link_count
            link_count += 1
    return fate
