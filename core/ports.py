"""Protocols of what the middle needs of the outside; most have a twin in memory in tests/support, and one suite.

PageStore           pages, versions, raw responses      pagestore.mongo
PageHistory         seen, gone, back again              part of every PageStore
VisitRepository     when addresses are due again        webadmin.sites.services.visit_repository, crawler.recrawl.memory
RecentAnswers       one fetch for several sites         pagestore.recent_answers
WorkStore           texts of the reference corpus       pagestore.mongo
FingerprintStore    fingerprints of both                pagestore.mongo
CaseRepository      rights, outcomes, cases             webadmin.cases.services.case_repository
EvidenceStore       bundles, append-only                pagestore.evidence
ObjectStore         bytes by key, written once          pagestore.objects
SearchBacklog       pages to be searched for new texts  part of every CaseRepository
FindableTexts       texts that the index has            part of every CaseRepository
Outbox              messages to the next step           pipeline.outbox
Clock               now                                 core.clock
"""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from core.captures import Capture
from core.evidence import BundleRemoval
from core.host_answers import HostAnswer
from core.ids import Digest, PageId, SiteId, VersionId, WorkTextId
from core.matches import Match
from core.messages import StepMessage
from core.pages import Fetched, Page, PageVersion, Reading, Stored, VersionOfPage
from core.states import Rejection
from core.visits import Absence, AbsenceReason, MovedTo, PageState, Visit
from core.works import StoredFingerprint, WorkText


class PageStore(Protocol):
    """Pages as they were fetched and read. Nothing in it is ever overwritten by a later fetch but `last_seen`.

    Responses may come in any order of time: an older one widens what is known of its page and takes nothing back.
    """

    def put(self, fetched: Fetched, reading: Reading) -> Stored:
        """Keep one response and what was read in it; the same text again only widens when it was seen.

        The raw body is kept once for its digest, compressed. Safe to call twice with the same arguments.
        """
        ...

    def put_many(self, pages: Sequence[tuple[Fetched, Reading]]) -> list[Stored]:
        """As `put` for each in order, at the cost of few; where it raises, any of them may have been stored."""
        ...

    def page(self, page_id: PageId) -> Page | None: ...

    def version(self, version_id: VersionId) -> PageVersion | None: ...

    def versions(self, page_id: PageId) -> list[PageVersion]:
        """Return all versions of a page, oldest first."""
        ...

    def texts(self, version_ids: Sequence[VersionId]) -> dict[VersionId, str]:
        """Return the main texts of those of `version_ids` that are there."""
        ...

    def raw(self, digest: Digest) -> bytes | None:
        """Return a raw body. Raises BrokenInvariant when what is stored no longer has its digest."""
        ...

    def capture(self, digest: Digest) -> Capture | None:
        """Return how a version was fetched (`PageVersion.capture_digest`).

        Raises BrokenInvariant for one that was changed.
        """
        ...

    def pages(self, after: PageId | None, limit: int) -> list[Page]:
        """Up to `limit` pages in order of id, beginning after `after`: for the sweeper, which walks all of them."""
        ...


class PageHistory(Protocol):
    """What became of pages between their versions; every page store keeps it beside them."""

    def seen(self, page_id: PageId, at: datetime) -> VersionId | None:
        """Note that a page still showed its current version, which is returned; None for a page that is not there."""
        ...

    def on_pages(self, version_ids: Sequence[VersionId]) -> list[VersionOfPage]:
        """Those of `version_ids` that are there, each as its page has it, at the cost of few reads.

        Raises BrokenInvariant where the text of any of them is gone or damaged.
        """
        ...

    def put_absence(self, fetched: Fetched, reason: AbsenceReason, *, is_gone: bool) -> Absence:
        """Keep a response that says that a page is not there; `is_gone`: this one confirms it, the page is gone.

        So is kept what is neither (`AbsenceReason`): what could not be read, and a page that was fetched for itself.
        Safe to call twice with the same arguments. What is put or seen later brings the page back.
        """
        ...

    def absences(self, page_id: PageId) -> list[Absence]:
        """Return every response that `put_absence` kept of the page, oldest first."""
        ...

    def states(self, page_id: PageId) -> list[PageState]:
        """What the page became, oldest first: no two in a row are alike."""
        ...


class KeptPages(PageStore, PageHistory, Protocol):
    """Pages and what became of them."""


class RecentAnswers(Protocol):
    """Answers of hosts that several sites watch, for as long as one may stand for a fetch of its own.

    Raises ServiceUnavailable.
    """

    def put(self, answer: HostAnswer) -> None:
        """Keep an answer, in place of an older one to the same request."""
        ...

    def newest(self, keys: Sequence[str], since: datetime, until: datetime) -> HostAnswer | None:
        """Return the newest answer under any of `keys` that was fetched from `since` to `until`."""
        ...

    def forget(self, before: datetime) -> None:
        """Remove answers of the hours before that of `before`."""
        ...


class VisitRepository(Protocol):
    """What is known of a site's addresses from earlier crawls. Raises ServiceUnavailable."""

    def visits(self, site: SiteId) -> Iterable[Visit]:
        """Return every address of the site that an earlier run found."""
        ...

    def save(self, site: SiteId, visits: Collection[Visit]) -> None:
        """Keep what visits made of addresses, by their ids. Safe to call twice."""
        ...

    def open_pages(self, site: SiteId) -> frozenset[PageId]:
        """Pages of the site with an open case."""
        ...

    def note_moves(self, site: SiteId, moves: Collection[MovedTo]) -> None:
        """Keep redirects off the site, for a person to judge whether the site has moved."""
        ...


class WorkTexts(Protocol):
    """Texts of the reference corpus, to be read."""

    def text(self, text_id: WorkTextId) -> str | None: ...


class WorkStore(WorkTexts, Protocol):
    """Texts of the reference corpus by the digest of their content."""

    def put_text(self, text: str) -> WorkTextId: ...

    def remove_text(self, text_id: WorkTextId) -> None: ...

    def texts(self) -> Iterator[WorkText]:
        """Return every text, in order of id."""
        ...


class FingerprintStore(Protocol):
    """Fingerprints of page versions and of works' texts, and other codes of these, by subject and algorithm.

    Put again, the same bytes may stay as they are stored: what is damaged is removed first.
    """

    def put_many(self, fingerprints: Collection[StoredFingerprint]) -> None: ...

    def get(self, subject: str, algorithm_id: int) -> StoredFingerprint | None: ...

    def get_many(self, subjects: Sequence[str], algorithm_id: int) -> dict[str, StoredFingerprint]:
        """Those of `subjects` that are there."""
        ...

    def known(self, subjects: Sequence[str], algorithm_id: int) -> set[str]:
        """Return those of `subjects` that have a fingerprint of this algorithm, without reading any."""
        ...

    def remove(self, subject: str, algorithm_id: int | None = None) -> None:
        """Forget what is kept of a subject: of one algorithm, or of all."""
        ...


class EvidenceStore(Protocol):
    """Evidence bundles by their digest. Append-only: nothing is written over, and only retention removes."""

    def put(self, name: Digest, content: bytes) -> bool:
        """Keep a bundle; False where it was kept before. Raises BrokenInvariant where others are, or it was removed."""
        ...

    def get(self, name: Digest) -> bytes | None:
        """Return the bytes as they were put. Raises BrokenInvariant when any of them was changed since."""
        ...

    def digests(self) -> Iterator[Digest]:
        """Return all that are kept, in order."""
        ...

    def remove(self, name: Digest, reason: str, at: datetime) -> None:
        """Log a removal by the retention policy, then carry it out. Safe to call twice."""
        ...

    def removals(self) -> list[BundleRemoval]:
        """Return the log of removals, oldest first."""
        ...

    def put_back(self, name: Digest, content: bytes) -> None:
        """Put a copy of a bundle in place of one that was changed or is gone.

        Raises BrokenInvariant where it is not what was kept under the name, or what retention removed.
        """
        ...

    def note_removal(self, removal: BundleRemoval) -> None:
        """Log a removal that another store carried out, of which this one is a copy. Safe to call twice."""
        ...


MAX_OBJECT_BYTES = 2**31  # an evidence bundle has no more (bundles.container)


class ObjectStore(Protocol):
    """Bytes by key: in a folder, in memory, or in an S3-compatible store. What is there is never written over.

    A key is a text; strokes part it as they part paths, and no key may be the folder of another. Raises
    ServiceUnavailable, and BadConfiguration where the store refuses its user. pagestore.objects.opening opens one.
    """

    def put_new(self, key: str, content: bytes) -> bool:
        """Keep bytes; False where the same were kept before. Raises BrokenInvariant where others are."""
        ...

    def get(self, key: str, most_bytes: int = MAX_OBJECT_BYTES) -> bytes | None:
        """Return the bytes as they were put.

        Raises BrokenInvariant where there are more than `most_bytes`, where something else than an object stands in
        its place, and, in a store that notes a digest, where they were changed.
        """
        ...

    def size(self, key: str) -> int | None:
        """Return how many bytes are kept under a key; None where none are."""
        ...

    def keys(self, prefix: str = "") -> Iterator[str]:
        """Return the keys that begin with `prefix`, in order of the names that they are kept under.

        For keys of letters, digits and `._-/` that is their own order.
        """
        ...

    def remove(self, key: str) -> None:
        """Forget what is kept under a key, if anything is: for retention and for no other purpose."""
        ...


@dataclass(frozen=True, slots=True)
class ComparisonOutcome:
    """What matching found on one page version, for the case repository."""

    version: PageVersion
    is_current: bool  # whether the page still shows this version
    first_seen: datetime  # when the page was first seen with it
    seen_at: datetime  # when it was last
    rejection: Rejection | None  # why nothing was compared; None when it was
    matches: tuple[Match, ...]
    algorithm_id: int
    corpus_revision: int  # of the index that was asked
    checked_at: datetime  # when the comparison began


@dataclass(frozen=True, slots=True)
class Unsearched:
    """A page version that was compared before some text of its rights holder could be found, and owes nothing else."""

    page: PageId
    version: VersionId
    rights_holder: int  # a number for the rights holder
    checked_at: datetime
    has_findings: bool  # it took from other texts: a further text may change what is said of these


@dataclass(frozen=True, slots=True)
class SearchGap:
    """Between a rights holder's pages and texts: the oldest page was compared before the newest text was findable."""

    oldest_check: datetime
    newest_text: datetime


@dataclass(frozen=True, slots=True)
class Search:
    """One search of stored pages for new texts: when it began, and what the index held then."""

    at: datetime
    corpus_revision: int
    algorithm_id: int


class SearchBacklog(Protocol):
    """Which pages have not met which texts yet. A page is searched for a text, or compared with the whole corpus."""

    def lags(self, algorithm_id: int) -> Mapping[int, SearchGap]:
        """By rights holder: what his pages have not met. Empty when no page has to be searched."""
        ...

    def newer_texts(self, rights_holder: int, since: datetime) -> Mapping[WorkTextId, datetime | None]:
        """A rights holder's texts that pages compared at `since` may not have met, with when each became findable.

        None for a text that is not noted as findable: it may become so at any moment.
        """
        ...

    def unsearched(self, pages: Collection[Page], gaps: Mapping[int, SearchGap], algorithm_id: int) -> list[Unsearched]:
        """Those of `pages` that are to be searched to close `gaps`; none that is owed a comparison anyway."""
        ...

    def note_searched(self, pages: Collection[Unsearched], hits: Collection[Unsearched], search: Search) -> None:
        """Note that `pages` hold nothing of the texts that there were, and that `hits` may: those are owed from now on.

        What was compared or searched after `search` began stays as it is. Safe to call twice.
        """
        ...

    def search_ended(self, gaps: Mapping[int, SearchGap], search: Search) -> int:
        """Note that a search came to its end: what it never met of these gaps is owed a comparison; how many.

        These are pages whose version in the page store is another than the one compared, or that it has no more.
        """
        ...


class FindableTexts(Protocol):
    """Knows the texts of the rights holders: which are theirs, and since when each can be found."""

    def is_owned(self, text: WorkTextId) -> bool:
        """Say whether any rights holder has this text among the works."""
        ...

    def unindexed(self, texts: Collection[WorkTextId]) -> None:
        """Note that texts could not be found until now, whatever was noted before."""
        ...

    def set_back(self, now: datetime) -> None:
        """Let no comparison and no text bear a later moment than `now`.

        Where a clock was ahead and was set back, a page compared before would pass for one that met what comes now.
        """
        ...

    def indexed(self, texts: Mapping[WorkTextId, int], at: datetime) -> None:
        """Note that texts can be found from this moment on, by those who do not know them to be findable.

        texts: with how many characters of each are counted in findings.

        Their pages compared earlier have to be searched. `at` is a moment after `unindexed` returned; a search that
        began before it and did not know a text thus never passes for one that did. What bears a later moment is set
        back to it. Pages with findings in an older text of the same chapter are owed a comparison.
        """
        ...

    def withdrawn(self, text: WorkTextId) -> None:
        """Note that a text is in the corpus no more: pages whose findings rest on it are owed a comparison.

        Leads of it that wait for a person are found no longer.
        """
        ...


class CaseRepository(SearchBacklog, FindableTexts, Protocol):
    """The admin database as the pipeline sees it."""

    def sources(self, site: SiteId, texts: Collection[WorkTextId]) -> Mapping[WorkTextId, Hashable]:
        """Those of `texts` that belong to the rights holder who watches this site, each with its work.

        No other text is a finding there. Texts of one work have equal values.
        """
        ...

    def uncompared(self, versions: Collection[VersionOfPage], algorithm_id: int) -> set[VersionId]:
        """Those of `versions` that owe a comparison: as `pending`, for versions that pages showed earlier too."""
        ...

    def note_seen(self, versions: Collection[VersionOfPage], now: datetime) -> None:
        """Bring when pages, versions and cases were seen in line with the page store; rule what moved by the rights.

        Times are widened, in whatever order they come; safe to call twice. A case is widened by versions in which the
        page took from its work, and by no other. A page that was never compared is passed by.
        """
        ...

    def open_or_update_cases(self, outcomes: Sequence[ComparisonOutcome]) -> list[list[int]]:
        """Write outcomes, all or none, open or bring up to date the cases that they call for; the ids of each one's.

        Findings that licences, own sites or the law of quotation allow open none and are counted under their reason;
        a case that is there already is set aside by the rights. A verdict that a reviewer gave is never changed. Cases
        were first and last seen when their pages were, in whatever order outcomes come. Safe to call twice.
        """
        ...

    def pending(self, pages: Collection[Page], algorithm_id: int) -> set[VersionId]:
        """Current versions of `pages` that still have to be compared with the whole corpus.

        Those without an outcome of this algorithm, with one that rests on a text withdrawn since, or that a search or a
        ruling took back, and those that are not the version last recorded of their page. Pages of no known site are
        never owed. New texts owe a search (`SearchBacklog`).
        """
        ...

    def awaiting_rulings(self) -> list[int]:
        """Whose findings were not ruled since their rights changed: keys of rights holders."""
        ...

    def rule_again(self, rights_holder: int) -> None:
        """Rule a rights holder's stored findings by the rights that there are now.

        A case that nobody decided on is set aside where the rights allow the page as of the day on which it was last
        seen, and open again where they do not. A verdict stays. A finding that never was a case and that nothing
        allows now: its page is owed a comparison. Safe to call twice.
        """
        ...


class Outbox(Protocol):
    """Where a step leaves the message for the next one. Raises ServiceUnavailable; the sweeper repairs a lost one."""

    def send(self, message: StepMessage) -> None: ...


class Clock(Protocol):
    """The time."""

    def now(self) -> datetime:
        """Return the present moment, UTC-aware."""
        ...
