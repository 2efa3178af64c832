"""Compares the pages of a batch with works, with the product's own matcher or with a published engine."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from core.errors import BadInput
from core.ids import WorkTextId, work_text_id
from core.matches import Match, Span
from core.shares import cut_share
from core.text import TextRange
from deploy.cli.archive import Comparer
from deploy.cli.engines import OWN
from fingerprint import algorithms
from fingerprint.algorithms import ALGORITHMS, Algorithm
from fingerprint.engines.engine import Engine, EngineEntry, EngineMatch
from fingerprint.fingerprinting import fingerprint_text
from fingerprint.rules import Seeds
from matcher import calibration
from matcher.calibration import Calibration
from matcher.corpus import MemoryCorpus, WorkEntry
from matcher.index.memory import MemoryIndex
from matcher.matching import Matcher, PageToMatch

ALL = "all"


@dataclass(frozen=True, slots=True)
class Method:
    """The parameters of the product's own matcher."""

    algorithm: Algorithm = algorithms.DEFAULT
    calibration: Calibration = calibration.DEFAULT


def parse_method(engine: str, algorithm_id: int | None, page_step: int | None) -> Method:
    """Return the method for the options `--engine`, `--algorithm` and `--page-step`.

    algorithm_id, page_step: None if the option is absent. Raises BadInput if the algorithm is unknown, or if the engine
    or the algorithm does not support an option.
    """
    if engine not in {OWN, ALL} and (algorithm_id, page_step) != (None, None):
        raise BadInput("batch.own-only", own=OWN, engine=engine)
    algorithm = algorithms.DEFAULT if algorithm_id is None else ALGORITHMS.get(algorithm_id)
    if algorithm is None:
        raise BadInput("batch.no-algorithm", id=algorithm_id, choices=list(ALGORITHMS))
    if page_step is None:
        return Method(algorithm)
    if Seeds.WINDOWS not in algorithm.seeds:
        raise BadInput("batch.no-windows", id=algorithm.id)
    return Method(algorithm, replace(calibration.DEFAULT, page_window_step_tokens=page_step))


def engine_names(asked: str) -> tuple[str, ...]:
    """Return the names of the engines for the option `--engine`, the product's own first.

    asked: the value of the option. Raises BadInput if there is no such engine.
    """
    if asked == OWN:
        return (OWN,)
    engines = _published_engines()
    if asked == ALL:
        return OWN, *engines
    if asked not in engines:
        raise BadInput("batch.no-engine", engine=asked)
    return (asked,)


def gives_spans(name: str) -> bool:
    """Return whether the engine with this name reports the matching passages."""
    return name == OWN or _published_engines()[name].gives_spans


def make_comparer(
    name: str, works: Mapping[str, str], method: Method = Method(), *, with_changes: bool = False
) -> Comparer:
    """Return the comparer of an engine with these texts of works by id.

    name: the engine. method, with_changes: for the product's own matcher, the parameters, and whether spans list their
    changes.
    """
    if name == OWN:
        return MatcherComparer(works, method, with_changes=with_changes)
    return EngineComparer(_published_engines()[name].make(), works)


def _published_engines() -> Mapping[str, EngineEntry]:
    """Return the published engines by name. Loading their libraries takes 0.7 s (November 2026)."""
    from fingerprint.engines.catalogue import ENGINES

    return ENGINES


class MatcherComparer:
    """A comparer with the product's own matcher. Works with equal texts are compared once and all of them listed."""

    def __init__(self, works: Mapping[str, str], method: Method, *, with_changes: bool = False) -> None:
        self._with_changes = with_changes
        self._algorithm = method.algorithm
        index, corpus = MemoryIndex(self._algorithm.id), MemoryCorpus()
        self._owners: dict[WorkTextId, list[str]] = defaultdict(list)
        for work_id, text in works.items():
            text_id = work_text_id(text)
            if text_id not in corpus:
                fingerprint = fingerprint_text(text, self._algorithm)
                corpus[text_id] = WorkEntry(text, fingerprint)
                index.add(text_id, fingerprint)
            self._owners[text_id].append(work_id)
        self._matcher = Matcher(index, corpus, method.calibration)

    def matches(self, pages: Sequence[tuple[str, str]], exclude_same_id: bool) -> Iterator[list[dict[str, Any]]]:
        """Yield the matches of each page as JSON values; a page is an id and a text."""
        excluded = [page_id if exclude_same_id else None for page_id, _ in pages]
        given = [
            PageToMatch(text, fingerprint_text(text, self._algorithm), partial(self._other_works, own))
            for (_, text), own in zip(pages, excluded, strict=True)
        ]
        for found, own in zip(self._matcher.match_pages(given), excluded, strict=True):
            yield [self._match_values(match, own) for match in found]

    def _other_works(self, excluded: str | None, texts: Collection[WorkTextId]) -> dict[WorkTextId, WorkTextId]:
        return {text_id: text_id for text_id in texts if any(each != excluded for each in self._owners[text_id])}

    def _match_values(self, match: Match, excluded: str | None) -> dict[str, Any]:
        carriers = [self._work_ids(text_id, excluded) for text_id in (match.text_id, *match.also)]
        work_id, *same = carriers[0]
        return {
            "work_id": work_id,
            "similarity": cut_share(match.similarity),
            "containment": cut_share(match.page_containment),
            "class": str(match.match_class),
            "spans": [self._span_record(span) for span in match.spans],
            "also": list(dict.fromkeys([*same, *(other for others in carriers[1:] for other in others)])),
        }

    def _span_record(self, span: Span) -> dict[str, Any]:
        written = _span_record(span.page, span.work, cut_share(span.similarity))
        if self._with_changes:
            written["changes"] = [
                {"kind": str(each.kind)} | _place_record(each.page, each.work) for each in span.changes
            ]
        return written

    def _work_ids(self, text_id: WorkTextId, excluded: str | None) -> list[str]:
        return [work_id for work_id in self._owners[text_id] if work_id != excluded]


class EngineComparer:
    """A comparer with a published engine. Values that the engine does not report are null, and `also` is empty."""

    def __init__(self, engine: Engine, works: Mapping[str, str]) -> None:
        self._engine = engine
        for work_id, text in works.items():
            engine.add_work(work_id, text)

    def matches(self, pages: Sequence[tuple[str, str]], exclude_same_id: bool) -> Iterator[list[dict[str, Any]]]:
        """Yield the matches of each page as JSON values; a page is an id and a text."""
        for page_id, text in pages:
            found = self._engine.find(text)
            yield [
                _describe_match(match, len(text))
                for match in found
                if not (exclude_same_id and match.work_id == page_id)
            ]


def _describe_match(match: EngineMatch, page_chars: int) -> dict[str, Any]:
    covered = _covered_chars(span.page for span in match.spans)
    return {
        "work_id": match.work_id,
        "similarity": cut_share(match.similarity),
        "containment": cut_share(covered / page_chars) if match.spans else None,
        "class": None,
        "spans": [_span_record(span.page, span.work, None) for span in match.spans],
        "also": [],
    }


def _span_record(page: TextRange, work: TextRange, similarity: float | None) -> dict[str, Any]:
    return _place_record(page, work) | {"similarity": similarity}


def _place_record(page: TextRange, work: TextRange) -> dict[str, Any]:
    return {"page_start": page.start, "page_end": page.end, "work_start": work.start, "work_end": work.end}


def _covered_chars(ranges: Iterable[TextRange]) -> int:
    covered = end = 0
    for each in sorted(ranges, key=lambda each: each.start):
        covered += max(0, each.end - max(each.start, end))
        end = max(end, each.end)
    return covered
