"""Requeues crawl runs after a machine or process has died or a message was lost."""

from datetime import datetime, timedelta
from itertools import takewhile

from django.db import transaction
from django.db.models import Q

from core.messages import CrawlRequested
from core.ports import Outbox
from core.wording import Message
from webadmin.sites.models import CrawlRun
from webadmin.sites.services import rechecks
from webadmin.sites.services import runs as crawls

INTERRUPTED = Message("crawl.interrupted")
DIED = Message("crawl.died")
LOST_AFTER = timedelta(minutes=1)  # A message is received within seconds, unless all crawlers are busy.
# The pauses after the first, second and later consecutive runs within a day whose process died before it stored a page,
# so that a site that crashes its crawler is not crawled again and again. A run that was killed later, by an operator or
# for lack of memory, resumes at once. Chosen, not measured.
PAUSES = (timedelta(0), timedelta(0), timedelta(0), timedelta(minutes=15), timedelta(hours=1))
COUNTED_WITHIN = timedelta(days=1)
MAX_WAKE_UPS = 64  # messages sent at a time, as many as a machine may have crawlers


def requeue_live_runs(outbox: Outbox) -> int:
    """Requeue all queued and running runs, and return their number. Must only be called while no crawler can run.

    The journal of an interrupted crawl still exists, so the new run resumes where the old one stopped.
    """
    runs = list(CrawlRun.objects.filter(state__in=CrawlRun.LIVE).select_related("site", "requested_by"))
    for run in runs:
        waiting = _replace_run(run) if run.state == CrawlRun.State.RUNNING else run
        if waiting is not None:
            outbox.send(CrawlRequested(waiting.pk))
    return len(runs)


def requeue_silent_runs(now: datetime, outbox: Outbox) -> int:
    """Requeue the runs whose process sends no heartbeats, and return their number.

    A heartbeat in the future comes from a clock that was ahead, and is set to `now`.
    """
    CrawlRun.objects.filter(state=CrawlRun.State.RUNNING, heartbeat_at__gt=now).update(heartbeat_at=now)
    silent = CrawlRun.objects.filter(
        state=CrawlRun.State.RUNNING, heartbeat_at__lt=now - crawls.DEAD_AFTER_SILENCE
    ).select_related("site", "requested_by")
    queued = [again for run in silent if (again := requeue_dead_run(run, now)) is not None]
    for run in queued:
        outbox.send(CrawlRequested(run.pk))
    return len(queued)


def requeue_dead_run(run: CrawlRun, now: datetime) -> CrawlRun | None:
    """Replace a run whose process died by a queued run, and return the new run.

    The pause grows each time, unless the run stored pages. Returns None after the last of PAUSES within a day, or if
    another process was faster.
    """
    deaths = 0 if crawls.stored_counts(run).kept_pages else _deaths_in_a_row(run, now)
    if deaths >= len(PAUSES):
        return None
    return _replace_run(run, now + PAUSES[deaths] if PAUSES[deaths] else None)


def requeue_or_fail(run: CrawlRun, now: datetime) -> CrawlRun | None:
    """Requeue a run as `requeue_dead_run` does, or fail it and return None."""
    again = requeue_dead_run(run, now)
    if again is None:
        crawls.fail_run(run, None, DIED)
    return again


def slot_task(run: CrawlRun) -> str:
    """Return the note about a run that a crawler writes to its slot.

    The start time is included, because a restored backup may have another run with the same key.
    """
    return f"{run.pk} {run.started_at.isoformat() if run.started_at else ''}"


def requeue_lost_run(task: str, now: datetime) -> CrawlRun | None:
    """Requeue or fail the run that `task`, the note in an abandoned slot, names. Returns the new run, or None."""
    number = task.partition(" ")[0]
    running = CrawlRun.objects.filter(state=CrawlRun.State.RUNNING).select_related("site", "requested_by")
    run = running.filter(pk=int(number)).first() if number.isdecimal() else None
    return requeue_or_fail(run, now) if run is not None and slot_task(run) == task else None


def _deaths_in_a_row(run: CrawlRun, now: datetime) -> int:
    """Return the number of consecutive runs before `run`, of the same pages, that died without storing a page."""
    earlier = CrawlRun.objects.filter(
        site=run.site, only_urls=run.only_urls, pk__lt=run.pk, finished_at__gte=now - COUNTED_WITHIN
    ).order_by("-pk")
    return sum(1 for _ in takewhile(_died_at_once, earlier[: len(PAUSES)]))


def _died_at_once(run: CrawlRun) -> bool:
    is_dead = run.finish_reason is not None and run.finish_reason.code == INTERRUPTED.code
    return is_dead and not crawls.stored_counts(run).kept_pages


def newest_run(run: CrawlRun) -> CrawlRun:
    """Return the run with current values, or the newest run that replaced it if it was interrupted."""
    run.refresh_from_db()
    if run.finish_reason is None or run.finish_reason.code != INTERRUPTED.code:
        return run
    later = CrawlRun.objects.filter(site=run.site_id, only_urls=run.only_urls, pk__gt=run.pk)
    taken_up = later.select_related("site").order_by("pk").first()
    return run if taken_up is None else newest_run(taken_up)


def resend_lost_runs(now: datetime, outbox: Outbox) -> int:
    """Send messages for queued runs that no crawler has started, and return their number, at most MAX_WAKE_UPS.

    Their messages were lost, all crawlers were busy, or the runs waited for the site's hours, a service or a pause. A
    run is crawled only once, even if several messages about it arrive.
    """
    lost = Q(due_at__lt=now - LOST_AFTER) | Q(resume_at__isnull=False)
    runs = CrawlRun.objects.filter(lost, crawls.may_resume(now), state=CrawlRun.State.QUEUED).order_by("due_at", "pk")
    sent = list(runs[:MAX_WAKE_UPS])
    for run in sent:
        outbox.send(CrawlRequested(run.pk))
    return len(sent)


@transaction.atomic
def _replace_run(run: CrawlRun, goes_on_at: datetime | None = None) -> CrawlRun | None:
    crawls.fail_run(run, None, INTERRUPTED)
    try:
        again = crawls.request_run(
            run.site,
            user=run.requested_by,
            trigger=CrawlRun.Trigger.LOOK if run.trigger == CrawlRun.Trigger.LOOK else CrawlRun.Trigger.PERSON,
            only_urls=run.only_urls,
            by_second_route=run.by_second_route,
            resume_at=goes_on_at,
        )
    except crawls.AlreadyRunning:
        return None  # another process was faster
    rechecks.reassign_rechecks(run, again)
    return again
