"""Follows what becomes of the pages of confirmed cases. Each part may run twice, and goes on where the last one ended.

1. what crawls that have ended saw of these pages is taken in, and what came back is said
2. what looks prove by now is said
3. the looks that prove a removal are bundled as evidence
4. the looks that are due are asked for
"""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from core.errors import BadInput, BrokenInvariant
from core.ports import EvidenceStore
from pipeline.steps import Ports
from webadmin.notices.services.removals import bundling, conclusions, looks, schedule
from webadmin.sites.models import CrawlRun

log = logging.getLogger("zhuiwen.removals")

# A run that nobody followed for so long is of a time when nobody looked: what it saw of pages is no news any more.
NEWS_FOR = timedelta(days=2)
RUNS_AT_ONCE, BUNDLES_AT_ONCE = 50, 200


@dataclass(frozen=True, slots=True)
class Followed:
    """What one round did."""

    looks: int = 0
    removed: int = 0
    returned: int = 0
    bundled: int = 0
    asked: int = 0

    @property
    def says_something(self) -> bool:
        return self != Followed()


def follow(ports: Ports, store: EvidenceStore) -> Followed:
    """Return one round. Raises RetryLater where a store is away: the next round goes on."""
    now = ports.clock.now()
    made, returned = _take_in(ports, now), len(conclusions.take_back())
    removed = sum(conclusions.conclude(case) is not None for case in conclusions.unproved())
    conclusions.note_removed(now)  # of notices that were noted as sent after their pages were removed, too
    return Followed(made, removed, returned, _bundle(ports, store), schedule.ask_due(now, ports.outbox))


def _take_in(ports: Ports, now: datetime) -> int:
    ended = CrawlRun.objects.exclude(state__in=CrawlRun.LIVE).filter(followed_at=None, started_at__isnull=False)
    runs = ended.filter(finished_at__gte=now - NEWS_FOR).order_by("finished_at", "pk")
    sources, made = looks.Sources.of(ports.pages, ports.works), 0
    for run in runs[:RUNS_AT_ONCE]:
        made += len(looks.take_in(run, sources))
        CrawlRun.objects.filter(pk=run.pk).update(followed_at=now)
    return made


def _bundle(ports: Ports, store: EvidenceStore) -> int:
    made = 0
    for look in bundling.unbundled().iterator():
        if made == BUNDLES_AT_ONCE:
            break
        try:
            bundling.bundle_look(look, ports.pages, ports.works, store, ports.clock)
            made += 1
        except (BadInput, BrokenInvariant) as error:
            log.error("the look %s at case %s was not bundled: %s", look.pk, look.case_id, error)
    return made
