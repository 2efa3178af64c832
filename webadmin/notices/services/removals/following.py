"""Follows the pages of confirmed cases in rounds. Each step can be repeated and resumes where the last round ended.

1. Record the checks of these pages by finished crawls, and end the removals of pages that are back.
2. Record the removals that the checks now prove.
3. Bundle the checks that prove a removal as evidence.
4. Request the checks that are due.
"""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from core.errors import BadInput, BrokenInvariant
from core.ports import EvidenceStore
from pipeline.steps import Ports
from webadmin.notices.services.removals import bundling, conclusions, run_looks, schedule
from webadmin.notices.services.removals.page_looks import Sources
from webadmin.notices.services.removals.passage_finder import PassageFinder
from webadmin.sites.models import CrawlRun

log = logging.getLogger("zhuiwen.removals")

# An older unprocessed run is from a time when rounds did not run, and its observations are outdated.
NEWS_FOR = timedelta(days=2)
RUNS_AT_ONCE, BUNDLES_AT_ONCE = 50, 200


@dataclass(frozen=True, slots=True)
class RoundCounts:
    """The counts of a round."""

    looks: int = 0
    removed: int = 0
    returned: int = 0
    bundled: int = 0
    asked: int = 0

    @property
    def has_changes(self) -> bool:
        return self != RoundCounts()


def follow_removals(ports: Ports, store: EvidenceStore) -> RoundCounts:
    """Run a round and return its counts. Raises RetryLater if a store is unreachable; the next round resumes."""
    now = ports.clock.now()
    made, returned = _record_ended_runs(ports, now), len(conclusions.end_removals())
    removed = sum(conclusions.confirm_removal(case) is not None for case in conclusions.unproved_cases())
    conclusions.mark_notices_removed(now)  # including notices recorded as sent after their pages were removed
    return RoundCounts(
        made, removed, returned, _bundle_looks(ports, store), schedule.request_due_checks(now, ports.outbox)
    )


def _record_ended_runs(ports: Ports, now: datetime) -> int:
    ended = CrawlRun.objects.exclude(state__in=CrawlRun.LIVE).filter(followed_at=None, started_at__isnull=False)
    runs = ended.filter(finished_at__gte=now - NEWS_FOR).order_by("finished_at", "pk")
    sources, made = Sources(ports.pages, PassageFinder(ports.works)), 0
    for run in runs[:RUNS_AT_ONCE]:
        made += len(run_looks.record_looks(run, sources))
        CrawlRun.objects.filter(pk=run.pk).update(followed_at=now)
    return made


def _bundle_looks(ports: Ports, store: EvidenceStore) -> int:
    made = 0
    for look in bundling.looks_without_bundle().iterator():
        if made == BUNDLES_AT_ONCE:
            break
        try:
            bundling.bundle_look(look, ports.pages, ports.works, store, ports.clock)
            made += 1
        except (BadInput, BrokenInvariant) as error:
            log.error("the look %s at case %s was not bundled: %s", look.pk, look.case_id, error)
    return made
