"""Processes that run and do not answer: found by asking them again and again, and killed, to be started anew."""

import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from deploy.services.processes import Process

SILENT_S = 30.0  # what does not answer for so long is replaced
LOOKS = 3  # in vain: that a machine slept, or the watch itself, is no silence of others
# For the first answer after a start, and after the broker was away: a worker tries it again every 30 s.
PATIENCE_S = 120.0


@dataclass(frozen=True, slots=True)
class Silent:
    """A process that runs and has not answered for too long."""

    name: str
    pid: int
    silent_s: float

    def kill(self) -> None:
        """Kill it with its children, which makes the supervisor start it anew."""
        try:
            os.killpg(self.pid, signal.SIGKILL)  # the supervisor gives each process a group of its own
        except ProcessLookupError:
            return  # it ended by itself


@dataclass(slots=True)
class _Seen:
    """What was seen of one process. Times are monotonic."""

    pid: int
    patient_until: float
    silent_since: float | None = None
    looks: int = 0  # in vain, one after the other


class Watch:
    """Looks at processes again and again; `infos` is what the supervisor says of them."""

    def __init__(
        self,
        infos: Callable[[], Mapping[str, Mapping[str, Any]]],
        silent_s: float = SILENT_S,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._infos = infos
        self._silent_s, self._patience_s = silent_s, patience_s
        self._seen: dict[str, _Seen] = {}

    @property
    def is_in_doubt(self) -> bool:
        """Whether one was silent at the last look, and not yet for too long."""
        return any(seen.silent_since is not None for seen in self._seen.values())

    def look(self, table: Sequence[Process]) -> list[Silent]:
        """Ask every process of the table that runs; those that have been silent for too long."""
        infos = self._infos()
        with ThreadPoolExecutor(max(len(table), 1)) as pool:
            found = pool.map(lambda process: self._look_at(process, infos.get(process.name)), table)
            return [silent for silent in found if silent is not None]

    def _look_at(self, process: Process, info: Mapping[str, Any] | None) -> Silent | None:
        if info is None or info["statename"] != "RUNNING":
            self._seen.pop(process.name, None)
            return None
        silent = self._ask(process, self._of(process.name, info))
        if silent is not None:
            del self._seen[process.name]
        return silent

    def _of(self, name: str, info: Mapping[str, Any]) -> _Seen:
        seen = self._seen.get(name)
        if seen is None or seen.pid != info["pid"]:
            since_start_s = info["now"] - info["start"]
            seen = self._seen[name] = _Seen(info["pid"], time.monotonic() + self._patience_s - since_start_s)
        return seen

    def _ask(self, process: Process, seen: _Seen) -> Silent | None:
        asked_at = time.monotonic()
        if process.is_alive():
            seen.silent_since, seen.looks, seen.patient_until = None, 0, asked_at
            return None
        if process.is_waiting():
            seen.patient_until = time.monotonic() + self._patience_s
        if asked_at < seen.patient_until:
            return None
        if seen.silent_since is None:
            seen.silent_since = asked_at
        seen.looks += 1
        silent_s = time.monotonic() - seen.silent_since
        is_too_long = seen.looks >= LOOKS and silent_s >= self._silent_s
        return Silent(process.name, seen.pid, silent_s) if is_too_long else None
