"""The figures of a report: plain counts and shares, made by `analytics.measures`."""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class StateCounts:
    """Cases by state; `opened` is the sum of the other three."""

    opened: int
    confirmed: int
    dismissed: int
    open: int


@dataclass(frozen=True, slots=True)
class Totals:
    """The figures of the whole report."""

    pages_checked: int
    new_versions: int
    cases: StateCounts
    precision: float | None  # confirmed / decided; None while nothing is decided
    median_hours_to_verdict: float | None  # from opening to verdict; None while nothing is decided
    sites_with_copies: int
    works_copied: int
    matched_chars: int
    excluded: int
    crawl_runs: int
    pages_fetched: int
    pages_failed: int


@dataclass(frozen=True, slots=True)
class SiteMeasures:
    """One site. `excluded`: pages and findings that went no further, for whatever reason."""

    name: str
    hosts: tuple[str, ...]  # on which cases were found
    pages_checked: int
    new_versions: int
    cases: StateCounts
    works_copied: int
    matched_chars: int
    excluded: int


@dataclass(frozen=True, slots=True)
class WorkMeasures:
    """One work. `largest_share`: the largest part of one of its texts that one page carries; None without copies."""

    rights_holder: str
    title: str
    cases: StateCounts
    sites: int
    matched_chars: int
    largest_share: float | None


@dataclass(frozen=True, slots=True)
class DayMeasures:
    day: date
    pages_checked: int
    new_versions: int
    cases: StateCounts


@dataclass(frozen=True, slots=True)
class CrawlMeasures:
    """The crawl runs of one site."""

    site: str
    runs: int
    finished: int
    failed: int
    missed: int
    pages_fetched: int
    pages_failed: int
