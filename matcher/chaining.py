"""From segments to passages: who keeps a page range that several texts claim, and which segments belong together.

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
    kept = np.zeros(0, np.int64)
    settled: dict[int, Holding] = defaultdict(Holding)
    for candidate in np.lexsort((rows[:, PAGE_START], owners, -bids)).tolist():
        blocker = _blocker(rows[candidate], rows[kept], calibration.max_overlap_of_claims)
        if blocker is None:
            kept = np.append(kept, candidate)
            settled[int(owners[candidate])].segments.append(rows[candidate])
        elif owners[kept[blocker]] != owners[candidate]:
            winner = settled[int(owners[kept[blocker]])]
            winner.rivals.append((rows[candidate], int(owners[candidate])))
    return dict(settled)


def passages(segments: list[NDArray[np.int32]], calibration: Calibration) -> list[Segments]:
    """Join the segments of one text that lie near each other on both sides, in any order; drop what stays too little.

    Each passage is int32[segments, 6] in order of the page.
    """
    ordered = np.array(sorted(segments, key=lambda row: tuple(row.tolist())), np.int32).reshape(-1, 6)
    groups = _Groups(len(ordered))
    furthest = np.maximum.accumulate(ordered[:, PAGE_END]) if len(ordered) else ordered[:, PAGE_END]
    for number, row in enumerate(ordered):
        for earlier in range(number - 1, -1, -1):
            if row[PAGE_START] - furthest[earlier] > calibration.max_page_gap_tokens:
                break
            if _are_near(ordered[earlier], row, calibration):
                groups.join(earlier, number)
    return [ordered[group] for group in groups.members() if _is_enough(ordered[group], calibration)]


def _blocker(row: NDArray[np.int32], kept: Segments, max_overlap: float) -> int | None:
    overlaps = np.minimum(row[PAGE_END], kept[:, PAGE_END]) - np.maximum(row[PAGE_START], kept[:, PAGE_START])
    blocking = np.flatnonzero(overlaps > max_overlap * (row[PAGE_END] - row[PAGE_START]))
    return int(blocking[0]) if blocking.size else None


def _are_near(first: NDArray[np.int32], second: NDArray[np.int32], calibration: Calibration) -> bool:
    page_gap = int(second[PAGE_START]) - int(first[PAGE_END])
    work_gap = int(max(first[WORK_START], second[WORK_START])) - int(min(first[WORK_END], second[WORK_END]))
    return page_gap <= calibration.max_page_gap_tokens and work_gap <= calibration.max_work_gap_tokens


def _is_enough(passage: Segments, calibration: Calibration) -> bool:
    matched, score = int(passage[:, MATCHES].sum()), int(passage[:, SCORE].sum())
    page_length = int(passage[:, PAGE_END].max() - passage[:, PAGE_START].min())
    work_length = int(passage[:, WORK_END].max() - passage[:, WORK_START].min())
    is_dense = matched >= calibration.min_density * min(page_length, work_length)
    is_firm = (
        int(passage[:, MATCHES].max()) >= calibration.min_matched_tokens
        or matched >= calibration.min_density_of_fragments * page_length
    )
    return matched >= calibration.min_matched_tokens and score >= calibration.min_score and is_dense and is_firm


class _Groups:
    """Union of numbers into groups."""

    def __init__(self, size: int) -> None:
        self._parents = list(range(size))

    def join(self, first: int, second: int) -> None:
        self._parents[self._root(first)] = self._root(second)

    def members(self) -> list[list[int]]:
        """The groups, each in increasing order."""
        found: dict[int, list[int]] = defaultdict(list)
        for number in range(len(self._parents)):
            found[self._root(number)].append(number)
        return list(found.values())

    def _root(self, number: int) -> int:
        while self._parents[number] != number:
            self._parents[number] = self._parents[self._parents[number]]
            number = self._parents[number]
        return number
