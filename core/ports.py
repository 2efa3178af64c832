"""Protocols of the stores and services that the pipeline uses; most have an in-memory fake in tests/support.

PageStore           pages, versions, raw responses      pagestore.mongo
PageHistory         pages seen, gone and back           part of every PageStore
VisitRepository     visits and due times of URLs   webadmin.sites.services, crawler.recrawl
WorkStore           texts of the reference corpus       pagestore.mongo
FingerprintStore    fingerprints of both                pagestore.mongo
CaseRepository      rights, outcomes, cases             webadmin.cases.services.case_repository
EvidenceStore       bundles, append-only                pagestore.evidence
ObjectStore         bytes by key, written once          pagestore.objects
SearchBacklog       pages to search for new texts       part of every CaseRepository
FindableTexts       texts in the index                  part of every CaseRepository
Outbox              messages to the next step           pipeline.outbox
Clock               current time                        core.clock
"""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from core.captures import Capture
from core.evidence import BundleRemoval
from core.ids import Digest, PageId, SiteId, VersionId, WorkTextId
from core.matches import Match
from core.messages import StepMessage
from core.pages import Fetched, Page, PageVersion, Reading, Stored, VersionOfPage
from core.states import Rejection
from core.visits import Absence, AbsenceReason, MovedTo, PageState, Visit
from core.works import StoredFingerprint, WorkText


class PageStore(Protocol):
    """Stores pages as they were fetched and read. A later fetch of the same text changes only `last_seen`.

    Responses may arrive in any order: an older response extends the history of its page and revokes nothing.
    """

    def put(self, fetched: Fetched, reading: Reading) -> Stored:
        """Store one response and its reading. The same text again only extends the time in which it was seen.

        The compressed raw body is stored once for each digest. Safe to call twice with the same arguments.
        """
        ...

    def put_many(self, pages: Sequence[tuple[Fetched, Reading]]) -> list[Stored]:
        """Store several pages in order, like `put`, with few round trips.

        If it raises an error, any of them may be stored.
        """
        ...

    def page(self, page_id: PageId) -> Page | None: ...

    def version(self, version_id: VersionId) -> PageVersion | None: ...

    def versions(self, page_id: PageId) -> list[PageVersion]:
        """Return all versions of a page, oldest first."""
        ...

    def texts(self, version_ids: Sequence[VersionId]) -> dict[VersionId, str]:
        """Return the main texts of those `version_ids` that are stored."""
        ...

    def raw(self, digest: Digest) -> bytes | None:
        """Return a raw body. Raises BrokenInvariant if the stored bytes do not have this digest."""
        ...

    def capture(self, digest: Digest) -> Capture | None:
        """Return the capture of a version (`PageVersion.capture_digest`).

        Raises BrokenInvariant if the stored bytes do not have this digest.
        """
        ...

    def pages(self, after: PageId | None, limit: int) -> list[Page]:
        """Return up to `limit` pages whose ids follow `after`, in order of id.

        The sweeper visits all pages this way.
        """
        ...


class PageHistory(Protocol):
    """The history of pages between their versions. Every page store records it."""

    def record_sighting(self, page_id: PageId, at: datetime) -> VersionId | None:
        """Record that a page still has its current version; return the version's id, or None for an unknown page."""
        ...

    def on_pages(self, version_ids: Sequence[VersionId]) -> list[VersionOfPage]:
        """Return those of `version_ids` that are stored, each with its state on its page, with few reads.

        Raises BrokenInvariant if the text of a version is missing or damaged.
        """
        ...

    def put_absence(self, fetched: Fetched, reason: AbsenceReason, *, is_gone: bool) -> Absence:
        """Store a response that reports a missing page. is_gone: whether the response confirms that the page is gone.

        Also stores responses without information about the page (`AbsenceReason`): unreadable responses, and pages
        fetched on request. Safe to call twice with the same arguments. A later `put` or `record_sighting` restores the
        page.
        """
        ...

    def absences(self, page_id: PageId) -> list[Absence]:
        """Return the responses that `put_absence` stored for a page, oldest first."""
        ...

    def states(self, page_id: PageId) -> list[PageState]:
        """Return the states of a page, oldest first; consecutive states differ."""
        ...


class KeptPages(PageStore, PageHistory, Protocol):
    """A page store with the history of its pages."""


class VisitRepository(Protocol):
    """Stores the visits of crawls to the URLs on a site.

    Its methods raise ServiceUnavailable if the admin database does not respond.
    """

    def visits(self, site: SiteId) -> Iterable[Visit]:
        """Return the visits to all URLs on a site that earlier runs found."""
        ...

    def save(self, site: SiteId, visits: Collection[Visit]) -> None:
        """Store visits by their ids. Safe to call twice."""
        ...

    def pages_with_open_cases(self, site: SiteId) -> frozenset[PageId]:
        """Return the ids of the pages on a site that have an open case."""
        ...

    def note_moves(self, site: SiteId, moves: Collection[MovedTo]) -> None:
        """Store redirects to other sites, so that a person can decide whether the site has moved."""
        ...


class WorkTexts(Protocol):
    """Read access to the texts of the reference corpus."""

    def text(self, text_id: WorkTextId) -> str | None: ...


class WorkStore(WorkTexts, Protocol):
    """Stores the texts of the reference corpus under ids that are digests of their content."""

    def put_text(self, text: str) -> WorkTextId: ...

    def remove_text(self, text_id: WorkTextId) -> None: ...

    def texts(self) -> Iterator[WorkText]:
        """Yield the texts in order of id."""
        ...


class FingerprintStore(Protocol):
    """Stores fingerprints of page versions and of works' texts, by subject and algorithm.

    Storing the same bytes again may do nothing, so a damaged fingerprint must be removed first.
    """

    def put_many(self, fingerprints: Collection[StoredFingerprint]) -> None: ...

    def get(self, subject: str, algorithm_id: int) -> StoredFingerprint | None: ...

    def get_many(self, subjects: Sequence[str], algorithm_id: int) -> dict[str, StoredFingerprint]:
        """Return the stored fingerprints of those `subjects` that have one."""
        ...

    def find_existing(self, subjects: Sequence[str], algorithm_id: int) -> set[str]:
        """Return the subjects that have a fingerprint of this algorithm, without reading the fingerprints."""
        ...

    def remove(self, subject: str, algorithm_id: int | None = None) -> None:
        """Remove the fingerprint of a subject for one algorithm, or all its fingerprints if `algorithm_id` is None."""
        ...


class EvidenceStore(Protocol):
    """Stores evidence bundles under their digests. Nothing is overwritten, and only retention removes bundles."""

    def put(self, name: Digest, content: bytes) -> bool:
        """Store a bundle and return True, or return False if it is already stored.

        Raises BrokenInvariant if different bytes are stored under the name, or if the bundle was removed.
        """
        ...

    def get(self, name: Digest) -> bytes | None:
        """Return the bytes of a bundle. Raises BrokenInvariant if they were changed."""
        ...

    def digests(self) -> Iterator[Digest]:
        """Yield the digests of all stored bundles, in order."""
        ...

    def remove(self, name: Digest, reason: str, at: datetime) -> None:
        """Record the removal of a bundle by the retention policy, then remove the bundle. Safe to call twice."""
        ...

    def removals(self) -> list[BundleRemoval]:
        """Return the recorded removals, oldest first."""
        ...

    def put_back(self, name: Digest, content: bytes) -> None:
        """Restore a changed or missing bundle from a copy.

        Raises BrokenInvariant if the copy differs from the stored bundle, or if retention removed it.
        """
        ...

    def note_removal(self, removal: BundleRemoval) -> None:
        """Record a removal made in the store from which this store was copied. Safe to call twice."""
        ...


MAX_OBJECT_BYTES = 2**31  # the limit of an evidence bundle (bundles.container)


class ObjectStore(Protocol):
    """Stores bytes under keys, in a folder, in memory or in an S3-compatible store. Bytes are never overwritten.

    A key is a string with slashes between folders, like a path; no key may be the folder of another key. The methods
    raise ServiceUnavailable, and BadConfiguration if the store rejects the credentials. See pagestore.objects.opening.
    """

    def put_new(self, key: str, content: bytes) -> bool:
        """Store bytes and return True, or return False if the same bytes exist.

        Raises BrokenInvariant if different bytes exist.
        """
        ...

    def get(self, key: str, most_bytes: int = MAX_OBJECT_BYTES) -> bytes | None:
        """Return the bytes under a key, or None if the key does not exist.

        Raises BrokenInvariant if there are more than `most_bytes`, if the key names something other than an object,
        and, in a store that records a digest, if the bytes were changed.
        """
        ...

    def size(self, key: str) -> int | None:
        """Return the number of bytes under a key, or None if the key does not exist."""
        ...

    def keys(self, prefix: str = "") -> Iterator[str]:
        """Yield the keys that begin with `prefix`, in order of their names in the store.

        For keys of letters, digits and `._-/`, this is the order of the keys.
        """
        ...

    def remove(self, key: str) -> None:
        """Remove the bytes under a key, if it exists. For retention only."""
        ...


@dataclass(frozen=True, slots=True)
class ComparisonOutcome:
    """The result of matching one page version, for the case repository."""

    version: PageVersion
    is_current: bool  # whether this is the page's current version
    first_seen: datetime  # when the page was first seen with this version
    seen_at: datetime  # when the page was last seen with it
    rejection: Rejection | None  # why the version was not compared, or None if it was
    matches: tuple[Match, ...]
    algorithm_id: int
    corpus_revision: int  # the revision of the index that was queried
    checked_at: datetime  # start of the comparison


@dataclass(frozen=True, slots=True)
class Unsearched:
    """A page version compared before a text of its rights holder was indexed, and due for no other comparison."""

    page: PageId
    version: VersionId
    rights_holder: int  # the key of the rights holder
    checked_at: datetime
    has_findings: bool  # it matches other texts: a new text may change these findings


@dataclass(frozen=True, slots=True)
class SearchGap:
    """The gap of a rights holder, between the oldest comparison of a page and the indexing of the newest text."""

    oldest_check: datetime
    newest_text: datetime


@dataclass(frozen=True, slots=True)
class Search:
    """A search of stored pages for new texts: its start, and the state of the index at that time."""

    at: datetime
    corpus_revision: int
    algorithm_id: int


class SearchBacklog(Protocol):
    """The pages that have not been searched for new texts.

    A page is either searched for a text or compared with the whole corpus.
    """

    def lags(self, algorithm_id: int) -> Mapping[int, SearchGap]:
        """Return the gaps by rights holder; empty if there are no pages to search."""
        ...

    def newer_texts(self, rights_holder: int, since: datetime) -> Mapping[WorkTextId, datetime | None]:
        """Return a rights holder's texts that pages compared at `since` may have missed, with the time of indexing.

        A time is None if the text is not recorded as indexed, which may change at any time.
        """
        ...

    def find_unsearched(
        self, pages: Collection[Page], gaps: Mapping[int, SearchGap], algorithm_id: int
    ) -> list[Unsearched]:
        """Return those of `pages` that must be searched to close `gaps`, except pages that are due for a comparison."""
        ...

    def note_searched(self, pages: Collection[Unsearched], hits: Collection[Unsearched], search: Search) -> None:
        """Record that `pages` contain none of the indexed texts, and that `hits` may and are due for a comparison.

        Pages compared or searched after `search` began are not changed. Safe to call twice.
        """
        ...

    def end_search(self, gaps: Mapping[int, SearchGap], search: Search) -> int:
        """Record the end of a search, and return the number of missed pages that became due for a comparison.

        A page was missed if its version in the page store differs from the compared version or no longer exists.
        """
        ...


class FindableTexts(Protocol):
    """The texts of the rights holders, and the time since which each is in the index."""

    def is_owned(self, text: WorkTextId) -> bool:
        """Return whether any rights holder has a work with this text."""
        ...

    def note_unindexed(self, texts: Collection[WorkTextId]) -> None:
        """Record that texts were not in the index until now, whatever was recorded before."""
        ...

    def set_back(self, now: datetime) -> None:
        """Set all recorded times that are later than `now` to `now`.

        After a clock that was ahead is corrected, pages compared before would otherwise count as compared with texts
        added now.
        """
        ...

    def note_indexed(self, texts: Mapping[WorkTextId, int], at: datetime) -> None:
        """Record that texts are in the index from `at` on, except those already recorded.

        texts: the number of counted characters in each text. Pages of the texts' rights holders compared earlier must
        then be searched. `at` must be later than the return of `note_unindexed`, so that a search that began before
        `at` never counts as including a text that it did not know. Later times are set back to `at`. Pages with
        findings in an older text of the same chapter become due for a comparison.
        """
        ...

    def note_withdrawn(self, text: WorkTextId) -> None:
        """Record that a text left the corpus, so that pages with findings in it become due for a comparison.

        Undecided suspected rewrites of the text are no longer listed.
        """
        ...


class CaseRepository(SearchBacklog, FindableTexts, Protocol):
    """The interface of the admin database for the pipeline."""

    def sources(self, site: SiteId, texts: Collection[WorkTextId]) -> Mapping[WorkTextId, Hashable]:
        """Return those of `texts` that belong to the rights holder who watches the site, each with its work.

        Only these can be findings on the site. Texts of one work have equal values.
        """
        ...

    def find_uncompared(self, versions: Collection[VersionOfPage], algorithm_id: int) -> set[VersionId]:
        """Return those of `versions` that are due for a comparison: like `pending`, but including earlier versions."""
        ...

    def mark_seen(self, versions: Collection[VersionOfPage], now: datetime) -> None:
        """Copy the times at which versions were seen to pages, versions and cases; rule again on cases that changed.

        Times are only extended, in any order of arrival; safe to call twice. Only versions that match the work of a
        case extend its times. A page that was never compared is skipped.
        """
        ...

    def open_or_update_cases(self, outcomes: Sequence[ComparisonOutcome]) -> list[list[int]]:
        """Write outcomes atomically, open or update their cases, and return the ids of the cases of each outcome.

        Findings that licences, own sites or the law of quotation allow open no case and are counted under their reason;
        an existing case is set aside by the rights. A reviewer's verdict is never changed. A case has the times of its
        pages, whatever the order of outcomes. Safe to call twice.
        """
        ...

    def pending(self, pages: Collection[Page], algorithm_id: int) -> set[VersionId]:
        """Return those current versions of `pages` that are due for a comparison with the whole corpus.

        These are versions without an outcome of this algorithm, versions whose outcome concerns a text withdrawn since
        or was revoked by a search or a ruling, and versions other than the last recorded version of their page. Pages
        of unknown sites are never due. New texts require a search instead (`SearchBacklog`).
        """
        ...

    def awaiting_rulings(self) -> list[int]:
        """Return the keys of rights holders whose findings await a ruling after a change of their rights."""
        ...

    def rule_again(self, rights_holder: int) -> None:
        """Apply the current rights to the stored findings of a rights holder.

        An undecided case is set aside if the rights allow the page on the day on which it was last seen, and reopened
        if they do not. Verdicts are kept. If a finding without a case is no longer allowed, its page becomes due for a
        comparison. Safe to call twice.
        """
        ...


class Outbox(Protocol):
    """Sends the messages of a step to the next step.

    `send` raises ServiceUnavailable if the broker does not respond; the sweeper sends lost messages again.
    """

    def send(self, message: StepMessage) -> None: ...


class Clock(Protocol):
    """A source of the current time."""

    def now(self) -> datetime:
        """Return the current time, aware and in UTC."""
        ...
