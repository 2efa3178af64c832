"""The figures of a report: plain counts and shares, computed by `analytics.measures`."""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class StateCounts:
    """The number of cases by state. opened: the sum of the other counts."""

    opened: int
    confirmed: int
    dismissed: int
    open: int
    set_aside: int


@dataclass(frozen=True, slots=True)
class Totals:
    """The totals of a report.

    chars_taken: the characters of works that were found on pages, each counted once. chars_on_pages: the sum over all
    pages; a chapter on five pages counts five times.
    """

    pages_checked: int
    new_versions: int
    cases: StateCounts
    precision: float | None  # confirmed / decided; None until a case is decided
    median_hours_to_verdict: float | None  # from opening to verdict; None until a case is decided
    sites_with_copies: int
    works_copied: int
    chars_taken: int
    chars_on_pages: int
    excluded: int  # findings that did not become a case
    crawl_runs: int
    pages_fetched: int
    pages_failed: int


@dataclass(frozen=True, slots=True)
class SiteMeasures:
    """The figures of one site. excluded: findings that did not become a case, for any reason."""

    site_name: str
    hosts: str  # on which cases were found
    pages_checked: int
    new_versions: int
    cases: StateCounts
    works_copied: int
    chars_taken: int
    chars_on_pages: int
    excluded: int


@dataclass(frozen=True, slots=True)
class WorkMeasures:
    """The figures of one work. Shares refer to its length, `work_chars`, and are None if there are no copies.

    share_taken: the share of the work on all pages together; largest_share: the largest share on one page.
    """

    rights_holder: str
    work_title: str
    cases: StateCounts
    sites_with_copies: int
    work_chars: int
    chars_taken: int
    share_taken: float | None
    chars_on_pages: int
    largest_share: float | None


@dataclass(frozen=True, slots=True)
class DayMeasures:
    """The figures of one day. A page that was checked on several days counts on each of them."""

    day: date
    pages_checked: int
    new_versions: int
    cases: StateCounts


@dataclass(frozen=True, slots=True)
class CrawlMeasures:
    """The figures of the crawl runs of one site."""

    site_name: str
    crawl_runs: int
    runs_finished: int
    runs_failed: int
    runs_missed: int
    pages_fetched: int
    pages_failed: int
