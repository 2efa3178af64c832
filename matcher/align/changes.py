"""What was changed inside a passage, character by character."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from core.matches import ChangeKind
from core.text import TextRange
from fingerprint.algorithms import Algorithm
from fingerprint.characters import Kind
from fingerprint.fuzzy import fuzzy_syllables
from fingerprint.variants import variant_pairs
from matcher.align import change_kernels, pair_kinds, token_alignment
from matcher.align.change_kernels import ChangeNumbers, Changes, PassageChanges, Totals, WorkRanges, WorkTokens
from matcher.align.jump_alignment import UNALIGNED, JumpCosts, Side, align_with_jumps
from matcher.align.leftovers import fill_gaps
from matcher.align.pair_kinds import CharacterTables, Stretch
from matcher.align.segments import (
    MATCHES,
    PAGE_END,
    PAGE_START,
    WORK_END,
    WORK_START,
    Segments,
)
from matcher.align.spelled_characters import RowKinds, Spelled, join_spelled
from matcher.align.token_agreement import Bounds, NearTokens
from matcher.align.token_alignment import (
    FROM_PAGE,
    FROM_WORK,
    IN_WORK,
    KIND,
    ON_PAGE,
    TO_PAGE,
    TO_WORK,
    Pieces,
    align_tokens,
)
from matcher.align.tokenized_text import TokenizedPage, TokenizedText
from matcher.calibration import Calibration

# The first number in a row of changes is a place in CHANGE_KINDS.
CHANGE_KINDS = tuple(ChangeKind)
# None is wording: the same words in other forms, or signs that hide them.
NOT_WORDING = frozenset({ChangeKind.SCRIPT, ChangeKind.NOISE})
_NUMBERS = {kind: number for number, kind in enumerate(CHANGE_KINDS)}
_IS_WORDING = np.array([kind not in NOT_WORDING for kind in CHANGE_KINDS])

_OF_PAIR = {
    pair_kinds.HOMOPHONE: ChangeKind.HOMOPHONE,
    pair_kinds.SHAPE: ChangeKind.SHAPE,
    pair_kinds.SCRIPT: ChangeKind.SCRIPT,
    pair_kinds.PINYIN: ChangeKind.PINYIN,
    pair_kinds.REPLACED: ChangeKind.REPLACED,
    pair_kinds.NOISE: ChangeKind.NOISE,
}
_OF_GAP = {
    token_alignment.ONLY_PAGE: ChangeKind.INSERTED,
    token_alignment.ONLY_WORK: ChangeKind.DELETED,
    token_alignment.REWRITTEN: ChangeKind.REPLACED,
}


def number_of(kind: ChangeKind) -> int:
    """Number of a kind in the rows of changes."""
    return _NUMBERS[kind]


CHANGE_NUMBERS = ChangeNumbers(
    np.array([number_of(_OF_PAIR[code]) for code in range(len(_OF_PAIR))], np.int32),
    np.array([number_of(_OF_GAP[code]) for code in range(len(_OF_GAP))], np.int32),
    len(CHANGE_KINDS),
)


_ROW_KINDS = RowKinds(
    number_of(ChangeKind.PINYIN),
    number_of(ChangeKind.REPLACED),
    number_of(ChangeKind.INSERTED),
    number_of(ChangeKind.DELETED),
    number_of(ChangeKind.MOVED),
)


@cache
def character_tables(algorithm: Algorithm) -> CharacterTables:
    """What the kernel looks up of characters. Cached for the life of the process: 5 MB for each algorithm."""
    kinds, near = algorithm.tables.kinds, algorithm.near
    is_letter = (kinds == int(Kind.LATIN)) | (kinds == int(Kind.FULL_WIDTH_LATIN))
    readings = algorithm.tables.readings
    variants, fuzzy = variant_pairs(readings), fuzzy_syllables(readings.names)
    return CharacterTables(readings.folding, is_letter, near.rows, near.readings, near.shapes, variants, fuzzy)


def unchanged_share(same: int, changed: int) -> float:
    """What is the same of what is compared; 1.0 when nothing could be compared."""
    return same / (same + changed) if same + changed else 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """A passage compared: the tokens of page and work that it spans, and what happened in between.

    segments: what it was joined from. changes, totals, work_ranges, work_matched, matched, same,
    longest_run: see `change_kernels.PassageChanges`. moved, displaced: see `token_alignment.TokenAlignment`.
    changed: tokens in which the wording differs, of the longer side of each change. letters: by the row of a change of
    kind PINYIN the letters on the page, where the tokens do not tell all of them (spelled_characters).
    """

    page_start: int
    page_end: int
    work_start: int
    work_end: int
    segments: Segments
    changes: Changes
    totals: Totals
    matched: int
    same: int
    longest_run: int
    work_ranges: WorkRanges
    work_matched: WorkTokens
    moved: Pieces
    displaced: int
    changed: int
    letters: Mapping[int, TextRange]

    @property
    def similarity(self) -> float:
        """Share of the passage that is the same, character by character."""
        return unchanged_share(self.same, self.changed)

    def of_kind(self, kind: ChangeKind) -> Changes:
        """The changes of one kind."""
        return np.asarray(self.changes[self.changes[:, KIND] == number_of(kind)])


def sizes_of(changes: Changes) -> NDArray[np.int32]:
    """int32[n]: tokens of the longer side of each change."""
    return np.asarray(
        np.maximum(changes[:, TO_PAGE] - changes[:, FROM_PAGE], changes[:, TO_WORK] - changes[:, FROM_WORK])
    )


def compare_passage(
    page: TokenizedPage, work: TokenizedText, segments: Segments, calibration: Calibration
) -> Comparison:
    """Align a passage token by token, and classify what differs. segments: of the passage, in order of the page."""
    aligned = align_tokens(*_counterparts(page, work, segments, calibration))
    page_start, page_end = aligned.pairs[[0, -1], ON_PAGE].tolist()
    work_start, work_end = int(aligned.pairs[:, IN_WORK].min()), int(aligned.pairs[:, IN_WORK].max())
    found = change_kernels.classify_changes(
        aligned.pairs,
        aligned.gaps,
        stretch_of(page, page_start, page_end + 1),
        stretch_of(work, work_start, work_end + 1),
        character_tables(page.fingerprint.algorithm),
        CHANGE_NUMBERS,
    )
    spelled = join_spelled(page, work, found.changes, _ROW_KINDS)
    if spelled.places:
        found = _with_spelled(found, spelled)
    return Comparison(
        page_start,
        page_end + 1,
        work_start,
        work_end + 1,
        segments,
        found.changes,
        found.totals,
        matched=found.matched,
        same=found.same,
        longest_run=found.longest_run,
        work_ranges=found.work_ranges,
        work_matched=found.work_matched,
        moved=aligned.moved,
        displaced=aligned.displaced,
        changed=int(found.totals[_IS_WORDING, change_kernels.TOKENS].sum()),
        letters=spelled.places,
    )


def _with_spelled(found: PassageChanges, spelled: Spelled) -> PassageChanges:
    """What is spelled in letters that are no tokens counts as matched, too."""
    tokens = np.setdiff1d(spelled.work_tokens(), found.work_matched)
    return found._replace(
        changes=spelled.changes,
        totals=change_kernels.sum_up(spelled.changes, CHANGE_NUMBERS.kinds),
        matched=found.matched + tokens.size,
        work_matched=np.concatenate([found.work_matched, tokens]),
        work_ranges=np.concatenate([found.work_ranges, np.stack([tokens, tokens + 1], axis=1)]),
    )


def _counterparts(
    page: TokenizedPage, work: TokenizedText, segments: Segments, calibration: Calibration
) -> tuple[NDArray[np.int32], int]:
    """int32[page tokens of the passage]: the work token of each, or UNALIGNED; and which is the first.

    One segment all of whose tokens agree needs no walk.
    """
    least, most = segments.min(axis=0).tolist(), segments.max(axis=0).tolist()
    start, end = least[PAGE_START], most[PAGE_END]
    if len(segments) == 1 and end - start == most[WORK_END] - least[WORK_START] == most[MATCHES]:
        return np.arange(least[WORK_START], most[WORK_END], dtype=np.int32), start
    margin = min(calibration.max_margin_tokens, int(calibration.margin_share * segments[:, MATCHES].sum()))
    page_side, around = side_of(page, start - margin, end + margin)
    work_side, within = side_of(work, least[WORK_START] - margin, most[WORK_END] + margin)
    near = NearTokens(page.near.rows[around.start : around.end], page.near.masks)
    inner = Bounds(start - around.start, end - around.start)
    aligned_to = align_with_jumps(page_side, near, work_side, inner, jump_costs(calibration))
    fill_gaps(aligned_to, page_side.tokens, near, work_side.tokens)
    aligned_to[aligned_to != UNALIGNED] += within.start
    return aligned_to, around.start


def jump_costs(calibration: Calibration) -> JumpCosts:
    """What the walk along a passage earns and pays."""
    return JumpCosts(
        same=calibration.walk_same,
        near=calibration.walk_near,
        other=calibration.walk_other,
        gap=calibration.walk_gap,
        gap_more=calibration.walk_gap_more,
        gap_tokens=calibration.walk_gap_tokens,
        foreign=calibration.walk_foreign,
        back=calibration.walk_back,
        leap=calibration.walk_leap,
        backwards=calibration.walk_backwards,
        far=calibration.walk_far,
        boundary=calibration.walk_boundary,
        again=calibration.walk_again,
    )


def side_of(text: TokenizedText, start: int, end: int) -> tuple[Side, Bounds]:
    """What the walk along a passage looks at from `start` to `end`, as far as there are tokens; and how far."""
    start, end = max(0, start), min(text.fingerprint.tokens.size, end)
    folding = character_tables(text.fingerprint.algorithm).folding
    characters = folding[text.code_points(start, end)]
    side = Side(text.fingerprint.tokens[start:end], characters, text.begin_sentences(start, end))
    return side, Bounds(start, end)


def stretch_of(text: TokenizedText, start: int, end: int) -> Stretch:
    """Code points and tokens from `start` to `end`."""
    return Stretch(text.code_points(start, end), text.fingerprint.tokens[start:end], start)
