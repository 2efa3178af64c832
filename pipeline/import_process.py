"""`python -m pipeline.import_process SLOT`: takes in the archives that wait, one after the other, until none does.

A process of its own, as a crawl is: hours of reading, and what is loaded to read, cost the workers nothing.
"""

import logging
import sys

from core.clock import SystemClock
from core.errors import RetryLater
from core.garbage import keep_what_is_loaded
from pipeline import slots
from pipeline.app import SETTINGS
from pipeline.imports import run_import
from pipeline.wiring import live
from records.database import AWAY, is_away
from records.sites import imports

log = logging.getLogger("zhuiwen.imports")


def main(arguments: list[str]) -> int:
    """Take in archives; 1 where a store does not answer: the row is taken up again where it stopped."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    keep_what_is_loaded()
    slot, clock, ports = slots.inherited(int(arguments[0])), SystemClock(), live(SETTINGS)
    try:
        for row in imports.waiting_imports(clock.now()):
            if imports.take(row, clock.now()):
                run_import(row, ports.pages, ports.outbox, SETTINGS.crawl)
    except (RetryLater, *AWAY) as error:
        if not (isinstance(error, RetryLater) or is_away(error)):
            raise
        log.warning("an import stopped, and is taken up again: %s", error)
        return 1
    finally:
        slot.free()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
