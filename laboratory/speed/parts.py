"""The whole measurement of speed: fingerprints beside the peers, matching, memory, long inputs."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from core.errors import BadInput
from laboratory.cases.build import sources_of
from laboratory.cases.passages import PAGE_CHARS
from laboratory.measures.quality import Listener
from laboratory.speed import fingerprints, long_inputs, matching
from laboratory.speed.fingerprints import FingerprintSpeeds
from laboratory.speed.long_inputs import LongInput
from laboratory.speed.machine import Machine, load, machine
from laboratory.speed.matching import Matching
from laboratory.speed.redis_server import MeasuredRedis, measured_redis
from laboratory.speed.targets import Target, targets
from laboratory.speed.texts import Material, material, slices

FINGERPRINTS, MATCHING, LONG = PARTS = ("fingerprints", "matching", "long")
WORK_CHARS = 100_000
TEXTS = {PAGE_CHARS: 400, WORK_CHARS: 10}  # so many texts of so many characters are fingerprinted: a million each


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure. redis_url: of an empty database; None: only the memory index, for the reason `without_redis`.

    texts: a folder in place of the corpora. parts: of PARTS.
    """

    corpora: Path
    texts: Path | None
    seed: int
    works_chars: int
    pages: int
    long_chars: int
    rounds: int
    redis_url: str | None
    without_redis: str = ""
    parts: Collection[str] = PARTS


@dataclass(frozen=True, slots=True)
class SpeedResults:
    """What was measured; None or empty for a part that was not asked for."""

    machine: Machine
    works_chars: int
    real_chars: int
    mix: dict[str, int]
    fingerprints: FingerprintSpeeds | None
    matching: Matching | None
    long: tuple[LongInput, ...]

    @property
    def targets(self) -> list[Target]:
        return targets(self.fingerprints, self.matching, self.long)


def measure(plan: Plan, listener: Listener) -> SpeedResults:
    """Measure all parts that the plan names.

    Raises BadInput and UnreadableFile for sources that do not do, ServiceUnavailable where Redis fails.
    """
    if unknown := set(plan.parts) - set(PARTS):
        raise BadInput("laboratory.no-part", parts=sorted(unknown), known=tuple(PARTS))
    load_before = load()
    with _server(plan) as server:
        version = server.version if server else ""
        prepared = material(
            sources_of(plan.texts, plan.corpora, plan.seed), plan.works_chars, plan.pages, plan.seed, listener.say
        )
        fingerprints = _fingerprints(plan, prepared, listener) if FINGERPRINTS in plan.parts else None
        matching = _matching(plan, prepared, server, listener) if MATCHING in plan.parts else None
    long: tuple[LongInput, ...] = ()
    if LONG in plan.parts:
        long = long_inputs.measured(prepared.works, plan.long_chars, plan.seed, listener.progress("long inputs"))
    return SpeedResults(
        machine(load_before, version),
        prepared.works_chars,
        prepared.real_chars,
        dict(prepared.mix),
        fingerprints,
        matching,
        long,
    )


def as_dict(results: SpeedResults) -> dict[str, Any]:
    """All figures, for programs. Times in seconds, memory in bytes."""
    return {
        **asdict(results),
        "long": [{**asdict(each), "growth": str(each.growth)} for each in results.long],
        "targets": [{**asdict(target), "verdict": str(target.verdict)} for target in results.targets],
    }


@contextmanager
def _server(plan: Plan) -> Iterator[MeasuredRedis | None]:
    is_asked = plan.redis_url is not None and MATCHING in plan.parts
    with measured_redis(plan.redis_url) if is_asked and plan.redis_url else nullcontext() as server:
        yield server


def _fingerprints(plan: Plan, prepared: Material, listener: Listener) -> FingerprintSpeeds:
    kinds = {f"texts of {chars:,}": slices(prepared.works, chars, count) for chars, count in TEXTS.items()}
    return fingerprints.measured(kinds, plan.rounds, listener.progress("fingerprints"))


def _matching(plan: Plan, prepared: Material, server: MeasuredRedis | None, listener: Listener) -> Matching:
    redis = server or plan.without_redis
    return matching.measured(prepared, plan.rounds, redis, listener.say, listener.progress("matching"))
