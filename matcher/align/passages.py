"""Chains the segments of one text to passages, in any order.

Two neighbours on the page are joined if the gap between them, on the page and in the work, is small compared with both.
An advertisement or a cut therefore stays inside a passage. A full page of other text between two excerpts separates
them.
"""

from collections.abc import Iterator
from itertools import accumulate, compress, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from matcher.align.segments import MATCHES, PAGE_END, PAGE_START, SCORE, WORK_END, WORK_START, Segments
from matcher.calibration import Calibration, JoiningLimits

NEVER = 1e18


class CoveredStretches(NamedTuple):
    """Stretches of a work that segments cover, in order.

    tokens_before: the number of covered tokens before each stretch.
    """

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    tokens_before: NDArray[np.int64]


@kernel()
def join_neighbours(ordered: Segments, limits: JoiningLimits) -> NDArray[np.int64]:
    """Return the first row of each run of joined segments, int64[n].

    ordered: the segments of one text in order of the page; not empty. A run that grows can bridge wider gaps, so
    joining is repeated until nothing changes.
    """
    needed, is_sheltered = _needed_tokens(ordered, limits)
    tokens, firsts = ordered[:, MATCHES].astype(np.int64), np.arange(len(ordered))
    before, size = len(ordered) + 1, len(ordered)
    while size < before:
        before, size = size, 1
        for run in range(1, before):
            gap = firsts[run] - 1
            ours, others = tokens[size - 1], tokens[run]
            if (max(ours, others) if is_sheltered[gap] else min(ours, others)) >= needed[gap]:
                tokens[size - 1] += tokens[run]
            else:
                tokens[size], firsts[size] = tokens[run], firsts[run]
                size += 1
    return firsts[:size]


@kernel()
def _needed_tokens(ordered: Segments, limits: JoiningLimits) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return how many matches the segments on both sides of each gap need to bridge it, float64[segments - 1].

    The second array, bool[segments - 1], is true if the matches on one side are enough: the gap on the page is short,
    and the work loses little or nothing in it.
    """
    covered = _find_covered_stretches(ordered)
    needed, is_sheltered = np.empty(len(ordered) - 1, np.float64), np.empty(len(ordered) - 1, np.bool_)
    reached = 0
    for number in range(len(ordered) - 1):
        before, after = ordered[number], ordered[number + 1]
        reached = max(reached, as_int(before[PAGE_END]))
        page_gap = max(as_int(after[PAGE_START]) - reached, 0)
        low = min(as_int(after[WORK_END]), as_int(before[WORK_END]))
        high = max(as_int(after[WORK_START]), as_int(before[WORK_START]), low)
        work_gap = high - low - (_count_covered(covered, high) - _count_covered(covered, low))
        work_step = as_int(after[WORK_START]) - as_int(before[WORK_END])
        is_little = _is_small_omission(page_gap, work_gap, high - low, work_step, limits)
        is_sheltered[number] = is_little and page_gap <= limits.max_sheltered_page_gap
        needed[number] = max(
            _tokens_for_page_gap(page_gap, work_step, limits),
            0.0 if is_little else work_gap / limits.max_work_gap_share,
        )
        if page_gap > limits.max_page_gap or work_gap > limits.max_work_gap:
            needed[number] = NEVER
    return needed, is_sheltered


@kernel(allocates=False)
def _is_small_omission(page_gap: int, work_gap: int, leap: int, work_step: int, limits: JoiningLimits) -> bool:
    """Return whether a gap omits too little of the work to count. A cut does not count if the page continues at once.

    leap: the distance between the segments in the work; work_step: how far the work continues from one to the next.
    """
    is_cut = page_gap <= limits.max_free_page_gap and work_step >= -limits.max_work_gap_of_insertion
    return is_cut or work_gap <= limits.max_free_work_gap or work_gap <= limits.max_free_share_of_leap * leap


@kernel(allocates=False)
def _tokens_for_page_gap(page_gap: int, work_step: int, limits: JoiningLimits) -> float:
    if page_gap <= limits.max_free_page_gap:
        return 0.0
    is_insertion = abs(work_step) <= limits.max_work_gap_of_insertion
    return page_gap / (limits.max_inserted_share if is_insertion else limits.max_page_gap_share)


@kernel()
def _find_covered_stretches(ordered: Segments) -> CoveredStretches:
    """Return the disjoint stretches of the work that segments cover."""
    order = np.argsort(ordered[:, WORK_START])
    starts, ends, tokens_before = (
        np.empty(order.size, np.int64),
        np.empty(order.size, np.int64),
        np.zeros(order.size, np.int64),
    )
    count = 0
    for row in order:
        start, end = as_int(ordered[row, WORK_START]), as_int(ordered[row, WORK_END])
        if count and start <= ends[count - 1]:
            ends[count - 1] = max(ends[count - 1], end)
            continue
        starts[count], ends[count] = start, end
        tokens_before[count] = tokens_before[count - 1] + ends[count - 1] - starts[count - 1] if count else 0
        count += 1
    return CoveredStretches(starts[:count], ends[:count], tokens_before[:count])


@kernel(allocates=False)
def _count_covered(covered: CoveredStretches, position: int) -> int:
    """Count the covered tokens of the work before a position."""
    low, high = 0, covered.starts.size
    while low < high:
        middle = (low + high) >> 1
        if covered.starts[middle] <= position:
            low = middle + 1
        else:
            high = middle
    if low == 0:
        return 0
    return as_int(covered.tokens_before[low - 1] + min(position, covered.ends[low - 1]) - covered.starts[low - 1])


class AlignedPassage(NamedTuple):
    """The segments of one passage in order of the page, with the ranges, matches and score of all of them."""

    segments: Segments
    page_start: int
    page_end: int
    work_start: int
    work_end: int
    matches: int
    score: int
    longest: int  # matches of the longest segment

    @classmethod
    def from_segments(cls, segments: Segments) -> "AlignedPassage":
        """Return the passage that consists of these segments."""
        columns = segments.T.tolist()
        matches = columns[MATCHES]
        return cls(
            segments,
            min(columns[PAGE_START]),
            max(columns[PAGE_END]),
            min(columns[WORK_START]),
            max(columns[WORK_END]),
            sum(matches),
            sum(columns[SCORE]),
            max(matches),
        )


def chain_segments(ordered: Segments, calibration: Calibration) -> list[AlignedPassage]:
    """Return the passages of one text in order of the page, without those that are too small.

    ordered: the segments of the text in order of the page.
    """
    if len(ordered) == 1 or len(firsts := join_neighbours(ordered, calibration.joining)) == 1:
        whole = AlignedPassage.from_segments(ordered)
        return [whole] if _is_enough(whole, calibration) else []
    bounds = pairwise([*firsts.tolist(), len(ordered)])
    runs = [AlignedPassage.from_segments(ordered[start:end]) for start, end in bounds]
    pieces = list(_gather_mixtures(runs, calibration))
    is_enough = [_is_enough(piece, calibration) for piece in pieces]
    firm_pieces = [piece for piece, enough in zip(pieces, is_enough, strict=True) if enough]
    small_pieces = [piece for piece, enough in zip(pieces, is_enough, strict=True) if not enough]
    kept_pieces = firm_pieces + _pick_scattered(small_pieces, calibration)
    return [
        piece
        for piece in pieces
        if any(piece is other for other in kept_pieces)
        or any(_is_companion(piece, other, calibration) for other in firm_pieces)
    ]


def _gather_mixtures(runs: list[AlignedPassage], calibration: Calibration) -> Iterator[AlignedPassage]:
    """Yield the runs, with those joined that together contain most of one stretch of the work, in any order.

    If all runs together do not, they are split at the runs that are apart, or else at the widest gaps, and each group
    is tried in turn.
    """
    pending_runs = [runs]
    while pending_runs:
        group = pending_runs.pop()
        if len(group) == 1:
            yield group[0]
            continue
        is_near = _are_near_middle(group)
        is_apart = list(_are_apart(group, is_near, calibration))
        if any(is_apart):
            ends = [number for number, (first, second) in enumerate(pairwise(is_apart), 1) if first != second]
        elif mixture := _find_mixture(list(compress(group, is_near)), calibration):
            yield mixture
            continue
        else:
            gaps = [_open_gap(before, after, calibration) for before, after in pairwise(group)]
            widest = max(gaps)
            ends = [number for number, gap in enumerate(gaps, 1) if gap == widest]
        pending_runs += [group[start:end] for start, end in pairwise([0, *ends, len(group)])][::-1]


def _are_apart(runs: list[AlignedPassage], near: list[bool], calibration: Calibration) -> Iterator[bool]:
    """Yield whether each run is outside any mixture.

    Such a run is far from the middle, and at an end or alone on its part of the page.
    """
    before = np.maximum.accumulate([run.page_end if is_near else 0 for run, is_near in zip(runs, near, strict=True)])
    after = runs[-1].page_end
    behind = [
        after := run.page_start if is_near else after for run, is_near in zip(runs[::-1], near[::-1], strict=True)
    ]
    for run, is_near, start, end in zip(runs, near, before.tolist(), behind[::-1], strict=True):
        own_tokens = min(run.matches, min(run.page_end, end) - max(run.page_start, start))
        yield not is_near and (own_tokens >= calibration.min_exact_tokens or run is runs[0] or run is runs[-1])


def _find_mixture(runs: list[AlignedPassage], calibration: Calibration) -> AlignedPassage | None:
    """Return the runs as one passage if they contain most of one stretch of the work, in any order; otherwise None."""
    if any(
        _open_gap(before, after, calibration) > calibration.joining.max_page_gap for before, after in pairwise(runs)
    ):
        return None
    whole = AlignedPassage.from_segments(np.concatenate([run.segments for run in runs]))
    length = max(whole.page_end - whole.page_start, whole.work_end - whole.work_start)
    density = max(calibration.min_density_of_mixture, calibration.min_pieces_of_mixture / len(whole.segments))
    return whole if whole.matches >= max(calibration.min_tokens_of_mixture, density * length) else None


def _are_near_middle(runs: list[AlignedPassage]) -> list[bool]:
    """Return whether each run is near the middle of all runs in the work.

    The middle is the start of the run with the median token. A run is near if its distance is at most the length of all
    runs together on the page.
    """
    ordered = sorted(runs, key=lambda run: run.work_start)
    reached = list(accumulate(run.matches for run in ordered))
    middle = next(run.work_start for run, tokens in zip(ordered, reached, strict=True) if 2 * tokens >= reached[-1])
    length = runs[-1].page_end - runs[0].page_start
    return [abs(run.work_start - middle) <= length for run in runs]


def _open_gap(before: AlignedPassage, after: AlignedPassage, calibration: Calibration) -> float:
    """Return the page tokens between two runs, minus those that the work's tokens between them may account for."""
    work_gap = after.work_start - before.work_end
    is_spread = 0 <= work_gap <= calibration.joining.max_page_gap
    spread_tokens = work_gap / calibration.min_density_of_mixture if is_spread else 0
    return after.page_start - before.page_end - spread_tokens


def _pick_scattered(small_pieces: list[AlignedPassage], calibration: Calibration) -> list[AlignedPassage]:
    """Return the small passages, without tiny ones, if together they are long enough; otherwise none.

    Firm passages do not count here: a chance agreement far from a copied chapter does not belong to it.
    """
    companions = [piece for piece in small_pieces if piece.matches >= calibration.min_companion_tokens]
    return companions if sum(piece.matches for piece in companions) >= calibration.min_scattered_tokens else []


def _is_companion(piece: AlignedPassage, firm: AlignedPassage, calibration: Calibration) -> bool:
    """Return whether a small passage is near a firm one, both on the page and in the work."""
    page_gap = max(piece.page_start, firm.page_start) - min(piece.page_end, firm.page_end)
    work_gap = max(piece.work_start, firm.work_start) - min(piece.work_end, firm.work_end)
    return (
        piece.matches >= calibration.min_companion_tokens
        and page_gap <= calibration.joining.max_page_gap
        and work_gap <= calibration.joining.max_work_gap
    )


def _is_enough(passage: AlignedPassage, calibration: Calibration) -> bool:
    page_length, work_length = passage.page_end - passage.page_start, passage.work_end - passage.work_start
    is_dense = passage.matches >= calibration.min_density * min(page_length, work_length)
    is_firm = (
        passage.longest >= calibration.min_exact_tokens
        or passage.matches >= calibration.min_density_of_fragments * page_length
    )
    is_enough = passage.matches >= calibration.min_matched_tokens and passage.score >= calibration.min_score
    return (is_enough or passage.score >= calibration.min_exact_tokens) and is_dense and is_firm
