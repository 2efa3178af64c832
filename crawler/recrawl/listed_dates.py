"""Dates of change in a site's sitemaps and feeds, and how reliable they have been.

A date later than the last visit announces a change; an earlier one denies it. Both come from the monitored site, so
both are compared with later observations: announcements count while enough of them come true, denials while hardly any
change was unannounced. See docs/decisions/crawling.md.
"""

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime, time, timedelta
from enum import StrEnum
from pathlib import Path

from core.visits import Visit
from crawler.recrawl.policy import MAX_INTERVAL

# Of announcements. 2026-11, simulated (docs/decisions/crawling.md): from 0.4 on, a site that announces everything is
# detected; at 0.3 it costs a fourth more fetches. At 0.7, a site that touches all its pages every week is ignored, too.
MIN_COME_TRUE = 0.5
MIN_ANNOUNCED = 0.9  # of changes; chosen, not measured: unannounced changes wait up to two months
MIN_ANNOUNCEMENTS, MIN_CHANGES = 10, 5  # seen before either is judged
TRIALS = 20  # announcements that a run follows before they are judged; few, as a site may announce everything
CHECKED_ONE_IN = 5  # of the pages that a denial would delay, so that a site that becomes unreliable is detected
MAX_COUNT = 400.0  # then old counts are halved, because a site's dates may become better or worse
DAY = timedelta(days=1)
_FILE = "listed-dates.json"


class Claim(StrEnum):
    """The claim of a listed date about its page since the last visit."""

    NOTHING = "nothing"
    ANNOUNCED = "announced"
    DENIED = "denied"


def classify_date(modified: datetime | None, seen_at: datetime | None, now: datetime) -> Claim:
    """Interpret a date as a claim. Midnight means the whole day; a date in the future is ignored."""
    if modified is None or seen_at is None or modified > now + DAY:
        return Claim.NOTHING
    if modified > seen_at:
        return Claim.ANNOUNCED
    ends = modified + DAY if modified.timetz().replace(tzinfo=None) == time(0) else modified
    return Claim.DENIED if ends <= seen_at else Claim.NOTHING


@dataclass(frozen=True, slots=True)
class Reliability:
    """Counts of a site's claims: announcements that proved true or false, and changes that it denied."""

    true: float = 0.0
    false: float = 0.0
    unannounced: float = 0.0

    def plus(self, claim: Claim, has_changed: bool) -> "Reliability":
        """Return the counts with one more visit; above MAX_COUNT, old counts are halved first."""
        is_full = self.true + self.false + self.unannounced >= MAX_COUNT
        old = Reliability(self.true / 2, self.false / 2, self.unannounced / 2) if is_full else self
        if claim is Claim.ANNOUNCED:
            return replace(old, true=old.true + has_changed, false=old.false + (not has_changed))
        return replace(old, unannounced=old.unannounced + (claim is Claim.DENIED and has_changed))

    @property
    def is_judged(self) -> bool:
        return self.true + self.false >= MIN_ANNOUNCEMENTS

    @property
    def announces(self) -> bool:
        """Return True if announcements are followed."""
        return not self.is_judged or self.true >= MIN_COME_TRUE * (self.true + self.false)

    @property
    def denies(self) -> bool:
        """Return True if denials are believed: the site announced nearly all changes, and little else."""
        changes = self.true + self.unannounced
        return self.announces and changes >= MIN_CHANGES and self.true >= MIN_ANNOUNCED * changes


class ListedDates:
    """The dates of one run and their reliability over all runs, which is kept in the site's folder, if it has one."""

    def __init__(self, began_at: datetime, folder: Path | None = None) -> None:
        self._began_at, self._path = began_at, folder / _FILE if folder is not None else None
        self.reliability = _read_reliability(self._path)
        self._modified: dict[str, datetime] = {}
        self._trials: set[str] = set()

    def add_dates(self, modified: Iterable[tuple[str, datetime]]) -> None:
        """Add the dates of a sitemap or feed: ids of URLs, and when they changed."""
        self._modified.update(modified)

    def is_due(self, visit: Visit) -> bool | None:
        """Return True if a known page is fetched for its date, False if it waits, None if its own history decides."""
        claim = self._date_claim(visit)
        if claim is Claim.ANNOUNCED and self.reliability.announces:
            return True if self.reliability.is_judged or self._is_tried(visit) else None
        if claim is Claim.DENIED and self.reliability.denies and visit.seen_at is not None:
            is_checked = not (int(visit.id[:8] or "0", 16) + self._began_at.toordinal()) % CHECKED_ONE_IN
            return None if is_checked or visit.seen_at + MAX_INTERVAL <= self._began_at else False
        return None

    def note(self, before: Visit, has_changed: bool) -> None:
        """Compare the claims about a page with its actual state."""
        self.reliability = self.reliability.plus(self._date_claim(before), has_changed)

    def save(self) -> None:
        """Save the reliability for the next run."""
        if self._path is not None:
            with suppress(OSError):  # the next run starts afresh
                self._path.write_text(json.dumps(asdict(self.reliability)), "utf-8")

    def _date_claim(self, visit: Visit) -> Claim:
        return classify_date(self._modified.get(visit.id), visit.seen_at, self._began_at)

    def _is_tried(self, visit: Visit) -> bool:
        if len(self._trials) < TRIALS:
            self._trials.add(visit.id)
        return visit.id in self._trials


def _read_reliability(path: Path | None) -> Reliability:
    """Read the reliability that earlier runs measured; an empty record if it is missing or unreadable."""
    if path is None:
        return Reliability()
    try:
        read = json.loads(path.read_text("utf-8"))
        return Reliability(*(max(0.0, min(float(read[name]), MAX_COUNT)) for name in ("true", "false", "unannounced")))
    except (OSError, ValueError, TypeError, KeyError):
        return Reliability()
