"""Decides when a URL is fetched again, by its own history and that of its site (docs/decisions/crawling.md).

List pages are due in every run. A page with a text is due when it has probably changed: its rate of change is estimated
with the bias-reduced estimator of Cho and Garcia-Molina ("Estimating frequency of change", ACM TOIT 3(3), 2003, section
4.2). Other pages of the site substitute for visits that a page has not had yet.
"""

import hashlib
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from core.visits import AddressKind, Visit
from core.wording import Message

DAY = timedelta(days=1)
MIN_INTERVAL, MAX_INTERVAL = DAY, 60 * DAY
# 2026-11, 1,500 pages simulated over a year (docs/decisions/crawling.md): 0.2, 0.3, 0.4, 0.5 and 0.63 were tried. Each
# is better than a fixed interval with as many fetches; for 0.3 this is every 5 days, and changes are unseen for 28 %
# less time.
CHANGE_PROBABILITY = 0.3  # a page is due when it has changed with this probability
SITE_WEIGHT = 2.0  # the number of visits for which the site's average counts; 1 to 4 tried in the same simulation
MAX_GROWTH = 2.0  # an interval is at most this multiple of the time for which the page was unchanged
# Before anything is known: one change in 30 days. Of the 151,000 pages that Cho and Garcia-Molina (VLDB 2000) watched,
# those that changed within four months did so about that often.
DEFAULT_RATE_PER_S = 1 / (30 * DAY.total_seconds())
MIN_SITE_LOOKS = 20.0  # fewer visits describe a site worse than the default does
MAX_LOOKS = 30.0  # from this number on, the history is halved: changes a year ago say little about a page
SPREAD = 0.1  # intervals vary by up to a tenth, so that pages found on one day are not all due on one day
# A daily run fetches a page at varying times. A page that is due daily must not be missed because of a few hours.
EARLY = timedelta(hours=6)
FULL_EVERY = 5  # one fetch in this many requests the whole page, whatever the earlier responses were
FIRST_RETRY, RETRY_GROWTH, MAX_RETRY = timedelta(minutes=15), 4, 7 * DAY
REFUSED_INTERVAL = 7 * DAY  # for robots.txt and similar decisions of the site, which may change
# Between the first response that reports a page as missing and the one that confirms it.
GONE_AFTER = timedelta(hours=12)
MAX_GONE_INTERVAL = 30 * DAY


@dataclass(frozen=True, slots=True)
class ChangeHistory:
    """The numbers of a page's visits after the first and of those without a change, and the seconds observed."""

    looks: float = 0.0
    unchanged: float = 0.0
    observed_s: float = 0.0

    def plus(self, elapsed_s: float, has_changed: bool) -> "ChangeHistory":
        """Return the history with another visit.

        If there are MAX_LOOKS visits or more, the old numbers are halved first.
        """
        old = self if self.looks < MAX_LOOKS else ChangeHistory(self.looks / 2, self.unchanged / 2, self.observed_s / 2)
        return ChangeHistory(old.looks + 1, old.unchanged + (not has_changed), old.observed_s + max(elapsed_s, 1.0))


def change_history(visit: Visit) -> ChangeHistory:
    return ChangeHistory(visit.looks, visit.unchanged_looks, visit.observed_s)


def site_rate(visits: Iterable[Visit]) -> float:
    """Return the changes per second of all pages with a text on a site; the default if there are too few visits."""
    looks = unchanged = observed_s = 0.0
    for visit in visits:
        if visit.kind is AddressKind.DETAIL:
            looks, unchanged = looks + visit.looks, unchanged + visit.unchanged_looks
            observed_s += visit.observed_s
    if looks < MIN_SITE_LOOKS:
        return DEFAULT_RATE_PER_S
    return _change_rate(looks, unchanged, observed_s / looks)


def change_rate(own: ChangeHistory, site_rate_per_s: float) -> float:
    """Return the changes per second of one page.

    For n visits at a mean interval of I seconds, x of them without a change: -ln((x + 0.5) / (n + 0.5)) / I.
    SITE_WEIGHT visits are added to n, and to x the share of them that would be unchanged over I at the site's rate.
    """
    if not own.looks:
        return site_rate_per_s
    mean_s = own.observed_s / own.looks
    expected_unchanged = SITE_WEIGHT * math.exp(-site_rate_per_s * mean_s)
    return _change_rate(own.looks + SITE_WEIGHT, own.unchanged + expected_unchanged, mean_s)


def interval(own: ChangeHistory, site_rate_per_s: float, stood_for: timedelta) -> timedelta:
    """Return the time until the next visit of a page that was unchanged for `stood_for` at this visit.

    The result is between MIN_INTERVAL and MAX_INTERVAL.
    """
    wanted_s = -math.log(1 - CHANGE_PROBABILITY) / max(change_rate(own, site_rate_per_s), 1e-12)
    most_s = max(MAX_GROWTH * max(stood_for, MIN_INTERVAL).total_seconds(), MIN_INTERVAL.total_seconds())
    return min(max(timedelta(seconds=min(wanted_s, most_s, MAX_INTERVAL.total_seconds())), MIN_INTERVAL), MAX_INTERVAL)


def visit_after_success(
    visit: Visit, at: datetime, has_changed: bool, site_rate_per_s: float, has_open_case: bool
) -> Visit:
    """Return the visit after a success. The caller adds what was read.

    has_open_case: True if the page belongs to an open case; such a page, like a list, is due after a day.
    """
    own = change_history(visit)
    elapsed = max(at - visit.seen_at, timedelta(0)) if visit.seen_at else timedelta(0)
    if visit.seen_at is not None:
        own = own.plus(elapsed.total_seconds(), has_changed)
    wait = interval(own, site_rate_per_s, timedelta(0) if has_changed else elapsed)
    if has_open_case or visit.kind is AddressKind.LIST:
        wait = MIN_INTERVAL
    return replace(
        _without_failures(visit),
        seen_at=at,
        due_at=at + _spread_interval(wait, visit.id),
        looks=own.looks,
        unchanged_looks=own.unchanged,
        observed_s=own.observed_s,
        absent_since=None,
        gone_since=None,
    )


def visit_after_failure(visit: Visit, at: datetime, reason: str, fault: Message) -> Visit:
    """Return the visit after a failure.

    It is due after 15 minutes, then after 1, 4, 16 and 64 hours, then every week.
    """
    failures = visit.failures + 1
    wait = min(FIRST_RETRY * RETRY_GROWTH ** min(failures - 1, 8), MAX_RETRY)
    return replace(
        visit, failures=failures, failed_at=at, due_at=at + wait, reason=reason, sentence=fault, absent_since=None
    )


def visit_after_refusal(visit: Visit, at: datetime, reason: str, fault: Message | None) -> Visit:
    """Return the visit after a refusal that is not a failure: by robots.txt, not a web page, or off the site."""
    return replace(
        _without_failures(visit),
        due_at=at + _spread_interval(REFUSED_INTERVAL, visit.id),
        reason=reason,
        sentence=fault,
    )


def visit_after_absence(visit: Visit, at: datetime, has_open_case: bool) -> Visit:
    """Return the visit after a response that reports a known page as missing.

    The first such response may be a mistake. A second one at least GONE_AFTER later, without a success in between,
    means that the page is gone. It is then visited after 1, 2, 4 ... 30 days, or daily if it has an open case.
    """
    since = visit.absent_since or at
    if visit.gone_since is None and at - since < GONE_AFTER:
        return replace(_without_failures(visit), absent_since=since, due_at=since + GONE_AFTER)
    wait = MIN_INTERVAL if has_open_case else min(max(at - since, MIN_INTERVAL), MAX_GONE_INTERVAL)
    return replace(_without_failures(visit), absent_since=since, gone_since=since, due_at=at + wait)


def is_due(visit: Visit, now: datetime, rules: str) -> bool:
    """Return True if a run that begins now should fetch the URL of a visit.

    Lists are always due. So are URLs that were never fetched, that were read under other rules, or whose dates are in
    the future because a clock was wrong. Failed and missing pages are due at their time, and all others from EARLY
    before it.
    """
    noted = (visit.seen_at, visit.failed_at, visit.absent_since)
    # A day later, because a crawl may take hours.
    if any(moment is not None and moment > now + DAY for moment in noted):
        return True
    if visit.failures or visit.absent_since is not None:
        return visit.due_at <= now
    if visit.kind is not AddressKind.DETAIL or visit.rules != rules:
        return True
    return visit.due_at - EARLY <= now


def is_conditional(visit: Visit, rules: str) -> bool:
    """Return True if the request may be conditional, so that the site may respond with 304 Not Modified."""
    has_validators = bool(visit.etag or visit.last_modified)
    is_certain = visit.seen_at is not None and visit.absent_since is None and visit.rules == rules
    return has_validators and is_certain and not visit.has_unreliable_validator and visit.unmodified < FULL_EVERY - 1


def _without_failures(visit: Visit) -> Visit:
    return replace(visit, failures=0, failed_at=None, reason="", sentence=None)


def _change_rate(looks: float, unchanged: float, mean_s: float) -> float:
    return -math.log((unchanged + 0.5) / (looks + 0.5)) / max(mean_s, 1.0)


def _spread_interval(wait: timedelta, key: str) -> timedelta:
    """Vary an interval by up to SPREAD, within MIN_INTERVAL and MAX_INTERVAL. key: determines the variation."""
    share = int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big") / 2**32  # in the range [0, 1)
    spread = wait * (1 - SPREAD + 2 * SPREAD * share)
    return wait if wait <= MIN_INTERVAL else max(min(spread, MAX_INTERVAL), MIN_INTERVAL)
