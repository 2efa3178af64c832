"""What was changed inside a passage, character by character."""

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from core.matches import ChangeKind
from fingerprint.near import are_alike, are_homophones
from fingerprint.normalization import WILDCARD
from matcher import kernels
from matcher.calibration import Calibration
from matcher.extension import PAGE_END, PAGE_START, WORK_END, WORK_START, Segments, reaching
from matcher.sides import Side, is_latin, is_one_character

# Changes are rows of five numbers: kind (a place in CHANGE_KINDS), page start, page end, work start, work end (tokens).
CHANGE_KINDS = tuple(ChangeKind)
Changes = NDArray[np.int32]
# None is wording: the same words in other forms, signs that hide them, or the same words at another place.
NOT_WORDING = frozenset({ChangeKind.SCRIPT, ChangeKind.NOISE, ChangeKind.MOVED})
SAME = -1
_NUMBERS = {kind: number for number, kind in enumerate(CHANGE_KINDS)}


_OF_ALONE = {
    kernels.ONLY_PAGE: ChangeKind.INSERTED,
    kernels.ONLY_WORK: ChangeKind.DELETED,
    kernels.REWRITTEN: ChangeKind.REPLACED,
    kernels.ELSEWHERE: ChangeKind.MOVED,
}


def number_of(kind: ChangeKind) -> int:
    """Number of a kind in the rows of changes."""
    return _NUMBERS[kind]


HOMOPHONE, SHAPE, SCRIPT = map(number_of, (ChangeKind.HOMOPHONE, ChangeKind.SHAPE, ChangeKind.SCRIPT))
PINYIN, REPLACED, NOISE = map(number_of, (ChangeKind.PINYIN, ChangeKind.REPLACED, ChangeKind.NOISE))
_KIND_OF_ALONE = np.array([number_of(_OF_ALONE[number]) for number in range(len(_OF_ALONE))], np.int32)
_IS_WORDING = np.array([kind not in NOT_WORDING for kind in CHANGE_KINDS])


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
    changes: Changes  # in order of the page
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

    def sizes(self) -> NDArray[np.int32]:
        """int32[changes]: tokens of the longer side of each change."""
        return sizes_of(self.changes)

    def of_kind(self, kind: ChangeKind) -> Changes:
        """The changes of one kind."""
        return np.asarray(self.changes[self.changes[:, 0] == number_of(kind)])


def sizes_of(changes: Changes) -> NDArray[np.int32]:
    """int32[n]: tokens of the longer side of each change."""
    return np.asarray(np.maximum(changes[:, 2] - changes[:, 1], changes[:, 4] - changes[:, 3]))


def compared(page: Side, work: Side, passage: Segments, calibration: Calibration) -> Comparison:
    """Align a passage (segments in order of the page) token by token."""
    pairs, alone, displaced = kernels.paired(
        page.fingerprint.tokens, page.near, work.fingerprint.tokens, passage, reaching(calibration)
    )
    unlike, kinds = _unlike(page, work, pairs)
    is_loose = (kinds == REPLACED) | (kinds == NOISE)
    longest_run, taken = _summed(pairs, unlike[is_loose])
    alone[:, 0] = _KIND_OF_ALONE[alone[:, 0]]
    is_change = kinds != SAME
    changes = _merged(alone, pairs[unlike[is_change]], kinds[is_change])
    rewritten = alone[alone[:, 0] == REPLACED][:, 3:]
    return Comparison(
        int(passage[:, PAGE_START].min()),
        int(passage[:, PAGE_END].max()),
        int(passage[:, WORK_START].min()),
        int(passage[:, WORK_END].max()),
        passage,
        changes,
        matched=len(pairs) - int(np.count_nonzero(is_loose)),
        same=len(pairs) - int(np.count_nonzero(is_change & (kinds != SCRIPT))),
        longest_run=int(longest_run),
        work_taken=np.concatenate([taken, rewritten]) if len(rewritten) else taken,
        displaced=int(displaced),
        changed=int(sizes_of(changes)[_IS_WORDING[changes[:, 0]]].sum()),
    )


def _unlike(page: Side, work: Side, pairs: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Which pairs are not one code point on both sides, and the kind of each (SAME for letters of one syllable)."""
    of_page, of_work = pairs[:, 0], pairs[:, 1]
    page_characters, work_characters = page.characters(of_page), work.characters(of_work)
    found = _unlike_pairs(pairs, page_characters, work_characters)
    if not found.size:
        return found, found
    page_tokens = page.fingerprint.tokens[of_page[found]]
    work_tokens = work.fingerprint.tokens[of_work[found]]
    return found, _kinds(page_characters[found], work_characters[found], page_tokens, work_tokens)


def _kinds(
    page: NDArray[np.uint32], work: NDArray[np.uint32], page_tokens: NDArray[np.uint16], work_tokens: NDArray[np.uint16]
) -> NDArray[np.int32]:
    """int32[n]: the kind of change of each pair of different code points."""
    agrees = page_tokens == work_tokens
    kinds = np.where(are_alike(page, work), SHAPE, REPLACED).astype(np.int32)
    kinds[agrees | are_homophones(page, work)] = HOMOPHONE
    letters = is_latin(page)
    kinds[letters] = np.where(agrees[letters], PINYIN, REPLACED)
    kinds[letters & is_latin(work) & agrees] = SAME
    kinds[is_one_character(page, work)] = SCRIPT
    kinds[page_tokens == WILDCARD] = NOISE
    kinds[work_tokens == WILDCARD] = SAME
    return kinds


def _merged(alone: Changes, pairs: NDArray[np.int32], kinds: NDArray[np.int32]) -> Changes:
    """The changes in order of the page, those of one kind that touch on both sides joined; a mark before its piece."""
    rows = np.empty((len(alone) + len(pairs), 5), np.int32)
    rows[: len(alone)] = alone
    ones = rows[len(alone) :]
    ones[:, 0] = kinds
    ones[:, 1:5:2], ones[:, 2:6:2] = pairs, pairs + 1
    if len(rows) < 2:
        return rows
    ordered = rows[np.lexsort((rows[:, 4], rows[:, 3], rows[:, 2], rows[:, 1]))]
    touches = (
        (ordered[1:, 0] == ordered[:-1, 0]) & (ordered[1:, 1] == ordered[:-1, 2]) & (ordered[1:, 3] == ordered[:-1, 4])
    )
    starts = np.flatnonzero(np.concatenate([[True], ~touches]))
    ends = np.append(starts[1:], len(ordered)) - 1
    joined = ordered[starts]
    joined[:, [2, 4]] = ordered[ends][:, [2, 4]]
    return joined


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def _unlike_pairs(
    pairs: NDArray[np.int32], page_codes: NDArray[np.uint32], work_codes: NDArray[np.uint32]
) -> NDArray[np.int32]:
    """Which pairs are not one code point on both sides; codes: uint32, one for each pair."""
    found = np.empty(pairs.shape[0], np.int32)
    count = 0
    for number in range(pairs.shape[0]):
        if page_codes[number] != work_codes[number]:
            found[count] = number
            count += 1
    return found[:count]


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def _summed(pairs: NDArray[np.int32], breaking: NDArray[np.int32]) -> tuple[int, NDArray[np.int32]]:
    """Longest run of pairs that agree, and the ranges of the work that have a counterpart, int32[r, 2].

    breaking: int32[b], increasing: pairs that do not agree in sound.
    """
    ranges = np.empty((pairs.shape[0], 2), np.int32)
    longest, run, count, next_break = 0, 0, 0, 0
    for number in range(pairs.shape[0]):
        follows = number > 0 and pairs[number, 1] == pairs[number - 1, 1] + 1
        if follows:
            ranges[count - 1, 1] += 1
        else:
            ranges[count, 0], ranges[count, 1] = pairs[number, 1], pairs[number, 1] + 1
            count += 1
        is_break = next_break < breaking.size and breaking[next_break] == number
        if is_break:
            next_break += 1
            run = 0
        elif follows and pairs[number, 0] == pairs[number - 1, 0] + 1:
            run += 1
        else:
            run = 1
        longest = max(longest, run)
    return longest, ranges[:count]
