"""Requeues crawl runs that ended because a service was down, with increasing pauses, and fails them eventually.

The site is not at fault if the database, the page store, the broker or the disk fails. The run therefore keeps its
number, counts and journal, and resumes automatically.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.utils.timezone import localtime

from core.errors import RetryLater
from core.full_disk import find_disk_full_error
from core.pages import CrawlCounts
from core.wording import Message
from webadmin.database import is_outage, unavailable
from webadmin.sites.models import CrawlRun
from webadmin.sites.services import runs as crawls

# Chosen: a fail-over of a managed database takes one to two minutes, a restart with recovery several; the scheduler
# checks once a minute. A service that is down for two hours needs a person, who can then request the crawl again.
PAUSES: Sequence[timedelta] = [
    *(timedelta(seconds=each) for each in (30, 60, 120, 240, 480)),
    *[crawls.MAX_SERVICE_PAUSE] * 6,
]
FULL_DISK = Message("service.full-disk")


def wait_for_service(
    run: CrawlRun, counts: CrawlCounts | None, fault: Message, now: datetime, *, has_moved: bool
) -> bool:
    """Requeue a running run to wait for a service, or fail it after too many attempts without progress.

    fault: the message of the service's error. has_moved: whether this attempt made progress. Returns whether the run
    was still running.
    """
    service = faulty_service(fault)
    attempt = 1 if has_moved else run.outages + 1
    if attempt > len(PAUSES):
        return crawls.fail_run(run, counts, Message("crawl.service-stayed-away", service=service, count=len(PAUSES)))
    goes_on_at = now + PAUSES[attempt - 1]
    when = f"{localtime(goes_on_at):%Y-%m-%d %H:%M:%S}"
    reason = Message(crawls.WAITS_FOR_SERVICE, service=service, when=when)
    return crawls.put_run_back(run, counts, outages=attempt, resume_at=goes_on_at, finish_reason=reason)


def outage_message(error: Exception) -> Message | None:
    """Return the message of `error` if a service is down or a disk is full, or None for any other error."""
    if find_disk_full_error(error) is not None:
        return FULL_DISK
    if is_outage(error):
        return unavailable(error).message
    return error.message if isinstance(error, RetryLater) else None


def faulty_service(fault: Message) -> Message | str:
    """Return the service that the message of an error names, or the whole message if it names none."""
    named: Message | str = fault.params.get("service", fault)
    return named
