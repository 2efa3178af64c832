"""What a crawl and its reading process say to each other, over a socket pair that nobody else holds.

The process is told the plan first. Messages are pickled: both ends are one program of one user, and the process is
started without anything of the operator's environment.
"""

from dataclasses import dataclass
from pathlib import Path

from core.pages import CrawlPlan
from crawler.fetching.resources import ResourceKind
from crawler.readers.reading_threads import PageToRead, WholePage


@dataclass(frozen=True, slots=True)
class Opening:
    """Whose pages come, and the folders of what was learnt of the site and of what the machine has made."""

    plan: CrawlPlan
    templates: Path | None
    cache: Path | None = None


@dataclass(frozen=True, slots=True)
class Job:
    number: int
    page: PageToRead


@dataclass(frozen=True, slots=True)
class Begun:
    """The page of this number is being read from now on."""

    number: int


@dataclass(frozen=True, slots=True)
class Answer:
    """page None: reading it raised what `faults` says; is_plan: the plan is at fault, and not the page."""

    number: int
    page: WholePage | None
    faults: tuple[str, ...] = ()
    is_plan: bool = False


@dataclass(frozen=True, slots=True)
class Want:
    """The page at `page_url` refers to `address` and cannot be read without it."""

    number: int
    page_url: str
    address: str
    kind: ResourceKind


@dataclass(frozen=True, slots=True)
class Given:
    """data None: it cannot or must not be had."""

    number: int
    data: bytes | None


@dataclass(frozen=True, slots=True)
class Ready:
    """The process has loaded what it needs and waits for its opening."""
