"""Turns an aligned page into matches: compares and judges the passages of each text, and lists their spans."""

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from core.garbage import pause_collection
from core.ids import WorkTextId
from core.matches import Change, ChangeKind, Match, MatchClass, Span
from core.obfuscations import Obfuscation, ObfuscationFound
from core.taken import NO_PLACES, Places
from core.text import TextRange
from fingerprint.fingerprinting import Fingerprint
from fingerprint.rules import Seeds
from fingerprint.seeds import find_anchors
from matcher.align.changes import (
    CHANGE_KINDS,
    KIND_NUMBERS,
    PassageComparison,
    compare_passages,
    drop_duplicated_deletions,
)
from matcher.align.overlaps import ResolvedSegments
from matcher.align.passages import AlignedPassage, chain_segments
from matcher.align.segments import Phrases, Segments
from matcher.align.token_alignment import FROM_PAGE, FROM_WORK, KIND, TO_PAGE, TO_WORK
from matcher.align.tokenized_text import TokenizedPage, TokenizedText
from matcher.calibration import Calibration
from matcher.corpus import Corpus, WorkEntry
from matcher.index.postings import require_same_algorithm
from matcher.judge.classification import (
    Figures,
    are_quotations,
    background_share,
    classify,
    contains_whole_text,
    count_distinct_runs,
    find_patchwork,
    is_common_wording,
    mark_offsets,
    own_share,
    split_at_quotations,
    sum_figures,
)
from matcher.judge.obfuscation import add_obfuscation, find_obfuscations, hiding_places
from matcher.reading_order import ReadingOrder, spans_as_given

MAX_CACHED_EDITIONS = 10_000

Ranges = tuple[NDArray[np.int32], NDArray[np.int32]]  # starts and ends, tokens of the page


class AlignedPage(NamedTuple):
    """The alignments of a page before judging. Texts are numbered as in the segments."""

    page: TokenizedPage
    written: ReadingOrder  # the page as given
    text_ids: Mapping[int, WorkTextId]  # of all texts with a segment
    resolved: ResolvedSegments
    phrases: Phrases  # of the texts that may be compared
    capped: NDArray[np.int32]  # page positions of anchors that occur too often to be looked up
    index_postings: int


class _Finding(NamedTuple):
    """A text from which the page copied, before classification."""

    text_id: WorkTextId
    work: TokenizedText  # in reading order, like the page
    written: ReadingOrder  # the work as given
    comparisons: list[PassageComparison]
    figures: Figures
    also: tuple[WorkTextId, ...]
    is_quotation: bool
    is_whole: bool  # the page has the whole text
    own: float  # the share that no other text has


class Judge:
    """Classifies the passages that pages copied from the texts of a corpus."""

    def __init__(self, corpus: Corpus, algorithm_id: int, calibration: Calibration) -> None:
        self._corpus = corpus
        self._algorithm_id = algorithm_id
        self._calibration = calibration
        self._editions = Editions(corpus, calibration)

    def matches(self, aligned: AlignedPage, work_of: Mapping[WorkTextId, Hashable]) -> tuple[Match, ...]:
        """Return the matches of the page, the text with the most matched tokens first.

        work_of: the work of each text. Raises AlgorithmMismatch if a text was fingerprinted by another algorithm.
        """
        page_findings = (
            self._page_finding(aligned, number, segments) for number, segments in aligned.resolved.by_text()
        )
        findings = self._with_common_wording([finding for finding in page_findings if finding is not None], aligned)
        ordered = sorted(findings, key=lambda finding: (-finding.figures.matched, finding.text_id))
        copies = [finding for finding in ordered if not finding.is_quotation]
        works = [work_of[finding.text_id] for finding in copies]
        is_in_patchwork = find_patchwork([finding.figures for finding in copies], works, self._calibration)
        patchwork_texts = {finding.text_id for finding, belongs in zip(copies, is_in_patchwork, strict=True) if belongs}
        reported = {finding.text_id for finding in ordered}
        return tuple(
            self._to_match(
                aligned, finding, len(patchwork_texts) if finding.text_id in patchwork_texts else 0, reported
            )
            for finding in ordered
        )

    def _page_finding(self, aligned: AlignedPage, number: int, segments: Segments) -> _Finding | None:
        """Return the finding for text `number`, or None if too little of it is on the page."""
        page, passages = aligned.page, chain_segments(segments, self._calibration)
        entry = self._corpus.entry(aligned.text_ids[number]) if passages else None
        if entry is None:
            return None
        require_same_algorithm(entry.fingerprint, self._algorithm_id)
        written = ReadingOrder.from_fingerprint(entry.text, entry.fingerprint)
        work = TokenizedText(written.text, written.fingerprint)
        passage_comparisons = compare_passages(page, work, passages, self._calibration)
        comparisons = drop_duplicated_deletions(split_at_quotations(page, work, passage_comparisons, self._calibration))
        figures, ranges = sum_figures(page, work, comparisons), _passage_ranges(comparisons)
        if not self._is_enough(page, figures, comparisons, ranges):
            return None
        also = self._other_carriers(aligned, number, passages)
        is_whole = contains_whole_text(figures.work_tokens, comparisons, self._calibration)
        is_quotation = not is_whole and are_quotations(page, work, comparisons, figures, self._calibration)
        unique_share = 1.0
        if not (is_quotation or is_whole) and figures.page_containment < self._calibration.most_of_page:
            unique_share = self._own_share(aligned, number, ranges, entry, also)
        return _Finding(
            aligned.text_ids[number], work, written, comparisons, figures, also, is_quotation, is_whole, unique_share
        )

    def _is_enough(
        self, page: TokenizedPage, figures: Figures, comparisons: Sequence[PassageComparison], ranges: Ranges
    ) -> bool:
        """Return whether enough tokens match, each work token counted once.

        A few characters that are repeated many times are not enough. In short passages only Chinese characters count.
        """
        min_runs = self._calibration.min_distinct_runs
        if count_distinct_runs(page.fingerprint.tokens, *ranges, min_runs) < min_runs:
            return False
        if figures.matched >= self._calibration.min_matched_tokens:
            return True
        han_count = sum(page.count_han(comparison.page_start, comparison.page_end) for comparison in comparisons)
        return min(figures.matched, han_count) >= self._calibration.min_exact_tokens

    def _own_share(
        self,
        aligned: AlignedPage,
        number: int,
        ranges: Ranges,
        entry: WorkEntry,
        also: tuple[WorkTextId, ...],
    ) -> float:
        """Return the share of the passages that no other text contains, apart from editions of the work.

        ranges: the page ranges of the passages; also: the other texts that contain them.
        """
        anchor_tokens = entry.fingerprint.algorithm.anchors.tokens
        share = own_share(*ranges, aligned.phrases, [number], aligned.capped, anchor_tokens)
        if share < self._calibration.min_own_share and also:
            editions = {text for text in also if self._editions.are_editions(entry, text)}
            own_texts = [number, *(text for text, text_id in aligned.text_ids.items() if text_id in editions)]
            share = own_share(*ranges, aligned.phrases, own_texts, aligned.capped, anchor_tokens)
        return share

    def _with_common_wording(self, findings: list[_Finding], aligned: AlignedPage) -> list[_Finding]:
        """Return the findings, with common wording classified as quotations."""
        if all(finding.is_quotation or finding.is_whole for finding in findings):
            return findings
        ranges = _passage_ranges([comparison for finding in findings for comparison in finding.comparisons])
        surroundings = background_share(aligned.page.fingerprint.tokens.size, *ranges, aligned.phrases)
        return [
            finding._replace(is_quotation=True)
            if not (finding.is_quotation or finding.is_whole)
            and is_common_wording(finding.figures, finding.own, surroundings, aligned.index_postings, self._calibration)
            else finding
            for finding in findings
        ]

    def _other_carriers(
        self, aligned: AlignedPage, number: int, passages: Sequence[AlignedPassage]
    ) -> tuple[WorkTextId, ...]:
        """Return the other texts that contain at least half of the matched tokens, those with the most tokens first."""
        if not len(aligned.resolved.lost):
            return ()
        competing = aligned.resolved.competing_texts(number, *_passage_ranges(passages))
        carried = {aligned.text_ids[text_id]: matches for text_id, matches in competing.items()}
        min_matches = self._calibration.min_share_for_also * sum(passage.matches for passage in passages)
        fullest = sorted(carried, key=lambda text_id: (-carried[text_id], text_id))
        return tuple(text_id for text_id in fullest if carried[text_id] >= min_matches)

    def _to_match(self, aligned: AlignedPage, finding: _Finding, pieces: int, reported: set[WorkTextId]) -> Match:
        """Return the match to report for a finding.

        pieces: the number of copied texts if the page is a patchwork, otherwise 0; reported: all texts with a match.
        """
        page, figures = aligned.page, finding.figures
        match_class = classify(figures, finding.is_quotation, pieces > 0, self._calibration)
        obfuscations = find_obfuscations(page, finding.work, finding.comparisons, figures, self._calibration)
        order = aligned.written.obfuscation(
            [(comparison.page_start, comparison.page_end) for comparison in finding.comparisons]
        )
        if order is not None:
            obfuscations = add_obfuscation(obfuscations, order)
        if match_class is MatchClass.PATCHWORK:
            obfuscations += (ObfuscationFound(Obfuscation.PATCHWORK, pieces),)
        taken, taken_count = find_taken_places(finding.written.offsets, finding.comparisons)
        spans = to_spans(page, finding.work, finding.comparisons)
        return Match(
            text_id=finding.text_id,
            match_class=match_class,
            similarity=figures.similarity,
            page_containment=figures.page_containment,
            work_containment=taken_count / figures.work_tokens,
            matched_chars=figures.matched,
            taken=taken,
            longest_equal_run_chars=figures.longest_equal_run,
            spans=spans_as_given(spans, aligned.written, finding.written),
            obfuscations=obfuscations,
            algorithm_id=page.fingerprint.algorithm_id,
            also=tuple(text_id for text_id in finding.also if text_id not in reported),
        )


class Editions:
    """Recognizes editions of one work by the anchors they share, and caches the results."""

    def __init__(self, corpus: Corpus, calibration: Calibration) -> None:
        self._corpus = corpus
        self._calibration = calibration
        self._cached: dict[tuple[int, WorkTextId], bool] = {}

    def are_editions(self, entry: WorkEntry, other: WorkTextId) -> bool:
        """Return whether the text `other` is another edition of the text of `entry`."""
        key = (hash(entry.text), other)
        if key not in self._cached:
            if len(self._cached) >= MAX_CACHED_EDITIONS:
                self._cached.clear()
            other_entry = self._corpus.entry(other)
            self._cached[key] = (
                other_entry is not None
                and self._anchor_overlap(entry, other_entry) >= self._calibration.min_edition_share
            )
        return self._cached[key]

    @staticmethod
    def _anchor_overlap(entry: WorkEntry, other: WorkEntry) -> float:
        hashes, other_hashes = _anchor_hashes(entry.fingerprint), _anchor_hashes(other.fingerprint)
        common = np.intersect1d(hashes, other_hashes, assume_unique=True).size
        return common / max(1, min(hashes.size, other_hashes.size))


def _anchor_hashes(fingerprint: Fingerprint) -> NDArray[np.uint64]:
    """Return the sorted distinct hashes of a text's anchors, uint64[a].

    Windows of two editions would be out of phase.
    """
    algorithm = fingerprint.algorithm
    if Seeds.WINDOWS not in algorithm.seeds:
        return np.unique(fingerprint.hashes)
    return np.unique(find_anchors(fingerprint.tokens, algorithm.anchors, algorithm.symbols)[0])


def _passage_ranges(passages: Sequence[PassageComparison] | Sequence[AlignedPassage]) -> Ranges:
    """Return the starts and the ends of the passages on the page."""
    starts = np.array([passage.page_start for passage in passages], np.int32)
    return starts, np.array([passage.page_end for passage in passages], np.int32)


def to_spans(page: TokenizedText, work: TokenizedText, comparisons: Sequence[PassageComparison]) -> tuple[Span, ...]:
    """Return the spans of the passages, in order of the page."""
    spans = [
        Span(
            page.text_range(comparison.page_start, comparison.page_end),
            work.text_range(comparison.work_start, comparison.work_end),
            comparison.similarity,
            ChangesOfSpan(page, work, comparison),
        )
        for comparison in comparisons
    ]
    return tuple(sorted(spans, key=lambda span: span.page))


def find_taken_places(offsets: NDArray[np.int32], comparisons: Sequence[PassageComparison]) -> tuple[Places, int]:
    """Return the distinct offsets of the work's characters that are on the page, and their number.

    offsets: the offset of each work token in the text as given.
    """
    matched = [comparison.work_matched for comparison in comparisons if comparison.work_matched.size]
    if not matched:
        return NO_PLACES, 0
    marked, first, count = mark_offsets(np.concatenate(matched) if len(matched) > 1 else matched[0], offsets)
    return Places(int.from_bytes(marked.tobytes(), "little") << first), count


# A chapter may have a thousand changes, and most are only counted: creating them took a third of the time of a match.
class ChangesOfSpan(Sequence[Change]):
    """The changes of a span in order of the page, with the noise that hides it. They are created on first access."""

    def __init__(self, page: TokenizedText, work: TokenizedText, comparison: PassageComparison) -> None:
        self._compared = page, work, comparison

    @cached_property
    def _changes(self) -> tuple[Change, ...]:
        with pause_collection():
            return _list_changes(*self._compared)

    @overload
    def __getitem__(self, index: int) -> Change: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Change, ...]: ...

    def __getitem__(self, index: int | slice) -> Change | tuple[Change, ...]:
        return self._changes[index]

    def __len__(self) -> int:
        return len(self._changes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._changes == tuple(other)

    def __hash__(self) -> int:
        return hash(self._changes)

    def __repr__(self) -> str:
        return repr(self._changes)


def _list_changes(page: TokenizedText, work: TokenizedText, comparison: PassageComparison) -> tuple[Change, ...]:
    moved, hiding = comparison.moved, hiding_places(page, work, comparison)
    kinds = np.concatenate(
        [
            np.full(len(moved), KIND_NUMBERS[ChangeKind.MOVED], np.int32),
            comparison.changes[:, KIND],
            np.full(len(hiding), KIND_NUMBERS[ChangeKind.NOISE], np.int32),
        ]
    )
    places = np.concatenate([moved, comparison.changes[:, [FROM_PAGE, TO_PAGE, FROM_WORK, TO_WORK]]])
    text_ranges = *page.ranges(places[:, 0], places[:, 1]), *work.ranges(places[:, 2], places[:, 3])
    for row, letters in comparison.letters.items():
        text_ranges[0][len(moved) + row], text_ranges[1][len(moved) + row] = letters.start, letters.end
    hidden = hiding.starts, hiding.ends, hiding.work_places, hiding.work_places
    columns = zip(text_ranges, hidden, strict=True)
    page_starts, page_ends, work_starts, work_ends = (np.concatenate(parts) for parts in columns)
    order = np.lexsort((page_ends, kinds != KIND_NUMBERS[ChangeKind.MOVED], page_starts))
    on_page = map(TextRange, page_starts[order].tolist(), page_ends[order].tolist())
    in_work = map(TextRange, work_starts[order].tolist(), work_ends[order].tolist())
    return tuple(map(Change, [CHANGE_KINDS[number] for number in kinds[order].tolist()], on_page, in_work))
