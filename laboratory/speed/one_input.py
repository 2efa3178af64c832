"""Runs one long input in a separate process, so that its peak memory can be measured and it can be aborted."""

import resource
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from multiprocessing.connection import Connection

import numpy as np
import psutil
from numpy.typing import NDArray

from fingerprint.fingerprinting import fingerprint_text
from laboratory.cases.passages import PAGE_CHARS
from laboratory.memory_matcher import memory_matcher
from laboratory.speed.clock import Stopwatch, Taken, best
from laboratory.speed.machine import forget_peak, peak_bytes

LEFT_OUT_SHARE = 0.05  # of the characters of a copy, so that its offsets drift from those of the work
CHANGED_SHARE = 0.02  # of the characters, so that no two repetitions are equal for long
PRIVATE_USE = range(0xE000, 0xF900)
REPEATS = 3  # the best counts; slow inputs run once
REPEAT_WITHIN_S = 10.0
WARM_CHARS = 3_000


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
    return task.source[: task.chars] if len(task.source) >= task.chars else _repeated(task)


def _repeated(task: Task) -> str:
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


REAL, REPEATED, ONE, TWO, PRIVATE = "real texts", "repeated text, varied", "one character", "two in turn", "private use"
KINDS: Mapping[str, Callable[[Task], str]] = {
    REAL: _real,
    REPEATED: _repeated,
    ONE: lambda task: "一" * task.chars,
    TWO: lambda task: ("天地" * (task.chars // 2 + 1))[: task.chars],
    PRIVATE: _private_use,
}
