"""The figures of speed as tables, and their targets."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from laboratory.report import TextTable
from laboratory.speed.clock import Taken
from laboratory.speed.fingerprints import FingerprintSpeed
from laboratory.speed.long_inputs import Growth, LongInput, Outcome
from laboratory.speed.matching import REDIS, SNAPSHOT, Matching
from laboratory.speed.peers import PRODUCT

MEGA = 1e6
NONE = "-"
FINGERPRINT_CHARS_PER_S = 40e6
TIMES_PEER = {"datasketch": 50.0, "rensa": 4.0}  # their fastest way
PAGES_PER_S = {SNAPSHOT: 2_000.0, REDIS: 400.0}
MAX_REDIS_BYTES_PER_CHAR = 3.0


@dataclass(frozen=True, slots=True)
class Target:
    """A target. wanted: minimum, or maximum if is_most. by_wall: None if wall time is irrelevant."""

    name: str
    unit: str
    wanted: float
    by_processor: float
    by_wall: float | None
    is_most: bool = False

    @property
    def verdict(self) -> str:
        if self._is_met(self.by_processor if self.by_wall is None else self.by_wall):
            return "met"
        # Other load took the rest of the time.
        return "met by the processor's clock alone" if self._is_met(self.by_processor) else "not met"

    def _is_met(self, figure: float) -> bool:
        return figure <= self.wanted if self.is_most else figure >= self.wanted

    @property
    def record(self) -> dict[str, Any]:
        """The target as a dictionary, with its verdict."""
        return {**asdict(self), "verdict": self.verdict}


def fingerprint_table(speeds: Sequence[FingerprintSpeed]) -> TextTable:
    """Return one line per contender and kind of text.

    The last column tells how many times slower than the product it is.
    """
    right = ("characters", "M/s processor", "M/s wall", "slower, wall", "slower, processor")
    rows = []
    for each in speeds:
        own = _own(speeds, each.texts)
        figures = (
            each.processor_chars_per_s / MEGA,
            each.wall_chars_per_s / MEGA,
            own.wall_chars_per_s / each.wall_chars_per_s,
            own.processor_chars_per_s / each.processor_chars_per_s,
        )
        shown = (f"{figures[0]:.2f}", f"{figures[1]:.2f}", f"{figures[2]:.1f}", f"{figures[3]:.1f}")
        rows.append((each.texts, f"{each.contender} {each.version}".strip(), f"{each.chars:,}", *shown))
    return TextTable("Fingerprints, best of the rounds", ("texts", "by", *right), tuple(rows), right)


def fingerprint_targets(speeds: Sequence[FingerprintSpeed]) -> Iterator[Target]:
    """Yield the speed of the product, and its ratio to the fastest way of each peer, by processor time."""
    for texts in dict.fromkeys(each.texts for each in speeds):
        own = _own(speeds, texts)
        figures = own.processor_chars_per_s / MEGA, own.wall_chars_per_s / MEGA
        yield Target(f"fingerprints, {texts}", "M characters/s", FINGERPRINT_CHARS_PER_S / MEGA, *figures)
        for package, wanted in TIMES_PEER.items():
            ways = [each for each in speeds if (each.texts, each.package) == (texts, package)]
            if ways:
                peer = max(ways, key=lambda each: each.processor_chars_per_s)
                times = own.processor_chars_per_s / peer.processor_chars_per_s
                times_wall = own.wall_chars_per_s / peer.wall_chars_per_s
                yield Target(f"fingerprints, {texts}, beside {peer.contender}", "times", wanted, times, times_wall)


def matching_table(found: Matching) -> TextTable:
    """Return one line per index."""
    right = (
        *("pages", "pages/s processor", "pages/s wall", "with fingerprint", "of it Redis", "median ms", "p99 ms"),
        *("slowest ms", "matched", "built in s"),
    )
    rows = []
    for speed in found.speeds:
        both = speed.taken + found.fingerprints
        rows.append(
            (
                speed.index,
                f"{speed.pages:,}",
                f"{speed.processor_pages_per_s:,.0f}",
                f"{speed.wall_pages_per_s:,.0f}",
                f"{speed.pages / both.processor_s:,.0f} / {speed.pages / both.wall_s:,.0f}",
                f"{speed.redis_s / speed.taken.processor_s:.0%}",
                f"{speed.median_ms:.2f}",
                f"{speed.p99_ms:.2f}",
                f"{speed.slowest_ms:.1f}",
                f"{speed.matched_pages:,}",
                f"{speed.build.processor_s:.1f}",
            )
        )
    a_page = (1e3 * seconds / found.speeds[0].pages for seconds in _seconds(found.fingerprints))
    of_processor, of_clock = (f"{each:.3f}" for each in a_page)
    title = (
        f"Matching in one process, best of the rounds; the fingerprints of the pages take {of_processor} ms a page of "
        f"the processor, {of_clock} ms of the clock, beside it"
    )
    return TextTable(title, ("index", *right), tuple(rows), right)


def memory_table(found: Matching) -> TextTable:
    """Return one line for each use of memory."""
    held = found.memory
    figures = {
        "Redis, everything included": held.redis_bytes,
        "snapshot file": held.snapshot_bytes,
        "process: texts and fingerprints of the works": held.texts_bytes,
        "process: memory index": held.memory_index_bytes,
        "process: matcher, after all pages": held.matcher_bytes,
    }
    rows = tuple(
        (name, f"{size / MEGA:,.1f}", f"{size / held.works_chars:.2f}") if size is not None else (name, NONE, NONE)
        for name, size in figures.items()
    )
    right = ("MB", "bytes a reference character")
    return TextTable("Memory", ("of", *right), rows, right)


def matching_targets(matching: Matching) -> Iterator[Target]:
    """Yield the pages per second by index, and the memory of Redis."""
    for speed in matching.speeds:
        if speed.index in PAGES_PER_S:
            figures = speed.processor_pages_per_s, speed.wall_pages_per_s
            yield Target(f"matching, {speed.index}", "pages/s", PAGES_PER_S[speed.index], *figures)
    memory = matching.memory
    if memory.redis_bytes is not None:
        a_char = memory.redis_bytes / memory.works_chars
        name = "Redis for a character of the works"
        yield Target(name, "bytes", MAX_REDIS_BYTES_PER_CHAR, a_char, None, is_most=True)


def long_table(inputs: Sequence[LongInput]) -> TextTable:
    """Return two lines per input, for half and whole length."""
    right = ("characters", "fingerprint s", "index s", "match s", "wall s", "MB", "x time", "x memory")
    rows = tuple(row for each in inputs for row in _long_rows(each))
    title = "Long inputs, seconds of the processor; beside the whole length, how many times the half it takes"
    return TextTable(title, ("text", "as", *right, "growth"), rows, right)


def long_targets(inputs: Sequence[LongInput]) -> Iterator[Target]:
    """Yield the number of inputs whose time and memory grow linearly."""
    linear = float(sum(each.growth is Growth.LINEAR for each in inputs))
    yield Target("long inputs in linear time and memory", "inputs", float(len(inputs)), linear, None)


def target_table(found: Sequence[Target]) -> TextTable:
    """Return one line per target."""
    right = ("wanted", "processor", "wall")
    rows = []
    for each in found:
        wanted = ("at most " if each.is_most else "at least ") + _figure(each.wanted)
        by_wall = NONE if each.by_wall is None else _figure(each.by_wall)
        rows.append((each.name, each.unit, wanted, _figure(each.by_processor), by_wall, each.verdict))
    return TextTable("Targets", ("of", "unit", *right, "verdict"), tuple(rows), right)


def _own(speeds: Sequence[FingerprintSpeed], texts: str) -> FingerprintSpeed:
    return next(each for each in speeds if (each.texts, each.contender) == (texts, PRODUCT))


def _seconds(taken: Taken) -> tuple[float, float]:
    return taken.processor_s, taken.wall_s


def _long_rows(found: LongInput) -> Iterator[tuple[str, ...]]:
    head = (found.kind, str(found.role))
    if found.half is not None:
        yield (*head, f"{found.chars // 2:,}", *_outcome_cells(found.half), "", "", "")
    if found.whole is None or found.time_ratio is None or found.memory_ratio is None:
        yield (*head, f"{found.chars:,}", *[NONE] * 7, found.reason)
        return
    ratios = f"{found.time_ratio:.1f}", f"{found.memory_ratio:.1f}"
    yield (*head, f"{found.chars:,}", *_outcome_cells(found.whole), *ratios, str(found.growth))


def _outcome_cells(outcome: Outcome) -> tuple[str, ...]:
    times = (outcome.fingerprint.processor_s, outcome.index.processor_s, outcome.match.processor_s)
    return *(f"{each:.3f}" for each in (*times, outcome.taken.wall_s)), f"{outcome.peak_bytes / MEGA:,.0f}"


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.4g}"
