"""The scheduler of periodic tasks, which writes a heartbeat."""

import logging
import os
from contextlib import suppress
from datetime import datetime
from typing import Any

from django_celery_beat.schedulers import DatabaseScheduler

from core.clock import CLOCKS_DIFFER, SystemClock
from core.heartbeat import write_heartbeat
from core.wording import Message
from pipeline.app import SETTINGS
from pipeline.process_name import call_this_process
from webadmin.database import AWAY
from webadmin.sites.services.runs import set_clock_back

NAME = "zhuiwen-clock"
log = logging.getLogger("zhuiwen.clock")


class Scheduler(DatabaseScheduler):
    """A scheduler that reads its schedule from the admin database and writes a heartbeat at each tick."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._parent = os.getppid()
        call_this_process(NAME)
        super().__init__(*args, **kwargs)

    def tick(self, *args: Any, **kwargs: Any) -> Any:
        """Send the due tasks and return the seconds until the next tick. Exits if the parent worker was killed."""
        if os.getppid() != self._parent:
            raise SystemExit  # The next worker starts its own scheduler.
        write_heartbeat(SETTINGS.home, os.environ, "-clock")
        self._correct_last_runs(SystemClock().now())
        return super().tick(*args, **kwargs)

    def _correct_last_runs(self, now: datetime) -> None:
        """Set the last runs that lie in the future back to `now`.

        They were recorded while the system clock was ahead, and they would block their tasks.
        """
        ahead = [entry for entry in self.schedule.values() if entry.last_run_at > now + CLOCKS_DIFFER]
        if not ahead:
            return
        for entry in ahead:
            entry.last_run_at = entry.model.last_run_at = now
            entry.model.no_changes = True
            self._dirty.add(entry.name)
        self.sync()
        with suppress(*AWAY):
            count = len(ahead) + set_clock_back(now)
            log.warning("%s", Message("start.set-back", count=count))
        # The due times, and the time of the next read of the tables, were computed with the wrong clock too.
        self._heap, self._initial_read = None, True
