"""From a page to its matches: look up, extend, settle rival claims, join, compare, name."""

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import AlgorithmMismatch
from core.ids import WorkTextId
from core.matches import Match, MatchClass
from core.pages import Disguise, DisguiseFound
from fingerprint.record import Fingerprint
from matcher.calibration import DEFAULT, Calibration
from matcher.chaining import Holding, holdings
from matcher.changes import Comparison, compared
from matcher.classes import class_of, disguises_of, patchwork
from matcher.corpus import Corpus, CorpusCache, MemoryCorpus, StreamShelf, WorkEntry
from matcher.extension import MATCHES, PAGE_END, PAGE_START, TEXT, Segments, segments_of
from matcher.passages import passages
from matcher.ports import Hits, MatchIndex
from matcher.quotation import are_quotations
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


class Matcher:
    """Finds what pages took from the texts of an index."""

    def __init__(self, index: MatchIndex, corpus: Corpus, calibration: Calibration = DEFAULT) -> None:
        self._index = index
        self._corpus = corpus
        self._calibration = calibration
        self._shelf = StreamShelf(corpus, calibration.max_shelved_tokens)
        self._index_postings = 0  # as the last look-up saw it; the cap grows with it

    def match(self, text: str, fingerprint: Fingerprint, sources: Sources | None = None) -> tuple[Match, ...]:
        """All texts that the page took from, the one with most tokens first; empty when it took from none.

        sources: asked once, with all texts that the page has more than a few tokens of; those that it leaves out are
        neither compared nor named. A patchwork is made of several works. Without it, each text is a work of its own.
        Raises IndexStale, ServiceUnavailable, and AlgorithmMismatch for a fingerprint of another algorithm.
        """
        if fingerprint.algorithm_id != self._index.algorithm_id:
            raise AlgorithmMismatch(fingerprint.algorithm_id, self._index.algorithm_id)
        hits, positions = self._hits(fingerprint)
        if not positions.size:
            return ()
        page = Side.of_page(text, fingerprint)
        text_ids, segments = self._segments(page, hits, positions)
        texts = [text_ids[number] for number in np.unique(segments[:, TEXT]).tolist()]
        if not texts:
            return ()
        work_of = (sources or _each_its_own)(frozenset(texts))
        is_open = np.array([text_id in work_of for text_id in text_ids], np.bool_)
        claims = segments[is_open[segments[:, TEXT]]]
        findings = []
        for number, holding in holdings(claims, fingerprint.tokens.size, self._calibration).items():
            finding = self._finding(page, text_ids, number, holding)
            if finding is not None:
                findings.append(finding)
        return self._named(page, findings, work_of)

    def _segments(self, page: Side, hits: Hits, page_positions: NDArray[np.int32]) -> tuple[list[WorkTextId], Segments]:
        """The texts with hits, and the segments that these lead to; TEXT of a segment is a place in the list."""
        ordinals, texts = np.unique(hits.ordinals, return_inverse=True)
        text_ids = [hits.texts[ordinal] for ordinal in ordinals.tolist()]
        streams = self._shelf.streams(text_ids)
        found = segments_of(
            page.fingerprint.tokens,
            page.near,
            streams,
            texts.astype(np.int32),
            page_positions,
            hits.positions,
            self._calibration,
        )
        return text_ids, found

    def _hits(self, fingerprint: Fingerprint) -> tuple[Hits, NDArray[np.int32]]:
        """The hits, and the page position of each."""
        hashes, inverse, repeats = np.unique(fingerprint.hashes, return_inverse=True, return_counts=True)
        usable = np.flatnonzero(repeats <= self._calibration.max_repeats_on_page)
        hits = self._lookup(hashes[usable])
        order = np.argsort(inverse, kind="stable")
        firsts = np.cumsum(repeats) - repeats
        asked = usable[hits.queries]
        times = repeats[asked]
        rows = np.repeat(np.arange(times.size), times)
        within = np.arange(rows.size) - np.repeat(np.cumsum(times) - times, times)
        positions = fingerprint.anchors[order[firsts[asked][rows] + within]]
        spread = Hits(
            hits.queries[rows], hits.ordinals[rows], hits.positions[rows], hits.texts, hits.capped, hits.postings
        )
        return spread, positions

    def _lookup(self, hashes: NDArray[np.uint64]) -> Hits:
        calibration = self._calibration
        cap = max(calibration.min_cap_postings, self._index_postings // calibration.index_postings_per_cap)
        hits = self._index.lookup(hashes, cap)
        self._index_postings = hits.postings
        if hits.capped and not hits.queries.size:
            return self._index.lookup(hashes, cap * calibration.cap_growth_when_all_capped)
        return hits

    def _finding(self, page: Side, text_ids: list[WorkTextId], number: int, holding: Holding) -> _Finding | None:
        kept = passages(holding.segments, self._calibration)
        entry = self._corpus.entry(text_ids[number]) if kept else None
        if entry is None:
            return None
        work = Side(entry.text, entry.fingerprint)
        comparisons = [compared(page, work, passage, self._calibration) for passage in kept]
        found = figures(page, work, comparisons)
        also = self._also(kept, holding, text_ids)
        is_common = (
            found.matched <= self._calibration.max_common_wording_tokens
            and len(also) >= self._calibration.min_texts_for_common_wording
        )
        if is_common:
            return None
        is_quotation = are_quotations(page, work, comparisons, found, self._calibration)
        return _Finding(text_ids[number], work, comparisons, found, also, is_quotation)

    def _also(self, kept: list[Segments], holding: Holding, text_ids: list[WorkTextId]) -> tuple[WorkTextId, ...]:
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
