"""From a page to its matches: look up, extend, settle rival claims, join, compare, name."""

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
from matcher.chaining import MATCHES, PAGE_END, PAGE_START, Holding, Segments, holdings
from matcher.changes import Comparison, compared
from matcher.classes import class_of, disguises_of, patchwork
from matcher.corpus import Corpus, CorpusCache, MemoryCorpus, WorkEntry
from matcher.extension import segments_of
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
        self._index_postings = 0  # as the last look-up saw it; the cap grows with it

    def match(self, text: str, fingerprint: Fingerprint, sources: Sources | None = None) -> tuple[Match, ...]:
        """All texts that the page took from, the one with most tokens first; empty when it took from none.

        sources: asked once, with all texts of the index that the page has anchors of; those that it leaves out are
        neither compared nor named. A patchwork is made of several works. Without it, each text is a work of its own.
        Raises IndexStale, ServiceUnavailable, and AlgorithmMismatch for a fingerprint of another algorithm.
        """
        if fingerprint.algorithm_id != self._index.algorithm_id:
            raise AlgorithmMismatch(fingerprint.algorithm_id, self._index.algorithm_id)
        page = Side(text, fingerprint)
        hits, positions = self._hits(fingerprint)
        work_of = (sources or _each_its_own)(frozenset(hits.texts[each] for each in np.unique(hits.ordinals).tolist()))
        candidates = self._candidates(fingerprint, hits, positions, work_of)
        claims = {ordinal: rows for ordinal, (_, _, rows) in candidates.items() if len(rows)}
        findings = []
        for ordinal, holding in holdings(claims, self._calibration).items():
            text_id, work, _ = candidates[ordinal]
            rivals = {other: candidates[other][0] for _, other in holding.rivals}
            finding = self._finding(page, text_id, work, holding, rivals)
            if finding is not None:
                findings.append(finding)
        return self._named(page, findings, work_of)

    def _candidates(
        self,
        fingerprint: Fingerprint,
        hits: Hits,
        page_positions: NDArray[np.int32],
        work_of: Mapping[WorkTextId, Hashable],
    ) -> dict[int, tuple[WorkTextId, Side, Segments]]:
        """By ordinal: the texts with hits that may be compared, and the segments that these lead to."""
        candidates: dict[int, tuple[WorkTextId, Side, Segments]] = {}
        if not hits.queries.size:
            return candidates
        order = np.argsort(hits.ordinals, kind="stable")
        ordinals, firsts = np.unique(hits.ordinals[order], return_index=True)
        for ordinal, rows in zip(ordinals.tolist(), np.split(order, firsts[1:]), strict=True):
            text_id = hits.texts[ordinal]
            entry = self._corpus.entry(text_id) if text_id in work_of else None
            if entry is not None:
                segments = segments_of(
                    fingerprint.tokens,
                    entry.fingerprint.tokens,
                    page_positions[rows],
                    hits.positions[rows],
                    self._calibration,
                )
                candidates[ordinal] = (text_id, Side(entry.text, entry.fingerprint), segments)
        return candidates

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

    def _finding(
        self, page: Side, text_id: WorkTextId, work: Side, holding: Holding, rivals: dict[int, WorkTextId]
    ) -> _Finding | None:
        kept = passages(holding.segments, self._calibration)
        if not kept:
            return None
        comparisons = [compared(page, work, passage) for passage in kept]
        found = figures(page, work, comparisons)
        also = self._also(kept, holding, rivals)
        is_common = (
            found.matched <= self._calibration.max_common_wording_tokens
            and len(also) >= self._calibration.min_texts_for_common_wording
        )
        if is_common:
            return None
        is_quotation = are_quotations(page, work, comparisons, found, self._calibration)
        return _Finding(text_id, work, comparisons, found, also, is_quotation)

    def _also(self, kept: list[Segments], holding: Holding, rivals: dict[int, WorkTextId]) -> tuple[WorkTextId, ...]:
        """The texts that carry at least half of what was matched, the fullest first."""
        carried: dict[int, int] = {}
        for row, other in holding.rivals:
            if any(
                row[PAGE_START] < passage[:, PAGE_END].max() and row[PAGE_END] > passage[:, PAGE_START].min()
                for passage in kept
            ):
                carried[other] = carried.get(other, 0) + int(row[MATCHES])
        least = self._calibration.min_share_for_also * sum(int(passage[:, MATCHES].sum()) for passage in kept)
        fullest = sorted(carried, key=lambda other: (-carried[other], rivals[other]))
        return tuple(rivals[other] for other in fullest if carried[other] >= least)

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
