"""The clock of the schedules, seen to tick."""

import os
from typing import Any

from django_celery_beat.schedulers import DatabaseScheduler

from core.heartbeat import write_heartbeat
from pipeline.app import SETTINGS
from pipeline.process_name import call_this_process

NAME = "zhuiwen-clock"


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
        return super().tick(*args, **kwargs)
