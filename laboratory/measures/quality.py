"""A whole measurement: cases, the requested engines, the news, the results."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.errors import BadInput, UnreadableFile
from laboratory.cases import build, news
from laboratory.cases.case_set import CaseSet, read_case_set, span_record
from laboratory.cases.conditions import SIZES
from laboratory.cases.news import NewsItem
from laboratory.measures import comparison, reworded
from laboratory.measures.comparison import Fared
from laboratory.measures.finders import engine_names
from laboratory.measures.results import EngineResult, Results, engine_result
from laboratory.measures.running import Page, Progress, Run, run
from laboratory.scores.detection_quality import Reported

NEWS = "news"
CLASSES = (*build.CLASSES, NEWS)
CASES, COMPARISON, REWORDED = PARTS = ("cases", "comparison", "reworded")
SMALL_NEWS_ITEMS = 1_200  # two and a half months, so that follow-ups are included with the items that they repeat


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a measurement. texts: a folder instead of the corpora. ready: a built case set. parts: of PARTS."""

    engine: str
    size: str
    seed: int
    classes: frozenset[str]
    corpora: Path
    texts: Path | None = None
    ready: Path | None = None
    jobs: int = 1
    out: Path | None = None
    parts: frozenset[str] = frozenset((CASES,))


@dataclass(frozen=True, slots=True)
class Listener:
    """Receives the progress. say: called with a line. progress: reports the pages of an engine, given its name."""

    say: Callable[[str], None]
    progress: Callable[[str], Progress]


def measure(plan: Plan, listener: Listener) -> Results:
    """Make the cases, run the engines and score them. Write cases and matches to `plan.out` if it is given.

    Raises NotFound for an unknown engine, BadInput and UnreadableFile for unusable sources.
    """
    if unknown := plan.parts - set(PARTS):
        raise BadInput("laboratory.no-part", parts=sorted(unknown), known=PARTS)
    found = _of_cases(plan, listener) if CASES in plan.parts else Results({"size": plan.size, "seed": plan.seed}, [])
    if COMPARISON in plan.parts:
        found = replace(found, comparisons=_comparisons(plan, listener))
    if REWORDED in plan.parts:
        progress = listener.progress(REWORDED)
        found = replace(found, reworded=reworded.measured(plan.corpora, plan.size, plan.seed, progress))
    return found


def _comparisons(plan: Plan, listener: Listener) -> list[Fared]:
    sources = build.sources_of(plan.texts, plan.corpora, plan.seed)
    return comparison.measured(sources, plan.size, plan.seed, listener.progress(COMPARISON))


def _of_cases(plan: Plan, listener: Listener) -> Results:
    engines = engine_names(plan.engine)
    if unknown := plan.classes - set(CLASSES):
        raise BadInput("laboratory.no-class", classes=sorted(unknown), known=tuple(CLASSES))
    case_set = _case_set(plan, listener)
    items = _news_items(plan, listener)
    if not case_set.cases and not items:
        raise BadInput("laboratory.nothing-left")
    settings = _settings(plan, case_set, items)
    if plan.out is not None and case_set.cases:
        case_set.write(plan.out, settings)
    return Results(settings, [_measured(name, plan, listener, case_set, items) for name in engines])


def _measured(
    engine: str, plan: Plan, listener: Listener, case_set: CaseSet, items: Sequence[NewsItem]
) -> EngineResult:
    found = score = news_run = None
    if case_set.cases:
        works = ((work.work_id, work.text) for work in case_set.works)
        pages = [Page(case.page_id, case.text) for case in case_set.cases]
        found = run(engine, works, pages, listener.progress(engine), plan.jobs)
        _write_matches(plan.out, found)
    if items:
        works = ((item.item_id, item.text) for item in items)
        pages = [Page(item.item_id, item.text, item.item_id) for item in items]
        news_run = run(engine, works, pages, listener.progress(f"{engine}, news"), plan.jobs)
        score = news.scored(items, news_run.reports)
    return engine_result(case_set.cases, found, score, news_run)


def _case_set(plan: Plan, listener: Listener) -> CaseSet:
    wanted = plan.classes - {NEWS}
    if plan.ready is not None:
        ready = read_case_set(plan.ready)
        kept = tuple(case for case in ready.cases if _family(case.case_class) in wanted)
        return CaseSet(ready.works, kept, ready.material)
    if not wanted:
        return CaseSet((), ())
    sources = build.sources_of(plan.texts, plan.corpora, plan.seed)
    return build.built(sources, SIZES[plan.size], plan.seed, wanted, listener.say)


def _news_items(plan: Plan, listener: Listener) -> list[NewsItem]:
    """Return the news items, or none if the cases are not from the corpora."""
    if NEWS not in plan.classes or plan.texts is not None:
        return []
    listener.say("counting what the news items share")
    return news.items(plan.corpora, SMALL_NEWS_ITEMS if plan.size == "small" else None)


def _settings(plan: Plan, case_set: CaseSet, items: Sequence[NewsItem]) -> dict[str, Any]:
    settings: dict[str, Any] = {"size": plan.size, "seed": plan.seed, "jobs": plan.jobs}
    if case_set.cases:
        settings |= {**case_set.summary(), "sha256": case_set.digests()}
    return settings | ({"news_items": len(items)} if items else {})


def _write_matches(out: Path | None, found: Run) -> None:
    """Write one line for each page with a match, in the format of `zhuiwen batch`."""
    if out is None:
        return
    path = out / f"matches-{found.engine}.jsonl"
    try:
        with path.open("w", encoding="utf-8") as file:
            for page_id, reports in found.reports.items():
                if reports:
                    line = {"page_id": page_id, "matches": [_written(report) for report in reports]}
                    file.write(json.dumps(line, ensure_ascii=False) + "\n")
    except OSError as error:
        raise UnreadableFile(path, "laboratory.cannot-be-written", error=error.strerror or error) from error


def _written(report: Reported) -> dict[str, Any]:
    return {
        "work_id": report.work_id,
        "class": str(report.match_class) if report.match_class else None,
        "spans": [span_record(passage) for passage in report.passages],
        "also": list(report.also),
    }


def _family(case_class: str) -> str:
    """Return the class as named in requests: `excerpt` for excerpts of any length."""
    return "excerpt" if case_class.startswith("excerpt") else case_class
