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
    SimilarityLevels,
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

COUNT, TOKENS, FIRST = range(3)  # columns of totals

Changes = NDArray[np.int32]
WorkRanges = NDArray[np.int32]
WorkTokens = NDArray[np.int32]
Totals = NDArray[np.int32]


class ChangeNumbers(NamedTuple):
    """The number of each kind of change, by the kind of a pair and by the kind of a gap.

    kind_count: how many kinds of changes there are.
    """

    by_pair_kind: NDArray[np.int32]
    by_gap_kind: NDArray[np.int32]
    kind_count: int


class ChangeRange(NamedTuple):
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


class _ChangeBuffer(NamedTuple):
    """The changes and figures collected along a passage.

    figures: the numbers of changes, processed gaps, replaced pairs and homophones, and the figures of PassageChanges.
    by_shape, by_sound: the number of replaced pairs at the first level of similarity that they reach.
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
    """Classify the changes of a passage. Changes of one kind that touch on both sides are joined.

    runs, gaps: the result of matcher.align.token_alignment. page, work: all tokens that the passage spans.
    """
    # The first pass counts replaced pairs; the second, if needed, names those that chance does not explain.
    tokens = runs[:, SIZE].sum()
    changes, work_matched = np.empty((tokens + len(gaps), RANGE_COLUMNS), np.int32), np.empty(tokens, np.int32)
    by_shape, by_sound = np.zeros(len(SHAPE_CHANCES), np.int64), np.zeros(len(SOUND_CHANCES), np.int64)
    buffer = _ChangeBuffer(changes, work_matched, np.zeros(_FIGURES, np.int64), by_shape, by_sound)
    _write_changes(buffer, runs, gaps, page, work, tables, numbers, SimilarityLevels(COUNT_ONLY, COUNT_ONLY))
    replaced = as_int(buffer.figures[_REPLACED])
    unseen = 0 if buffer.figures[_HOMOPHONES] >= MANY_HOMOPHONES * replaced else UNSEEN
    shape = level_beyond_chance(by_shape, SHAPE_CHANCES, replaced, UNSEEN)
    sound = level_beyond_chance(by_sound, SOUND_CHANCES, replaced, unseen)
    if shape != NO_LEVEL or sound != NO_LEVEL:
        buffer.figures[:] = 0
        _write_changes(buffer, runs, gaps, page, work, tables, numbers, SimilarityLevels(shape, sound))
    changes, matched = changes[: buffer.figures[_CHANGES]], buffer.figures[_MATCHED]
    same, longest = buffer.figures[_SAME], buffer.figures[_LONGEST]
    totals = sum_changes(changes, numbers.kind_count)
    return PassageChanges(changes, _work_ranges(runs, gaps), work_matched[:matched], totals, matched, same, longest)


@kernel(allocates=False)
def _write_changes(  # noqa: PLR0917
    buffer: _ChangeBuffer,
    runs: Runs,
    gaps: Gaps,
    page: TokenStretch,
    work: TokenStretch,
    tables: CharacterTables,
    numbers: ChangeNumbers,
    levels: SimilarityLevels,
) -> None:
    """Write the changes of a passage in one pass.

    levels: the weakest likeness at which replaced pairs are named; COUNT_ONLY to count pairs without naming them.
    """
    for number in range(len(runs)):
        _add_preceding_gaps(buffer, gaps, runs[number, ON_PAGE], numbers)
        _add_run(buffer, runs, number, page, work, tables, numbers, levels)
    _add_preceding_gaps(buffer, gaps, page.start + page.tokens.size + 1, numbers)


@kernel(allocates=False)
def _add_run(  # noqa: PLR0917
    buffer: _ChangeBuffer,
    runs: Runs,
    number: int,
    page: TokenStretch,
    work: TokenStretch,
    tables: CharacterTables,
    numbers: ChangeNumbers,
    levels: SimilarityLevels,
) -> None:
    page_start, work_start, size = (
        as_int(runs[number, ON_PAGE]),
        as_int(runs[number, IN_WORK]),
        as_int(runs[number, SIZE]),
    )
    figures, matched = buffer.figures, as_int(buffer.figures[_MATCHED])
    offset, run = 0, 0
    while offset < size:
        equal_count = _count_equal_codes(
            page.codes, work.codes, page_start + offset - page.start, work_start + offset - work.start, size - offset
        )
        for work_index in range(work_start + offset, work_start + offset + equal_count):
            buffer.work_matched[matched] = work_index
            matched += 1
        figures[_SAME] += equal_count
        run, offset = run + equal_count, offset + equal_count
        if offset == size:
            break
        kind = classify_pair(page, work, page_start + offset, work_start + offset, tables)
        if kind != SAME:
            change = ChangeRange(
                page_start + offset, page_start + offset + 1, work_start + offset, work_start + offset + 1
            )
            change_kind = _name_replacement(buffer, page, work, change, tables, levels) if kind == REPLACED else kind
            _add_change(buffer, numbers.by_pair_kind[change_kind], change)
        is_same = kind in (SAME, SCRIPT)
        is_equal = is_same and work.tokens[work_start + offset - work.start] != WILDCARD
        figures[_SAME] += is_same
        figures[_HOMOPHONES] += kind == HOMOPHONE
        if kind not in (REPLACED, NOISE):
            buffer.work_matched[matched] = work_start + offset
            matched += 1
        figures[_LONGEST] = max(figures[_LONGEST], run)
        run, offset = run + 1 if is_equal else 0, offset + 1
    figures[_LONGEST] = max(figures[_LONGEST], run)
    figures[_MATCHED] = matched


@kernel(allocates=False)
def _name_replacement(  # noqa: PLR0917
    buffer: _ChangeBuffer,
    page: TokenStretch,
    work: TokenStretch,
    change: ChangeRange,
    tables: CharacterTables,
    levels: SimilarityLevels,
) -> int:
    """Return the kind under which a replaced pair is reported. With COUNT_ONLY, count the pair and return REPLACED."""
    page_code, work_code = page.codes[change.page_start - page.start], work.codes[change.work_start - work.start]
    by_shape = level_by_shape(page_code, work_code, tables.similarity)
    readings = tables.readings
    by_sound = level_by_sound(readings[tables.rows[page_code]], readings[tables.rows[work_code]], tables.similarity)
    if levels.by_shape == COUNT_ONLY:
        buffer.figures[_REPLACED] += 1
        if by_shape != NO_LEVEL:
            buffer.by_shape[by_shape] += 1
        if by_sound != NO_LEVEL:
            buffer.by_sound[by_sound] += 1
        return REPLACED
    if by_sound != NO_LEVEL and by_sound <= levels.by_sound != NO_LEVEL:
        return HOMOPHONE
    return SHAPE if by_shape != NO_LEVEL and by_shape <= levels.by_shape != NO_LEVEL else REPLACED


@kernel(allocates=False)
def _count_equal_codes(
    page: NDArray[np.uint32], work: NDArray[np.uint32], page_start: int, work_start: int, max_count: int
) -> int:
    """Count the equal consecutive code points from two positions on, at most `max_count`."""
    for size in range(max_count):
        if page[page_start + size] != work[work_start + size]:
            return size
    return max_count


@kernel()
def _work_ranges(runs: Runs, gaps: Gaps) -> WorkRanges:
    """Return the ranges of the work with a counterpart, int32[r, 2]: adjacent runs joined, then rewritten ranges."""
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
def _add_preceding_gaps(buffer: _ChangeBuffer, gaps: Gaps, page_index: int, numbers: ChangeNumbers) -> None:
    """Add the changes of all gaps not yet processed that begin at or before a page token."""
    gap = buffer.figures[_GAPS]
    while gap < gaps.shape[0] and gaps[gap, FROM_PAGE] <= page_index:
        _add_change(buffer, numbers.by_gap_kind[gaps[gap, KIND]], _change_range(gaps[gap]))
        gap += 1
    buffer.figures[_GAPS] = gap


@kernel(allocates=False)
def _change_range(row: NDArray[np.int32]) -> ChangeRange:
    return ChangeRange(row[FROM_PAGE], row[TO_PAGE], row[FROM_WORK], row[TO_WORK])


@kernel(allocates=False)
def _add_change(buffer: _ChangeBuffer, number: int, change: ChangeRange) -> None:
    """Add a change, or extend the last change if it has the same kind and touches on both sides."""
    count = buffer.figures[_CHANGES]
    if count:
        last = buffer.changes[count - 1]
        if last[KIND] == number and last[TO_PAGE] == change.page_start and last[TO_WORK] == change.work_start:
            last[TO_PAGE], last[TO_WORK] = change.page_end, change.work_end
            return
    row = buffer.changes[count]
    row[KIND] = number
    row[FROM_PAGE], row[TO_PAGE] = change.page_start, change.page_end
    row[FROM_WORK], row[TO_WORK] = change.work_start, change.work_end
    buffer.figures[_CHANGES] += 1


@kernel()
def sum_changes(changes: Changes, kind_count: int) -> Totals:
    """Return for each kind the number of changes, their tokens on the longer side and the first row, int32[kinds, 3].

    kind_count: how many kinds there are.
    """
    totals = np.zeros((kind_count, 3), np.int32)
    for number in range(changes.shape[0]):
        row = changes[number]
        total = totals[row[KIND]]
        if total[COUNT] == 0:
            total[FIRST] = number
        total[COUNT] += 1
        total[TOKENS] += max(row[TO_PAGE] - row[FROM_PAGE], row[TO_WORK] - row[FROM_WORK])
    return totals
