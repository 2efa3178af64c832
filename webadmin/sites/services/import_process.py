"""The process that takes in archives that wait: `python -m webadmin.process` with this module and a slot.

A process of its own, as a crawl is: hours of reading, and what is loaded to read, cost the workers nothing.
"""

import logging

from core.clock import SystemClock
from pipeline.app import SETTINGS
from webadmin.sites.services import imports
from webadmin.sites.services.archive_imports import run_import
from webadmin.sites.services.slot_process import work_in_slot
from webadmin.stores import live

log = logging.getLogger("zhuiwen.imports")


def main(arguments: list[str]) -> int:
    """Take in archives; 1 where a store does not answer: the row is taken up again where it stopped."""
    return work_in_slot(arguments, _run_waiting_imports, log, "an import")


def _run_waiting_imports() -> None:
    clock, ports = SystemClock(), live(SETTINGS)
    for row in imports.waiting_imports(clock.now()):
        if imports.take(row, clock.now()):
            run_import(row, ports.pages, ports.outbox, SETTINGS.crawl)
