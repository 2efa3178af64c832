"""Crawl runs that ended because a service was away: queued again, later each time, and given up in the end.

Database, page store, broker and disk are ours and no fault of the site: the run keeps its number, counts and journal,
and goes on by itself.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.utils.timezone import localtime

from core.errors import RetryLater
from core.full_disk import find_disk_full_error
from core.pages import CrawlCounts
from core.wording import Message
from webadmin.database import is_away, unavailable
from webadmin.sites.models import CrawlRun
from webadmin.sites.services import runs as crawls

# Chosen: a fail-over of a managed database takes one to two minutes, a restart with recovery some; the clock looks once
# a minute. A service that is away for two hours wants a person, who may then ask for the crawl again.
PAUSES: Sequence[timedelta] = [
    *(timedelta(seconds=each) for each in (30, 60, 120, 240, 480)),
    *[crawls.MAX_SERVICE_PAUSE] * 6,
]
FULL_DISK = Message("service.full-disk")


def wait_for_service(
    run: CrawlRun, counts: CrawlCounts | None, fault: Message, now: datetime, *, has_moved: bool
) -> bool:
    """Queue a running run again for a service's sake, or fail it where none of its attempts came any further.

    fault: what the service's error says; has_moved: whether this attempt kept anything. Says whether the run was
    still running.
    """
    service = faulty_service(fault)
    attempt = 1 if has_moved else run.outages + 1
    if attempt > len(PAUSES):
        return crawls.fail(run, counts, Message("crawl.service-stayed-away", service=service, count=len(PAUSES)))
    goes_on_at = now + PAUSES[attempt - 1]
    when = f"{localtime(goes_on_at):%Y-%m-%d %H:%M:%S}"
    reason = Message(crawls.WAITS_FOR_SERVICE, service=service, when=when)
    return crawls.put_back(run, counts, outages=attempt, resume_at=goes_on_at, finish_reason=reason)


def outage_message(error: Exception) -> Message | None:
    """Return the message for an error that means that a service is away, or the disk full; None for any other."""
    if find_disk_full_error(error) is not None:
        return FULL_DISK
    if is_away(error):
        return unavailable(error).message
    return error.message if isinstance(error, RetryLater) else None


def faulty_service(fault: Message) -> Message | str:
    """Return the service that a fault names, or all that it says: `core.no-answer` of ServiceUnavailable names one."""
    named: Message | str = fault.params.get("service", fault)
    return named
