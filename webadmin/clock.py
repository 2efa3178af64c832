"""The clock of the schedules, seen to tick."""

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
    """Keeps its schedule in the admin's tables and gives a sign of life with every look at it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._parent = os.getppid()
        call_this_process(NAME)
        super().__init__(*args, **kwargs)

    def tick(self, *args: Any, **kwargs: Any) -> Any:
        """Send what is due; seconds until the next look. Ends the clock of a worker that was killed."""
        if os.getppid() != self._parent:
            raise SystemExit  # the worker that takes its place has a clock of its own
        write_heartbeat(SETTINGS.home, os.environ, "-clock")
        self._set_back(SystemClock().now())
        return super().tick(*args, **kwargs)

    def _set_back(self, now: datetime) -> None:
        """Let nothing have run later than now: where the clock was ahead, it would not run before that comes."""
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
        # When each is next due was reckoned by that clock too, and when to read the tables again.
        self._heap, self._initial_read = None, True
