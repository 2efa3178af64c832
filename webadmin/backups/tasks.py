"""The Celery tasks of backups and of the checks of the stores."""

import logging

from django.dispatch import receiver

from core.clock import SystemClock
from pipeline.app import SETTINGS, app
from pipeline.connections import redis_client
from pipeline.redis_lock import redis_lock
from webadmin import database
from webadmin.backups.services import schedule as backup_schedule
from webadmin.backups.services import store_checks
from webadmin.backups.services.checking import run as checking
from webadmin.backups.services.checking.damage import CheckPart
from webadmin.backups.services.status_notes import note_evidence_status
from webadmin.base_tasks import PeriodicTask, StepTask
from webadmin.cases.signals import sweep_began
from webadmin.sites.services.crawlers import start_process

log = logging.getLogger("zhuiwen.pipeline")
PROCESS = "webadmin.backups.services.schedule"
CHECKING = "store check"


@app.task(name="backups.back_up", base=PeriodicTask, acks_late=False)
def back_up() -> None:
    """Start a process for a scheduled backup that is due, unless one is running."""
    if backup_schedule.due_backup(SystemClock().now()) is not None:
        # A backup includes tables of apps that only the web settings install, such as the admin log.
        of_pages = {"DJANGO_SETTINGS_MODULE": "webadmin.settings"}
        start_process(PROCESS, SETTINGS.home / "run" / "backups", SETTINGS, number=1, environment=of_pages)


@app.task(name="backups.check_stores", base=StepTask, soft_time_limit=None, time_limit=None)
def check_stores() -> None:
    """Check the next part of the stores, and repair what can be rebuilt."""
    client = redis_client(SETTINGS)
    with redis_lock(client, CHECKING) as is_ours:
        if not is_ours:
            return
        part = CheckPart(store_checks.next_part())
        report = checking.check_and_note(SETTINGS, lambda name, done, total: None, may_mend=True, part=part)
    for reason in report.unread:
        log.warning("check of the stores: %s", reason)
    for damage in report.damages:
        log.error("damaged: %s", damage)


@app.task(name="backups.refresh_statistics", base=StepTask)
def refresh_statistics() -> None:
    """Update the database's statistics on its tables."""
    database.refresh_statistics()


@receiver(sweep_began)
def note_status(**_: object) -> None:
    """Write the note on evidence and backups at each sweep."""
    note_evidence_status(redis_client(SETTINGS), SETTINGS)
