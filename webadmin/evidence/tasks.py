"""Celery tasks of evidence: bundles, screenshots, timestamps and the nightly check."""

import logging
import time

from django.dispatch import receiver

from core.clock import SystemClock
from core.errors import RetryLater
from core.ids import VersionId
from core.messages import matches_found
from pipeline.app import SETTINGS, app
from pipeline.connections import redis_client
from pipeline.pending import pending
from pipeline.redis_lock import STAMPING, redis_lock
from webadmin.accounts.services import failures
from webadmin.base_tasks import PagesStep, PeriodicTask, StepTask
from webadmin.cases.signals import sweep_ended
from webadmin.evidence.services import bundles as bundle_rows
from webadmin.evidence.services import making as evidence
from webadmin.evidence.services.authorities import configured_authorities
from webadmin.evidence.services.making import live_evidence
from webadmin.stores import live

log = logging.getLogger("zhuiwen.pipeline")
LOCK_WAIT_S = 120.0  # a sweep of 100,000 pages takes seconds
DRAWING = "drawing of evidence"
MAX_PENDING_BUNDLES = 500  # bundles requested again by one sweep; each takes about 20 ms
DRAWING_S = 20.0  # Other tasks run afterwards.
DRAWING_BATCH = 100


@app.task(name="evidence.bundle_evidence", base=PagesStep)
def bundle_evidence(version_ids: list[str]) -> None:
    """Bundle the matches of these page versions that have no bundle yet."""
    for version in version_ids:
        evidence.create_bundles(VersionId(version), live_evidence(SETTINGS))


# Acknowledged early, because the next sweep requests missing renderings again.
@app.task(name="evidence.draw_evidence", base=PeriodicTask, acks_late=False)
def draw_evidence() -> None:
    """Render stored responses of cases until another task waits or DRAWING_S seconds have passed."""
    client, end = redis_client(SETTINGS), time.monotonic() + DRAWING_S

    def may_continue() -> bool:
        waits = pending(client).waiting
        return time.monotonic() < end and not (waits["pages"] or waits["works"])

    chromium, is_left = SETTINGS.crawl.chromium, False
    with redis_lock(client, DRAWING) as is_ours:
        if is_ours:
            drawn = evidence.draw_pending(live_evidence(SETTINGS), DRAWING_BATCH, chromium, may_continue)
            log.info("%d page versions were drawn", drawn)
            is_left = drawn > 0 and time.monotonic() >= end and bool(bundle_rows.undrawn_records(limit=1))
    if is_left:
        draw_evidence.apply_async(retry=False)


@app.task(name="evidence.stamp_evidence", base=PeriodicTask)
def stamp_evidence() -> None:
    """Create the trees of past days and request the missing timestamps."""
    with redis_lock(redis_client(SETTINGS), STAMPING) as is_ours:
        if is_ours:
            authorities = configured_authorities(SETTINGS.evidence)
            log.info("evidence: %s", evidence.stamp_days(authorities, SystemClock()))


@app.task(name="evidence.check_evidence", base=StepTask, soft_time_limit=None, time_limit=None)
def check_evidence() -> None:
    """Apply the retention policy, then read every stored bundle and file.

    Raises RetryLater while timestamps are requested.
    """
    with redis_lock(redis_client(SETTINGS), STAMPING, wait_s=LOCK_WAIT_S) as is_ours:
        if not is_ours:
            raise RetryLater("evidence.being-stamped")
        ports = live_evidence(SETTINGS)
        removed = evidence.remove_expired(SETTINGS.evidence.keep_years, ports)
        checked = evidence.check_stored(ports)
    log.info("evidence: %d bundles and %d files read, %d faults, %d bundles removed",
             checked.bundles, checked.files, len(checked.faults), removed)  # fmt: skip


@receiver(sweep_ended)
def queue_pending_evidence(**_: object) -> None:
    """Queue pending bundles and screenshots after each sweep, including those of older cases."""
    waits = pending(redis_client(SETTINGS)).waiting["evidence"]
    owed = bundle_rows.unbundled_versions(MAX_PENDING_BUNDLES) if not waits else []
    for message in matches_found(sorted(set(owed) - failures.failed_versions(bundle_evidence.name, owed))):
        live(SETTINGS).outbox.send(message)
    if SETTINGS.evidence.draws and bundle_rows.undrawn_records(limit=1):
        draw_evidence.apply_async(retry=False)
