"""Compares passages character by character and classifies the changes."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.matches import ChangeKind
from core.text import TextRange
from fingerprint.algorithms import Algorithm
from fingerprint.characters import Kind
from fingerprint.components import read_components
from fingerprint.fuzzy import fuzzy_syllables
from fingerprint.readings import CODE_POINTS
from fingerprint.variants import variant_pairs
from matcher.align import pair_kinds, token_alignment
from matcher.align.change_kernels import (
    COUNT,
    TOKENS,
    ChangeNumbers,
    Changes,
    Totals,
    WorkRanges,
    WorkTokens,
    sum_changes,
)
from matcher.align.pair_kinds import CharacterTables, SimilarityTables, syllable_initials, syllable_rhymes
from matcher.align.passage_kernel import Compared, compare_diagonal, compare_parts
from matcher.align.passages import AlignedPassage
from matcher.align.segments import PAGE_START, Segments
from matcher.align.spelled_characters import NO_LETTERS, RowKinds, join_spelled
from matcher.align.token_agreement import TokenBounds
from matcher.align.token_alignment import (
    FROM_PAGE,
    FROM_WORK,
    KIND,
    TO_PAGE,
    TO_WORK,
    Pieces,
)
from matcher.align.tokenized_text import TokenizedPage, TokenizedText
from matcher.calibration import Calibration

# The first number in a row of changes is an index into CHANGE_KINDS.
CHANGE_KINDS = tuple(ChangeKind)
# These kinds leave the wording unchanged: the same words in other forms, or signs that hide them.
NOT_WORDING = frozenset({ChangeKind.SCRIPT, ChangeKind.NOISE})
KIND_NUMBERS = {kind: number for number, kind in enumerate(CHANGE_KINDS)}
IS_WORDING = np.array([kind not in NOT_WORDING for kind in CHANGE_KINDS])

_KINDS_OF_PAIRS = {
    pair_kinds.HOMOPHONE: ChangeKind.HOMOPHONE,
    pair_kinds.SHAPE: ChangeKind.SHAPE,
    pair_kinds.SCRIPT: ChangeKind.SCRIPT,
    pair_kinds.PINYIN: ChangeKind.PINYIN,
    pair_kinds.REPLACED: ChangeKind.REPLACED,
    pair_kinds.NOISE: ChangeKind.NOISE,
}
_KINDS_OF_GAPS = {
    token_alignment.ONLY_PAGE: ChangeKind.INSERTED,
    token_alignment.ONLY_WORK: ChangeKind.DELETED,
    token_alignment.REWRITTEN: ChangeKind.REPLACED,
}


CHANGE_NUMBERS = ChangeNumbers(
    np.array([KIND_NUMBERS[_KINDS_OF_PAIRS[code]] for code in range(len(_KINDS_OF_PAIRS))], np.int32),
    np.array([KIND_NUMBERS[_KINDS_OF_GAPS[code]] for code in range(len(_KINDS_OF_GAPS))], np.int32),
    len(CHANGE_KINDS),
)
_ROW_KINDS = RowKinds(
    KIND_NUMBERS[ChangeKind.PINYIN],
    KIND_NUMBERS[ChangeKind.REPLACED],
    KIND_NUMBERS[ChangeKind.INSERTED],
    KIND_NUMBERS[ChangeKind.DELETED],
    KIND_NUMBERS[ChangeKind.MOVED],
)
SPELLING_KINDS = list(_ROW_KINDS[:-1])  # changes in which letters may spell a character


@cache
def character_tables(algorithm: Algorithm) -> CharacterTables:
    """Return an algorithm's character tables for the kernels, cached for the life of the process (5 MB each)."""
    kinds, near = algorithm.tables.kinds, algorithm.near
    is_letter = (kinds == int(Kind.LATIN)) | (kinds == int(Kind.FULL_WIDTH_LATIN))
    readings = algorithm.tables.readings
    variants, fuzzy = variant_pairs(readings), fuzzy_syllables(readings.names)
    has_variants = np.zeros(kinds.size, np.bool_)
    has_variants[np.concatenate(np.divmod(variants, CODE_POINTS))] = True
    similarity = SimilarityTables(
        readings.folding, *read_components(), syllable_initials(readings.names), syllable_rhymes(readings.names)
    )
    return CharacterTables(
        readings.folding, is_letter, near.rows, near.readings, near.shapes, has_variants, variants, fuzzy, similarity
    )


def unchanged_share(same: int, changed: int) -> float:
    """Return the share of equal tokens among all compared tokens; 1.0 if none were compared."""
    return same / (same + changed) if same + changed else 1.0


class PassageComparison(NamedTuple):
    """The comparison of a passage: its tokens on the page and in the work, and the changes between them.

    segments: the segments that form the passage. changes, totals, work_ranges, work_matched, matched, same,
    longest_equal_run: see `change_kernels.PassageChanges`; moved, displaced, work_covered: see
    `token_alignment.TokenAlignment`. The fields up to work_covered are in the order of `passage_kernel.Compared`.
    transposed: the number of stretches in another order (matcher.align.transpositions). letters: for changes of kind
    PINYIN whose tokens do not cover all letters, the range of the letters on the page, by row.
    """

    changes: Changes
    totals: Totals
    work_ranges: WorkRanges
    work_matched: WorkTokens
    moved: Pieces
    page_start: int
    page_end: int
    work_start: int
    work_end: int
    matched: int
    same: int
    longest_equal_run: int
    displaced: int
    transposed: int
    work_covered: int
    segments: Segments
    letters: Mapping[int, TextRange] = NO_LETTERS

    @property
    def changed_tokens(self) -> int:
        """The number of tokens with changed wording: the longer side of each change, plus one per transposition."""
        return int(self.totals[IS_WORDING, TOKENS].sum()) + self.transposed

    @property
    def similarity(self) -> float:
        """The share of equal characters in the passage."""
        return unchanged_share(self.same, self.changed_tokens)

    def changes_of_kind(self, kind: ChangeKind) -> Changes:
        """Return the changes of one kind."""
        return np.asarray(self.changes[self.changes[:, KIND] == KIND_NUMBERS[kind]])


def change_sizes(changes: Changes) -> NDArray[np.int32]:
    """Return the number of tokens on the longer side of each change, int32[n]."""
    return np.asarray(
        np.maximum(changes[:, TO_PAGE] - changes[:, FROM_PAGE], changes[:, TO_WORK] - changes[:, FROM_WORK])
    )


def compare_passage(
    page: TokenizedPage,
    work: TokenizedText,
    passage: AlignedPassage,
    calibration: Calibration,
    margin: int | None = None,
) -> PassageComparison:
    """Align a passage token by token and classify the differences.

    margin: how many tokens before and after the passage may belong to it, on the page and in the work. By default it is
    a share of the passage's matches (Calibration.margin_share).
    """
    if margin is None:
        margin = min(calibration.max_margin_tokens, int(calibration.margin_share * passage.matches))
    comparison = PassageComparison(*_compare_aligned(page, work, passage, margin, calibration), passage.segments)
    if not comparison.totals[SPELLING_KINDS, COUNT].any():
        return comparison
    spelled = join_spelled(page, work, comparison.changes, _ROW_KINDS)
    if not spelled.letter_ranges:
        return comparison
    tokens = np.setdiff1d(spelled.work_tokens(), comparison.work_matched)  # spelled by letters that are not tokens
    ranges = np.concatenate([comparison.work_ranges, np.stack([tokens, tokens + 1], axis=1)])
    return comparison._replace(
        changes=spelled.changes,
        totals=sum_changes(spelled.changes, CHANGE_NUMBERS.kind_count),
        work_ranges=ranges,
        work_matched=np.concatenate([comparison.work_matched, tokens]),
        matched=comparison.matched + tokens.size,
        work_covered=count_covered(ranges),
        letters=spelled.letter_ranges,
    )


def compare_passages(
    page: TokenizedPage, work: TokenizedText, passages: Sequence[AlignedPassage], calibration: Calibration
) -> list[PassageComparison]:
    """Compare the passages of one text, and merge them into one passage if they contain nearly all text between them.

    Repetitive texts (divinations, litanies, songs) have few distinct seeds. If a copy has other sentences inserted,
    only some of its passages are found; a walk along the whole stretch finds the rest.
    """
    comparisons = [compare_passage(page, work, passage, calibration) for passage in passages]
    if len(passages) < calibration.min_pieces_of_whole:
        return comparisons
    segments = np.concatenate([passage.segments for passage in passages])
    whole_passage = AlignedPassage.from_segments(segments[np.argsort(segments[:, PAGE_START], kind="stable")])
    length, work_length = (
        whole_passage.page_end - whole_passage.page_start,
        whole_passage.work_end - whole_passage.work_start,
    )
    matched_tokens = sum(comparison.matched for comparison in comparisons)
    can_gain = work_length - matched_tokens >= calibration.min_gain_of_whole
    if not can_gain or max(length, work_length) > calibration.max_tokens_of_whole:
        return comparisons
    merged = compare_passage(page, work, whole_passage, calibration)
    is_covered = merged.work_covered >= calibration.min_share_of_whole * (merged.work_end - merged.work_start)
    if not is_covered or merged.matched - matched_tokens < calibration.min_gain_of_whole:
        return comparisons
    # The text beyond both ends may be copied in the same way, and was no easier to find.
    widened = compare_passage(page, work, whole_passage, calibration, margin=length)
    ranges = {name: getattr(widened, name) for name in ("page_start", "page_end", "work_start", "work_end")}
    return [compare_passage(page, work, whole_passage._replace(**ranges), calibration)]


def _compare_aligned(
    page: TokenizedPage, work: TokenizedText, passage: AlignedPassage, margin: int, calibration: Calibration
) -> Compared:
    tables = character_tables(page.fingerprint.algorithm)
    segments, start, end, work_start, work_end, matches, *_ = passage
    if len(segments) == 1 and end - start == work_end - work_start == matches:
        # All tokens agree: no walk is needed.
        return compare_diagonal(page.part(start, end), work.part(work_start, work_end), tables, CHANGE_NUMBERS)
    on_page = page.part(start - margin, end + margin)
    in_work = work.part(work_start - margin, work_end + margin)
    return compare_parts(on_page, page.near, in_work, TokenBounds(start, end), calibration.walk, tables, CHANGE_NUMBERS)


def count_covered(ranges: NDArray[np.int32]) -> int:
    """Count the tokens in at least one of the ranges, int32[n, 2]."""
    if len(ranges) <= 1:
        return int((ranges[:, 1] - ranges[:, 0]).sum())
    starts, ends = ranges[np.argsort(ranges[:, 0], kind="stable")].T
    reached = np.concatenate([starts[:1], np.maximum.accumulate(ends)[:-1]])
    return int(np.maximum(ends - np.maximum(starts, reached), 0).sum())


def drop_duplicated_deletions(comparisons: Sequence[PassageComparison]) -> list[PassageComparison]:
    """Return the passages of one text, without deletions of text that another passage contains."""
    if len(comparisons) < 2:
        return list(comparisons)
    token_sets = [np.unique(comparison.work_matched) for comparison in comparisons]
    passages_with = np.bincount(
        np.concatenate(token_sets), minlength=max(comparison.work_end for comparison in comparisons)
    )
    return [
        _drop_deletions(comparison, passages_with, own_tokens)
        for comparison, own_tokens in zip(comparisons, token_sets, strict=True)
    ]


def _drop_deletions(
    comparison: PassageComparison, passages_with: NDArray[np.int64], own_tokens: NDArray[np.int32]
) -> PassageComparison:
    """Return a passage without deletions of tokens that another passage contains.

    passages_with: the number of passages that contain each work token; own_tokens: the work tokens of this passage.
    """
    is_elsewhere = passages_with > 0
    is_elsewhere[own_tokens] = passages_with[own_tokens] > 1
    deleted = comparison.changes_of_kind(ChangeKind.DELETED)
    if not any(is_elsewhere[start:end].any() for start, end in deleted[:, [FROM_WORK, TO_WORK]].tolist()):
        return comparison
    rows: list[NDArray[np.int32]] = []
    letters: dict[int, TextRange] = {}
    for number, row in enumerate(comparison.changes):
        if number in comparison.letters:
            letters[len(rows)] = comparison.letters[number]
        rows += _missing_parts(row, is_elsewhere) if row[KIND] == KIND_NUMBERS[ChangeKind.DELETED] else [row]
    changes: Changes = np.array(rows, np.int32).reshape(-1, comparison.changes.shape[1])
    return comparison._replace(changes=changes, totals=sum_changes(changes, CHANGE_NUMBERS.kind_count), letters=letters)


def _missing_parts(row: NDArray[np.int32], is_elsewhere: NDArray[np.bool_]) -> Iterator[NDArray[np.int32]]:
    """Yield the parts of a deletion that no other passage contains."""
    start, end = int(row[FROM_WORK]), int(row[TO_WORK])
    edges = np.flatnonzero(np.diff(np.concatenate([[True], is_elsewhere[start:end], [True]]))) + start
    for first, last in edges.reshape(-1, 2).tolist():
        part = row.copy()
        part[FROM_WORK], part[TO_WORK] = first, last
        yield part
