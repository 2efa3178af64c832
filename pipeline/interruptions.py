"""Crawl runs that something left behind - a dead machine, a dead process, a lost message - taken up again."""

from datetime import datetime, timedelta

from django.db.models import Q
from django.utils.translation import gettext_noop

from core.messages import CrawlRequested
from core.ports import Outbox
from webadmin import crawls
from webadmin.models import CrawlRun

INTERRUPTED = gettext_noop("The machine or the crawler stopped before the crawl's end; it was queued again.")
LOST_AFTER = timedelta(minutes=2)  # a message is taken within seconds while crawlers are free
ONCE_WITHIN = timedelta(days=1)  # a site that ends its crawler each time is not crawled again and again


def requeue_live_runs(outbox: Outbox) -> int:
    """Queue again what is marked as queued or running, when no crawler can be alive; how many.

    The journal of an interrupted crawl is still there, so that the new run goes on where the old one stopped.
    """
    runs = list(CrawlRun.objects.filter(state__in=CrawlRun.LIVE).select_related("site", "requested_by"))
    for run in runs:
        if run.state == CrawlRun.State.RUNNING:
            _replace(run, outbox)
        else:
            outbox.send(CrawlRequested(run.pk))
    return len(runs)


def take_up_silent_runs(now: datetime, outbox: Outbox) -> int:
    """Queue again the runs whose process gives no sign of life, once a day for a site; how many."""
    silent = CrawlRun.objects.filter(
        state=CrawlRun.State.RUNNING, heartbeat_at__lt=now - crawls.DEAD_AFTER_SILENCE
    ).select_related("site", "requested_by")
    taken_up = 0
    for run in silent:
        before = CrawlRun.objects.filter(site=run.site, finish_reason=INTERRUPTED, finished_at__gte=now - ONCE_WITHIN)
        if not before.exists():
            _replace(run, outbox)
            taken_up += 1
    return taken_up


def resend_lost_runs(now: datetime, outbox: Outbox) -> int:
    """Send again the message of runs that nobody took although no message waits; how many.

    A run is crawled once however often its message arrives. One that waits for the site's hours is sent when they come.
    """
    may_go_on = Q(resume_at__isnull=True) | Q(resume_at__lte=now)
    lost = CrawlRun.objects.filter(may_go_on, state=CrawlRun.State.QUEUED, due_at__lt=now - LOST_AFTER)
    for run in lost:
        outbox.send(CrawlRequested(run.pk))
    return len(lost)


def _replace(run: CrawlRun, outbox: Outbox) -> None:
    crawls.fail(run, None, INTERRUPTED)
    try:
        successor = crawls.request_run(run.site, user=run.requested_by)
    except crawls.AlreadyRunning:
        return  # somebody was faster
    outbox.send(CrawlRequested(successor.pk))
