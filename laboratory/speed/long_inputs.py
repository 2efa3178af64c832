"""Long and degenerate inputs: checks that time and memory grow no faster than the text.

Each input runs in a separate process, so that its peak memory can be measured and it can be aborted.
"""

import multiprocessing
import resource
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from multiprocessing.connection import Connection

import numpy as np
import psutil
from numpy.typing import NDArray

from fingerprint.fingerprinting import fingerprint_text
from laboratory.cases.passages import PAGE_CHARS
from laboratory.measures.running import Progress
from laboratory.memory_matcher import memory_matcher
from laboratory.speed.clock import Stopwatch, Taken, best
from laboratory.speed.machine import forget_peak, peak_bytes

REAL, REPEATED, ONE, TWO, PRIVATE = "real texts", "repeated text, varied", "one character", "two in turn", "private use"
LEFT_OUT_SHARE = 0.05  # of the characters of a copy, so that its offsets drift from those of the work
CHANGED_SHARE = 0.02  # of the characters, so that no two repetitions are equal for long
PRIVATE_USE = range(0xE000, 0xF900)
REPEATS = 3  # the best counts; slow inputs run once
REPEAT_WITHIN_S = 10.0
WARM_CHARS = 3_000
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


class Role(StrEnum):
    """The role of the long text. BOTH: it is compared with itself. COPY: the page lacks some of its characters."""

    PAGE = "page"
    WORK = "work"
    BOTH = "page and work"
    COPY = "work, page 5 % shorter"


@dataclass(frozen=True, slots=True)
class Task:
    """One input. real: ordinary works that are also in the index. source: more of them, for long real texts."""

    kind: str
    role: Role
    chars: int
    real: tuple[str, ...]
    seed: int
    source: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Times for fingerprinting the page, fingerprinting and indexing all works, and looking up the page.

    peak_bytes: peak resident memory, including the text itself, above that before the first fingerprint.
    """

    fingerprint: Taken
    index: Taken
    match: Taken
    peak_bytes: int
    matches: int

    @property
    def taken(self) -> Taken:
        """The total of fingerprint, index and match."""
        return self.fingerprint + self.index + self.match


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


def run(task: Task, max_bytes: int, answer: Connection) -> None:
    """Run a task, and send its outcome or the reason why there is none."""
    with answer:
        try:
            _measure(Task(task.kind, task.role, WARM_CHARS, task.real[:1], task.seed))
            limit = psutil.Process().memory_info().vms + max_bytes
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
            answer.send(_measure(task))
        except MemoryError:
            answer.send(f"needs more than {max_bytes / 1e9:.1f} GB")


def _measure(task: Task) -> Outcome:
    long = KINDS[task.kind](task)
    works = [*task.real, *([long] if task.role is not Role.PAGE else [])]
    page = _page(long, task)
    forget_peak()
    before = psutil.Process().memory_info().rss
    fingerprint = _best(lambda: fingerprint_text(page))
    indexed = _best(lambda: memory_matcher(works))
    made, matcher, found = fingerprint_text(page), memory_matcher(works), 0

    def match() -> None:
        nonlocal found
        found = len(matcher.match(page, made))

    return Outcome(fingerprint, indexed, _best(match), max(0, peak_bytes() - before), found)


def _page(long: str, task: Task) -> str:
    if task.role is Role.WORK:
        return long[len(long) // 2 :][:PAGE_CHARS]
    if task.role is Role.COPY:
        return _text(_codes(long)[np.random.default_rng(task.seed).random(len(long)) >= LEFT_OUT_SHARE])
    return long


def _best(call: Callable[[], object]) -> Taken:
    rounds: list[Taken] = []
    while not rounds or (len(rounds) < REPEATS and sum(each.wall_s for each in rounds) < REPEAT_WITHIN_S):
        watch = Stopwatch()
        call()
        rounds.append(watch.taken())
    return best(rounds)


def _real(task: Task) -> str:
    """Return concatenated real texts, repeated if there are not enough."""
    return task.source[: task.chars] if len(task.source) >= task.chars else _repeat_with_changes(task)


def _repeat_with_changes(task: Task) -> str:
    """Return the real texts repeated, with a share of CHANGED_SHARE random characters replaced by others of them."""
    real = _codes("\n".join(task.real))
    rng = np.random.default_rng(task.seed)
    made = np.tile(real, task.chars // real.size + 1)[: task.chars].copy()
    changed = rng.integers(0, task.chars, int(task.chars * CHANGED_SHARE))
    made[changed] = real[rng.integers(0, real.size, changed.size)]
    return _text(made)


def _private_use(task: Task) -> str:
    rng = np.random.default_rng(task.seed)
    return _text(rng.integers(PRIVATE_USE.start, PRIVATE_USE.stop, task.chars).astype(np.uint32))


def _codes(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


def _text(codes: NDArray[np.uint32]) -> str:
    return codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


KINDS: Mapping[str, Callable[[Task], str]] = {
    REAL: _real,
    REPEATED: _repeat_with_changes,
    ONE: lambda task: "一" * task.chars,
    TWO: lambda task: ("天地" * (task.chars // 2 + 1))[: task.chars],
    PRIVATE: _private_use,
}
