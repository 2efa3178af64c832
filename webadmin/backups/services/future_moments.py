"""Moments that lie ahead of the clock: one that was ahead left them, and what counts from them would stand still.

Each is set back to now at start, and as soon as the schedule or a tick of it meets one. What such a clock wrote of
pages and evidence stays as it was taken down.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Model, Q, QuerySet
from django_celery_beat.models import PeriodicTask, PeriodicTasks

from core.clock import CLOCKS_DIFFER
from crawler.fetching.proxies import LONGEST_PAUSE_S as LONGEST_PAUSE_OF_PROXY_S
from webadmin.backups.models import BackupRun
from webadmin.cases.models import OpinionRequest
from webadmin.evidence.models import StampAttempt
from webadmin.evidence.services.bundles import LONGEST_PAUSE
from webadmin.notices.models import NoticeMail
from webadmin.sites.models import ArchiveImport, ContactLookUp, CrawlRun, DiscoveryQuery, PageRecheck, Site, SiteProxy
from webadmin.sites.services.runs import LONGEST_WAIT


@dataclass(frozen=True, slots=True)
class _Moments:
    """A column. most: how far ahead it may lie by right. of: which rows, None: all."""

    model: type[Model]
    field: str
    most: timedelta = CLOCKS_DIFFER
    of: Q | None = None

    def ahead(self, now: datetime) -> QuerySet[Any]:
        rows = self.model._default_manager.filter(**{f"{self.field}__gt": now + self.most})
        return rows if self.of is None else rows.filter(self.of)


_MOMENTS = (
    _Moments(PeriodicTask, "last_run_at"),
    _Moments(PeriodicTasks, "last_update"),  # by which the clock sees that the table was changed
    *(_Moments(CrawlRun, name) for name in ("due_at", "started_at", "heartbeat_at", "finished_at")),
    _Moments(CrawlRun, "resume_at", LONGEST_WAIT),
    _Moments(Site, "added_at"),
    *(_Moments(ArchiveImport, name) for name in ("requested_at", "heartbeat_at")),
    *(_Moments(BackupRun, name) for name in ("started_at", "ended_at")),
    *(_Moments(NoticeMail, name, of=Q(ended_at=None)) for name in ("asked_at", "began_at")),
    _Moments(ContactLookUp, "asked_at"),
    _Moments(DiscoveryQuery, "asked_at"),
    _Moments(OpinionRequest, "requested_at"),
    _Moments(PageRecheck, "asked_at"),
    _Moments(SiteProxy, "cools_until", CLOCKS_DIFFER + timedelta(seconds=LONGEST_PAUSE_OF_PROXY_S)),
    _Moments(StampAttempt, "next_at", CLOCKS_DIFFER + LONGEST_PAUSE),
)


def set_back(now: datetime) -> int:
    """Let nothing lie ahead; how many moments did. Crawls that were missed by that clock alone are forgotten."""
    missed, _ = CrawlRun.objects.filter(state=CrawlRun.State.MISSED, due_at__gt=now + CLOCKS_DIFFER).delete()
    return missed + sum(each.ahead(now).update(**{each.field: now}) for each in _MOMENTS)


def has_crawls_ahead(now: datetime) -> bool:
    """Whether any crawl is due later than now, which an index says; none is by right."""
    return CrawlRun.objects.filter(due_at__gt=now + CLOCKS_DIFFER).exists()


def count_ahead(now: datetime) -> dict[str, int]:
    """How many lie ahead, by what they are of, in the language of whoever reads."""
    counts: dict[str, int] = {}
    for each in _MOMENTS:
        if count := each.ahead(now).count():
            name = str(each.model._meta.verbose_name_plural)
            counts[name] = counts.get(name, 0) + count
    return counts
