"""A process beside the workers that was given a slot of this machine: how it begins, and how it ends."""

import logging
from collections.abc import Callable, Sequence

from core.errors import ZhuiwenError
from core.garbage import freeze_loaded_objects
from pipeline import slots
from webadmin.database import AWAY, is_away


def work_in_slot(arguments: Sequence[str], work: Callable[[], object], log: logging.Logger, what: str) -> int:
    """Do its work, and return the exit code: 1 where it could not be done to its end, and the next start goes on.

    what: its name in the log.
    """
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    freeze_loaded_objects()
    slot = slots.inherit_slot(int(arguments[0]))
    try:
        work()
    except (ZhuiwenError, *AWAY) as error:
        if not (isinstance(error, ZhuiwenError) or is_away(error)):
            raise
        log.warning("%s stopped, and is taken up again: %s", what, error)
        return 1
    finally:
        slot.free()
    return 0
