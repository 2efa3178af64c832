"""The process that makes the backup of the schedule: `python -m webadmin.process` with this module and a slot."""

import logging

from core.clock import SystemClock
from pipeline.app import SETTINGS
from webadmin.backups.services import schedule
from webadmin.backups.services.runs import back_up
from webadmin.sites.services.slot_process import work_in_slot

log = logging.getLogger("zhuiwen.backups")


def main(arguments: list[str]) -> int:
    """Make the backup that is due; 1 where it failed, which its row says too."""
    return work_in_slot(arguments, _back_up, log, "the backup of the schedule")


def _back_up() -> None:
    asked = schedule.due(SystemClock().now())
    if asked is None:
        return
    made, removed, warning = back_up(asked, SETTINGS, lambda *_: None)
    if warning is not None:
        log.warning("%s", warning)
    log.info("backup %s: %d bytes new, %d old ones removed", made.backup.id, made.new_bytes, removed)
