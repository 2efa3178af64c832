"""Starts and stops the long jobs of this machine: crawls, backups and searches by meaning.

Each job is a separate process. It outlives the worker that starts it, so that no worker waits for it.
"""

import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

import psutil

from core.errors import ZhuiwenError
from core.garbage import freeze_loaded_objects
from core.settings import Settings
from pipeline import slots
from webadmin.database import AWAY, is_outage

CRAWLER = "webadmin.sites.services.crawler"
_RUNNER = ("-m", "webadmin.process")
_HOME = "ZHUIWEN_HOME"
_POLL_S = 0.2


def slots_folder(home: Path) -> Path:
    return home / "run" / "crawlers"


def start_crawler(settings: Settings) -> bool:
    """Start a crawler in a process if this machine has a free slot. Returns True if it had one, without waiting."""
    return start_process(CRAWLER, slots_folder(settings.home), settings)


def restart_lost_crawler(settings: Settings) -> None:
    """Start a crawler if one was killed together with its crawl, so that it requeues the interrupted runs."""
    left = next(slots.take_abandoned_slots(slots_folder(settings.home)), None)
    if left is not None:
        left.free()
        start_crawler(settings)


def start_process(
    module: str,
    folder: Path,
    settings: Settings,
    number: int | None = None,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> bool:
    """Start `module` in a process if `folder` has a free slot. Returns True if it had one, without waiting.

    number: the number of slots, by default the number of crawlers. environment: variables to add or replace.
    """
    slot = slots.take(folder, number or settings.pipeline.crawlers)
    if slot is None:
        return False
    try:
        process = subprocess.Popen(
            [sys.executable, *_RUNNER, module, str(slot.fileno())],
            stdin=subprocess.DEVNULL,
            pass_fds=(slot.fileno(),),
            env={**os.environ, **environment, _HOME: str(settings.home)},
            start_new_session=True,  # A hanging worker is killed with its process group, which must not end a crawl.
        )
    finally:
        slot.free()
    # Waits for the process, which would otherwise remain a zombie while this process lives.
    threading.Thread(target=process.wait, name=f"{module} {process.pid}", daemon=True).start()
    return True


def running_processes(home: Path) -> list[psutil.Process]:
    """Return the processes of all running long jobs of the installation with this home folder."""
    return [process for process in psutil.process_iter() if _is_ours(process, home)]


def stop_jobs(home: Path) -> None:
    """Stop all long jobs of this home folder. Crawls end after their requests in flight, and are queued again."""
    for process in running_processes(home):
        with suppress(psutil.NoSuchProcess):  # The process has already ended.
            process.terminate()


def wait_until_ended(home: Path, max_s: float) -> None:
    """Wait until the long jobs of this home folder have ended, at most `max_s` seconds."""
    deadline = time.monotonic() + max_s
    while running_processes(home) and time.monotonic() < deadline:
        time.sleep(_POLL_S)


def _is_ours(process: psutil.Process, home: Path) -> bool:
    try:
        command = process.cmdline()
        is_one = tuple(command[1:3]) == _RUNNER and "".join(command[4:5]).isdigit()  # preparation has no slot
        return is_one and process.environ().get(_HOME) == str(home)
    except (psutil.Error, OSError):
        return False


def work_in_slot(arguments: Sequence[str], work: Callable[[], object], log: logging.Logger, what: str) -> int:
    """Call `work` in the slot that this process inherited, and return the exit code: 0, or 1 if a service failed.

    The next start then resumes the work. arguments: the file descriptor of the slot. what: the name of the work in the
    log.
    """
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    freeze_loaded_objects()
    slot = slots.inherit_slot(int(arguments[0]))
    try:
        work()
    except (ZhuiwenError, *AWAY) as error:
        if not (isinstance(error, ZhuiwenError) or is_outage(error)):
            raise
        log.warning("%s stopped, and is taken up again: %s", what, error)
        return 1
    finally:
        slot.free()
    return 0
