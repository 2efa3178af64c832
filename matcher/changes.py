"""What was changed inside a passage, character by character."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.matches import ChangeKind
from fingerprint.normalization import WILDCARD
from matcher.alignment import AGREE, ONLY_PAGE, REPLACE, blocks
from matcher.chaining import PAGE_END, PAGE_START, WORK_END, WORK_START, Segments
from matcher.sides import Side, is_latin, is_one_character

# A page gap and a work gap of like size between two segments are one passage rewritten; else something was put in or
# left out. 3: an advertisement is seldom less than three times as long as the tokens that alignment loses beside it.
MAX_RATIO_OF_REPLACED = 3
MAX_OVERLAP_TO_TRIM_TOKENS = 40

# Changes are rows of five numbers: kind (a place in CHANGE_KINDS), page start, page end, work start, work end (tokens).
CHANGE_KINDS = tuple(ChangeKind)
Changes = NDArray[np.int32]
# Neither is wording: the same words in other forms, or signs that hide them.
NOT_WORDING = frozenset({ChangeKind.SCRIPT, ChangeKind.NOISE})
Row = tuple[int, int, int, int, int]
SAME = -1


def number_of(kind: ChangeKind) -> int:
    """Number of a kind in the rows of changes."""
    return CHANGE_KINDS.index(kind)


def share_same(same: int, changed: int) -> float:
    """What is the same of what is compared; 1.0 when nothing could be compared."""
    return same / (same + changed) if same + changed else 1.0


@dataclass(slots=True, eq=False)
class Comparison:
    """A passage compared: the tokens of page and work that it spans, and what happened in between."""

    page_start: int
    page_end: int
    work_start: int
    work_end: int
    segments: Segments  # that it was joined from
    changes: Changes = field(default_factory=lambda: np.zeros((0, 5), np.int32))  # in order of the page
    matched: int = 0  # tokens that agree in sound
    same: int = 0  # of these, tokens that are one character, in whatever script
    longest_run: int = 0  # of tokens that agree in sound
    work_taken: Changes = field(default_factory=lambda: np.zeros((0, 2), np.int32))  # ranges with a counterpart
    displaced: int = 0  # segments that stand in another order than in the work

    @property
    def changed(self) -> int:
        """Tokens in which the wording differs: of the longer side of each change but script and noise."""
        is_wording = ~np.isin(self.changes[:, 0], [number_of(kind) for kind in NOT_WORDING])
        return int(self.sizes()[is_wording].sum())

    @property
    def similarity(self) -> float:
        """Share of the passage that is the same, character by character."""
        return share_same(self.same, self.changed)

    def sizes(self) -> NDArray[np.int32]:
        """int32[changes]: tokens of the longer side of each change."""
        return np.asarray(np.maximum(self.changes[:, 2] - self.changes[:, 1], self.changes[:, 4] - self.changes[:, 3]))

    def of_kind(self, kind: ChangeKind) -> Changes:
        """The changes of one kind."""
        return np.asarray(self.changes[self.changes[:, 0] == number_of(kind)])


def compared(page: Side, work: Side, passage: Segments) -> Comparison:
    """Align a passage (segments in order of the page) token by token."""
    found = Comparison(
        int(passage[:, PAGE_START].min()),
        int(passage[:, PAGE_END].max()),
        int(passage[:, WORK_START].min()),
        int(passage[:, WORK_END].max()),
        passage,
    )
    bridges: list[Changes] = []
    aligned: list[NDArray[np.int32]] = []
    page_at, work_at = found.page_start, None
    # In another order, what is skipped here stands elsewhere on the page: nothing is said to be left out.
    is_in_order = bool((np.diff(passage[:, WORK_START]) >= -MAX_OVERLAP_TO_TRIM_TOKENS).all())
    for row in passage:
        page_start, page_end = int(row[PAGE_START]), int(row[PAGE_END])
        work_start, work_end = int(row[WORK_START]), int(row[WORK_END])
        lost = max(0, page_at - page_start, _overlap(work_at, work_start))
        page_start, work_start = page_start + lost, work_start + lost
        if page_start >= page_end or work_start >= work_end:
            continue
        found.displaced += work_at is not None and work_start < work_at
        work_from = work_at if work_at is not None and is_in_order else work_start
        bridges.append(_bridge(page_at, page_start, work_from, work_start))
        tokens = page.fingerprint.tokens[page_start:page_end], work.fingerprint.tokens[work_start:work_end]
        aligned.append(blocks(*tokens) + np.array([0, page_start, page_start, work_start, work_start], np.int32))
        page_at, work_at = page_end, work_end
    bridged = np.concatenate(bridges)
    found.changes = _merged(np.concatenate([bridged, *_aligned_changes(found, page, work, np.concatenate(aligned))]))
    rewritten = bridged[bridged[:, 0] == number_of(ChangeKind.REPLACED)]
    found.work_taken = np.concatenate([found.work_taken, rewritten[:, 3:]])
    return found


def _bridge(page_at: int, page_start: int, work_at: int, work_start: int) -> Changes:
    """What stands between two segments."""
    page_gap, work_gap = page_start - page_at, work_start - work_at
    rows: list[Row] = []
    if page_gap and work_gap and max(page_gap, work_gap) <= MAX_RATIO_OF_REPLACED * min(page_gap, work_gap):
        rows.append((number_of(ChangeKind.REPLACED), page_at, page_start, work_at, work_start))
    else:
        if page_gap:
            rows.append((number_of(ChangeKind.INSERTED), page_at, page_start, work_at, work_at))
        if work_gap:
            rows.append((number_of(ChangeKind.DELETED), page_start, page_start, work_at, work_start))
    return np.array(rows, np.int32).reshape(-1, 5)


def _aligned_changes(found: Comparison, page: Side, work: Side, aligned: NDArray[np.int32]) -> list[Changes]:
    """The changes inside segments, and their part in the counts of the passage; `aligned`: blocks of all segments."""
    lengths = np.maximum(aligned[:, 2] - aligned[:, 1], aligned[:, 4] - aligned[:, 3])
    agreeing = lengths[aligned[:, 0] == AGREE]
    found.matched += int(agreeing.sum())
    found.longest_run = max(found.longest_run, int(agreeing.max(initial=0)))
    is_paired = (aligned[:, 0] == AGREE) | (aligned[:, 0] == REPLACE)
    one_sided = aligned[~is_paired]
    is_inserted = one_sided[:, 0] == ONLY_PAGE
    one_sided[:, 0] = np.where(is_inserted, number_of(ChangeKind.INSERTED), number_of(ChangeKind.DELETED))
    found.work_taken = aligned[is_paired][:, 3:]
    return [one_sided, _pairwise(found, page, work, aligned[is_paired])]


def _pairwise(found: Comparison, page: Side, work: Side, paired: NDArray[np.int32]) -> Changes:
    """Changes among tokens that stand for each other one by one; `paired` are blocks of alignment."""
    lengths = paired[:, 2] - paired[:, 1]
    within = np.arange(lengths.sum(), dtype=np.int32) - np.repeat(np.cumsum(lengths) - lengths, lengths).astype(
        np.int32
    )
    of_page = np.repeat(paired[:, 1], lengths) + within
    of_work = np.repeat(paired[:, 3], lengths) + within
    kinds = _kinds(page, work, of_page, of_work, np.repeat(paired[:, 0] == AGREE, lengths))
    is_readable = (page.fingerprint.tokens[of_page] != WILDCARD) & (work.fingerprint.tokens[of_work] != WILDCARD)
    found.same += int(np.count_nonzero(is_readable & ((kinds == SAME) | (kinds == number_of(ChangeKind.SCRIPT)))))
    is_next = (np.diff(of_page) == 1) & (np.diff(of_work) == 1) & (np.diff(kinds) == 0)
    starts = np.flatnonzero(np.concatenate([[True], ~is_next])) if kinds.size else np.zeros(0, np.int64)
    ends = np.append(starts[1:], kinds.size) - 1 if kinds.size else starts
    rows = np.stack([kinds[starts], of_page[starts], of_page[ends] + 1, of_work[starts], of_work[ends] + 1], axis=1)
    return np.asarray(rows[kinds[starts] != SAME], np.int32)


def _kinds(
    page: Side, work: Side, of_page: NDArray[np.int32], of_work: NDArray[np.int32], agrees: NDArray[np.bool_]
) -> NDArray[np.int32]:
    """int32[n]: the kind of change of each pair of tokens, or SAME."""
    page_characters, work_characters = page.characters(of_page), work.characters(of_work)
    letters = is_latin(page_characters)
    kinds = np.where(agrees, number_of(ChangeKind.HOMOPHONE), number_of(ChangeKind.REPLACED)).astype(np.int32)
    kinds[letters] = number_of(ChangeKind.PINYIN)
    kinds[letters & is_latin(work_characters) & agrees] = SAME
    kinds[is_one_character(page_characters, work_characters)] = number_of(ChangeKind.SCRIPT)
    kinds[page_characters == work_characters] = SAME
    kinds[page.fingerprint.tokens[of_page] == WILDCARD] = number_of(ChangeKind.NOISE)
    kinds[work.fingerprint.tokens[of_work] == WILDCARD] = SAME
    return kinds


def _merged(changes: Changes) -> Changes:
    """The changes in order of the page, those of one kind that touch on both sides joined."""
    ordered = changes[np.lexsort((changes[:, 4], changes[:, 3], changes[:, 2], changes[:, 1]))]
    if len(ordered) < 2:
        return ordered
    touches = (
        (ordered[1:, 0] == ordered[:-1, 0]) & (ordered[1:, 1] == ordered[:-1, 2]) & (ordered[1:, 3] == ordered[:-1, 4])
    )
    starts = np.flatnonzero(np.concatenate([[True], ~touches]))
    ends = np.append(starts[1:], len(ordered)) - 1
    joined = ordered[starts].copy()
    joined[:, [2, 4]] = ordered[ends][:, [2, 4]]
    return joined


def _overlap(work_at: int | None, work_start: int) -> int:
    overlap = 0 if work_at is None else work_at - work_start
    return overlap if 0 < overlap <= MAX_OVERLAP_TO_TRIM_TOKENS else 0
