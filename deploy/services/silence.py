"""Finds running processes that do not respond, by repeated checks, and kills them so that they are restarted."""

import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from deploy.services.health import ServiceHealth
from deploy.services.processes import WATCH_TIMEOUT_S, Process

SILENT_S = 30.0  # a process that does not respond for this time is replaced
LOOKS = 3  # failed checks required, because the machine or the watch itself may have slept
# Until the first response after a start, and after the broker was down: a worker reconnects every 30 s.
PATIENCE_S = 120.0


@dataclass(slots=True)
class Silent:
    """The record of a running process and its failed checks. Times are monotonic.

    patient_until: before this time no failed check counts. since: the first failed check that counts.
    """

    name: str
    pid: int
    patient_until: float
    since: float | None = None
    silent_s: float = 0.0
    looks: int = 0  # consecutive failed checks

    def kill(self) -> None:
        """Kill the process with its children, so that the supervisor restarts it."""
        with suppress(ProcessLookupError):  # the process has already ended
            os.killpg(self.pid, signal.SIGKILL)  # the supervisor gives each process its own group


class SilenceWatch:
    """Checks processes repeatedly. infos: returns the supervisor's information on them."""

    def __init__(
        self,
        infos: Callable[[], Mapping[str, Mapping[str, Any]]],
        silent_s: float = SILENT_S,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._infos = infos
        self._silent_s, self._patience_s = silent_s, patience_s
        self._seen: dict[str, Silent] = {}

    @property
    def is_in_doubt(self) -> bool:
        """True if a process was silent at the last check, but not yet for too long."""
        return any(seen.since is not None for seen in self._seen.values())

    def look(self, table: Sequence[Process]) -> list[Silent]:
        """Check the running processes of the table, and return those that have been silent for too long."""
        infos = self._infos()
        running = [each for each in table if infos.get(each.name, {}).get("statename") == "RUNNING"]
        self._seen = {each.name: self._find_record(each.name, infos[each.name]) for each in running}
        with ThreadPoolExecutor(max(len(running), 1)) as pool:
            silent = list(pool.map(lambda each: self._is_too_silent(each, self._seen[each.name]), running))
        return [self._seen.pop(each.name) for each, is_silent in zip(running, silent, strict=True) if is_silent]

    def _find_record(self, name: str, info: Mapping[str, Any]) -> Silent:
        seen = self._seen.get(name)
        if seen is not None and seen.pid == info["pid"]:
            return seen
        since_start_s = info["now"] - info["start"]
        return Silent(name, info["pid"], time.monotonic() + self._patience_s - since_start_s)

    def _is_too_silent(self, process: Process, seen: Silent) -> bool:
        asked_at = time.monotonic()
        if process.health(WATCH_TIMEOUT_S) is not ServiceHealth.SILENT:
            seen.since, seen.looks, seen.patient_until = None, 0, asked_at
            return False
        if process.is_waiting():
            seen.patient_until = time.monotonic() + self._patience_s
        if asked_at < seen.patient_until:
            return False
        seen.since = asked_at if seen.since is None else seen.since
        seen.looks += 1
        seen.silent_s = time.monotonic() - seen.since
        return seen.looks >= LOOKS and seen.silent_s >= self._silent_s
