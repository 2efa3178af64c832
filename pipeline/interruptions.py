"""Crawl runs that a dead machine left behind, taken up again."""

from django.utils.translation import gettext_noop

from core.messages import CrawlRequested
from core.ports import Outbox
from webadmin import crawls
from webadmin.models import CrawlRun

INTERRUPTED = gettext_noop("The machine or the crawler stopped before the crawl's end; it was queued again.")


def requeue_live_runs(outbox: Outbox) -> int:
    """Queue again what is marked as queued or running, when no crawler can be alive; how many.

    The job folder of an interrupted crawl is still there, so that the new run goes on where the old one stopped.
    """
    runs = list(CrawlRun.objects.filter(state__in=CrawlRun.LIVE).select_related("site", "requested_by"))
    for run in runs:
        if run.state == CrawlRun.State.RUNNING:
            crawls.fail(run, None, INTERRUPTED)
            run = crawls.request_run(run.site, user=run.requested_by)  # noqa: PLW2901 - the run that replaces it
        outbox.send(CrawlRequested(run.pk))
    return len(runs)
