"""Celery tasks that send the mails of notices and follow removals."""

import logging
from typing import Any

from core.clock import SystemClock
from pipeline.app import SETTINGS, app
from pipeline.connections import redis_client
from pipeline.redis_lock import redis_lock
from webadmin.base_tasks import PeriodicTask, StepTask
from webadmin.evidence.services.making import live_evidence
from webadmin.notices.services import mails
from webadmin.notices.services.removals import following as removals
from webadmin.stores import live

log = logging.getLogger("zhuiwen.pipeline")
REMOVALS = "removals of pages"


class MailStep(StepTask):
    """A task for one mail of a notice. A permanent failure is recorded for the mail."""

    abstract = True

    def on_failure(self, exc: Exception, task_id: str, args: Any, kwargs: Any, einfo: Any) -> None:
        super().on_failure(exc, task_id, args, kwargs, einfo)
        mails.record_failure(kwargs["mail_id"], SystemClock().now())


@app.task(name="notices.send_mail", base=MailStep)
def send_mail(mail_id: int) -> None:
    """Send the mail that a user requested. A mail that was attempted before is not sent again."""
    mails.deliver_mail(mail_id, SETTINGS, SystemClock())


@app.task(name="notices.follow_removals", base=PeriodicTask)
def follow_removals() -> None:
    """Record removed and returned pages from crawls, bundle the proof, and request the checks that are due."""
    with redis_lock(redis_client(SETTINGS), REMOVALS) as is_ours:
        if is_ours:
            done = removals.follow_removals(live(SETTINGS), live_evidence(SETTINGS).store)
            if done.has_changes:
                log.info("removals: %s", done)
