"""Requests, starts and ends crawl runs, and records missed runs.

At most one run of a site is live at a time. At most one run on a host is running, even if several rights holders watch
it, because two runs would fetch twice as often as the delay allows.
"""

from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.db import IntegrityError, transaction
from django.db.models import Max, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from core.clock import CLOCKS_DIFFER
from core.errors import BadInput
from core.ids import SiteId
from core.pages import CrawlCounts, CrawlPlan
from core.states import Rejection
from core.wording import Message
from crawler.site_kinds import KINDS
from crawler.sources.url_list import read_url_list
from crawler.stats import (
    ASKED_TO_WAIT,
    BYTE_LIMIT,
    NEEDS_BROWSER,
    NEEDS_OCR,
    PAGE_LIMIT,
    REPEATED_TEXTS,
    SLOW_PATTERN,
    SLOW_RULES,
)
from webadmin.accounts.models import User
from webadmin.sites.models import CrawlRun, Site, SiteDomain
from webadmin.sites.models.site import LONGEST_WAIT
from webadmin.sites.models.site_kind_choices import CRAWLED
from webadmin.sites.services.politeness import site_politeness
from webadmin.ui.services.future_moments import set_back

State, Trigger = CrawlRun.State, CrawlRun.Trigger

# Chosen, not measured. A nightly crawl of the largest page limit takes hours, so a delay of an hour is only reported to
# the operator. Crawlers send a heartbeat every few seconds and a database fails over within one or two minutes, so a
# process that is silent for three minutes is dead. A queue from which no run was started for six hours has stopped.
MISSED_AFTER = timedelta(hours=1)
DEAD_AFTER_SILENCE = timedelta(minutes=3)
DEAD_AFTER_QUEUED = timedelta(hours=6)
MAX_SERVICE_PAUSE = timedelta(minutes=15)  # the longest pause in webadmin.sites.services.outages
WAITS_FOR_SERVICE = "crawl.waits-for-service"
MAX_LOOK_BACK = timedelta(days=31)  # limits the missed runs of a machine that was off for a long time
# The messages for the finish reasons of complete crawls (crawler.stats).
ENDINGS = {
    "finished": Message("run.finished"),
    PAGE_LIMIT: Message("run.page-limit"),
    BYTE_LIMIT: Message("run.byte-limit"),
}
# The rejections that count as failures, because the page was wanted but could not be fetched or read.
FAILURES = (
    Rejection.HTTP_ERROR,
    Rejection.NO_ANSWER,
    Rejection.BANNED,
    Rejection.REDIRECT_LOOP,
    Rejection.TOO_LARGE,
    Rejection.MOJIBAKE,
    Rejection.UNREADABLE,
)

STOPPED_ANSWERING = Message("run.silent", minutes=DEAD_AFTER_SILENCE // timedelta(minutes=1))
NEVER_TAKEN_UP = Message("run.never-taken-up", hours=DEAD_AFTER_QUEUED // timedelta(hours=1))
DID_NOT_HAPPEN = Message("run.missed")


@dataclass(frozen=True, slots=True)
class Timetable:
    """The scheduled times of a site: `at` on every `interval_days`-th day, beginning after `since`."""

    at: time  # local time in `zone`
    interval_days: int
    zone: ZoneInfo
    since: datetime  # an aware datetime

    def first(self) -> datetime:
        """Return the first scheduled time in UTC, which is the next `at` after `since`."""
        day = self.since.astimezone(self.zone).date()
        moment = self._moment(day)
        return moment if moment > self.since else self._moment(day + timedelta(days=1))

    def latest(self, now: datetime) -> datetime | None:
        """Return the latest scheduled time at or before `now`, or None if `now` is before the first one."""
        first = self.first()
        if first > now:
            return None
        first_day = first.astimezone(self.zone).date()
        days = (now.astimezone(self.zone).date() - first_day).days
        day = first_day + timedelta(days=days - days % self.interval_days)
        moment = self._moment(day)
        return moment if moment <= now else self._moment(day - timedelta(days=self.interval_days))

    def next(self, now: datetime) -> datetime:
        """Return the first scheduled time after `now`."""
        latest = self.latest(now)
        return self.first() if latest is None else self._next_moment(latest)

    def expected_moments(self, after: datetime, until: datetime) -> list[datetime]:
        """Return the scheduled times in (after, until], oldest first."""
        found, moment = [], self.next(after)
        while moment <= until:
            found.append(moment)
            moment = self._next_moment(moment)
        return found

    def _next_moment(self, moment: datetime) -> datetime:
        return self._moment(moment.astimezone(self.zone).date() + timedelta(days=self.interval_days))

    def _moment(self, day: date) -> datetime:
        return datetime.combine(day, self.at, tzinfo=self.zone).astimezone(UTC)


def midnight(now: datetime) -> datetime:
    """Return the start of the day of `now` in the operator's time zone."""
    zone = timezone.get_default_timezone()
    return datetime.combine(now.astimezone(zone).date(), time(), tzinfo=zone)


class AlreadyRunning(BadInput):
    """The error if a site already has a queued or running crawl, which is `run` unless it has just ended."""

    def __init__(self, site: Site, run: CrawlRun | None) -> None:
        self.site, self.run = site, run
        is_queued = run is not None and run.state == State.QUEUED
        super().__init__("run.queued-already" if is_queued else "run.running-already", site=site.name)


class NotCrawled(BadInput):
    """The error if a site of archives should be crawled."""

    def __init__(self, site: Site) -> None:
        super().__init__("site.not-crawled", site=site.name)


def request_run(
    site: Site,
    user: User | None = None,
    trigger: str = Trigger.PERSON,
    due_at: datetime | None = None,
    only_urls: str = "",
    *,
    by_second_route: bool = False,
    resume_at: datetime | None = None,
) -> CrawlRun:
    """Create and return a queued run of the site; the caller sends CrawlRequested.

    user: who requested it. due_at: by default now. only_urls: the only URLs to fetch, one per line, or "" for the whole
    site. resume_at: when the run may start, or None for now. A scheduled run also records the missed runs before it.
    Raises AlreadyRunning if the site has a live run, and NotCrawled for a site of archives.
    """
    if site.kind not in CRAWLED:
        raise NotCrawled(site)
    now = timezone.now()
    try:
        with transaction.atomic():
            if trigger == Trigger.SCHEDULE:
                _note_missed(site, due_at or now)
            return CrawlRun.objects.create(
                site=site,
                trigger=trigger,
                requested_by=user,
                due_at=due_at or now,
                only_urls=only_urls,
                by_second_route=by_second_route,
                resume_at=resume_at,
            )
    except IntegrityError as error:
        raise AlreadyRunning(site, live_run(site)) from error


def live_run(site: Site) -> CrawlRun | None:
    """Return the queued or running run of the site, or None if there is none."""
    return CrawlRun.objects.filter(site=site, state__in=CrawlRun.LIVE).first()


def left_out_messages(run: CrawlRun | None) -> list[Message]:
    """Return the messages of a run about pages left out for lack of a browser or OCR, repeated texts or slow rules.

    run: None gives [].
    """
    wanted = (NEEDS_BROWSER, NEEDS_OCR, REPEATED_TEXTS, SLOW_PATTERN, SLOW_RULES)
    return [fault for fault in run.faults if fault.code in wanted] if run is not None else []


def crawl_plan(site: Site, run: CrawlRun) -> CrawlPlan:
    """Return the plan with which the crawler carries out a run. Raises KeyLost as `site_politeness` does."""
    politeness = site_politeness(site, by_second_route=run.by_second_route)
    is_list = KINDS[site.kind].starts_are_pages  # then the hosts of the pages are allowed
    return CrawlPlan(
        site_id=SiteId(str(site.pk)),
        run_id=str(run.pk),
        start_urls=site_start_urls(site),
        allowed_hosts=() if is_list else tuple(site.domains.order_by("pk").values_list("host", flat=True)),
        follow_patterns=field_lines(site.follow_patterns),
        page_patterns=field_lines(site.page_patterns),
        deny_patterns=field_lines(site.deny_patterns),
        use_sitemap=site.use_sitemap,
        next_page_selector=site.next_page_selector,
        chapter_list_selector=site.chapter_list_selector,
        body_selector=site.body_selector,
        title_selector=site.title_selector,
        encoding=site.encoding,
        max_depth=site.max_depth,
        max_pages=site.max_pages,
        delay_s=site.delay_s,
        concurrency=site.concurrency,
        obey_robots=site.obey_robots,
        kind=site.kind,
        only_urls=field_lines(run.only_urls),
        politeness=politeness,
    )


def site_start_urls(site: Site) -> tuple[str, ...]:
    """Return the URLs at which crawls of the site start. For a list of pages, these are all its pages."""
    return read_url_list(site.start_urls).urls if KINDS[site.kind].starts_are_pages else field_lines(site.start_urls)


def field_lines(text: str) -> tuple[str, ...]:
    """Return the non-blank lines of a text field with one entry per line, stripped."""
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def take_next(now: datetime) -> CrawlRun | None:
    """Start and return the queued run that has been due longest, or return None if no run can start.

    Any number of processes on any machines may call this concurrently; only one of them gets each run.
    """
    waiting = _startable_runs(now).order_by("due_at", "pk").select_related("site", "requested_by")
    while (run := waiting.first()) is not None:
        if mark_started(run, now):
            return run
    return None


def has_waiting(now: datetime, run_id: int | None = None) -> bool:
    """Return True if a queued run can start now. run_id: the key of the only run to consider, or None for all."""
    waiting = _startable_runs(now)
    return (waiting if run_id is None else waiting.filter(pk=run_id)).exists()


def mark_started(run: CrawlRun, now: datetime | None = None) -> bool:
    """Mark a queued run as running. Returns False if another process started it, or if it must wait or has ended."""
    at = now or timezone.now()
    begun = {"started_at": at, "heartbeat_at": at, "resume_at": None, "finish_reason": None}
    hosts = SiteDomain.objects.filter(site=run.site_id).values("host")
    with transaction.atomic():
        # The locks serialize processes that start two sites on the same host, so that the second one sees the first.
        list(SiteDomain.objects.filter(host__in=hosts).order_by("pk").select_for_update())
        return _update_run(run, Q(pk__in=_startable_runs(at)), state=State.RUNNING, **begun)


def may_resume(now: datetime) -> Q:
    """Return the condition for queued runs that need not wait for the site's hours, its requested pause or a service.

    A run that would wait longer than the longest possible wait was requeued while the clock was wrong. It may resume.
    """
    is_too_late = Q(resume_at__gt=now + MAX_SERVICE_PAUSE, finish_reason__code=WAITS_FOR_SERVICE)
    is_too_late |= Q(resume_at__gt=now + LONGEST_WAIT)
    return Q(resume_at__isnull=True) | Q(resume_at__lte=now) | is_too_late


def stored_counts(run: CrawlRun) -> CrawlCounts:
    """Return the stored counts of a run, which include all attempts."""
    if not run.counts:
        return CrawlCounts()
    kept = dict(run.counts)
    refusals = [run.faults[at] for at in kept.pop("refusals", ())]
    return CrawlCounts(**kept, faults=list(run.faults), refusals=refusals)


def heartbeat(run: CrawlRun, counts: CrawlCounts | None = None, now: datetime | None = None) -> bool:
    """Record a heartbeat and the counts so far. Returns False if the run is not running any more."""
    figures = _run_figures(counts) if counts else {}
    return _update_run(run, Q(state=State.RUNNING), heartbeat_at=now or timezone.now(), **figures)


def finish_run(run: CrawlRun, counts: CrawlCounts, now: datetime | None = None) -> bool:
    """End a complete run as finished, even if it was failed as dead before. Returns False if it cannot be finished."""
    at = now or timezone.now()
    return _update_run(
        run,
        Q(state__in=[State.RUNNING, State.QUEUED, State.FAILED]),
        state=State.FINISHED,
        finished_at=at,
        heartbeat_at=at,
        finish_reason=ENDINGS.get(counts.finish_reason),
        **_run_figures(counts),
    )


def fail_run(
    run: CrawlRun, counts: CrawlCounts | None, reason: Message | None = None, now: datetime | None = None
) -> bool:
    """End a live run as failed. Returns False if it is not live.

    reason: the message for the operator; None uses the finish reason in `counts`.
    """
    at = now or timezone.now()
    figures = _run_figures(counts) if counts else {}
    said = reason or (counts.finish_reason if counts else None)
    ending = {"state": State.FAILED, "finished_at": at, "finish_reason": said}
    return _update_run(run, Q(state__in=CrawlRun.LIVE), **ending, **figures)


def put_run_back(run: CrawlRun, counts: CrawlCounts | None = None, **noted: object) -> bool:
    """Requeue a running run, so that it resumes from its journal. Returns False if it is not running.

    noted: additional fields to set, if the run waits for something other than its site.
    """
    values: dict[str, object] = {"started_at": None, "heartbeat_at": None, "resume_at": None, **noted}
    if counts is not None:
        values |= _run_figures(counts)
    if counts is not None and counts.resume_at:
        values["resume_at"] = datetime.fromisoformat(counts.resume_at)
        values["finish_reason"] = counts.end_sentence
    return _update_run(run, Q(state=State.RUNNING), state=State.QUEUED, **values)


def due_sites(now: datetime) -> list[Site]:
    """Return the watched sites without a run for their latest scheduled time and without a live run, longest due first.

    A site stays due until a run makes up for the missed time. A new site is first due at its next scheduled time.
    """
    busy = CrawlRun.objects.filter(state__in=CrawlRun.LIVE).values("site_id")
    last_due = Max("runs__due_at", filter=~Q(runs__state=State.MISSED) & Q(runs__only_urls=""))
    due: list[tuple[datetime, Site]] = []
    for site in _scheduled_sites().exclude(pk__in=busy).annotate(last_due=last_due):
        expected = site_timetable(site).latest(now)
        if expected is not None and (site.last_due is None or site.last_due < expected):
            due.append((expected, site))
    return [site for _, site in sorted(due, key=lambda entry: (entry[0], entry[1].pk))]


def next_due(site: Site, now: datetime) -> datetime | None:
    """Return the next scheduled time of a site, or None if it is not watched or not crawled."""
    return site_timetable(site).next(now) if site.is_active and site.kind in CRAWLED else None


def record_missed_runs(now: datetime) -> list[CrawlRun]:
    """Record and return a missed run for each scheduled time without a run that is more than MISSED_AFTER ago."""
    missed: list[CrawlRun] = []
    last_scheduled = Max("runs__due_at", filter=Q(runs__trigger=Trigger.SCHEDULE))
    for site in _scheduled_sites().annotate(last_scheduled=last_scheduled):
        expected = site_timetable(site).latest(now - MISSED_AFTER)
        if expected is not None and (site.last_scheduled is None or site.last_scheduled < expected):
            with transaction.atomic():
                missed += _note_missed(site, now)
    return missed


def abandon_dead_runs(now: datetime) -> int:
    """Fail the running runs without heartbeats and the queued runs that were never started, and return their number.

    Queued runs are only failed if no run was started within DEAD_AFTER_QUEUED, because the queue has then stopped.
    """
    silent = CrawlRun.objects.annotate(alive_at=Coalesce("heartbeat_at", "started_at", "due_at")).filter(
        state=State.RUNNING, alive_at__lt=now - DEAD_AFTER_SILENCE
    )
    count = sum(fail_run(run, None, STOPPED_ANSWERING, now=now) for run in silent)
    if CrawlRun.objects.filter(Q(state=State.RUNNING) | Q(started_at__gte=now - DEAD_AFTER_QUEUED)).exists():
        return count
    waited = Q(resume_at__isnull=True) | Q(resume_at__lt=now - DEAD_AFTER_QUEUED)
    ignored = CrawlRun.objects.filter(waited, state=State.QUEUED, due_at__lt=now - DEAD_AFTER_QUEUED)
    return count + sum(fail_run(run, None, NEVER_TAKEN_UP, now=now) for run in ignored)


def _startable_runs(now: datetime) -> QuerySet[CrawlRun]:
    """Return the queued runs that can start, except those on hosts that are being crawled or requested a pause."""
    crawled = SiteDomain.objects.filter(site__runs__state=State.RUNNING)
    resting = SiteDomain.objects.filter(
        site__runs__state=State.QUEUED,
        site__runs__resume_at__range=(now, now + LONGEST_WAIT),
        site__runs__counts__finish_reason=ASKED_TO_WAIT,
    )
    is_busy = Q(site__domains__host__in=crawled.values("host")) | Q(site__domains__host__in=resting.values("host"))
    return CrawlRun.objects.filter(may_resume(now), state=State.QUEUED).exclude(is_busy)


def _scheduled_sites() -> QuerySet[Site]:
    """Return the watched sites with a schedule, which sites of archives do not have."""
    return Site.objects.filter(is_active=True, kind__in=CRAWLED)


def site_timetable(site: Site) -> Timetable:
    zone = timezone.get_default_timezone()
    return Timetable(site.crawl_at, site.interval_days, zone, site.added_at)


def _note_missed(site: Site, now: datetime) -> list[CrawlRun]:
    """Record and return a missed run for each scheduled time since the last scheduled run that no run followed."""
    Site.objects.select_for_update().get(pk=site.pk)  # prevents two schedulers from recording the same time
    timetable = site_timetable(site)
    after = max(site.added_at, now - MAX_LOOK_BACK)
    last = CrawlRun.objects.filter(site=site, trigger=Trigger.SCHEDULE).order_by("-due_at").first()
    if last is not None:
        after = max(after, last.due_at)
    kept = _kept_moments(site, timetable, after)
    return [
        CrawlRun.objects.create(
            site=site, state=State.MISSED, trigger=Trigger.SCHEDULE, due_at=moment, finish_reason=DID_NOT_HAPPEN
        )
        for moment in timetable.expected_moments(after, now - MISSED_AFTER)
        if moment not in kept
    ]


def _kept_moments(site: Site, timetable: Timetable, after: datetime) -> set[datetime]:
    """Return the scheduled times that a run of the whole site followed within MISSED_AFTER, whoever requested it."""
    kept = set()
    whole = CrawlRun.objects.filter(site=site, due_at__gte=after, only_urls="")
    for due_at in whole.values_list("due_at", flat=True):
        moment = timetable.latest(due_at)
        if moment is not None and due_at - moment <= MISSED_AFTER:
            kept.add(moment)
    return kept


def _run_figures(counts: CrawlCounts) -> dict[str, object]:
    kept = asdict(counts)
    for name in ("faults", "end_sentence"):  # messages, which have separate fields
        del kept[name]
    kept["refusals"] = [counts.faults.index(each) for each in counts.refusals]
    return {
        "pages_fetched": counts.fetched,
        "pages_stored": counts.stored,
        "new_versions": counts.new_versions,
        "failed_requests": counts.failed + sum(counts.rejected.get(reason, 0) for reason in FAILURES),
        "counts": kept,
        "faults": counts.faults,
    }


def _update_run(run: CrawlRun, allowed: Q, **values: object) -> bool:
    """Update a run in one statement if it meets the condition `allowed`, and return whether it did. Refreshes `run`."""
    changed = CrawlRun.objects.filter(allowed, pk=run.pk).update(**values)
    run.refresh_from_db()
    return changed == 1


def has_upcoming_crawls(now: datetime) -> bool:
    """Return True if a run is due in the future, which only a wrong clock causes. The query uses an index."""
    return CrawlRun.objects.filter(due_at__gt=now + CLOCKS_DIFFER).exists()


def set_clock_back(now: datetime) -> int:
    """Set times in the future, recorded while the clock was ahead, back to `now`, and return their number.

    Missed runs in the future are deleted.
    """
    deleted, _ = CrawlRun.objects.filter(state=CrawlRun.State.MISSED, due_at__gt=now + CLOCKS_DIFFER).delete()
    return deleted + set_back(now)
