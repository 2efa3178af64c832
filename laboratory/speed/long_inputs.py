"""Long and degenerate inputs: checks that time and memory grow no faster than the text."""

import multiprocessing
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from laboratory.measures.running import Progress
from laboratory.speed.one_input import ONE, PRIVATE, REAL, REPEATED, TWO, Outcome, Role, Task, run

# Twice the input takes 2 times as long if time is linear, 4 times if it is quadratic; the bound is their geometric
# mean. Below MIN_SECONDS the ratio is random.
MAX_RATIO = 8**0.5
MIN_SECONDS = 0.2
MIN_BYTES = 32_000_000
# The slowest linear input takes 0.4 µs per character. An input that was not linear took 114 µs, although no more than
# 1.0 times the time of its half (2026-11): a limit on the work done may stop the growth but not reduce the cost.
MAX_S_PER_CHAR = 4e-6
DEADLINE_S = 150.0
MAX_BYTES = 8_000_000_000
REAL_WORKS, REAL_WORK_CHARS = 4, 50_000

# Longest input as a share of the plan's length: the product promises to read texts of up to 10^7 characters.
_INPUTS: tuple[tuple[str, Role, float], ...] = (
    (REAL, Role.BOTH, 0.1),
    (REAL, Role.BOTH, 1.0),
    (REAL, Role.COPY, 0.1),
    (REPEATED, Role.PAGE, 1.0),
    (REPEATED, Role.WORK, 1.0),
    (REPEATED, Role.BOTH, 0.1),
    (ONE, Role.BOTH, 0.1),
    (ONE, Role.BOTH, 1.0),
    (TWO, Role.BOTH, 0.1),
    (TWO, Role.BOTH, 1.0),
    (PRIVATE, Role.BOTH, 0.1),
)


class Growth(StrEnum):
    """SLOW: the cost does not grow beyond the half, but is too high already. UNKNOWN: not measured."""

    LINEAR = "linear"
    FASTER = "more than linear"
    SLOW = "slow"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class LongInput:
    """One input at half and at whole length. A missing outcome has a reason."""

    kind: str
    role: Role
    chars: int
    half: Outcome | None
    whole: Outcome | None
    reason: str

    @property
    def time_ratio(self) -> float | None:
        """The ratio of processor time of the whole input to the half, None if one of them is missing."""
        if self.half is None or self.whole is None:
            return None
        return self.whole.taken.processor_s / max(self.half.taken.processor_s, 1e-9)

    @property
    def memory_ratio(self) -> float | None:
        if self.half is None or self.whole is None:
            return None
        return self.whole.peak_bytes / max(self.half.peak_bytes, 1)

    @property
    def growth(self) -> Growth:
        """The growth of time and memory compared with that of the text, as far as it can be determined."""
        if self.whole is None or self.time_ratio is None or self.memory_ratio is None:
            return Growth.UNKNOWN
        is_quick = self.whole.taken.processor_s < MIN_SECONDS
        is_small = self.whole.peak_bytes < MIN_BYTES
        if not (is_quick or self.time_ratio <= MAX_RATIO) or not (is_small or self.memory_ratio <= MAX_RATIO):
            return Growth.FASTER
        is_slow = not is_quick and self.whole.taken.processor_s > MAX_S_PER_CHAR * self.chars
        return Growth.SLOW if is_slow else Growth.LINEAR


def measured(
    works: Sequence[str], chars: int, seed: int, progress: Progress, deadline_s: float = DEADLINE_S
) -> tuple[LongInput, ...]:
    """Return every input at half and whole length, the longest with `chars` characters, each run in its own process."""
    source = "\n".join(works)[:chars]
    ordinary = source[: REAL_WORKS * REAL_WORK_CHARS]
    real = tuple(ordinary[start : start + REAL_WORK_CHARS] for start in range(0, len(ordinary), REAL_WORK_CHARS))
    found: list[LongInput] = []
    for kind, role, share in _INPUTS:
        whole = max(2, int(chars * share))
        task = Task(kind, role, whole, real, seed, source if kind == REAL else "")
        half = _outcome(replace(task, chars=whole // 2), deadline_s)
        progress(2 * len(found) + 1, 2 * len(_INPUTS))
        # If the half was too much, the whole is not tried.
        full = half if isinstance(half, str) else _outcome(task, deadline_s)
        found.append(_input(kind, role, whole, half, full))
        progress(2 * len(found), 2 * len(_INPUTS))
    return tuple(found)


def _input(kind: str, role: Role, chars: int, half: Outcome | str, whole: Outcome | str) -> LongInput:
    reason = next((outcome for outcome in (half, whole) if isinstance(outcome, str)), "")
    measured_half, measured_whole = (None if isinstance(each, str) else each for each in (half, whole))
    return LongInput(kind, role, chars, measured_half, measured_whole, reason)


def _outcome(task: Task, deadline_s: float) -> Outcome | str:
    """Run a task in a spawned process, whose memory excludes this one's, and return the outcome or its failure."""
    context = multiprocessing.get_context("spawn")
    reader, writer = context.Pipe(duplex=False)
    process = context.Process(target=run, args=(task, MAX_BYTES, writer), daemon=True)
    process.start()
    writer.close()
    with reader:
        try:
            if not reader.poll(deadline_s):
                return f"{task.chars:,} characters take more than {deadline_s:.0f} s"
            answer: Outcome | str = reader.recv()
        except EOFError:
            answer = "ended without an answer"
        finally:
            process.kill()
            process.join()
    return f"{task.chars:,} characters: {answer}" if isinstance(answer, str) else answer
