"""Searches the fingerprints of stored pages for new texts.

One pass over the pages searches for all new texts. A page that shares no seed with them has no match and is recorded as
compared. Any other page is matched with the new texts only, in memory; if there is a match, the full comparison becomes
due. Results are recorded page by page, so a pass that crashes is repeated only for the pages that it did not reach.
Source: docs/decisions/architecture-and-processes.md.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import numpy as np
from numpy.typing import NDArray

from core.errors import BrokenInvariant, IndexStale, NotFound
from core.ids import PageId, WorkTextId
from core.messages import pages_stored
from core.ports import Search, SearchGap, Unsearched
from core.works import StoredFingerprint
from fingerprint.fingerprinting import Fingerprint
from matcher.calibration import DEFAULT as CALIBRATION
from matcher.corpus import CorpusCache
from matcher.index.lookups import page_seeds
from matcher.index.memory import MemoryIndex
from matcher.matching import Matcher
from pipeline.corpus import StoredCorpus
from pipeline.steps import Ports, decode_stored_fingerprint, is_too_short, surrounding_text_id, work_fingerprint

BATCH_PAGES = 2_000  # as pipeline.sweep
BATCH_FINGERPRINTS = 100  # decoded at once; pagestore.blobs reads as many at once
# For more texts the pages are left to the index, and all workers share the comparisons: texts with this many seeds
# (about 20 M characters) share a seed with nearly every page, and their index takes about 200 MB in this process.
MAX_SEEDS = 4_000_000
CACHED_TEXT_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, eq=False)
class NewTextQuery:
    """A search for the new texts of one rights holder.

    hashes      uint64[s], sorted and distinct: all seeds of the texts
    findable    the time at which each text was indexed, or None if that may be at any time
    """

    hashes: NDArray[np.uint64]
    matcher: Matcher
    findable: Mapping[WorkTextId, datetime | None]

    def __len__(self) -> int:
        return len(self.findable)

    def shares_seeds(self, fingerprint: Fingerprint) -> bool:
        """Return whether a page has a seed of these texts. A page without one cannot match any of them."""
        return has_common_value(page_seeds(fingerprint, CALIBRATION).hashes, self.hashes)

    def has_match(self, text: str, fingerprint: Fingerprint, checked_at: datetime) -> bool:
        """Return whether a page matches one of the texts that were indexed at or after `checked_at`.

        checked_at: the time at which the page was last compared.
        """
        return bool(self.matcher.match(text, fingerprint, partial(self._findable_texts, checked_at)))

    def _findable_texts(self, checked_at: datetime, texts: Collection[WorkTextId]) -> Mapping[WorkTextId, Hashable]:
        return {text: text for text in texts if (at := self.findable.get(text)) is None or at >= checked_at}


@dataclass(frozen=True, slots=True)
class SearchCounts:
    """The counts of a search. texts: the new texts, each of which is searched for on its rights holder's pages."""

    texts: int = 0
    pages: int = 0  # searched
    sharing: int = 0  # of the searched pages, those with a seed of a new text
    hits: int = 0  # due for the full comparison, and sent
    handed_over: int = 0  # due for the full comparison without a search: too many new texts, or an unreadable page

    @property
    def found_nothing(self) -> bool:
        return not (self.pages or self.hits or self.handed_over)


def search_pages(ports: Ports) -> SearchCounts:
    """Search all stored pages for texts that they were not compared with, and send matching pages to the comparison.

    Only one search may run at a time (`pipeline.redis_lock.SEARCH`). Raises IndexStale if there is no index.
    """
    state = ports.index.state()
    if state.generation == 0:
        raise IndexStale("index.empty")
    search = Search(ports.clock.now(), state.corpus_revision, ports.algorithm.id)
    gaps = ports.cases.lags(ports.algorithm.id)
    if not gaps:
        return SearchCounts()
    searching = _SearchPass(ports, search, gaps)
    after = PageId("")
    while pages := ports.pages.pages(after or None, BATCH_PAGES):
        unsearched = ports.cases.find_unsearched(pages, gaps, ports.algorithm.id)
        for start in range(0, len(unsearched), BATCH_FINGERPRINTS):
            searching.take(unsearched[start : start + BATCH_FINGERPRINTS])
        after = pages[-1].id
    return searching.counts(left=ports.cases.end_search(gaps, search))


@dataclass(slots=True)
class _PageVerdicts:
    """The results for some pages. clean: without a match. hits: due for the full comparison."""

    clean: list[Unsearched]
    hits: list[Unsearched]
    sharing: int = 0
    handed_over: int = 0


class _SearchPass:
    """A pass over the stored pages, with a query for each rights holder and the counts so far."""

    def __init__(self, ports: Ports, search: Search, gaps: Mapping[int, SearchGap]) -> None:
        self._ports = ports
        self._search = search
        self._since = {rights_holder: gap.oldest_check for rights_holder, gap in gaps.items()}
        self._queries = {
            rights_holder: new_text_query(rights_holder, since, ports) for rights_holder, since in self._since.items()
        }
        self._texts = sum(len(each) for each in self._queries.values() if each is not None)
        self._pages = self._sharing = self._hits = self._handed_over = 0

    def take(self, pages: Sequence[Unsearched]) -> None:
        """Search some pages, record the results, and send the pages that are due for a comparison."""
        verdicts = self._judge_pages(pages)
        self._ports.cases.note_searched(verdicts.clean, verdicts.hits, self._search)
        for message in pages_stored([page.version for page in verdicts.hits]):
            self._ports.outbox.send(message)
        self._pages += len(pages) - verdicts.handed_over
        self._sharing += verdicts.sharing
        self._hits += len(verdicts.hits) - verdicts.handed_over
        self._handed_over += verdicts.handed_over

    def counts(self, left: int = 0) -> SearchCounts:
        return SearchCounts(self._texts, self._pages, self._sharing, self._hits, self._handed_over + left)

    def _judge_pages(self, pages: Sequence[Unsearched]) -> _PageVerdicts:
        try:
            return self._search_fingerprints(pages)
        except BrokenInvariant:  # stored data of one of them are damaged: the comparison handles each page separately
            return _PageVerdicts([], list(pages), handed_over=len(pages))

    def _search_fingerprints(self, pages: Sequence[Unsearched]) -> _PageVerdicts:
        queries = {page.version: self._select_query(page) for page in pages}
        versions = [version for version, query in queries.items() if query is not None]
        subjects = [subject for version in versions for subject in (version, surrounding_text_id(version))]
        stored = self._ports.fingerprints.get_many(subjects, self._search.algorithm_id)
        verdicts, doubtful = _PageVerdicts([], []), list[tuple[Unsearched, Fingerprint, NewTextQuery]]()
        for page in pages:
            fingerprint, query_of_page = decode_stored_fingerprint(stored.get(page.version)), queries[page.version]
            if fingerprint is None or query_of_page is None:
                verdicts.hits.append(page)
                verdicts.handed_over += 1
            elif self._shares_surrounding_seeds(stored.get(surrounding_text_id(page.version)), query_of_page):
                verdicts.hits.append(page)
                verdicts.sharing += 1
            elif is_too_short(fingerprint) or not query_of_page.shares_seeds(fingerprint):
                verdicts.clean.append(page)
            else:
                doubtful.append((page, fingerprint, query_of_page))
        verdicts.sharing += len(doubtful)
        self._decide_doubtful(doubtful, verdicts)
        return verdicts

    @staticmethod
    def _shares_surrounding_seeds(stored: StoredFingerprint | None, texts: NewTextQuery) -> bool:
        """Return whether the text outside a page's main text has a seed of a new text.

        stored: the fingerprint of that text, or None. This is rare, so such a page is compared without a further check.
        """
        fingerprint = decode_stored_fingerprint(stored)
        return fingerprint is not None and not is_too_short(fingerprint) and texts.shares_seeds(fingerprint)

    def _decide_doubtful(
        self, doubtful: Sequence[tuple[Unsearched, Fingerprint, NewTextQuery]], verdicts: _PageVerdicts
    ) -> None:
        """Match pages that share a seed with a new text, and add each to the hits or the clean pages in `verdicts`."""
        undecided = [page.version for page, _, _ in doubtful if not page.has_findings]
        texts = self._ports.pages.texts(undecided) if undecided else {}
        for page, fingerprint, query in doubtful:
            # A text without a finding may still change the existing findings of a page.
            text = None if page.has_findings else texts.get(page.version)
            has_match = text is None or query.has_match(text, fingerprint, page.checked_at)
            (verdicts.hits if has_match else verdicts.clean).append(page)

    def _select_query(self, page: Unsearched) -> NewTextQuery | None:
        """Return the query for a page, or None if the page must be compared by means of the index.

        This is so if there are too many new texts, or if the page was last compared before the oldest check of the gap.
        """
        return self._queries[page.rights_holder] if page.checked_at >= self._since[page.rights_holder] else None


def new_text_query(rights_holder: int, since: datetime, ports: Ports) -> NewTextQuery | None:
    """Return the query for a rights holder's texts that are newer than `since`.

    Returns None if they have more than MAX_SEEDS seeds.
    """
    findable = ports.cases.newer_texts(rights_holder, since)
    index = MemoryIndex(ports.algorithm.id)
    hashes: list[NDArray[np.uint64]] = []
    seeds = 0
    for text_id in findable:
        try:
            fingerprint = work_fingerprint(text_id, ports)
        except NotFound:
            continue  # lost by the store: no page can match it until its work is added again
        seeds += fingerprint.hashes.size
        if seeds > MAX_SEEDS:
            return None
        hashes.append(fingerprint.hashes)
        index.add(text_id, fingerprint)
    corpus = CorpusCache(StoredCorpus(ports.works, ports.fingerprints, ports.algorithm), CACHED_TEXT_BYTES)
    distinct = np.unique(np.concatenate([np.zeros(0, np.uint64), *hashes]))
    return NewTextQuery(distinct, Matcher(index, corpus, CALIBRATION), findable)


def has_common_value(values: NDArray[np.uint64], ordered: NDArray[np.uint64]) -> bool:
    """Return whether any of `values` is in `ordered`, which is sorted and distinct.

    >>> has_common_value(np.array([1, 5], np.uint64), np.array([2, 5], np.uint64))
    True
    """
    if not ordered.size:
        return False
    indexes = np.searchsorted(ordered, values)
    indexes[indexes == ordered.size] = 0
    return bool((ordered[indexes] == values).any())
