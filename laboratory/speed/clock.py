"""Time taken, twice: of the processor, which other load hardly disturbs, and of the clock, which a user waits for."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from time import perf_counter, process_time


@dataclass(frozen=True, slots=True)
class Taken:
    """Seconds: of the processor, all threads of this process together, and of the clock."""

    processor_s: float
    wall_s: float

    def __add__(self, other: "Taken") -> "Taken":
        return Taken(self.processor_s + other.processor_s, self.wall_s + other.wall_s)


NO_TIME = Taken(0.0, 0.0)


class Stopwatch:
    """Runs from when it is made."""

    def __init__(self) -> None:
        self._wall, self._processor = perf_counter(), process_time()

    def taken(self) -> Taken:
        """Return the time since then."""
        return Taken(process_time() - self._processor, perf_counter() - self._wall)


def taken_by(call: Callable[[], object]) -> Taken:
    """Return the time of one call."""
    watch = Stopwatch()
    call()
    return watch.taken()


def best(rounds: Iterable[Taken]) -> Taken:
    """Return the least of each; what disturbs a round only ever makes it longer."""
    held = list(rounds)
    return Taken(min(each.processor_s for each in held), min(each.wall_s for each in held))
