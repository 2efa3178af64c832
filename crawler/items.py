"""Items that the spider passes to the pipeline."""

from dataclasses import dataclass
from datetime import datetime

from core.pages import Fetched, Reading
from core.visits import AbsenceReason, Visit
from crawler.frontier import CrawlTarget


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page to store. target: its entry in the frontier."""

    target: CrawlTarget
    fetched: Fetched
    reading: Reading


@dataclass(frozen=True, slots=True)
class Unchanged:
    """A known page that the site reports as unchanged since the last fetch."""

    target: CrawlTarget
    at: datetime


@dataclass(frozen=True, slots=True)
class NotThere:
    """A known page that the site reports as missing. visit: the new state of its URL."""

    target: CrawlTarget
    fetched: Fetched
    reason: AbsenceReason
    visit: Visit


@dataclass(frozen=True, slots=True)
class Unread:
    """A response without readable text.

    It is stored as received, because reading failed or the URL was requested by itself.
    """

    target: CrawlTarget
    fetched: Fetched
    reason: AbsenceReason = AbsenceReason.UNREADABLE
