"""The main function of a process with a slot, such as an import or a backup."""

import logging
from collections.abc import Callable, Sequence

from core.errors import ZhuiwenError
from core.garbage import freeze_loaded_objects
from pipeline import slots
from webadmin.database import AWAY, is_away


def work_in_slot(arguments: Sequence[str], work: Callable[[], object], log: logging.Logger, what: str) -> int:
    """Do the work and return the exit code: 1 if a service failed, so that the next start resumes the work.

    what: the name of the work in the log.
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
