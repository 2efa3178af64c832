"""Measures processor time, which is hardly affected by other load, and wall time, which a user waits for."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from time import perf_counter, process_time


@dataclass(frozen=True, slots=True)
class Taken:
    """Processor time of all threads of this process, and wall time, in seconds."""

    processor_s: float
    wall_s: float

    def __add__(self, other: "Taken") -> "Taken":
        return Taken(self.processor_s + other.processor_s, self.wall_s + other.wall_s)


NO_TIME = Taken(0.0, 0.0)


class Stopwatch:
    """A stopwatch that starts when it is created."""

    def __init__(self) -> None:
        self._wall, self._processor = perf_counter(), process_time()

    def taken(self) -> Taken:
        """Return the time since the start."""
        return Taken(process_time() - self._processor, perf_counter() - self._wall)


def taken_by(call: Callable[[], object]) -> Taken:
    """Return the time of one call."""
    watch = Stopwatch()
    call()
    return watch.taken()


def best(rounds: Iterable[Taken]) -> Taken:
    """Return the minimum of each time, because disturbances only make a round longer."""
    held = list(rounds)
    return Taken(min(each.processor_s for each in held), min(each.wall_s for each in held))
