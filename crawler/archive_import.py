"""Imports the pages of an archive file into the page store. They are read as in a crawl and record their origin."""

import logging
import time
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path

from core.errors import UnreadableFile
from core.ids import CanonicalUrl, FinalUrl, RequestedUrl, SiteId
from core.messages import pages_stored
from core.pages import DATED_BY_SERVER, Fetched, Reading, Stored
from core.ports import Outbox, PageStore
from core.states import ArchiveReason, Rejection
from core.wording import Message
from crawler.opening import NO_RULES, ReadingRules, Rejected
from crawler.readers.pages import SinglePage
from crawler.readers.reading_process import GivenUp, ReadingProcess
from crawler.sources.archive_records import ArchiveFile
from crawler.sources.archive_streams import Captured, ImportCounts, PassedBy, RecordPosition
from crawler.store_pipeline import MAX_BYTES, MAX_PAGES
from crawler.urls import canonical

MAX_FAULTS = 50
TELL_EVERY_RECORDS, TELL_EVERY_S = MAX_PAGES, 2.0  # reading a page takes up to 80 ms, in rare cases minutes
MAX_READING_S = 60.0  # an import without progress for ten minutes counts as dead (webadmin.sites.services.imports)


@dataclass(frozen=True, slots=True)
class PagePlace:
    """The site that a page belongs to, and the rules for reading its pages."""

    site_id: SiteId
    rules: ReadingRules = NO_RULES


@dataclass(frozen=True, slots=True)
class ImportedSoFar:
    """The progress of an interrupted import: all records before `at` are stored and counted."""

    at: RecordPosition = field(default_factory=RecordPosition)
    counts: ImportCounts = field(default_factory=ImportCounts)


Places = Callable[[str], PagePlace | None]  # returns the site of a page's URL, or None if it is not watched


def import_archive(
    path: Path,
    places: Places,
    store: PageStore,
    outbox: Outbox,
    max_body_bytes: int,
    *,
    so_far: ImportedSoFar | None = None,
    on_progress: Callable[[ImportCounts, RecordPosition], None] | None = None,
) -> ImportCounts:
    """Import all pages that belong to a watched site, and send every stored version to `outbox`, new or not.

    so_far: the progress of an interrupted import that is to be resumed. on_progress: called every 32 records or 2 s
    with the counts and the position at which an import would resume; an exception that it raises ends the import. The
    import may be repeated: pages that are already stored are not stored again.

    Raises UnreadableFile if the file is not an archive or is truncated; the pages before the error are stored and
    reported to on_progress. Raises RetryLater if a store does not respond.
    """
    logging.getLogger("warcio").setLevel(logging.ERROR)  # it prints malformed URLs unescaped
    so_far = so_far or ImportedSoFar()
    with ReadingProcess(max_seconds=MAX_READING_S) as reader:
        importing = _Import(path.name, places, store, outbox, reader, so_far, on_progress)
        archive = ArchiveFile(path, max_body_bytes)
        try:
            for record in archive.records(lambda url: places(url) is not None, so_far.at):
                importing.take(record)
            importing.keep()
        except UnreadableFile:
            importing.keep()
            raise
        finally:
            archive.close()
            importing.tell()
    return importing.counts


class _Import:
    """An import in progress. It collects pages until `keep` stores them and sends all of them to the next step."""

    def __init__(  # noqa: PLR0917 - see import_archive
        self,
        name: str,
        places: Places,
        store: PageStore,
        outbox: Outbox,
        reader: ReadingProcess,
        so_far: ImportedSoFar,
        listener: Callable[[ImportCounts, RecordPosition], None] | None,
    ) -> None:
        self._name, self._places, self._store, self._outbox = name, places, store, outbox
        self._reader, self._listener = reader, listener
        self.counts, self._met = so_far.counts, so_far.at
        self._kept = deepcopy(so_far.counts), so_far.at  # the counts of the stored records, and the position after them
        self._gathered: list[tuple[Fetched, Reading]] = []
        self._bytes = self._records = 0
        self._told_at = time.monotonic()

    def take(self, record: Captured | PassedBy | None) -> None:
        """Read the next record.

        Store the pages and report progress if that is due. record: None to report progress only.
        """
        if record is None:
            self.tell()
            return
        self._read_record(record)
        self._met, self._records = record.position, self._records + 1
        is_full = len(self._gathered) >= MAX_PAGES or self._bytes >= MAX_BYTES
        is_due = time.monotonic() - self._told_at >= TELL_EVERY_S
        if is_due or is_full or self._records % TELL_EVERY_RECORDS == 0:
            self.keep()
            self.tell()

    def tell(self) -> None:
        """Report the counts of the stored records, and the position after them, to the listener."""
        self._told_at = time.monotonic()
        if self._listener is not None:
            self._listener(*self._kept)

    def keep(self) -> None:
        """Store the collected pages and send them to the next step.

        Raises RetryLater if a store does not respond; the pages then remain collected.
        """
        try:
            stored = self._store.put_many(self._gathered)
        except ValueError:  # one page has an invalid URL, so the pages are stored one by one
            stored = [each for page in self._gathered for each in self._store_pages(*page)]
        self.counts.stored += len(stored)
        self.counts.new_versions += sum(each.is_new_version for each in stored)
        for message in pages_stored([each.version_id for each in stored]):
            self._outbox.send(message)
        self._gathered, self._bytes = [], 0
        self._kept = deepcopy(self.counts), self._met

    def _read_record(self, record: Captured | PassedBy) -> None:
        self.counts.records += 1
        if isinstance(record, PassedBy):
            self._count_passed(record.reason.value)
            return
        self.counts.bytes_read += len(record.body)
        self.counts.truncated += record.is_truncated
        self.counts.revisits += record.is_revisit
        place = self._places(record.url)
        if place is None:
            self._count_passed(ArchiveReason.NOT_WATCHED.value)
            return
        page = SinglePage(record.body, dict(record.headers), record.url, place.rules)
        try:
            reading: Reading | Rejected = self._reader.run_task(page)
        except GivenUp as error:
            reading = Rejected(Rejection.UNREADABLE, error.message)
        if isinstance(reading, Rejected):
            self._count_passed(reading.reason.value)
            return
        self.counts.dated_by_server += record.is_dated_by_server
        self._gathered.append((self._make_fetched(record, place), reading))
        self._bytes += len(record.body)

    def _store_pages(self, fetched: Fetched, reading: Reading) -> list[Stored]:
        try:
            return [self._store.put(fetched, reading)]
        except ValueError as error:
            self._count_passed(Rejection.UNREADABLE.value)
            if len(self.counts.faults) < MAX_FAULTS:
                self.counts.faults.append(Message("crawl.page-not-stored", url=fetched.final_url[:200], fault=error))
            return []

    def _make_fetched(self, record: Captured, place: PagePlace) -> Fetched:
        origin = (
            self._name,
            f"byte {record.position.offset}",
            record.record,
            DATED_BY_SERVER if record.is_dated_by_server else "",
        )
        return Fetched(
            site_id=place.site_id,
            requested_url=RequestedUrl(record.url),
            final_url=FinalUrl(record.url),
            canonical_url=CanonicalUrl(canonical(record.url)),
            status=record.status,
            headers=record.headers,
            body=record.body,
            fetched_at=record.fetched_at,
            origin=", ".join(filter(None, origin)),
            capture=record.capture,
        )

    def _count_passed(self, reason: str) -> None:
        self.counts.passed_by[reason] = self.counts.passed_by.get(reason, 0) + 1
