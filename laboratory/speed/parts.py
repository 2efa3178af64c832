"""The whole measurement of speed: fingerprints beside the peers, matching, memory, long inputs."""

from collections.abc import Collection
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from core.errors import BadInput
from laboratory.cases.build import sources_of
from laboratory.cases.passages import PAGE_CHARS
from laboratory.measures.quality import Listener
from laboratory.report import Section, TextTable
from laboratory.speed import figures, fingerprints, long_inputs, matching
from laboratory.speed.figures import Target
from laboratory.speed.machine import load, machine
from laboratory.speed.redis_server import measured_redis
from laboratory.speed.texts import Material, material, slices

FINGERPRINTS, MATCHING, LONG = PARTS = ("fingerprints", "matching", "long")
WORK_CHARS = 100_000
TEXTS = {PAGE_CHARS: 400, WORK_CHARS: 10}  # number of texts to fingerprint by length, a million characters each


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a measurement. redis_url: an empty database, or None for the memory index only (see `without_redis`).

    texts: a folder instead of the corpora. parts: of PARTS.
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


def measure(plan: Plan, listener: Listener) -> Section:
    """Measure the parts of the plan; others are None in the record. Units are seconds and bytes.

    Raises BadInput and UnreadableFile for unusable sources, ServiceUnavailable if Redis fails.
    """
    if unknown := set(plan.parts) - set(PARTS):
        raise BadInput("laboratory.no-part", parts=sorted(unknown), known=tuple(PARTS))
    load_before = load()
    record: dict[str, Any] = {FINGERPRINTS: None, MATCHING: None, LONG: []}
    tables: list[TextTable] = []
    targets: list[Target] = []
    notes: list[str] = []
    with measured_redis(plan.redis_url) if plan.redis_url and MATCHING in plan.parts else nullcontext() as server:
        sources = sources_of(plan.texts, plan.corpora, plan.seed)
        prepared = material(sources, plan.works_chars, plan.pages, plan.seed, listener.say)
        if FINGERPRINTS in plan.parts:
            kinds = {f"texts of {chars:,}": slices(prepared.works, chars, count) for chars, count in TEXTS.items()}
            speeds, absent = fingerprints.measured(kinds, plan.rounds, listener.progress("fingerprints"))
            record[FINGERPRINTS] = {"speeds": [asdict(each) for each in speeds], "absent": absent}
            tables.append(figures.fingerprint_table(speeds))
            targets += figures.fingerprint_targets(speeds)
            notes += [f"{package} {reason}" for package, reason in absent.items()]
        if MATCHING in plan.parts:
            progress, redis = listener.progress("matching"), server or plan.without_redis
            found = matching.measured(prepared, plan.rounds, redis, listener.say, progress)
            record[MATCHING] = asdict(found)
            tables += [figures.matching_table(found), figures.memory_table(found)]
            targets += figures.matching_targets(found)
            notes += [f"without Redis and snapshot: {found.without_redis}"] if found.without_redis else []
    if LONG in plan.parts:
        progress = listener.progress("long inputs")
        inputs = long_inputs.measured(prepared.works, plan.long_chars, plan.seed, progress)
        record[LONG] = [{**asdict(each), "growth": str(each.growth)} for each in inputs]
        tables.append(figures.long_table(inputs))
        targets += figures.long_targets(inputs)
    on = machine(load_before, server.version if server else "")
    record |= {"machine": asdict(on), "mix": dict(prepared.mix), "targets": [each.record for each in targets]}
    record |= {"works_chars": prepared.works_chars, "real_chars": prepared.real_chars}
    return Section((*tables, figures.target_table(targets)), record, (str(on), *_texts(prepared), *notes))


def _texts(prepared: Material) -> tuple[str, str]:
    made = prepared.works_chars - prepared.real_chars
    mix = ", ".join(f"{count} {name}" for name, count in prepared.mix.items())
    return (
        f"works: {prepared.works_chars:,} characters, of which {made:,} generated",
        f"pages of {PAGE_CHARS:,} characters, cut or filled up with innocent text: {mix}",
    )
