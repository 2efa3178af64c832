"""What the middle needs of the outside, as protocols. Each has a live side and a memory side that pass one suite.

PageStore           pages, versions, raw responses      pagestore.mongo, pagestore.memory
WorkStore           texts of the mother corpus          pagestore.mongo, pagestore.memory
FingerprintStore    fingerprints of both                pagestore.mongo, pagestore.memory
CaseBook            rights, outcomes, cases             webadmin.casebook, pipeline.memory
Outbox              messages to the next step           pipeline.outbox, pipeline.memory
Clock               now                                 core.clock

The index port deals in arrays and stands beside its two sides: matcher.ports.MatchIndex.
Adapters translate their driver's exceptions: no pymongo, redis or Django error crosses a port.
"""

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from core.ids import Digest, PageId, SiteId, VersionId, WorkTextId
from core.matches import Match
from core.messages import Message
from core.pages import Fetched, Page, PageVersion, Reading, Stored
from core.states import Rejection
from core.works import StoredFingerprint, WorkText


class PageStore(Protocol):
    """Pages as they were fetched and read. Nothing in it is ever overwritten by a later fetch but `last_seen`."""

    def put(self, fetched: Fetched, reading: Reading) -> Stored:
        """Keep one response and what was read in it; the same text again only moves `last_seen`.

        The raw body is kept once for its digest, compressed. Safe to call twice with the same arguments.
        """
        ...

    def page(self, page_id: PageId) -> Page | None: ...

    def version(self, version_id: VersionId) -> PageVersion | None: ...

    def versions(self, page_id: PageId) -> list[PageVersion]:
        """All versions of a page, oldest first."""
        ...

    def raw(self, digest: Digest) -> bytes | None:
        """A raw body. Raises BrokenInvariant when what is stored no longer has its digest."""
        ...

    def pages(self, after: PageId | None, limit: int) -> list[Page]:
        """Up to `limit` pages in order of id, beginning after `after`: for the sweeper, which walks all of them."""
        ...


class WorkStore(Protocol):
    """Texts of the mother corpus by the digest of their content."""

    def put_text(self, text: str) -> WorkTextId: ...

    def text(self, text_id: WorkTextId) -> str | None: ...

    def remove_text(self, text_id: WorkTextId) -> None: ...

    def texts(self) -> Iterator[WorkText]:
        """Every text, in order of id."""
        ...


class FingerprintStore(Protocol):
    """Fingerprints of page versions and of works' texts, by subject and algorithm."""

    def put(self, fingerprint: StoredFingerprint) -> None: ...

    def get(self, subject: str, algorithm_id: int) -> StoredFingerprint | None: ...

    def get_many(self, subjects: Sequence[str], algorithm_id: int) -> dict[str, StoredFingerprint]:
        """Those of `subjects` that are there."""
        ...

    def remove(self, subject: str) -> None:
        """Forget the fingerprints of all algorithms of a subject."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """What matching found on one page version, for the case book."""

    version: PageVersion
    is_current: bool  # whether the page still shows this version
    seen_at: datetime  # when the page was last seen with it
    rejection: Rejection | None  # why nothing was compared; None when it was
    matches: tuple[Match, ...]
    algorithm_id: int
    corpus_revision: int  # of the index that was asked
    checked_at: datetime  # when the comparison began


class CaseBook(Protocol):
    """The admin database as the pipeline sees it."""

    def sources(self, site: SiteId, texts: Collection[WorkTextId]) -> Mapping[WorkTextId, Hashable]:
        """Those of `texts` that belong to the rights holder who watches this site, each with its work.

        No other text is a finding there. Texts of one work have equal values.
        """
        ...

    def record(self, outcome: Outcome) -> list[int]:
        """Write an outcome, open or bring up to date the cases that it calls for; returns their ids.

        Licences, own sites and quotations are ruled out here and counted under their reason. A verdict that a
        reviewer gave is never changed. Safe to call twice.
        """
        ...

    def owed(self, pages: Collection[Page], algorithm_id: int) -> set[VersionId]:
        """Current versions of `pages` that still have to be compared.

        Those without an outcome of this algorithm, with one that is older than a text indexed or a right changed since,
        and those that are not the version last recorded of their page. Pages of no known site are never owed.
        """
        ...

    def is_owned(self, text: WorkTextId) -> bool:
        """Whether any rights holder has this text among the works."""
        ...

    def indexed(self, text: WorkTextId, at: datetime, is_new: bool) -> None:
        """Note that a text can be found from this moment on; `is_new`: it could not be found before.

        Pages compared earlier are owed another comparison by the rights holders for whom this is news.
        """
        ...


class Outbox(Protocol):
    """Where a step leaves the message for the next one. Raises ServiceUnavailable; the sweeper repairs a lost one."""

    def send(self, message: Message) -> None: ...


class Clock(Protocol):
    """The time."""

    def now(self) -> datetime:
        """The present moment, UTC-aware."""
        ...
