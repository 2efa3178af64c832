"""What one passage lacks of a text and another passage of the page has: it was not left out, but stands elsewhere."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from core.matches import ChangeKind
from core.text import TextRange
from matcher.align.change_kernels import Changes, sum_up
from matcher.align.changes import CHANGE_NUMBERS, Comparison, count_changed, number_of
from matcher.align.token_alignment import FROM_WORK, KIND, TO_WORK


def without_taken_elsewhere(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The passages of one text on a page; none calls deleted what another of them has."""
    if len(comparisons) < 2:
        return list(comparisons)
    has = [np.unique(found.work_matched) for found in comparisons]
    passages_with = np.bincount(np.concatenate(has), minlength=max(found.work_end for found in comparisons))
    return [_without(found, passages_with, own) for found, own in zip(comparisons, has, strict=True)]


def _without(found: Comparison, passages_with: NDArray[np.int64], own: NDArray[np.int32]) -> Comparison:
    """A passage. passages_with: of each work token how many passages have it; own: those that this one has."""
    is_elsewhere = passages_with > 0
    is_elsewhere[own] = passages_with[own] > 1
    deleted = found.of_kind(ChangeKind.DELETED)
    if not any(is_elsewhere[start:end].any() for start, end in deleted[:, [FROM_WORK, TO_WORK]].tolist()):
        return found
    rows: list[NDArray[np.int32]] = []
    letters: dict[int, TextRange] = {}
    for number, row in enumerate(found.changes):
        if number in found.letters:
            letters[len(rows)] = found.letters[number]
        rows += _left_out(row, is_elsewhere) if row[KIND] == number_of(ChangeKind.DELETED) else [row]
    changes: Changes = np.array(rows, np.int32).reshape(-1, found.changes.shape[1])
    totals = sum_up(changes, CHANGE_NUMBERS.kinds).tolist()
    changed = count_changed(totals) + found.transposed
    return found._replace(changes=changes, totals=totals, changed=changed, letters=letters)


def _left_out(row: NDArray[np.int32], is_elsewhere: NDArray[np.bool_]) -> Iterator[NDArray[np.int32]]:
    """The parts of a deletion that stand nowhere."""
    start, end = int(row[FROM_WORK]), int(row[TO_WORK])
    edges = np.flatnonzero(np.diff(np.concatenate([[True], is_elsewhere[start:end], [True]]))) + start
    for first, last in edges.reshape(-1, 2).tolist():
        part = row.copy()
        part[FROM_WORK], part[TO_WORK] = first, last
        yield part
