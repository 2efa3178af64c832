"""The figures of speed as rows of text."""

from collections.abc import Iterator

from laboratory.cases.passages import PAGE_CHARS
from laboratory.report import TextTable
from laboratory.speed.clock import Taken
from laboratory.speed.fingerprints import FingerprintSpeed, FingerprintSpeeds
from laboratory.speed.long_inputs import LongInput
from laboratory.speed.matching import Matching, MatchingSpeed
from laboratory.speed.one_input import Outcome
from laboratory.speed.parts import SpeedResults
from laboratory.speed.targets import Target

MEGA = 1e6
NONE = "-"


def tables(results: SpeedResults) -> list[TextTable]:
    """All that is to be read, the targets last."""
    found = []
    if results.fingerprints is not None:
        found.append(fingerprints(results.fingerprints))
    if results.matching is not None:
        found += [matching(results.matching), memory(results.matching)]
    if results.long:
        found.append(long(results.long))
    return [*found, targets(results.targets)]


def notes(results: SpeedResults) -> Iterator[str]:
    """What has to be known to read the tables."""
    on = results.machine
    yield (
        f"{on.processor}, {on.processors} processors, load {on.load_before:g} before and {on.load_after:g} after; "
        f"Python {on.python}, numpy {on.numpy}, numba {on.numba}" + (f", Redis {on.redis}" if on.redis else "")
    )
    made = results.works_chars - results.real_chars
    yield f"works: {results.works_chars:,} characters, of which {made:,} generated"
    mix = ", ".join(f"{count} {name}" for name, count in results.mix.items())
    yield f"pages of {PAGE_CHARS:,} characters, cut or filled up with innocent text: {mix}"
    for absent in results.fingerprints.absent if results.fingerprints else ():
        yield f"{absent.package} {absent.reason}"
    if results.matching is not None and results.matching.without_redis:
        yield f"without Redis and snapshot: {results.matching.without_redis}"


def fingerprints(speeds: FingerprintSpeeds) -> TextTable:
    """One line a contender and kind of text; the last column says how many times slower than the product it is."""
    right = ("characters", "M/s processor", "M/s wall", "slower, wall", "slower, processor")
    rows = [_fingerprint_row(each, speeds.own(each.texts)) for each in speeds.speeds]
    return TextTable("Fingerprints, best of the rounds", ("texts", "by", *right), tuple(rows), right)


def matching(found: Matching) -> TextTable:
    """One line an index."""
    right = (
        "pages",
        "pages/s processor",
        "pages/s wall",
        "with fingerprint",
        "of it Redis",
        "median ms",
        "p99 ms",
        "slowest ms",
        "matched",
        "built in s",
    )
    rows = [_matching_row(each, found.fingerprints) for each in found.speeds]
    pages = found.speeds[0].pages
    title = (
        f"Matching in one process, best of the rounds; the fingerprints of the pages take "
        f"{_ms(found.fingerprints.processor_s / pages)} ms a page of the processor, "
        f"{_ms(found.fingerprints.wall_s / pages)} ms of the clock, beside it"
    )
    return TextTable(title, ("index", *right), tuple(rows), right)


def memory(found: Matching) -> TextTable:
    """One line for each thing that holds memory."""
    held = found.memory
    right = ("MB", "bytes a reference character")
    figures = (
        ("Redis, everything included", held.redis_bytes),
        ("snapshot file", held.snapshot_bytes),
        ("process: texts and fingerprints of the works", held.texts_bytes),
        ("process: memory index", held.memory_index_bytes),
        ("process: matcher, after all pages", held.matcher_bytes),
    )
    rows = [
        (name, f"{size / MEGA:,.1f}", f"{size / held.works_chars:.2f}") if size is not None else (name, NONE, NONE)
        for name, size in figures
    ]
    return TextTable("Memory", ("of", *right), tuple(rows), right)


def long(inputs: tuple[LongInput, ...]) -> TextTable:
    """Two lines an input, of half and of whole length."""
    right = ("characters", "fingerprint s", "index s", "match s", "wall s", "MB", "x time", "x memory")
    rows = [row for each in inputs for row in _long_rows(each)]
    title = "Long inputs, seconds of the processor; beside the whole length, how many times the half it takes"
    return TextTable(title, ("text", "as", *right, "growth"), tuple(rows), right)


def targets(found: list[Target]) -> TextTable:
    """One line a target."""
    right = ("wanted", "processor", "wall")
    rows = [
        (
            each.name,
            each.unit,
            ("at most " if each.is_most else "at least ") + _figure(each.wanted),
            _figure(each.by_processor),
            NONE if each.by_wall is None else _figure(each.by_wall),
            str(each.verdict),
        )
        for each in found
    ]
    return TextTable("Targets", ("of", "unit", *right, "verdict"), tuple(rows), right)


def _fingerprint_row(speed: FingerprintSpeed, own: FingerprintSpeed) -> tuple[str, ...]:
    return (
        speed.texts,
        f"{speed.contender} {speed.version}".strip(),
        f"{speed.chars:,}",
        f"{speed.processor_chars_per_s / MEGA:.2f}",
        f"{speed.wall_chars_per_s / MEGA:.2f}",
        f"{own.wall_chars_per_s / speed.wall_chars_per_s:.1f}",
        f"{own.processor_chars_per_s / speed.processor_chars_per_s:.1f}",
    )


def _matching_row(speed: MatchingSpeed, fingerprints_taken: Taken) -> tuple[str, ...]:
    both = speed.taken + fingerprints_taken
    return (
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
    return (
        f"{outcome.fingerprint.processor_s:.3f}",
        f"{outcome.index.processor_s:.3f}",
        f"{outcome.match.processor_s:.3f}",
        f"{outcome.taken.wall_s:.3f}",
        f"{outcome.peak_bytes / MEGA:,.0f}",
    )


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.3f}"


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.4g}"
