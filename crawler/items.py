"""What the spider hands to the pipeline."""

from dataclasses import dataclass
from datetime import datetime

from core.pages import Fetched, Reading
from core.visits import AbsenceReason, Visit
from crawler.frontier import CrawlTarget


@dataclass(frozen=True, slots=True)
class ReadPage:
    """One page to keep; `target` is what the frontier calls it."""

    target: CrawlTarget
    fetched: Fetched
    reading: Reading


@dataclass(frozen=True, slots=True)
class Unchanged:
    """A known page of which the site said that it has not changed since it was last fetched."""

    target: CrawlTarget
    at: datetime


@dataclass(frozen=True, slots=True)
class NotThere:
    """A known page in place of which the site said that it is not there; `visit` is what that makes of its address."""

    target: CrawlTarget
    fetched: Fetched
    reason: AbsenceReason
    visit: Visit


@dataclass(frozen=True, slots=True)
class Unread:
    """A response in which no text was read: it is kept as it came, for it cannot be read or was asked for alone."""

    target: CrawlTarget
    fetched: Fetched
    reason: AbsenceReason = AbsenceReason.UNREADABLE
