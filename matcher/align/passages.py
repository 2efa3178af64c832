"""Chaining: segments of one text that lie close together and are mostly taken become one passage, in any order.

Two neighbours on the page are joined when what stands between them, on the page and in the work, is little beside what
both took. So an advertisement or a cut stays inside a passage, and a page of other words between two excerpts outside.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate, compress, pairwise

import numpy as np
from numpy.typing import NDArray

from matcher.align.segments import MATCHES, PAGE_END, PAGE_START, SCORE, WORK_END, WORK_START, Segments
from matcher.calibration import Calibration

NEVER = float("inf")


def chain_segments(segments: Segments, calibration: Calibration) -> list[Segments]:
    """The passages of one text; what stays too little is dropped.

    Each passage is in order of the page; so are the passages.
    """
    if len(segments) == 1:
        return [segments] if _is_enough(segments, calibration) else []
    ordered = segments[np.lexsort((segments[:, WORK_START], segments[:, PAGE_END], segments[:, PAGE_START]))]
    pieces = list(_join_neighbours(ordered, calibration))
    is_enough = [_is_enough(piece, calibration) for piece in pieces]
    firm = [piece for piece, enough in zip(pieces, is_enough, strict=True) if enough]
    too_little = [piece for piece, enough in zip(pieces, is_enough, strict=True) if not enough]
    kept = firm + _pick_scattered(too_little, calibration)
    return [
        piece
        for piece in pieces
        if any(piece is other for other in kept) or any(_is_companion(piece, other, calibration) for other in firm)
    ]


@dataclass(frozen=True, slots=True)
class _Run:
    """Segments of these rows, joined: tokens that match, and the ranges of page and work."""

    rows: tuple[int, ...]
    tokens: int
    page_start: int
    page_end: int
    work_start: int
    work_end: int

    def with_run(self, other: "_Run") -> "_Run":
        return _Run(
            self.rows + other.rows,
            self.tokens + other.tokens,
            self.page_start,
            max(self.page_end, other.page_end),
            min(self.work_start, other.work_start),
            max(self.work_end, other.work_end),
        )


def _join_neighbours(ordered: Segments, calibration: Calibration) -> Iterator[Segments]:
    """Runs of neighbours. What is joined grows and can bridge more, so that the order of joining does not matter."""
    needed, is_sheltered = (column.tolist() for column in _needed_tokens(ordered, calibration))
    columns = ordered[:, [MATCHES, PAGE_START, PAGE_END, WORK_START, WORK_END]].tolist()
    runs = [_Run((number,), *row) for number, row in enumerate(columns)]
    before = len(runs) + 1
    while len(runs) < before:
        before, joined = len(runs), runs[:1]
        for run in runs[1:]:
            last, gap = joined[-1], run.rows[0] - 1
            most_of_both = max if is_sheltered[gap] else min
            if most_of_both(last.tokens, run.tokens) >= needed[gap]:
                joined[-1] = last.with_run(run)
            else:
                joined.append(run)
        runs = joined
    return (ordered[list(run.rows)] for run in _gather_mixtures(runs, calibration))


def _gather_mixtures(runs: list[_Run], calibration: Calibration) -> Iterator[_Run]:
    """The runs, those joined that are most of one stretch of the work, in whatever order and among other sentences.

    Where runs are not, those between what was taken from elsewhere may be, or those between the widest gaps.
    """
    waiting = [runs]
    while waiting:
        part = waiting.pop()
        if len(part) == 1:
            yield part[0]
            continue
        near = _near_middle(part)
        is_apart = [
            not is_near and (run.tokens >= calibration.min_exact_tokens or run is part[0] or run is part[-1])
            for run, is_near in zip(part, near, strict=True)
        ]
        if any(is_apart):
            ends = [number for number, (one, other) in enumerate(pairwise(is_apart), 1) if one != other]
        elif mixture := _mixture(list(compress(part, near)), calibration):
            yield mixture
            continue
        else:
            gaps = [_open_gap(before, after, calibration) for before, after in pairwise(part)]
            widest = max(gaps)
            ends = [number for number, gap in enumerate(gaps, 1) if gap == widest]
        waiting += [part[start:end] for start, end in pairwise([0, *ends, len(part)])][::-1]


def _mixture(runs: list[_Run], calibration: Calibration) -> _Run | None:
    """The runs as one where they have so much of one stretch that neither order nor what is between them counts.

    A few tokens of elsewhere among them agree by chance, and were left out.
    """
    if any(_open_gap(before, after, calibration) > calibration.max_page_gap_tokens for before, after in pairwise(runs)):
        return None
    whole = reduce(_Run.with_run, runs)
    length = max(whole.page_end - whole.page_start, whole.work_end - whole.work_start)
    density = max(calibration.min_density_of_mixture, calibration.min_pieces_of_mixture / len(whole.rows))
    return whole if whole.tokens >= max(calibration.min_tokens_of_mixture, density * length) else None


def _near_middle(runs: list[_Run]) -> list[bool]:
    """Which of the runs are no farther from the middle one, in the work, than all of them are long on the page.

    The middle is where the run begins with which half of the tokens are reached.
    """
    ordered = sorted(runs, key=lambda run: run.work_start)
    reached = list(accumulate(run.tokens for run in ordered))
    middle = next(run.work_start for run, tokens in zip(ordered, reached, strict=True) if 2 * tokens >= reached[-1])
    length = runs[-1].page_end - runs[0].page_start
    return [abs(run.work_start - middle) <= length for run in runs]


def _open_gap(before: _Run, after: _Run, calibration: Calibration) -> float:
    """Tokens of the page between two runs but for those that what the work has between them may be strewn among."""
    work_gap = after.work_start - before.work_end
    is_strewn = 0 <= work_gap <= calibration.max_page_gap_tokens
    strewn = work_gap / calibration.min_density_of_mixture if is_strewn else 0
    return after.page_start - before.page_end - strewn


def _needed_tokens(ordered: Segments, calibration: Calibration) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """float64[segments - 1]: how many tokens both sides of each gap must have taken for it to be bridged.

    bool[segments - 1]: where it is enough that one side has: the work goes on, or has both pieces in one stretch.
    """
    starts, ends = ordered[1:], ordered[:-1]
    page_gaps = np.maximum(starts[:, PAGE_START] - np.maximum.accumulate(ordered[:, PAGE_END])[:-1], 0)
    low = np.minimum(starts[:, WORK_END], ends[:, WORK_END])
    high = np.maximum(np.maximum(starts[:, WORK_START], ends[:, WORK_START]), low)
    free = _untaken_tokens(ordered)
    first = int(ordered[:, WORK_START].min()) if len(ordered) else 0
    work_gaps = free[high - first] - free[low - first]
    is_insertion = np.abs(starts[:, WORK_START] - ends[:, WORK_END]) <= calibration.max_work_gap_of_insertion_tokens
    shares = np.where(is_insertion, calibration.max_inserted_share, calibration.max_page_gap_share)
    for_page = np.where(page_gaps <= calibration.max_free_page_gap_tokens, 0, page_gaps / shares)
    # The page goes on at once where the work leaves sentences out.
    is_cut = (page_gaps <= calibration.max_free_page_gap_tokens) & (
        starts[:, WORK_START] >= ends[:, WORK_END] - calibration.max_work_gap_of_insertion_tokens
    )
    is_little = (
        is_cut
        | (work_gaps <= calibration.max_free_work_gap_tokens)
        | (work_gaps <= calibration.max_free_share_of_leap * (high - low))
    )
    needed = np.maximum(for_page, np.where(is_little, 0, work_gaps / calibration.max_work_gap_share))
    needed[(page_gaps > calibration.max_page_gap_tokens) | (work_gaps > calibration.max_work_gap_tokens)] = NEVER
    is_sheltered = is_little & (page_gaps <= calibration.max_sheltered_page_gap_tokens)
    return needed, is_sheltered


def _untaken_tokens(ordered: Segments) -> NDArray[np.int64]:
    """int64[n + 1]: for each place of the work from the first segment on, how many tokens before it no segment took."""
    if not len(ordered):
        return np.zeros(1, np.int64)
    first = int(ordered[:, WORK_START].min())
    is_free = np.ones(int(ordered[:, WORK_END].max()) - first, np.int64)
    for start, end in (ordered[:, [WORK_START, WORK_END]] - first).tolist():
        is_free[start:end] = 0
    return np.concatenate([[0], np.cumsum(is_free)])


def _pick_scattered(too_little: list[Segments], calibration: Calibration) -> list[Segments]:
    """Of the pieces that are too little by themselves those that are not tiny, when they are many together.

    Passages that are enough by themselves do not count: a chance agreement far from a copied chapter is not part of it.
    """
    found = [piece for piece in too_little if _matches(piece) >= calibration.min_companion_tokens]
    return found if sum(map(_matches, found)) >= calibration.min_scattered_tokens else []


def _is_companion(piece: Segments, firm: Segments, calibration: Calibration) -> bool:
    """Whether a piece that is too little by itself stands near one that is not, on both sides."""
    if _matches(piece) < calibration.min_companion_tokens:
        return False
    page_gap = _gap(piece[:, PAGE_START], piece[:, PAGE_END], firm[:, PAGE_START], firm[:, PAGE_END])
    work_gap = _gap(piece[:, WORK_START], piece[:, WORK_END], firm[:, WORK_START], firm[:, WORK_END])
    return page_gap <= calibration.max_page_gap_tokens and work_gap <= calibration.max_work_gap_tokens


def _gap(
    starts: NDArray[np.int32], ends: NDArray[np.int32], other_starts: NDArray[np.int32], other_ends: NDArray[np.int32]
) -> int:
    return int(max(starts.min(), other_starts.min())) - int(min(ends.max(), other_ends.max()))


def _matches(piece: Segments) -> int:
    return int(piece[:, MATCHES].sum())


def _is_enough(passage: Segments, calibration: Calibration) -> bool:
    matched, score = _matches(passage), int(passage[:, SCORE].sum())
    page_length = int(passage[:, PAGE_END].max() - passage[:, PAGE_START].min())
    work_length = int(passage[:, WORK_END].max() - passage[:, WORK_START].min())
    is_dense = matched >= calibration.min_density * min(page_length, work_length)
    is_firm = (
        int(passage[:, MATCHES].max()) >= calibration.min_exact_tokens
        or matched >= calibration.min_density_of_fragments * page_length
    )
    is_enough = matched >= calibration.min_matched_tokens and score >= calibration.min_score
    return (is_enough or score >= calibration.min_exact_tokens) and is_dense and is_firm
