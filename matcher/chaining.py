"""Who keeps a page range that several texts claim.

A segment is a row of matcher.extension: page start, page end, work start, work end (tokens), matches, score.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from matcher.calibration import Calibration

PAGE_START, PAGE_END, WORK_START, WORK_END, MATCHES, SCORE = range(6)
Segments = NDArray[np.int32]


@dataclass(slots=True)
class Holding:
    """What one text keeps of a page: its segments, and the tokens that other texts carry as well."""

    segments: list[NDArray[np.int32]] = field(default_factory=list)
    rivals: list[tuple[NDArray[np.int32], int]] = field(default_factory=list)  # the segment kept, whose claim fell


def holdings(claims: Mapping[int, Segments], calibration: Calibration) -> dict[int, Holding]:
    """Settle the claims of all texts (by ordinal): the better one keeps a range, the others are noted as rivals."""
    if not claims:
        return {}
    owners = np.concatenate([np.full(len(rows), ordinal, np.int64) for ordinal, rows in claims.items()])
    rows = np.concatenate(list(claims.values()))
    totals = {ordinal: int(found[:, SCORE].sum()) for ordinal, found in claims.items()}
    share = np.array([totals[owner] for owner in owners.tolist()]) / max(1, max(totals.values(), default=1))
    bids = rows[:, SCORE] * (1 + calibration.home_bonus * share)
    kept: list[int] = []
    kept_rows = np.zeros_like(rows)
    settled: dict[int, Holding] = defaultdict(Holding)
    for candidate in np.lexsort((rows[:, PAGE_START], owners, -bids)).tolist():
        blocker = _blocker(rows[candidate], kept_rows[: len(kept)], calibration.max_overlap_of_claims)
        if blocker is None:
            kept_rows[len(kept)] = rows[candidate]
            kept.append(candidate)
            settled[int(owners[candidate])].segments.append(rows[candidate])
        elif owners[kept[blocker]] != owners[candidate]:
            winner = settled[int(owners[kept[blocker]])]
            winner.rivals.append((rows[candidate], int(owners[candidate])))
    return dict(settled)


def _blocker(row: NDArray[np.int32], kept: Segments, max_overlap: float) -> int | None:
    overlaps = np.minimum(row[PAGE_END], kept[:, PAGE_END]) - np.maximum(row[PAGE_START], kept[:, PAGE_START])
    blocking = np.flatnonzero(overlaps > max_overlap * (row[PAGE_END] - row[PAGE_START]))
    return int(blocking[0]) if blocking.size else None
