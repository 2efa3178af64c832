"""From a page to its matches: look up, extend, settle rival claims, join, compare, name."""

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.errors import AlgorithmMismatch
from core.ids import WorkTextId
from core.matches import Match, MatchClass
from core.pages import Disguise, DisguiseFound
from fingerprint.algorithms import ALGORITHMS
from fingerprint.record import Fingerprint
from matcher.calibration import DEFAULT, Calibration
from matcher.chaining import Holding, holdings
from matcher.changes import Comparison, compared
from matcher.classes import class_of, disguises_of, patchwork
from matcher.corpus import Corpus, CorpusCache, MemoryCorpus, StreamShelf, WorkEntry
from matcher.extension import MATCHES, PAGE_END, PAGE_START, TEXT, Phrases, Segments, Ways, segments_of
from matcher.lookups import page_hits
from matcher.passages import passages
from matcher.ports import MatchIndex
from matcher.quotation import are_quotations
from matcher.rarity import Editions, background, distinct_runs, is_common, own_share, without
from matcher.sides import Side
from matcher.spans import Figures, as_spans, figures

__all__ = ["Corpus", "CorpusCache", "Matcher", "MemoryCorpus", "WorkEntry"]

# Which of some texts may be compared, each with the work that it is of.
Sources = Callable[[Collection[WorkTextId]], Mapping[WorkTextId, Hashable]]


@dataclass(frozen=True, slots=True, eq=False)
class _Finding:
    """One text that the page took from, before it has a name."""

    text_id: WorkTextId
    work: Side
    comparisons: list[Comparison]
    figures: Figures
    also: tuple[WorkTextId, ...]
    is_quotation: bool
    own: float  # share of it that no other text has


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """All that was found of a page before anything is judged. Numbers of texts are those of the segments."""

    page: Side
    text_ids: dict[int, WorkTextId]  # of all texts with a segment
    phrases: Phrases  # of texts that may be compared
    ways: Ways  # of all segments
    capped: NDArray[np.int32]  # page positions of anchors that occur too often to be told where


class Matcher:
    """Finds what pages took from the texts of an index."""

    def __init__(self, index: MatchIndex, corpus: Corpus, calibration: Calibration = DEFAULT) -> None:
        self._index = index
        self._corpus = corpus
        self._calibration = calibration
        self._shelf = StreamShelf(corpus, calibration.max_shelved_tokens)
        self._editions = Editions(corpus, calibration)
        self._index_postings = 0  # as the last look-up saw it; the cap grows with it

    def match(self, text: str, fingerprint: Fingerprint, sources: Sources | None = None) -> tuple[Match, ...]:
        """All texts that the page took from, the one with most tokens first; empty when it took from none.

        sources: asked once, with all texts that the page has more than a few tokens of; those that it leaves out are
        neither compared nor named. A patchwork is made of several works. Without it, each text is a work of its own.
        Raises IndexStale, ServiceUnavailable, and AlgorithmMismatch for a fingerprint of another algorithm.
        """
        if fingerprint.algorithm_id != self._index.algorithm_id:
            raise AlgorithmMismatch(fingerprint.algorithm_id, self._index.algorithm_id)
        if not self._index_postings:
            self._index_postings = self._index.state().postings
        cap = self._calibration.cap(self._index_postings)
        hits, self._index_postings = page_hits(self._index, self._shelf, fingerprint, cap, self._calibration)
        if not hits.texts.size:
            return ()
        page = Side.of_page(text, fingerprint)
        segments, phrases, ways = segments_of(
            fingerprint.tokens,
            page.near,
            hits.streams,
            hits.texts,
            hits.page_positions,
            hits.work_positions,
            self._calibration,
        )
        text_ids = {number: hits.text_id(number) for number in sorted(set(segments[:, TEXT].tolist()))}
        if not text_ids:
            return ()
        work_of = (sources or _each_its_own)(frozenset(text_ids.values()))
        closed = [number for number, text_id in text_ids.items() if text_id not in work_of]
        claims = segments[~np.isin(segments[:, TEXT], closed)]
        seen = _Seen(page, text_ids, without(phrases, closed), ways, hits.capped)
        settled = holdings(claims, text_ids, fingerprint.tokens.size, self._calibration)
        found = (self._finding(seen, number, holding) for number, holding in settled.items())
        findings = self._judged(seen, [finding for finding in found if finding is not None])
        return self._named(page, findings, work_of)

    def _finding(self, seen: _Seen, number: int, holding: Holding) -> _Finding | None:
        page = seen.page
        kept = passages(holding.segments, self._calibration)
        entry = self._corpus.entry(seen.text_ids[number]) if kept else None
        if entry is None:
            return None
        work = Side(entry.text, entry.fingerprint)
        comparisons = [compared(page, work, passage, seen.ways, self._calibration) for passage in kept]
        found = figures(page, work, comparisons)
        if not self._is_enough(page, found, comparisons):
            return None
        also = self._also(kept, holding, seen.text_ids)
        is_quotation = are_quotations(page, work, comparisons, found, self._calibration)
        own = 1.0
        if not is_quotation and found.page_containment < self._calibration.most_of_page:
            own = self._own_share(seen, number, comparisons, entry, also)
        return _Finding(seen.text_ids[number], work, comparisons, found, also, is_quotation, own)

    def _is_enough(self, page: Side, found: Figures, comparisons: list[Comparison]) -> bool:
        """Whether enough was matched, each place of the work once; in a short passage figures count for nothing.

        A few characters over and over are nothing, however many they are.
        """
        if distinct_runs(page.fingerprint.tokens, comparisons, self._calibration.min_distinct_runs) < (
            self._calibration.min_distinct_runs
        ):
            return False
        if found.matched >= self._calibration.min_matched_tokens:
            return True
        read = sum(page.han_characters(one.page_start, one.page_end) for one in comparisons)
        return min(found.matched, read) >= self._calibration.min_exact_tokens

    def _own_share(
        self,
        seen: _Seen,
        number: int,
        comparisons: list[Comparison],
        entry: WorkEntry,
        also: tuple[WorkTextId, ...],
    ) -> float:
        """How much of the passages no other text has, editions of the same work left aside."""
        anchor_tokens = ALGORITHMS[self._index.algorithm_id].anchors.tokens
        share = own_share(comparisons, without(seen.phrases, [number]), seen.capped, anchor_tokens)
        if share < self._calibration.min_own_share and also:
            editions = {other for other in also if self._editions.are_editions(entry, other)}
            same = [number, *(other for other, text_id in seen.text_ids.items() if text_id in editions)]
            share = own_share(comparisons, without(seen.phrases, same), seen.capped, anchor_tokens)
        return share

    def _judged(self, seen: _Seen, findings: list[_Finding]) -> list[_Finding]:
        """The findings, those that are wording of the trade called quotations."""
        if all(finding.is_quotation for finding in findings):
            return findings
        passages_found = [comparison for finding in findings for comparison in finding.comparisons]
        surroundings = background(seen.page.fingerprint.tokens.size, passages_found, seen.phrases)
        return [
            replace(finding, is_quotation=True)
            if is_common(finding.figures, finding.own, surroundings, self._index_postings, self._calibration)
            else finding
            for finding in findings
        ]

    def _also(
        self, kept: list[Segments], holding: Holding, text_ids: Mapping[int, WorkTextId]
    ) -> tuple[WorkTextId, ...]:
        """The texts that carry at least half of what was matched, the fullest first."""
        rivals = holding.rivals
        is_within = np.zeros(len(rivals), np.bool_)
        for passage in kept:
            start, end = passage[:, PAGE_START].min(), passage[:, PAGE_END].max()
            is_within |= (rivals[:, PAGE_START] < end) & (rivals[:, PAGE_END] > start)
        carried: dict[WorkTextId, int] = defaultdict(int)
        for number, matches in rivals[is_within][:, [TEXT, MATCHES]].tolist():
            carried[text_ids[number]] += matches
        least = self._calibration.min_share_for_also * sum(int(passage[:, MATCHES].sum()) for passage in kept)
        fullest = sorted(carried, key=lambda other: (-carried[other], other))
        return tuple(other for other in fullest if carried[other] >= least)

    def _named(self, page: Side, findings: list[_Finding], work_of: Mapping[WorkTextId, Hashable]) -> tuple[Match, ...]:
        ordered = sorted(findings, key=lambda finding: (-finding.figures.matched, finding.text_id))
        own = [finding for finding in ordered if not finding.is_quotation]
        works = [work_of[finding.text_id] for finding in own]
        is_piece = patchwork([finding.figures for finding in own], works, self._calibration)
        patched = {finding.text_id for finding, is_one in zip(own, is_piece, strict=True) if is_one}
        reported = {finding.text_id for finding in ordered}
        return tuple(
            self._match(page, finding, len(patched) if finding.text_id in patched else 0, reported)
            for finding in ordered
        )

    def _match(self, page: Side, finding: _Finding, pieces: int, reported: set[WorkTextId]) -> Match:
        """Write a finding down. pieces: of how many texts the page is patched together, 0 when it is not."""
        found = finding.figures
        match_class = class_of(found, finding.is_quotation, pieces > 0, self._calibration)
        disguises = disguises_of(page, finding.work, finding.comparisons, found, self._calibration)
        if match_class is MatchClass.PATCHWORK:
            disguises += (DisguiseFound(Disguise.PATCHWORK, pieces),)
        return Match(
            text_id=finding.text_id,
            match_class=match_class,
            similarity=round(found.similarity, 4),
            page_containment=round(found.page_containment, 4),
            work_containment=round(found.work_containment, 4),
            matched_chars=found.matched,
            longest_run_chars=found.longest_run,
            spans=as_spans(page, finding.work, finding.comparisons),
            disguises=disguises,
            algorithm_id=page.fingerprint.algorithm_id,
            also=tuple(other for other in finding.also if other not in reported),
        )


def _each_its_own(texts: Collection[WorkTextId]) -> Mapping[WorkTextId, Hashable]:
    return {text_id: text_id for text_id in texts}
