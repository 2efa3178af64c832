"""The other direction: texts that are new are searched for in the stored page fingerprints.

One pass over the pages for all texts that are new by then. A page that shares no seed with them took nothing from
them, and is noted as compared; one that does is matched against the new texts alone, in memory, and only where that
finds something is it owed the full comparison. What is noted is noted page by page: a pass that dies is repeated for
the pages it did not reach. Source: docs/decisions/architecture-and-processes.md.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from core.errors import BrokenInvariant, IndexStale
from core.ids import PageId
from core.messages import pages_stored
from core.ports import Search, SearchGap, Unsearched
from core.works import StoredFingerprint
from fingerprint.record import Fingerprint
from pipeline.beside import text_beside_id
from pipeline.new_text_query import NewTextQuery, new_text_query
from pipeline.steps import Ports, is_too_short, stored_fingerprint

BATCH_PAGES = 2_000  # as pipeline.sweep
BATCH_FINGERPRINTS = 100  # decoded at once; pagestore.blobs asks for as many at once


@dataclass(frozen=True, slots=True)
class SearchCounts:
    """Counts of a search. `texts`: how many it searched for, those of each rights holder for his own pages."""

    texts: int = 0
    pages: int = 0  # searched
    sharing: int = 0  # of these, with a seed of a new text
    hits: int = 0  # owed the full comparison, and sent
    handed_over: int = 0  # owed it without a search: too many new texts, or no page to search in

    @property
    def found_nothing(self) -> bool:
        return not (self.pages or self.hits or self.handed_over)


def search_pages(ports: Ports, on_progress: Callable[[SearchCounts], None] | None = None) -> SearchCounts:
    """Search all stored pages for the texts that they have not met; the pages that took from them are sent on.

    One search at a time (`pipeline.redis_lock.SEARCH`). Raises IndexStale while there is no index to compare with.
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
        owing = ports.cases.unsearched(pages, gaps, ports.algorithm.id)
        for start in range(0, len(owing), BATCH_FINGERPRINTS):
            searching.take(owing[start : start + BATCH_FINGERPRINTS])
        if on_progress is not None:
            on_progress(searching.counts())
        after = pages[-1].id
    return searching.counts(left=ports.cases.search_ended(gaps, search))


@dataclass(slots=True)
class _PageVerdicts:
    """The outcome of some pages."""

    clean: list[Unsearched]
    hits: list[Unsearched]
    sharing: int = 0
    handed_over: int = 0


class _SearchPass:
    """One walk over the pages: what is searched for, by rights holder, and the counts so far."""

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
        """Search some pages, note what became of them, and send those that are owed a comparison."""
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
        except BrokenInvariant:  # something that the store keeps of one of them is damaged: each is met on its own
            return _PageVerdicts([], list(pages), handed_over=len(pages))

    def _search_fingerprints(self, pages: Sequence[Unsearched]) -> _PageVerdicts:
        wanted = {page.version: self._select_query(page) for page in pages}
        versions = [version for version, each in wanted.items() if each is not None]
        subjects = [subject for version in versions for subject in (version, text_beside_id(version))]
        stored = self._ports.fingerprints.get_many(subjects, self._search.algorithm_id)
        verdicts, doubtful = _PageVerdicts([], []), list[tuple[Unsearched, Fingerprint, NewTextQuery]]()
        for page in pages:
            fingerprint, texts = stored_fingerprint(stored.get(page.version)), wanted[page.version]
            if fingerprint is None or texts is None:
                verdicts.hits.append(page)
                verdicts.handed_over += 1
            elif self._shares_surrounding_seeds(stored.get(text_beside_id(page.version)), texts):
                verdicts.hits.append(page)
                verdicts.sharing += 1
            elif is_too_short(fingerprint) or not texts.shares_seeds(fingerprint):
                verdicts.clean.append(page)
            else:
                doubtful.append((page, fingerprint, texts))
        verdicts.sharing += len(doubtful)
        self._decide(doubtful, verdicts)
        return verdicts

    @staticmethod
    def _shares_surrounding_seeds(stored: StoredFingerprint | None, texts: NewTextQuery) -> bool:
        """Return true if the text beside a main text has a seed of a new text: rare enough to be compared at once."""
        fingerprint = stored_fingerprint(stored)
        return fingerprint is not None and not is_too_short(fingerprint) and texts.shares_seeds(fingerprint)

    def _decide(
        self, doubtful: Sequence[tuple[Unsearched, Fingerprint, NewTextQuery]], verdicts: _PageVerdicts
    ) -> None:
        """Tell the pages that took from a new text from those that share a seed with it by chance."""
        undecided = [page.version for page, _, _ in doubtful if not page.has_findings]
        texts = self._ports.pages.texts(undecided) if undecided else {}
        for page, fingerprint, wanted in doubtful:
            # What is said of a page that has findings may change by a text that gives no finding itself.
            text = None if page.has_findings else texts.get(page.version)
            took = text is None or wanted.has_match(text, fingerprint, page.checked_at)
            (verdicts.hits if took else verdicts.clean).append(page)

    def _select_query(self, page: Unsearched) -> NewTextQuery | None:
        """Return the query for a page; None to leave it to the index: too many texts, or compared before the oldest."""
        return self._queries[page.rights_holder] if page.checked_at >= self._since[page.rights_holder] else None
