"""The process that imports waiting archives: `python -m webadmin.process` with this module and a slot.

It is a separate process, as for a crawl, so that hours of reading and the memory for it do not burden the workers.
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
    """Import archives, and return the exit code: 1 if a store does not answer; the import is resumed later."""
    return work_in_slot(arguments, _run_waiting_imports, log, "an import")


def _run_waiting_imports() -> None:
    clock, ports = SystemClock(), live(SETTINGS)
    for row in imports.waiting_imports(clock.now()):
        if imports.take(row, clock.now()):
            run_import(row, ports.pages, ports.outbox, SETTINGS.crawl)
