"""`python -m pipeline.backup_process SLOT`: makes the backup of the schedule, as a process beside the workers."""

import logging
import sys

from core.clock import SystemClock
from core.errors import ZhuiwenError
from core.garbage import keep_what_is_loaded
from pipeline import slots
from pipeline.app import SETTINGS
from records.backups import schedule
from records.backups.runs import back_up

log = logging.getLogger("zhuiwen.backups")


def main(arguments: list[str]) -> int:
    """Make the backup that is due; 1 where it failed, which its row says too."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    keep_what_is_loaded()
    slot = slots.inherited(int(arguments[0]))
    try:
        asked = schedule.due(SystemClock().now())
        if asked is None:
            return 0
        made, removed, warning = back_up(asked, SETTINGS, lambda *_: None)
        if warning is not None:
            log.warning("%s", warning)
        log.info("backup %s: %d bytes new, %d old ones removed", made.backup.id, made.new_bytes, removed)
    except ZhuiwenError as error:
        log.error("the backup of the schedule failed: %s", error)
        return 1
    finally:
        slot.free()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
