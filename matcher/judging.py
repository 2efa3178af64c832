"""Turns an aligned page into matches: compares the passages of each text, judges and classifies them."""

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.ids import WorkTextId
from core.matches import Match, MatchClass
from core.obfuscations import Obfuscation, ObfuscationFound
from fingerprint.fingerprinting import Fingerprint
from fingerprint.rules import Seeds
from fingerprint.seeds import find_anchors
from matcher.align.changes import PassageComparison, compare_passages, drop_taken_elsewhere
from matcher.align.overlaps import ResolvedSegments
from matcher.align.passages import AlignedPassage, chain_segments
from matcher.align.segments import Phrases, Segments
from matcher.align.tokenized_text import TokenizedPage, TokenizedText
from matcher.calibration import Calibration
from matcher.corpus import Corpus, WorkEntry
from matcher.index.postings import require_same_algorithm
from matcher.judge.figures import Figures, background_share, count_distinct_runs, is_common, own_share, sum_up
from matcher.judge.obfuscation import add_obfuscation, find_obfuscations
from matcher.judge.quotation import are_quotations, split_at_quotations
from matcher.judge.spans import find_taken_places, to_spans
from matcher.reading_order import ReadingOrder, spans_as_given

MAX_CACHED_EDITIONS = 10_000

Ranges = tuple[NDArray[np.int32], NDArray[np.int32]]  # starts and ends, tokens of the page


class AlignedPage(NamedTuple):
    """The alignments of a page before judging. Text numbers are those of the segments."""

    page: TokenizedPage
    written: ReadingOrder  # the page as given
    text_ids: Mapping[int, WorkTextId]  # of all texts with a segment
    resolved: ResolvedSegments
    phrases: Phrases  # of texts that may be compared
    capped: NDArray[np.int32]  # page positions of anchors that occur too often to be looked up
    index_postings: int


class _Finding(NamedTuple):
    """One text that the page copied from, before it has a class."""

    text_id: WorkTextId
    work: TokenizedText  # in reading order, as the page is
    written: ReadingOrder  # the work as given
    comparisons: list[PassageComparison]
    figures: Figures
    also: tuple[WorkTextId, ...]
    is_quotation: bool
    is_whole: bool  # the text stands whole on the page
    own: float  # share of it that no other text has


class Judge:
    """Classifies the passages that pages copied from the texts of a corpus."""

    def __init__(self, corpus: Corpus, algorithm_id: int, calibration: Calibration) -> None:
        self._corpus = corpus
        self._algorithm_id = algorithm_id
        self._calibration = calibration
        self._editions = Editions(corpus, calibration)

    def matches(self, aligned: AlignedPage, work_of: Mapping[WorkTextId, Hashable]) -> tuple[Match, ...]:
        """Return the matches of the page, the text with most tokens first. work_of: the work of each text.

        Raises AlgorithmMismatch for a text of the corpus whose fingerprint is of another algorithm.
        """
        made = (self._finding(aligned, number, segments) for number, segments in aligned.resolved.by_text())
        findings = self._with_common_wording([finding for finding in made if finding is not None], aligned)
        ordered = sorted(findings, key=lambda finding: (-finding.figures.matched, finding.text_id))
        copies = [finding for finding in ordered if not finding.is_quotation]
        works = [work_of[finding.text_id] for finding in copies]
        is_piece = find_patchwork([finding.figures for finding in copies], works, self._calibration)
        pieces = {finding.text_id for finding, is_one in zip(copies, is_piece, strict=True) if is_one}
        reported = {finding.text_id for finding in ordered}
        return tuple(
            self._match(aligned, finding, len(pieces) if finding.text_id in pieces else 0, reported)
            for finding in ordered
        )

    def _finding(self, aligned: AlignedPage, number: int, segments: Segments) -> _Finding | None:
        """Return the finding of text `number` on the page; None if it is too small."""
        page, passages = aligned.page, chain_segments(segments, self._calibration)
        entry = self._corpus.entry(aligned.text_ids[number]) if passages else None
        if entry is None:
            return None
        require_same_algorithm(entry.fingerprint, self._algorithm_id)
        written = ReadingOrder.from_fingerprint(entry.text, entry.fingerprint)
        work = TokenizedText(written.text, written.fingerprint)
        compared = compare_passages(page, work, passages, self._calibration)
        comparisons = drop_taken_elsewhere(split_at_quotations(page, work, compared, self._calibration))
        found, ranges = sum_up(page, work, comparisons), _ranges(comparisons)
        if not self._is_enough(page, found, comparisons, ranges):
            return None
        also = self._other_carriers(aligned, number, passages)
        is_whole = stands_whole(found.work_tokens, comparisons, self._calibration)
        is_quotation = not is_whole and are_quotations(page, work, comparisons, found, self._calibration)
        own = 1.0
        if not (is_quotation or is_whole) and found.page_containment < self._calibration.most_of_page:
            own = self._own_share(aligned, number, ranges, entry, also)
        return _Finding(aligned.text_ids[number], work, written, comparisons, found, also, is_quotation, is_whole, own)

    def _is_enough(
        self, page: TokenizedPage, found: Figures, comparisons: Sequence[PassageComparison], ranges: Ranges
    ) -> bool:
        """Return whether enough was matched, each place of the work once; in a short passage digits count for nothing.

        A few characters over and over are nothing, however many they are.
        """
        least = self._calibration.min_distinct_runs
        if count_distinct_runs(page.fingerprint.tokens, *ranges, least) < least:
            return False
        if found.matched >= self._calibration.min_matched_tokens:
            return True
        read = sum(page.count_han(one.page_start, one.page_end) for one in comparisons)
        return min(found.matched, read) >= self._calibration.min_exact_tokens

    def _own_share(
        self,
        aligned: AlignedPage,
        number: int,
        ranges: Ranges,
        entry: WorkEntry,
        also: tuple[WorkTextId, ...],
    ) -> float:
        """Return the share of the passages that no other text but an edition of the work has.

        ranges: of the passages.
        """
        anchor_tokens = entry.fingerprint.algorithm.anchors.tokens
        share = own_share(*ranges, aligned.phrases, [number], aligned.capped, anchor_tokens)
        if share < self._calibration.min_own_share and also:
            editions = {other for other in also if self._editions.are_editions(entry, other)}
            same = [number, *(other for other, text_id in aligned.text_ids.items() if text_id in editions)]
            share = own_share(*ranges, aligned.phrases, same, aligned.capped, anchor_tokens)
        return share

    def _with_common_wording(self, findings: list[_Finding], aligned: AlignedPage) -> list[_Finding]:
        """Return the findings, with common wording classified as quotation."""
        if all(finding.is_quotation or finding.is_whole for finding in findings):
            return findings
        ranges = _ranges([comparison for finding in findings for comparison in finding.comparisons])
        surroundings = background_share(aligned.page.fingerprint.tokens.size, *ranges, aligned.phrases)
        return [
            finding._replace(is_quotation=True)
            if not (finding.is_quotation or finding.is_whole)
            and is_common(finding.figures, finding.own, surroundings, aligned.index_postings, self._calibration)
            else finding
            for finding in findings
        ]

    def _other_carriers(
        self, aligned: AlignedPage, number: int, passages: Sequence[AlignedPassage]
    ) -> tuple[WorkTextId, ...]:
        """Return the texts with at least half of the matched tokens, those with most first."""
        if not aligned.resolved.has_losers:
            return ()
        found = aligned.resolved.other_carriers(number, *_ranges(passages))
        carried = {aligned.text_ids[other]: matches for other, matches in found}
        least = self._calibration.min_share_for_also * sum(passage.matches for passage in passages)
        fullest = sorted(carried, key=lambda other: (-carried[other], other))
        return tuple(other for other in fullest if carried[other] >= least)

    def _match(self, aligned: AlignedPage, finding: _Finding, pieces: int, reported: set[WorkTextId]) -> Match:
        """Return a finding as it is reported.

        Pieces: of how many texts the page is patched together, 0 when it is not.
        """
        page, found = aligned.page, finding.figures
        match_class = classify(found, finding.is_quotation, pieces > 0, self._calibration)
        obfuscations = find_obfuscations(page, finding.work, finding.comparisons, found, self._calibration)
        order = aligned.written.obfuscation([(one.page_start, one.page_end) for one in finding.comparisons])
        if order is not None:
            obfuscations = add_obfuscation(obfuscations, order)
        if match_class is MatchClass.PATCHWORK:
            obfuscations += (ObfuscationFound(Obfuscation.PATCHWORK, pieces),)
        taken, taken_count = find_taken_places(finding.written.offsets, finding.comparisons)
        spans = to_spans(page, finding.work, finding.comparisons)
        return Match(
            text_id=finding.text_id,
            match_class=match_class,
            similarity=found.similarity,
            page_containment=found.page_containment,
            work_containment=taken_count / found.work_tokens,
            matched_chars=found.matched,
            taken=taken,
            longest_equal_run_chars=found.longest_equal_run,
            spans=spans_as_given(spans, aligned.written, finding.written),
            obfuscations=obfuscations,
            algorithm_id=page.fingerprint.algorithm_id,
            also=tuple(other for other in finding.also if other not in reported),
        )


class Editions:
    """Recognizes editions of one work by shared anchors, and caches the answers."""

    def __init__(self, corpus: Corpus, calibration: Calibration) -> None:
        self._corpus = corpus
        self._calibration = calibration
        self._cached: dict[tuple[int, WorkTextId], bool] = {}

    def are_editions(self, entry: WorkEntry, other: WorkTextId) -> bool:
        """Return whether a text is another edition of `entry`."""
        key = (hash(entry.text), other)
        if key not in self._cached:
            if len(self._cached) >= MAX_CACHED_EDITIONS:
                self._cached.clear()
            found = self._corpus.entry(other)
            self._cached[key] = (
                found is not None and self._anchor_overlap(entry, found) >= self._calibration.min_edition_share
            )
        return self._cached[key]

    @staticmethod
    def _anchor_overlap(one: WorkEntry, other: WorkEntry) -> float:
        hashes, others = _anchor_hashes(one.fingerprint), _anchor_hashes(other.fingerprint)
        common = np.intersect1d(hashes, others, assume_unique=True).size
        return common / max(1, min(hashes.size, others.size))


def _anchor_hashes(fingerprint: Fingerprint) -> NDArray[np.uint64]:
    """Return the sorted distinct hashes of the anchors, uint64[a]; windows of two editions are out of phase."""
    algorithm = fingerprint.algorithm
    if Seeds.WINDOWS not in algorithm.seeds:
        return np.unique(fingerprint.hashes)
    return np.unique(find_anchors(fingerprint.tokens, algorithm.anchors, algorithm.symbols)[0])


def _ranges(passages: Sequence[PassageComparison] | Sequence[AlignedPassage]) -> Ranges:
    """Return the starts and ends of the passages on the page."""
    starts = np.array([passage.page_start for passage in passages], np.int32)
    return starts, np.array([passage.page_end for passage in passages], np.int32)


def classify(found: Figures, is_quotation: bool, is_patchwork: bool, calibration: Calibration) -> MatchClass:
    """Return the class of a match: its kind first, then the extent of its edits."""
    if is_quotation:
        return MatchClass.QUOTATION
    if is_patchwork:
        return MatchClass.PATCHWORK
    is_whole_page = (
        found.page_containment >= calibration.min_whole_page_containment
        and found.page_tokens >= calibration.min_whole_page_tokens
    )
    if not is_whole_page and found.work_containment < calibration.min_whole_work_containment:
        return MatchClass.EXCERPT
    if found.similarity >= 1 - calibration.max_changed_identical and not found.displaced:
        return MatchClass.IDENTICAL
    is_light = found.similarity >= 1 - calibration.max_changed_light and not found.displaced
    return MatchClass.LIGHTLY_EDITED if is_light else MatchClass.HEAVILY_EDITED


def find_patchwork(found: Sequence[Figures], works: Sequence[object], calibration: Calibration) -> list[bool]:
    """Return whether each copy on a page is a piece of a patchwork of parts of several works.

    works: the work of each text; consecutive chapters of one work are not a patchwork.
    """
    pieces = [
        figures.matched >= calibration.min_patchwork_tokens
        and figures.work_containment < calibration.max_patchwork_work_containment
        and figures.page_containment < calibration.min_whole_page_containment
        for figures in found
    ]
    sources = {work for work, is_piece in zip(works, pieces, strict=True) if is_piece}
    return [is_piece and len(sources) > 1 for is_piece in pieces]


def stands_whole(work_tokens: int, comparisons: Sequence[PassageComparison], calibration: Calibration) -> bool:
    """Return whether one passage has nearly all of a text that is long enough: a copy, however formulaic.

    work_tokens: of the whole text. A page that stands whole in a text needs no rule: nothing that fills a page is a
    quotation or set wording.
    """
    if work_tokens < calibration.min_whole_text_tokens:
        return False
    least = calibration.min_whole_text_share * work_tokens
    enough = (found.work_matched for found in comparisons if found.work_matched.size >= least)
    return any(np.unique(matched).size >= least for matched in enough)
