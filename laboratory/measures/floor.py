"""The quality floor: measures of a fixed set of cases that must never fall. `python -m laboratory.measures.floor`.

The cases are made from the short texts of `tests/quality/texts`, so they need no other files, and are pinned by their
digests. All measures are shares; higher is better.
"""

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from math import floor
from pathlib import Path
from typing import Any

from core.errors import BadInput, UnreadableFile, ZhuiwenError
from laboratory.cases import build, folder
from laboratory.cases.conditions import SIZES
from laboratory.measures.finders import PRODUCT
from laboratory.measures.results import EngineResult, engine_result
from laboratory.measures.running import Page, run
from laboratory.scores.detection_quality import NEGATIVE, OVERALL, Measures

QUALITY = Path(__file__).resolve().parents[2] / "tests" / "quality"
SIZE, SEED = "tiny", 2026
CLASSES = ("full", "excerpt", "patchwork", "negative", "grey", "hard")
# Less than one page of any class at this size (1 of 93 is .01): only the ends of passages may move by so much, if
# another version of a library sets a boundary one character away.
TOLERANCE = 0.001
PLACES = 4  # of a floor, rounded down


@dataclass(frozen=True, slots=True)
class Quality:
    """The digests of a case set, and its measured or required quality."""

    digests: Mapping[str, str]
    measures: Mapping[str, float]


def measured(texts: Path) -> Quality:
    """Return the current quality of the matcher. Raises UnreadableFile, and BadInput for texts that make no cases."""
    cases = build.built(folder.sources(texts, SEED), SIZES[SIZE], SEED, CLASSES, lambda _: None)
    works = [(work.work_id, work.text) for work in cases.works]
    pages = [Page(case.page_id, case.text) for case in cases.cases]
    found = run(PRODUCT, works, pages, lambda _done, _total: None)
    return Quality(cases.digests(), measures_of(engine_result(cases.cases, found)))


def measures_of(result: EngineResult) -> dict[str, float]:
    """Return the measures that have floors, by name."""
    measures: dict[str, float] = {}
    for condition, own in result.measures.items():
        name = condition.case_class
        if condition.attack != "*" or name == "positives":
            continue
        if name == NEGATIVE:
            measures |= {f"{name} not matched": 1 - _share(own.false_positive_rate)}
            measures |= {f"{name} not accused": 1 - _share(own.false_accusation_rate)}
        elif name == "grey":
            measures |= {f"{name} not accused": 1 - own.accused_positives / max(1, own.positive_pages)}
        else:
            measures |= _of_copies(name, own)
    return measures


def below(floors: Quality, now: Quality) -> list[str]:
    """Return one sentence for each floor that is not met; none if all are met and the cases are the same."""
    if floors.digests != now.digests:
        changed = sorted(name for name in floors.digests if floors.digests[name] != now.digests.get(name))
        return [f"the cases are not those that the floors were measured on: {', '.join(changed)} differ"]
    missing = sorted(floors.measures.keys() - now.measures.keys())
    return [
        *(f"{name} is not measured any more" for name in missing),
        *(
            f"{name} is {now.measures[name]:.4f}, below its floor of {least:.4f}"
            for name, least in floors.measures.items()
            if name not in missing and now.measures[name] < least - TOLERANCE
        ),
    ]


def raised(floors: Quality | None, now: Quality, *, allow_regression: bool) -> Quality:
    """Return the floors raised to the current measures.

    Raises BadInput if a floor would fall, or if the cases have changed so that this is unknown, unless it is allowed.
    """
    new = Quality(now.digests, {name: _rounded_down(value) for name, value in now.measures.items()})
    if floors is None or allow_regression:
        return new
    lowered = below(floors, now)
    if lowered:
        raise BadInput("laboratory.lowered", lowered=lowered)
    kept = {name: max(value, floors.measures.get(name, 0.0)) for name, value in new.measures.items()}
    return Quality(now.digests, kept)


def read(path: Path) -> Quality:
    """Return the floors in a file. Raises UnreadableFile."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        return Quality(dict(record["sha256"]), {name: float(value) for name, value in record["floors"].items()})
    except OSError as error:
        raise UnreadableFile(path, "file.cannot-be-read", error=error.strerror or error) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UnreadableFile(path, "laboratory.no-floors") from error


def written(quality: Quality) -> str:
    """Return the floors in the format of the file."""
    record: dict[str, Any] = {"sha256": dict(quality.digests), "floors": dict(sorted(quality.measures.items()))}
    return json.dumps(record, ensure_ascii=False, indent=1) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Run the command. Return 0 if every floor is met or was updated, 1 if not, 2 for unusable files."""
    parser = argparse.ArgumentParser(prog="python -m laboratory.measures.floor", description="Check the quality floor.")
    parser.add_argument("--texts", type=Path, default=QUALITY / "texts", help="the texts that the cases are made of")
    parser.add_argument("--floors", type=Path, default=QUALITY / "floors.json", help="the file of the floors")
    parser.add_argument("--update", action="store_true", help="raise the floors to what is measured now")
    parser.add_argument("--allow-regression", action="store_true", help="with --update: lower them where they fell")
    given = parser.parse_args(arguments)
    try:
        now = measured(given.texts)
        return _updated(given, now) if given.update else _checked(read(given.floors), now)
    except ZhuiwenError as error:
        _say(f"error: {error}")
        return 2


def _updated(given: argparse.Namespace, now: Quality) -> int:
    floors = read(given.floors) if given.floors.exists() else None
    try:
        new = raised(floors, now, allow_regression=given.allow_regression)
    except BadInput as refusal:
        _say(f"error: {refusal}")
        return 1
    given.floors.write_text(written(new), encoding="utf-8")
    _say(f"{len(new.measures)} floors written to {given.floors}")
    return 0


def _checked(floors: Quality, now: Quality) -> int:
    for name, value in now.measures.items():
        _say(f"{name:<28}{value:.4f}  floor {floors.measures.get(name, 0.0):.4f}")
    faults = below(floors, now)
    for fault in faults:
        _say(f"error: {fault}")
    return 1 if faults else 0


def _of_copies(name: str, own: Measures) -> dict[str, float]:
    measures = {f"{name} recall": own.recall}
    if name == OVERALL:
        measures |= {f"{name} precision": own.precision}
    if own.spans is not None:
        measures |= {f"{name} plagdet": own.spans.plagdet, f"{name} wholeness": 1 / own.spans.granularity}
    return measures


def _share(value: float | None) -> float:
    return value or 0.0


def _rounded_down(value: float) -> float:
    scale = 10.0**PLACES
    return floor(value * scale + 1e-9) / scale


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main())
