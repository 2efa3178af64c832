"""From a page to its matches: look up, extend, resolve overlaps, chain, compare, judge."""

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.errors import AlgorithmMismatch
from core.ids import WorkTextId
from core.matches import Match, MatchClass
from core.obfuscations import Obfuscation, ObfuscationFound
from fingerprint.record import Fingerprint
from matcher.align.changes import Comparison, compare_passage
from matcher.align.extension import find_segments
from matcher.align.hit_extension import Hits
from matcher.align.overlaps import TextSegments, resolve_overlaps
from matcher.align.passages import chain_segments
from matcher.align.segments import MATCHES, PAGE_END, PAGE_START, TEXT, Phrases, Segments
from matcher.align.taken_elsewhere import without_taken_elsewhere
from matcher.align.tokenized_text import TokenizedPage, TokenizedText
from matcher.calibration import DEFAULT, Calibration
from matcher.corpus import Corpus, WorkEntry
from matcher.index.lookups import find_page_hits
from matcher.index.ports import MatchIndex
from matcher.judge.classes import classify, find_patchwork
from matcher.judge.editions import Editions
from matcher.judge.figures import Figures, sum_up
from matcher.judge.obfuscation import find_obfuscations
from matcher.judge.quotation import apart_where_quoted, are_quotations
from matcher.judge.rarity import background_share, count_distinct_runs, is_common, own_share, phrases_of_others
from matcher.judge.spans import find_taken_places, to_spans
from matcher.judge.wholeness import stands_whole
from matcher.reading_order import ReadingOrder, spans_as_given
from matcher.token_streams import TokenCache

# Which of some texts may be compared, each with the work that it is of.
Sources = Callable[[Collection[WorkTextId]], Mapping[WorkTextId, Hashable]]


@dataclass(frozen=True, slots=True, eq=False)
class _Finding:
    """One text that the page took from, before it has a class."""

    text_id: WorkTextId
    work: TokenizedText  # in reading order, as the page is
    written: ReadingOrder  # the work as given
    comparisons: list[Comparison]
    figures: Figures
    also: tuple[WorkTextId, ...]
    is_quotation: bool
    is_whole: bool  # the text stands whole on the page
    own: float  # share of it that no other text has


@dataclass(frozen=True, slots=True, eq=False)
class _AlignedPage:
    """All that was found of a page before anything is judged. Numbers of texts are those of the segments."""

    page: TokenizedPage
    written: ReadingOrder  # the page as given
    text_ids: dict[int, WorkTextId]  # of all texts with a segment
    phrases: Phrases  # of texts that may be compared
    capped: NDArray[np.int32]  # page positions of anchors that occur too often to be looked up


class Matcher:
    """Finds what pages took from the texts of an index; one thread at a time."""

    def __init__(self, index: MatchIndex, corpus: Corpus, calibration: Calibration = DEFAULT) -> None:
        self._index = index
        self._corpus = corpus
        self._calibration = calibration
        self._streams = TokenCache(corpus, calibration.max_cached_tokens)
        self._editions = Editions(corpus, calibration)
        self._index_postings = 0  # as the last look-up saw it; the cap grows with it

    def match(self, text: str, fingerprint: Fingerprint, sources: Sources | None = None) -> tuple[Match, ...]:
        """All texts that the page took from, the one with most tokens first; empty when it took from none.

        sources: asked once, with all texts that the page has more than a few tokens of; those that it leaves out are
        neither compared nor named. A patchwork is made of several works. Without it, each text is a work of its own.
        Raises IndexStale, ServiceUnavailable, and AlgorithmMismatch for fingerprints of another algorithm, of the page
        or of a work in the corpus.
        """
        _require_same_algorithm(fingerprint, self._index.algorithm_id)
        if not self._index_postings:
            self._index_postings = self._index.state().postings
        cap = self._calibration.cap(self._index_postings)
        hits, self._index_postings = find_page_hits(self._index, self._streams, fingerprint, cap, self._calibration)
        if not hits.texts.size:
            return ()
        written = ReadingOrder.of(text, fingerprint)
        page = TokenizedPage.of(written.text, written.fingerprint)
        positions = Hits(hits.texts, hits.page_positions, hits.work_positions)
        found = find_segments(fingerprint.tokens, page.near, hits.streams, positions, self._calibration)
        text_ids = {number: hits.text_id(number) for number in sorted(set(found.segments[:, TEXT].tolist()))}
        if not text_ids:
            return ()
        work_of = (sources or _each_its_own)(frozenset(text_ids.values()))
        closed = [number for number, text_id in text_ids.items() if text_id not in work_of]
        phrases = phrases_of_others(found.phrases, closed)
        aligned = _AlignedPage(page, written, text_ids, phrases, hits.capped)
        segments = found.segments[~np.isin(found.segments[:, TEXT], closed)]
        kept = resolve_overlaps(segments, text_ids, fingerprint.tokens.size, self._calibration)
        made = (self._finding(aligned, number, of_text) for number, of_text in kept.items())
        findings = self._with_common_wording([finding for finding in made if finding is not None], aligned)
        return self._matches(aligned, findings, work_of)

    def _finding(self, aligned: _AlignedPage, number: int, kept: TextSegments) -> _Finding | None:
        """What the page has of text `number`; None when it is too little."""
        page, passages = aligned.page, chain_segments(kept.segments, self._calibration)
        entry = self._corpus.entry(aligned.text_ids[number]) if passages else None
        if entry is None:
            return None
        _require_same_algorithm(entry.fingerprint, self._index.algorithm_id)
        written = ReadingOrder.of(entry.text, entry.fingerprint)
        work = TokenizedText(written.text, written.fingerprint)
        compared = [compare_passage(page, work, passage, self._calibration) for passage in passages]
        comparisons = without_taken_elsewhere(apart_where_quoted(page, work, compared, self._calibration))
        found = sum_up(page, work, comparisons)
        if not self._is_enough(page, found, comparisons):
            return None
        also = self._other_carriers(passages, kept.competing, aligned.text_ids)
        is_whole = stands_whole(found.work_tokens, comparisons, self._calibration)
        is_quotation = not is_whole and are_quotations(page, work, comparisons, found, self._calibration)
        own = 1.0
        if not (is_quotation or is_whole) and found.page_containment < self._calibration.most_of_page:
            own = self._own_share(aligned, number, comparisons, entry, also)
        return _Finding(aligned.text_ids[number], work, written, comparisons, found, also, is_quotation, is_whole, own)

    def _is_enough(self, page: TokenizedPage, found: Figures, comparisons: list[Comparison]) -> bool:
        """Whether enough was matched, each place of the work once; in a short passage digits count for nothing.

        A few characters over and over are nothing, however many they are.
        """
        least = self._calibration.min_distinct_runs
        if count_distinct_runs(page.fingerprint.tokens, comparisons, least) < least:
            return False
        if found.matched >= self._calibration.min_matched_tokens:
            return True
        read = sum(page.count_han(one.page_start, one.page_end) for one in comparisons)
        return min(found.matched, read) >= self._calibration.min_exact_tokens

    def _own_share(
        self,
        aligned: _AlignedPage,
        number: int,
        comparisons: list[Comparison],
        entry: WorkEntry,
        also: tuple[WorkTextId, ...],
    ) -> float:
        """How much of the passages no other text has, editions of the same work left aside."""
        anchor_tokens = entry.fingerprint.algorithm.anchors.tokens
        others = phrases_of_others(aligned.phrases, [number])
        share = own_share(comparisons, others, aligned.capped, anchor_tokens)
        if share < self._calibration.min_own_share and also:
            editions = {other for other in also if self._editions.are_editions(entry, other)}
            same = [number, *(other for other, text_id in aligned.text_ids.items() if text_id in editions)]
            others = phrases_of_others(aligned.phrases, same)
            share = own_share(comparisons, others, aligned.capped, anchor_tokens)
        return share

    def _with_common_wording(self, findings: list[_Finding], aligned: _AlignedPage) -> list[_Finding]:
        """The findings; those that are common wording are quotations."""
        if all(finding.is_quotation or finding.is_whole for finding in findings):
            return findings
        passages = [comparison for finding in findings for comparison in finding.comparisons]
        surroundings = background_share(aligned.page.fingerprint.tokens.size, passages, aligned.phrases)
        return [
            replace(finding, is_quotation=True)
            if not (finding.is_quotation or finding.is_whole)
            and is_common(finding.figures, finding.own, surroundings, self._index_postings, self._calibration)
            else finding
            for finding in findings
        ]

    def _other_carriers(
        self, passages: list[Segments], competing: Segments, text_ids: Mapping[int, WorkTextId]
    ) -> tuple[WorkTextId, ...]:
        """The texts that carry at least half of what was matched, the fullest first."""
        is_within = np.zeros(len(competing), np.bool_)
        for passage in passages:
            start, end = passage[:, PAGE_START].min(), passage[:, PAGE_END].max()
            is_within |= (competing[:, PAGE_START] < end) & (competing[:, PAGE_END] > start)
        carried: dict[WorkTextId, int] = defaultdict(int)
        for number, matches in competing[is_within][:, [TEXT, MATCHES]].tolist():
            carried[text_ids[number]] += matches
        total = sum(int(passage[:, MATCHES].sum()) for passage in passages)
        fullest = sorted(carried, key=lambda other: (-carried[other], other))
        return tuple(other for other in fullest if carried[other] >= self._calibration.min_share_for_also * total)

    def _matches(
        self, aligned: _AlignedPage, findings: list[_Finding], work_of: Mapping[WorkTextId, Hashable]
    ) -> tuple[Match, ...]:
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

    def _match(self, aligned: _AlignedPage, finding: _Finding, pieces: int, reported: set[WorkTextId]) -> Match:
        """A finding as it is reported. pieces: of how many texts the page is patched together, 0 when it is not."""
        page, found = aligned.page, finding.figures
        match_class = classify(found, finding.is_quotation, pieces > 0, self._calibration)
        obfuscations = find_obfuscations(page, finding.work, finding.comparisons, found, self._calibration)
        order = aligned.written.obfuscation([(one.page_start, one.page_end) for one in finding.comparisons])
        if order:
            obfuscations = tuple(sorted((*obfuscations, *order), key=lambda each: list(Obfuscation).index(each.kind)))
        if match_class is MatchClass.PATCHWORK:
            obfuscations += (ObfuscationFound(Obfuscation.PATCHWORK, pieces),)
        taken = find_taken_places(finding.written.offsets, finding.comparisons)
        spans = to_spans(page, finding.work, finding.comparisons)
        return Match(
            text_id=finding.text_id,
            match_class=match_class,
            similarity=found.similarity,
            page_containment=found.page_containment,
            work_containment=len(taken) / found.work_tokens,
            matched_chars=found.matched,
            taken=taken,
            longest_run_chars=found.longest_run,
            spans=spans_as_given(spans, aligned.written, finding.written),
            obfuscations=obfuscations,
            algorithm_id=page.fingerprint.algorithm_id,
            also=tuple(other for other in finding.also if other not in reported),
        )


def _each_its_own(texts: Collection[WorkTextId]) -> Mapping[WorkTextId, Hashable]:
    return {text_id: text_id for text_id in texts}


def _require_same_algorithm(fingerprint: Fingerprint, algorithm_id: int) -> None:
    if fingerprint.algorithm_id != algorithm_id:
        raise AlgorithmMismatch(fingerprint.algorithm_id, algorithm_id)
