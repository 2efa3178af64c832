"""Pages of an archive file -> the page store, by the reading that the crawl uses, marked with where they came from."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from core.ids import CanonicalUrl, FinalUrl, RequestedUrl, SiteId
from core.messages import PageStored
from core.pages import Fetched, Reading
from core.ports import Outbox, PageStore
from core.states import Rejection
from crawler.readers.pages import SinglePage
from crawler.readers.reading_process import GivenUp, ReadingProcess
from crawler.reading import NO_RULES, ReadingRules, Rejected
from crawler.sources.archive_records import ArchiveFile
from crawler.sources.archive_shapes import Captured, Limits, PassedBy, Position
from crawler.urls import canonical

FIRST = Position()
MAX_FAULTS = 50
TELL_EVERY_RECORDS, TELL_EVERY_S = 25, 2.0  # a page takes up to 80 ms to read, and one that is made to be slow, minutes
MAX_READING_S = 60.0  # an import that tells nobody for ten minutes counts as dead (webadmin.imports)


@dataclass(frozen=True, slots=True)
class Place:
    """The site that a page belongs to, and how its pages are read."""

    site_id: SiteId
    rules: ReadingRules = NO_RULES


Places = Callable[[str], Place | None]  # where a page goes by its address; None: nobody watches it


@dataclass(slots=True)
class ImportCounts:
    """What became of the records of a file. passed_by: by the reasons of `archive_records` and core.states."""

    records: int = 0
    stored: int = 0
    new_versions: int = 0
    truncated: int = 0
    revisits: int = 0
    bytes_read: int = 0
    passed_by: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


def import_archive(  # noqa: PLR0917 - what to take in, where to put it and how far it came belong together
    path: Path,
    places: Places,
    store: PageStore,
    outbox: Outbox,
    limits: Limits,
    start: Position = FIRST,
    counts: ImportCounts | None = None,
    on_progress: Callable[[ImportCounts, Position], None] | None = None,
) -> ImportCounts:
    """Take in all pages of a file that have a place; each new version is told to `outbox`.

    start, counts: of an import that was interrupted. on_progress: called every 25 records, or 2 s, with the counts and
    where the next import would go on; what it raises ends this one. Safe to repeat: a page that is there is not stored
    again.

    Raises UnreadableFile for a file that is none, or breaks off: what came before is stored and was told to
    on_progress. Raises RetryLater where a store does not answer.
    """
    logging.getLogger("warcio").setLevel(logging.ERROR)  # it warns of every odd address, as it stands in the file
    reader = ReadingProcess(max_seconds=MAX_READING_S)
    importing = _Importing(path.name, places, store, outbox, counts or ImportCounts(), reader)
    archive = ArchiveFile(path, limits)
    at, told_at = start, time.monotonic()
    try:
        for number, record in enumerate(archive.records(lambda url: places(url) is not None, start), 1):
            at = record.position
            importing.take(record)
            is_due = number % TELL_EVERY_RECORDS == 0 or time.monotonic() - told_at >= TELL_EVERY_S
            if on_progress is not None and is_due:
                told_at = time.monotonic()
                on_progress(importing.counts, at)
    finally:
        reader.close()
        archive.close()
        if on_progress is not None:
            on_progress(importing.counts, at)
    return importing.counts


class _Importing:
    """One import."""

    def __init__(  # noqa: PLR0917 - see import_archive
        self,
        name: str,
        places: Places,
        store: PageStore,
        outbox: Outbox,
        counts: ImportCounts,
        reader: ReadingProcess,
    ) -> None:
        self._name, self._places, self._store, self._outbox = name, places, store, outbox
        self.counts, self._reader = counts, reader

    def take(self, record: Captured | PassedBy) -> None:
        self.counts.records += 1
        if isinstance(record, PassedBy):
            self._pass_by(record.reason)
            return
        self.counts.bytes_read += len(record.body)
        self.counts.truncated += record.is_truncated
        self.counts.revisits += record.is_revisit
        place = self._places(record.url)
        if place is None:
            self._pass_by("not_watched")
            return
        reading = self._reading(record, place)
        if isinstance(reading, Rejected):
            self._pass_by(reading.reason.value)
            return
        try:
            stored = self._store.put(self._fetched(record, place), reading)
        except ValueError as error:  # an address that no page can have
            self._fault(f"{record.url[:200]} is not stored: {error}")
            return
        self.counts.stored += 1
        if stored.is_new_version:
            self.counts.new_versions += 1
            self._outbox.send(PageStored(stored.version_id))

    def _reading(self, record: Captured, place: Place) -> Reading | Rejected:
        page = SinglePage(record.body, dict(record.headers), record.url, place.rules)
        try:
            return self._reader.read(page)  # type: ignore[no-any-return]
        except GivenUp as error:
            return Rejected(Rejection.UNREADABLE, str(error))

    def _fetched(self, record: Captured, place: Place) -> Fetched:
        at = record.position
        return Fetched(
            site_id=place.site_id,
            requested_url=RequestedUrl(record.url),
            final_url=FinalUrl(record.url),
            canonical_url=CanonicalUrl(canonical(record.url)),
            status=record.status,
            headers=record.headers,
            body=record.body,
            fetched_at=record.fetched_at,
            origin=f"{self._name}, byte {at.offset}" + (f", {record.record}" if record.record else ""),
            capture=record.capture,
        )

    def _pass_by(self, reason: str) -> None:
        self.counts.passed_by[reason] = self.counts.passed_by.get(reason, 0) + 1

    def _fault(self, sentence: str) -> None:
        self._pass_by("unreadable")
        if len(self.counts.faults) < MAX_FAULTS:
            self.counts.faults.append(sentence)
