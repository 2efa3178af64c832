"""Compares due pages with their rights holders' works by meaning, and records the results in batches."""

import logging
from collections import OrderedDict, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import redis
from django.db.models import F

from core.errors import BrokenInvariant, NotFound, RetryLater
from core.ids import VersionId, WorkTextId, digest
from core.pages import PageVersion
from matcher.reworded.background import Background
from matcher.reworded.calibration import COPIED_SHARE
from matcher.reworded.encoding import Encoder
from pipeline.attempts import MAX_ATTEMPTS, Attempts
from pipeline.steps import Ports
from webadmin.accounts.services import failures
from webadmin.cases.models import Case, CaseAddress, Exclusion
from webadmin.database import AWAY, refresh_connections
from webadmin.rewrites.services import due_searches
from webadmin.rewrites.services.due_searches import DuePage, MeaningWatch, is_search_due, lags
from webadmin.rewrites.services.recording import SearchedPage, record_searched
from webadmin.rewrites.services.searching.codes import CodesStore
from webadmin.rewrites.services.searching.holder_works import HolderWorks

log = logging.getLogger("zhuiwen.reworded")

BATCH_PAGES = 50  # pages recorded at once; searching them takes half a second in Chinese, some seconds in English
# The number of characters of works whose indexes are cached while not in use. Each takes eight bytes if both indexes
# are needed.
KEPT_CHARS = 50_000_000
_AT_FAULT = (RetryLater, *AWAY)  # errors of a service, not of a page


@dataclass(slots=True)
class SearchSummary:
    """The numbers of pages compared and of suspected rewrites found in a round of searches."""

    pages: int = 0
    leads: int = 0


class RewordedSearching:
    """Runs the due searches, and caches the indexes of rights holders.

    client: counts the attempts at each page, so that a page that repeatedly crashes the process is skipped. None
    disables this.
    """

    def __init__(
        self, ports: Ports, encoder: Encoder, background: Background, client: "redis.Redis | None" = None
    ) -> None:
        self._ports, self._client = ports, client
        self._encoder, self._background = encoder, background
        self._codes = CodesStore(ports.fingerprints, ports.works)
        self._works: OrderedDict[int, HolderWorks] = OrderedDict()

    def run(self) -> SearchSummary:
        """Run the due searches of all rights holders. Raises the error of a service that is unreachable."""
        done = SearchSummary()
        for watch in due_searches.watches():
            if is_search_due(watch, self._ports):
                _HolderSearch(watch, self._holder_works(watch), self._ports, self._codes, self._client).run(done)
        return done

    def _holder_works(self, watch: MeaningWatch) -> HolderWorks:
        works = self._works.pop(watch.holder, None) or HolderWorks(self._codes, self._encoder, self._background)
        while self._works and sum(each.chars for each in self._works.values()) > KEPT_CHARS:
            self._works.popitem(last=False)
        self._works[watch.holder] = works
        return works


class _HolderSearch:
    """Searches the due pages of one rights holder for the works that exist at the start."""

    def __init__(
        self, watch: MeaningWatch, works: HolderWorks, ports: Ports, codes: CodesStore, client: "redis.Redis | None"
    ) -> None:
        self._watch, self._works, self._ports, self._codes, self._client = watch, works, ports, codes, client

    def run(self, done: SearchSummary) -> None:
        until = self._synchronize_works()
        if until is None:
            return
        due_searches.forget_gone(self._watch, until)
        while pages := due_searches.due_pages(self._watch, until, BATCH_PAGES):
            refresh_connections()
            if not self._search_batch(pages, until, done):
                log.info("%s: other kinds of works are looked for by now", self._watch.name)
                return
            log.info("%s: %d pages compared by meaning, %d leads", self._watch.name, done.pages, done.leads)

    def _synchronize_works(self) -> datetime | None:
        """Synchronize the indexes with the works.

        Returns the time of the newest text in them, or None without texts.
        """
        watch = self._watch
        texts: frozenset[WorkTextId] = (
            due_searches.searched_texts(watch) if lags(watch, self._ports) else due_searches.text_ids(watch)
        )
        self._works.bring_in_line(texts)
        due_searches.add_searched_texts(watch, texts, self._ports.clock.now())
        return due_searches.newest_text_time(watch)

    def _search_batch(self, pages: Sequence[DuePage], until: datetime, done: SearchSummary) -> bool:
        """Compare pages, record the results and add to `done`. Return False if the watched kinds have changed."""
        if self._client is None:
            return self._compare_pages(pages, until, done)
        attempts = Attempts(self._client, due_searches.TASK, digest("".join(each.version for each in pages).encode()))
        count = attempts.begin()
        try:
            if count > 1 and len(pages) > 1:  # The process died with one of the pages, so each is tried separately.
                return all(self._search_batch([page], until, done) for page in pages)
            if count > MAX_ATTEMPTS:
                failures.note_failure(due_searches.TASK, pages[0].version, failures.WORKER_DIED)
                return True
            return self._compare_pages(pages, until, done)
        finally:
            attempts.end()  # The count remains only if the process died.

    def _compare_pages(self, pages: Sequence[DuePage], until: datetime, done: SearchSummary) -> bool:
        searched = self._search_pages(pages)
        try:
            recorded = record_searched(self._watch, until, searched, self._codes, self._ports.clock.now())
        except _AT_FAULT:
            raise
        except Exception as error:
            if len(pages) > 1:  # Each page is tried separately.
                return all(self._compare_pages([page], until, done) for page in pages)
            _note_failure(pages[0].version, error)
            return True
        if recorded is None:
            return False
        done.pages += recorded.pages
        done.leads += recorded.leads
        return True

    def _search_pages(self, pages: Sequence[DuePage]) -> list[SearchedPage]:
        """Search each page for rewrites. Pages that cause an error are recorded as failed and left out."""
        shares = copied_shares(pages)
        copies = [page for page in pages if shares.get(page.page, 0.0) > COPIED_SHARE]
        found = [SearchedPage(page.page, page.version) for page in copies]
        left = [page for page in pages if page not in copies]
        versions = self._versions([page.version for page in left])
        for page in left:
            if (version := versions.get(page.version)) is not None:
                try:
                    matches = self._works.search(version.reading.text)
                except _AT_FAULT:
                    raise
                except Exception as error:
                    _note_failure(page.version, error)
                else:
                    found.append(SearchedPage(page.page, page.version, version, matches))
        return found

    def _versions(self, ids: Sequence[VersionId]) -> dict[VersionId, PageVersion]:
        """Return the intact versions by id, and record all others as failed."""
        try:
            read = {each.version.id: each.version for each in self._ports.pages.on_pages(ids)}
        except BrokenInvariant as error:  # one version is damaged
            if len(ids) > 1:
                return {key: version for each in ids for key, version in self._versions([each]).items()}
            _note_failure(ids[0], error)
            return {}
        for each in ids:
            if each not in read:
                _note_failure(each, NotFound("page-version", each))
        return read


def _note_failure(version: VersionId, error: Exception) -> None:
    log.error("%s %s failed: %s", due_searches.TASK, version, error)
    failures.note_failure(due_searches.TASK, version, error)


def copied_shares(pages: Sequence[DuePage]) -> Mapping[str, float]:
    """Return the share of each page's current version that was copied, from cases and excluded findings."""
    shares: dict[str, float] = defaultdict(float)
    keys = [str(each.page) for each in pages]
    cases = Case.objects.filter(page__in=keys, version_id=F("page__version_id"))
    for page, share in cases.values_list("page_id", "page_containment"):
        shares[page] += share
    addresses = CaseAddress.objects.filter(page__in=keys).exclude(page=F("case__page"))
    for page, share in addresses.values_list("page_id", "case__page_containment"):
        shares[page] += share
    # Excluded findings have no stored share.
    excluded = Exclusion.objects.filter(page__in=keys, page__chars__gt=0)
    for page, chars, of in excluded.values_list("page_id", "matched_chars", "page__chars"):
        shares[page] += chars / of
    return shares
