"""Items that the spider hands to the pipeline."""

from dataclasses import dataclass
from datetime import datetime

from core.pages import Fetched, Reading
from core.visits import AbsenceReason, Visit
from crawler.frontier import CrawlTarget


@dataclass(frozen=True, slots=True)
class ReadPage:
    """One page to keep; `target` is its entry in the frontier."""

    target: CrawlTarget
    fetched: Fetched
    reading: Reading


@dataclass(frozen=True, slots=True)
class Unchanged:
    """A known page that has not changed since it was last fetched, as the site answered."""

    target: CrawlTarget
    at: datetime


@dataclass(frozen=True, slots=True)
class NotThere:
    """A known page that is not there, as the site answered; `visit` is the new state of its address."""

    target: CrawlTarget
    fetched: Fetched
    reason: AbsenceReason
    visit: Visit


@dataclass(frozen=True, slots=True)
class Unread:
    """A response in which no text was read: it is kept raw, as it cannot be read or was requested alone."""

    target: CrawlTarget
    fetched: Fetched
    reason: AbsenceReason = AbsenceReason.UNREADABLE
