"""What was changed inside a passage, character by character."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from core.matches import ChangeKind
from fingerprint.characters import KINDS, Kind
from fingerprint.near import NEAR
from fingerprint.readings import TABLE
from matcher import change_kernels, kernels
from matcher.calibration import Calibration
from matcher.extension import Segments, Ways, reaching
from matcher.sides import Side

# Changes are rows of five numbers: kind (a place in CHANGE_KINDS), page start, page end, work start, work end (tokens).
CHANGE_KINDS = tuple(ChangeKind)
Changes = NDArray[np.int32]
# None is wording: the same words in other forms, signs that hide them, or the same words at another place.
NOT_WORDING = frozenset({ChangeKind.SCRIPT, ChangeKind.NOISE, ChangeKind.MOVED})
_NUMBERS = {kind: number for number, kind in enumerate(CHANGE_KINDS)}

_OF_PAIR = {
    change_kernels.HOMOPHONE: ChangeKind.HOMOPHONE,
    change_kernels.SHAPE: ChangeKind.SHAPE,
    change_kernels.SCRIPT: ChangeKind.SCRIPT,
    change_kernels.PINYIN: ChangeKind.PINYIN,
    change_kernels.REPLACED: ChangeKind.REPLACED,
    change_kernels.NOISE: ChangeKind.NOISE,
}
_OF_ALONE = {
    kernels.ONLY_PAGE: ChangeKind.INSERTED,
    kernels.ONLY_WORK: ChangeKind.DELETED,
    kernels.REWRITTEN: ChangeKind.REPLACED,
    kernels.ELSEWHERE: ChangeKind.MOVED,
}


def number_of(kind: ChangeKind) -> int:
    """Number of a kind in the rows of changes."""
    return _NUMBERS[kind]


_OF_KERNELS = (
    np.array([number_of(_OF_PAIR[code]) for code in range(len(_OF_PAIR))], np.int32),
    np.array([number_of(_OF_ALONE[code]) for code in range(len(_OF_ALONE))], np.int32),
)
_IS_WORDING = np.array([kind not in NOT_WORDING for kind in CHANGE_KINDS])


@cache
def _tables() -> change_kernels.Tables:
    """What the kernel asks of characters."""
    is_letter = (KINDS.table == int(Kind.LATIN)) | (KINDS.table == int(Kind.FULL_WIDTH_LATIN))
    return TABLE.folding, is_letter, NEAR.rows, NEAR.readings, NEAR.shapes


def share_same(same: int, changed: int) -> float:
    """What is the same of what is compared; 1.0 when nothing could be compared."""
    return same / (same + changed) if same + changed else 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """A passage compared: the tokens of page and work that it spans, and what happened in between."""

    page_start: int
    page_end: int
    work_start: int
    work_end: int
    segments: Segments  # that it was joined from
    ways: Ways  # of these
    changes: Changes  # in order of the page
    totals: Changes  # int32[kinds, 3]: how many changes of each kind, tokens of their longer sides, row of the first
    matched: int  # tokens that stand for one another: one character, like sound or like shape, or its pinyin
    same: int  # of these, tokens that are one character, in whatever script
    longest_run: int  # of matched tokens
    work_taken: Changes  # int32[n, 2], ranges of the work with a counterpart
    displaced: int  # segments that stand in another order than in the work
    changed: int  # tokens in which the wording differs: of the longer side of each change but script and noise

    @property
    def similarity(self) -> float:
        """Share of the passage that is the same, character by character."""
        return share_same(self.same, self.changed)

    def of_kind(self, kind: ChangeKind) -> Changes:
        """The changes of one kind."""
        return np.asarray(self.changes[self.changes[:, 0] == number_of(kind)])


def sizes_of(changes: Changes) -> NDArray[np.int32]:
    """int32[n]: tokens of the longer side of each change."""
    return np.asarray(np.maximum(changes[:, 2] - changes[:, 1], changes[:, 4] - changes[:, 3]))


def compared(page: Side, work: Side, passage: Segments, ways: Ways, calibration: Calibration) -> Comparison:
    """Align a passage (segments in order of the page) token by token."""
    pairs, alone, displaced = kernels.paired(
        page.fingerprint.tokens, page.near, work.fingerprint.tokens, passage, ways, reaching(calibration)
    )
    page_start, _, work_start, _ = passage.min(axis=0)[:4].tolist()
    _, page_end, _, work_end = passage.max(axis=0)[:4].tolist()
    changes, taken, totals, (matched, same, longest_run) = change_kernels.told(
        pairs,
        alone,
        _stretch(page, page_start, page_end),
        _stretch(work, work_start, work_end),
        _tables(),
        _OF_KERNELS,
        len(CHANGE_KINDS),
    )
    return Comparison(
        page_start,
        page_end,
        work_start,
        work_end,
        passage,
        ways,
        changes,
        totals,
        matched=matched,
        same=same,
        longest_run=longest_run,
        work_taken=taken,
        displaced=displaced,
        changed=int(totals[_IS_WORDING, 1].sum()),
    )


def _stretch(side: Side, start: int, end: int) -> tuple[NDArray[np.uint32], NDArray[np.uint16], int]:
    """Code points and tokens from `start` to `end`, and `start`."""
    return side.code_points(start, end), side.fingerprint.tokens[start:end], start
