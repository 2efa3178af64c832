"""Derives the changes and figures of a passage from its aligned tokens, in one pass."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from fingerprint.stream import WILDCARD
from matcher.align.pair_kinds import (
    COUNT_ONLY,
    HOMOPHONE,
    MANY_HOMOPHONES,
    NO_LEVEL,
    NOISE,
    REPLACED,
    SAME,
    SCRIPT,
    SHAPE,
    SHAPE_CHANCES,
    SOUND_CHANCES,
    UNSEEN,
    CharacterTables,
    Likeness,
    classify_pair,
    level_beyond_chance,
    level_by_shape,
    level_by_sound,
)
from matcher.align.token_alignment import (
    FROM_PAGE,
    FROM_WORK,
    IN_WORK,
    KIND,
    ON_PAGE,
    RANGE_COLUMNS,
    REWRITTEN,
    SIZE,
    TO_PAGE,
    TO_WORK,
    Gaps,
    Runs,
)
from matcher.align.tokenized_text import TokenStretch

PLACES, TOKENS, FIRST = range(3)  # columns of totals

Changes = NDArray[np.int32]
WorkRanges = NDArray[np.int32]
WorkTokens = NDArray[np.int32]
Totals = NDArray[np.int32]


class ChangeNumbers(NamedTuple):
    """The numbers of changes, by the kind of a pair and by the kind of gap. kinds: the number of kinds."""

    of_pair: NDArray[np.int32]
    of_gap: NDArray[np.int32]
    kinds: int


class ChangePlace(NamedTuple):
    """A token range of the page and a token range of the work; sorts like changes."""

    page_start: int
    page_end: int
    work_start: int
    work_end: int


class PassageChanges(NamedTuple):
    """The changes of a passage and its figures.

    changes      int32[c, 5]      number, page start, page end, work start, work end; in order of the page
    work_ranges  int32[r, 2]      ranges of the work with a counterpart on the page
    work_matched int32[m]         the work tokens counted in `matched`, in order of the page
    totals       int32[kinds, 3]  number of changes by kind, tokens of their longer sides, row of the first
    matched                       corresponding tokens
    same                          corresponding tokens with the same character, in any script
    longest_equal_run             the longest run of `same`
    """

    changes: Changes
    work_ranges: WorkRanges
    work_matched: WorkTokens
    totals: Totals
    matched: int
    same: int
    longest_equal_run: int


class _Written(NamedTuple):
    """The changes noted along a passage.

    figures: numbers of changes, gaps processed, replaced pairs and homophones, and the figures of PassageChanges.
    by_shape, by_sound: the replaced pairs by the first level of likeness that they reach.
    """

    changes: Changes
    work_matched: WorkTokens
    figures: NDArray[np.int64]
    by_shape: NDArray[np.int64]
    by_sound: NDArray[np.int64]


_FIGURES = 7
_CHANGES, _GAPS, _MATCHED, _SAME, _LONGEST, _REPLACED, _HOMOPHONES = range(_FIGURES)


@kernel()
def classify_changes(  # noqa: PLR0917 - kernels take no keywords
    runs: Runs, gaps: Gaps, page: TokenStretch, work: TokenStretch, tables: CharacterTables, numbers: ChangeNumbers
) -> PassageChanges:
    """Classify the changes of a passage; changes of one kind that touch on both sides are one.

    runs, gaps: the result of matcher.align.token_alignment. page, work: all tokens that the passage spans.
    """
    tokens = runs[:, SIZE].sum()
    changes, work_matched = np.empty((tokens + len(gaps), RANGE_COLUMNS), np.int32), np.empty(tokens, np.int32)
    by_shape, by_sound = np.zeros(len(SHAPE_CHANCES), np.int64), np.zeros(len(SOUND_CHANCES), np.int64)
    written = _Written(changes, work_matched, np.zeros(_FIGURES, np.int64), by_shape, by_sound)
    _write_changes(written, runs, gaps, page, work, tables, numbers, Likeness(COUNT_ONLY, COUNT_ONLY))
    replaced = as_int(written.figures[_REPLACED])
    unseen = 0 if written.figures[_HOMOPHONES] >= MANY_HOMOPHONES * replaced else UNSEEN
    shape = level_beyond_chance(by_shape, SHAPE_CHANCES, replaced, UNSEEN)
    sound = level_beyond_chance(by_sound, SOUND_CHANCES, replaced, unseen)
    if shape != NO_LEVEL or sound != NO_LEVEL:
        written.figures[:] = 0
        _write_changes(written, runs, gaps, page, work, tables, numbers, Likeness(shape, sound))
    changes, matched = changes[: written.figures[_CHANGES]], written.figures[_MATCHED]
    same, longest = written.figures[_SAME], written.figures[_LONGEST]
    totals = sum_changes(changes, numbers.kinds)
    return PassageChanges(changes, _work_ranges(runs, gaps), work_matched[:matched], totals, matched, same, longest)


@kernel(allocates=False)
def _write_changes(  # noqa: PLR0917
    written: _Written,
    runs: Runs,
    gaps: Gaps,
    page: TokenStretch,
    work: TokenStretch,
    tables: CharacterTables,
    numbers: ChangeNumbers,
    named: Likeness,
) -> None:
    """Write the changes of a passage in one pass.

    named: the weakest likeness at which replaced pairs are named; COUNT_ONLY to count pairs without naming them.
    """
    for number in range(len(runs)):
        _add_preceding_gaps(written, gaps, runs[number, ON_PAGE], numbers)
        _add_run(written, runs, number, page, work, tables, numbers, named)
    _add_preceding_gaps(written, gaps, page.start + page.tokens.size + 1, numbers)


@kernel(allocates=False)
def _add_run(  # noqa: PLR0917
    written: _Written,
    runs: Runs,
    number: int,
    page: TokenStretch,
    work: TokenStretch,
    tables: CharacterTables,
    numbers: ChangeNumbers,
    named: Likeness,
) -> None:
    here, there, size = as_int(runs[number, ON_PAGE]), as_int(runs[number, IN_WORK]), as_int(runs[number, SIZE])
    figures, matched = written.figures, as_int(written.figures[_MATCHED])
    at, run = 0, 0
    while at < size:
        alike = _count_alike(page.codes, work.codes, here + at - page.start, there + at - work.start, size - at)
        for place in range(there + at, there + at + alike):
            written.work_matched[matched] = place
            matched += 1
        figures[_SAME] += alike
        run, at = run + alike, at + alike
        if at == size:
            break
        kind = classify_pair(page, work, here + at, there + at, tables)
        if kind != SAME:
            changed = ChangePlace(here + at, here + at + 1, there + at, there + at + 1)
            name = _name_replacement(written, page, work, changed, tables, named) if kind == REPLACED else kind
            _add_change(written, numbers.of_pair[name], changed)
        is_same = kind in (SAME, SCRIPT)
        is_equal = is_same and work.tokens[there + at - work.start] != WILDCARD
        figures[_SAME] += is_same
        figures[_HOMOPHONES] += kind == HOMOPHONE
        if kind not in (REPLACED, NOISE):
            written.work_matched[matched] = there + at
            matched += 1
        figures[_LONGEST] = max(figures[_LONGEST], run)
        run, at = run + 1 if is_equal else 0, at + 1
    figures[_LONGEST] = max(figures[_LONGEST], run)
    figures[_MATCHED] = matched


@kernel(allocates=False)
def _name_replacement(  # noqa: PLR0917
    written: _Written,
    page: TokenStretch,
    work: TokenStretch,
    place: ChangePlace,
    tables: CharacterTables,
    named: Likeness,
) -> int:
    """Choose the kind under which a replaced pair is shown; it always counts as replaced."""
    ours, theirs = page.codes[place.page_start - page.start], work.codes[place.work_start - work.start]
    by_shape = level_by_shape(ours, theirs, tables.likeness)
    readings = tables.readings
    by_sound = level_by_sound(readings[tables.rows[ours]], readings[tables.rows[theirs]], tables.likeness)
    if named.by_shape == COUNT_ONLY:
        written.figures[_REPLACED] += 1
        if by_shape != NO_LEVEL:
            written.by_shape[by_shape] += 1
        if by_sound != NO_LEVEL:
            written.by_sound[by_sound] += 1
        return REPLACED
    if by_sound != NO_LEVEL and by_sound <= named.by_sound != NO_LEVEL:
        return HOMOPHONE
    return SHAPE if by_shape != NO_LEVEL and by_shape <= named.by_shape != NO_LEVEL else REPLACED


@kernel(allocates=False)
def _count_alike(page: NDArray[np.uint32], work: NDArray[np.uint32], here: int, there: int, most: int) -> int:
    """Count equal consecutive code points."""
    for size in range(most):
        if page[here + size] != work[there + size]:
            return size
    return most


@kernel()
def _work_ranges(runs: Runs, gaps: Gaps) -> WorkRanges:
    """Return the ranges of the work with a counterpart, int32[r, 2]: joined adjacent runs, then rewritten ranges."""
    ranges, count = np.empty((runs.shape[0] + gaps.shape[0], 2), np.int32), 0
    for number in range(runs.shape[0]):
        start = runs[number, IN_WORK]
        if count == 0 or ranges[count - 1, 1] != start:
            ranges[count, 0] = start
            count += 1
        ranges[count - 1, 1] = start + runs[number, SIZE]
    for number in range(gaps.shape[0]):
        if gaps[number, KIND] == REWRITTEN:
            ranges[count] = gaps[number, FROM_WORK:]
            count += 1
    return ranges[:count]


@kernel(allocates=False)
def _add_preceding_gaps(written: _Written, gaps: Gaps, here: int, numbers: ChangeNumbers) -> None:
    """Add the next gaps that begin at or before a page token."""
    gap = written.figures[_GAPS]
    while gap < gaps.shape[0] and gaps[gap, FROM_PAGE] <= here:
        _add_change(written, numbers.of_gap[gaps[gap, KIND]], _change_place(gaps[gap]))
        gap += 1
    written.figures[_GAPS] = gap


@kernel(allocates=False)
def _change_place(row: NDArray[np.int32]) -> ChangePlace:
    return ChangePlace(row[FROM_PAGE], row[TO_PAGE], row[FROM_WORK], row[TO_WORK])


@kernel(allocates=False)
def _add_change(written: _Written, number: int, place: ChangePlace) -> None:
    """Add a change, or extend the last one."""
    count = written.figures[_CHANGES]
    if count:
        last = written.changes[count - 1]
        if last[KIND] == number and last[TO_PAGE] == place.page_start and last[TO_WORK] == place.work_start:
            last[TO_PAGE], last[TO_WORK] = place.page_end, place.work_end
            return
    row = written.changes[count]
    row[KIND] = number
    row[FROM_PAGE], row[TO_PAGE] = place.page_start, place.page_end
    row[FROM_WORK], row[TO_WORK] = place.work_start, place.work_end
    written.figures[_CHANGES] += 1


@kernel()
def sum_changes(changes: Changes, kinds: int) -> Totals:
    """Return the number of changes by kind, the tokens of their longer sides and the first row, int32[kinds, 3]."""
    totals = np.zeros((kinds, 3), np.int32)
    for number in range(changes.shape[0]):
        row = changes[number]
        total = totals[row[KIND]]
        if total[PLACES] == 0:
            total[FIRST] = number
        total[PLACES] += 1
        total[TOKENS] += max(row[TO_PAGE] - row[FROM_PAGE], row[TO_WORK] - row[FROM_WORK])
    return totals
