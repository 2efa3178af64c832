"""The rows of a report, which the admin database provides, and its scope, which a user chooses.

Every datetime is aware; every `day` is a calendar day in the user's time zone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

from core.days import FIRST_DAY, LAST_DAY, is_usable
from core.errors import BadInput
from core.matches import MatchClass, RewordedClass, RewordedState
from core.obfuscations import Obfuscation
from core.states import CaseState, Rejection, Verdict
from core.taken import Places, share_of_work

LANGUAGES = ("zh-hans", "en")

# A report has a row for each day, even without cases: 3,653 rows for ten years. A longer period is a mistyped date.
MAX_DAYS = 3_660


class CrawlState(StrEnum):
    """The state of a crawl run, with the values stored in the admin database."""

    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    MISSED = "missed"  # scheduled, but not run


@dataclass(frozen=True, slots=True)
class CaseRow:
    """A case: one page that copied from one work. Titles, URLs and the excerpt are untrusted text from the Web."""

    case_id: int
    rights_holder: str
    work_title: str
    chapter_title: str
    site_name: str
    site_host: str
    page_url: str
    page_title: str
    state: CaseState
    verdict: Verdict | None
    reviewer: str
    decided_at: datetime | None
    match_class: MatchClass
    similarity: float  # [0, 1]
    page_containment: float  # the share of the page that is copied from the work
    matched_chars: int  # of the page
    taken_chars: int  # of the work, each counted once
    work_chars: int  # the length of the work, counted like findings
    taken: Mapping[str, Places]  # the copied offsets for each text of the work, by its id
    obfuscations: tuple[Obfuscation, ...]
    opened_at: datetime
    first_seen_at: datetime
    last_seen_at: datetime
    page_author: str = ""  # the author, the poster and the time of publication that the page states
    page_poster: str = ""
    page_published_at: datetime | None = None
    other_urls: tuple[str, ...] = ()  # other URLs on the site with the same text, and when they were seen
    allowed_as: Rejection | None = None  # the right that allows the page: a licence or an own domain
    allowed_by: str = ""
    excerpt: str = ""  # a short passage of the page, stored when the case was opened

    @property
    def work_containment(self) -> float:
        """The share of the whole work that is on the page, from 0 to 1."""
        return share_of_work(self.taken_chars, self.work_chars) or 0.0


@dataclass(frozen=True, slots=True)
class LeadRow:
    """A page that may be a rewrite of a work. It is not a case and does not count in any figure of copies.

    band: the band of its score, or "" if it was not measured. alarms: how many of the `passages` innocent passages that
    were measured are in that band.
    """

    lead_id: int
    rights_holder: str
    work_title: str
    chapter_title: str
    site_name: str
    page_url: str
    page_title: str
    found_as: RewordedClass
    state: RewordedState
    pairs: int  # sentences with a counterpart
    sentences: int
    in_order: int
    band: str
    alarms: int | None
    passages: int | None
    found_at: datetime
    reviewer: str = ""
    decided_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class PageRow:
    """The numbers of pages of one site that were checked on one day, and of their new versions."""

    site_name: str
    day: date
    pages_checked: int
    new_versions: int


@dataclass(frozen=True, slots=True)
class SitePages:
    """The number of distinct pages of one site that were checked in the period of the report."""

    site_name: str
    pages_checked: int


@dataclass(frozen=True, slots=True)
class ExclusionRow:
    """The number of excluded items on one site for one reason, in the period of the report.

    work_title: empty if the reason does not depend on a work.
    """

    site_name: str
    work_title: str
    reason: Rejection
    count: int


@dataclass(frozen=True, slots=True)
class CrawlRow:
    """One crawl run of one site. started_at: for a missed run, its scheduled time."""

    site_name: str
    started_at: datetime
    finished_at: datetime | None
    pages_fetched: int
    pages_failed: int
    state: CrawlState


@dataclass(frozen=True, slots=True)
class ReportScope:
    """The scope of a report: the cases opened from `since` to `until`, both included, in the user's time zone.

    If `rights_holder`, `works` or `sites` is empty, the report covers all of them. Raises BadInput for an invalid
    period or language.
    """

    rights_holder: str
    since: date
    until: date
    time_zone: str
    language: str
    generated_at: datetime
    works: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for day in (self.since, self.until):
            if not is_usable(day):
                raise BadInput("report.day", day=day, first=FIRST_DAY, last=LAST_DAY)
        if self.until < self.since:
            raise BadInput("report.backwards", since=self.since, until=self.until)
        if (self.until - self.since).days >= MAX_DAYS:
            raise BadInput("report.too-long", since=self.since, until=self.until)
        if self.language not in LANGUAGES:
            raise BadInput("report.language", language=self.language, languages=LANGUAGES)

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)

    @property
    def period_start(self) -> datetime:
        """The start of the period in UTC; queries use `period_start <= moment < period_end`."""
        return self._day_start(self.since)

    @property
    def period_end(self) -> datetime:
        """The end of the period in UTC, which is the start of the following day."""
        return self._day_start(self.until + timedelta(days=1))

    @property
    def days(self) -> tuple[date, ...]:
        """The days of the period, in order."""
        return tuple(self.since + timedelta(days=n) for n in range((self.until - self.since).days + 1))

    def local(self, moment: datetime) -> datetime:
        """Return a time in the user's time zone."""
        return moment.astimezone(self.zone)

    def local_day(self, moment: datetime) -> date:
        """Return the day of a time in the user's time zone."""
        return self.local(moment).date()

    def _day_start(self, day: date) -> datetime:
        return datetime.combine(day, time(), self.zone).astimezone(UTC)
