"""Chains close segments of one text to passages, in any order.

Two neighbours on the page are joined if the gap between them, on the page and in the work, is small compared with both.
An advertisement or a cut therefore stays inside a passage, and a page of other words between two excerpts outside.
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


class TakenStretches(NamedTuple):
    """Stretches of a work in order, and the number of tokens in all earlier stretches."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    before: NDArray[np.int64]


@kernel()
def join_neighbours(ordered: Segments, limits: JoiningLimits) -> NDArray[np.int64]:
    """Return the first rows of runs of joined segments, int64[n].

    ordered: the segments of one text in order of the page; not empty. Joined segments grow and can bridge wider gaps,
    so the order of joining does not matter.
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
    """Return the tokens that both sides of each gap need for a bridge, float64[segments - 1].

    The second array, bool[segments - 1], is true if one side is enough: the work continues, or has both pieces in one
    stretch.
    """
    taken = _taken_stretches(ordered)
    needed, is_sheltered = np.empty(len(ordered) - 1, np.float64), np.empty(len(ordered) - 1, np.bool_)
    reached = 0
    for number in range(len(ordered) - 1):
        before, after = ordered[number], ordered[number + 1]
        reached = max(reached, as_int(before[PAGE_END]))
        page_gap = max(as_int(after[PAGE_START]) - reached, 0)
        low = min(as_int(after[WORK_END]), as_int(before[WORK_END]))
        high = max(as_int(after[WORK_START]), as_int(before[WORK_START]), low)
        work_gap = high - low - (_count_taken(taken, high) - _count_taken(taken, low))
        on = as_int(after[WORK_START]) - as_int(before[WORK_END])
        is_little = _is_little(page_gap, work_gap, high - low, on, limits)
        is_sheltered[number] = is_little and page_gap <= limits.max_sheltered_page_gap
        needed[number] = max(
            _for_page(page_gap, on, limits), 0.0 if is_little else work_gap / limits.max_work_gap_share
        )
        if page_gap > limits.max_page_gap or work_gap > limits.max_work_gap:
            needed[number] = NEVER
    return needed, is_sheltered


@kernel(allocates=False)
def _is_little(page_gap: int, work_gap: int, leap: int, on: int, limits: JoiningLimits) -> bool:
    """Return whether the work leaves out nothing that counts; a cut does not count if the page continues at once."""
    is_cut = page_gap <= limits.max_free_page_gap and on >= -limits.max_work_gap_of_insertion
    return is_cut or work_gap <= limits.max_free_work_gap or work_gap <= limits.max_free_share_of_leap * leap


@kernel(allocates=False)
def _for_page(page_gap: int, on: int, limits: JoiningLimits) -> float:
    if page_gap <= limits.max_free_page_gap:
        return 0.0
    is_insertion = abs(on) <= limits.max_work_gap_of_insertion
    return page_gap / (limits.max_inserted_share if is_insertion else limits.max_page_gap_share)


@kernel()
def _taken_stretches(ordered: Segments) -> TakenStretches:
    """Return the disjoint stretches of the work that segments cover, and the tokens taken in earlier stretches."""
    order = np.argsort(ordered[:, WORK_START])
    starts, ends, before = (
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
        before[count] = before[count - 1] + ends[count - 1] - starts[count - 1] if count else 0
        count += 1
    return TakenStretches(starts[:count], ends[:count], before[:count])


@kernel(allocates=False)
def _count_taken(taken: TakenStretches, place: int) -> int:
    """Count the taken tokens of the work before a place."""
    low, high = 0, taken.starts.size
    while low < high:
        middle = (low + high) >> 1
        if taken.starts[middle] <= place:
            low = middle + 1
        else:
            high = middle
    if low == 0:
        return 0
    return as_int(taken.before[low - 1] + min(place, taken.ends[low - 1]) - taken.starts[low - 1])


class AlignedPassage(NamedTuple):
    """The segments of one passage in order of the page, with their ranges and matches."""

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
        """Return the passage of these segments."""
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

    ordered: in order of the page.
    """
    if len(ordered) == 1 or len(firsts := join_neighbours(ordered, calibration.joining)) == 1:
        whole = AlignedPassage.from_segments(ordered)
        return [whole] if _is_enough(whole, calibration) else []
    bounds = pairwise([*firsts.tolist(), len(ordered)])
    runs = [AlignedPassage.from_segments(ordered[start:end]) for start, end in bounds]
    pieces = list(_gather_mixtures(runs, calibration))
    is_enough = [_is_enough(piece, calibration) for piece in pieces]
    firm = [piece for piece, enough in zip(pieces, is_enough, strict=True) if enough]
    too_little = [piece for piece, enough in zip(pieces, is_enough, strict=True) if not enough]
    kept = firm + _pick_scattered(too_little, calibration)
    return [
        piece
        for piece in pieces
        if any(piece is other for other in kept) or any(_is_companion(piece, other, calibration) for other in firm)
    ]


def _gather_mixtures(runs: list[AlignedPassage], calibration: Calibration) -> Iterator[AlignedPassage]:
    """Yield the runs, and join those that together have most of one stretch of the work, in any order.

    If all runs together do not, the runs between those from elsewhere are tried, then the runs between the widest gaps.
    """
    waiting = [runs]
    while waiting:
        part = waiting.pop()
        if len(part) == 1:
            yield part[0]
            continue
        near = _near_middle(part)
        is_apart = list(_are_apart(part, near, calibration))
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


def _are_apart(runs: list[AlignedPassage], near: list[bool], calibration: Calibration) -> Iterator[bool]:
    """Yield whether each run is outside any mixture: at an end, or with a part of the page for itself."""
    before = np.maximum.accumulate([run.page_end if is_near else 0 for run, is_near in zip(runs, near, strict=True)])
    after = runs[-1].page_end
    behind = [
        after := run.page_start if is_near else after for run, is_near in zip(runs[::-1], near[::-1], strict=True)
    ]
    for run, is_near, start, end in zip(runs, near, before.tolist(), behind[::-1], strict=True):
        own = min(run.matches, min(run.page_end, end) - max(run.page_start, start))
        yield not is_near and (own >= calibration.min_exact_tokens or run is runs[0] or run is runs[-1])


def _mixture(runs: list[AlignedPassage], calibration: Calibration) -> AlignedPassage | None:
    """Return the runs as one if they have most of one stretch, whatever their order and gaps.

    Runs from other places among them agree by chance and are left out.
    """
    if any(
        _open_gap(before, after, calibration) > calibration.joining.max_page_gap for before, after in pairwise(runs)
    ):
        return None
    whole = AlignedPassage.from_segments(np.concatenate([run.segments for run in runs]))
    length = max(whole.page_end - whole.page_start, whole.work_end - whole.work_start)
    density = max(calibration.min_density_of_mixture, calibration.min_pieces_of_mixture / len(whole.segments))
    return whole if whole.matches >= max(calibration.min_tokens_of_mixture, density * length) else None


def _near_middle(runs: list[AlignedPassage]) -> list[bool]:
    """Return whether each run is as near to the middle one, in the work, as all runs are long on the page.

    The middle is the beginning of the run that contains the median token.
    """
    ordered = sorted(runs, key=lambda run: run.work_start)
    reached = list(accumulate(run.matches for run in ordered))
    middle = next(run.work_start for run, tokens in zip(ordered, reached, strict=True) if 2 * tokens >= reached[-1])
    length = runs[-1].page_end - runs[0].page_start
    return [abs(run.work_start - middle) <= length for run in runs]


def _open_gap(before: AlignedPassage, after: AlignedPassage, calibration: Calibration) -> float:
    """Return the page tokens between two runs, minus those over which the work's tokens may be spread."""
    work_gap = after.work_start - before.work_end
    is_strewn = 0 <= work_gap <= calibration.joining.max_page_gap
    strewn = work_gap / calibration.min_density_of_mixture if is_strewn else 0
    return after.page_start - before.page_end - strewn


def _pick_scattered(too_little: list[AlignedPassage], calibration: Calibration) -> list[AlignedPassage]:
    """Return the small pieces, without tiny ones, if together they are long enough to be kept.

    Firm passages do not count here: a chance agreement far from a copied chapter does not belong to it.
    """
    found = [piece for piece in too_little if piece.matches >= calibration.min_companion_tokens]
    return found if sum(piece.matches for piece in found) >= calibration.min_scattered_tokens else []


def _is_companion(piece: AlignedPassage, firm: AlignedPassage, calibration: Calibration) -> bool:
    """Return whether a small piece is near a firm one on both sides."""
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
