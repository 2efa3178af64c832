"""What is asked of the figures, and whether they reach it by the processor's clock and by that on the wall."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from laboratory.speed.fingerprints import FingerprintSpeeds
from laboratory.speed.long_inputs import Growth, LongInput
from laboratory.speed.matching import REDIS, SNAPSHOT, Matching

FINGERPRINT_CHARS_PER_S = 40e6
TIMES_PEER = {"datasketch": 50.0, "rensa": 4.0}  # their fastest way
PAGES_PER_S = {SNAPSHOT: 2_000.0, REDIS: 400.0}
MAX_REDIS_BYTES_PER_CHAR = 3.0


class Verdict(StrEnum):
    """BY_PROCESSOR: other load took the rest of the time."""

    MET = "met"
    BY_PROCESSOR = "met by the processor's clock alone"
    MISSED = "not met"


@dataclass(frozen=True, slots=True)
class Target:
    """wanted: at least, or at most where is_most. by_wall: None where the clock has no say."""

    name: str
    unit: str
    wanted: float
    by_processor: float
    by_wall: float | None
    is_most: bool = False

    @property
    def verdict(self) -> Verdict:
        if self._is_met(self.by_processor if self.by_wall is None else self.by_wall):
            return Verdict.MET
        return Verdict.BY_PROCESSOR if self._is_met(self.by_processor) else Verdict.MISSED

    def _is_met(self, figure: float) -> bool:
        return figure <= self.wanted if self.is_most else figure >= self.wanted


def targets(
    fingerprints: FingerprintSpeeds | None, matching: Matching | None, long: tuple[LongInput, ...]
) -> list[Target]:
    """All targets that what was measured has a figure for."""
    found: list[Target] = []
    if fingerprints is not None:
        found += _of_fingerprints(fingerprints)
    if matching is not None:
        found += _of_matching(matching)
    if long:
        linear = float(sum(each.growth is Growth.LINEAR for each in long))
        found.append(Target("long inputs in linear time and memory", "inputs", float(len(long)), linear, None))
    return found


def _of_fingerprints(speeds: FingerprintSpeeds) -> Iterator[Target]:
    for texts in speeds.kinds:
        own = speeds.own(texts)
        figures = own.processor_chars_per_s / 1e6, own.wall_chars_per_s / 1e6
        yield Target(f"fingerprints, {texts}", "M characters/s", FINGERPRINT_CHARS_PER_S / 1e6, *figures)
        for package, wanted in TIMES_PEER.items():
            peer = speeds.fastest_of(package, texts)
            if peer is not None:
                ratios = (
                    own.processor_chars_per_s / peer.processor_chars_per_s,
                    own.wall_chars_per_s / peer.wall_chars_per_s,
                )
                yield Target(f"fingerprints, {texts}, beside {peer.contender}", "times", wanted, *ratios)


def _of_matching(matching: Matching) -> Iterator[Target]:
    for index, wanted in PAGES_PER_S.items():
        speed = matching.of(index)
        if speed is not None:
            yield Target(f"matching, {index}", "pages/s", wanted, speed.processor_pages_per_s, speed.wall_pages_per_s)
    memory = matching.memory
    if memory.redis_bytes is not None:
        bytes_per_char = memory.redis_bytes / memory.works_chars
        wanted = MAX_REDIS_BYTES_PER_CHAR
        yield Target("Redis for a character of the works", "bytes", wanted, bytes_per_char, None, is_most=True)
