"""A common interface of the product's matcher and the published engines: the works reported of a page.

The matcher is in memory, as for an archive of pages, with any of its kinds of seeds; the engines are made by their
catalogue.
"""

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Protocol

from core.errors import NotFound
from core.ids import WorkTextId, work_text_id
from core.matches import Match
from fingerprint import algorithms
from fingerprint.algorithms import ALGORITHMS, Algorithm
from fingerprint.engines.catalogue import ENGINES
from fingerprint.fingerprinting import fingerprint_text
from laboratory.edits.edited import Passage
from laboratory.memory_matcher import memory_matcher
from laboratory.scores.detection_quality import Reported
from matcher import calibration
from matcher.calibration import Calibration

PRODUCT = "zhuiwen"
ALL = "all"


@dataclass(frozen=True, slots=True)
class Seeding:
    """The seeds that the matcher looks up in its index."""

    algorithm: Algorithm = algorithms.DEFAULT
    calibration: Calibration = calibration.DEFAULT


# The frequency windows of a page have the same distance as those of works, as in the publication.
PUBLISHED_STEP = replace(calibration.DEFAULT, page_window_step_tokens=32)
# Available by name only, for comparison with anchors of folded syllables and with windows
# (docs/decisions/fingerprint-and-index.md).
SEEDINGS: Mapping[str, Seeding] = MappingProxyType(
    {
        PRODUCT: Seeding(),
        "zhuiwen-syllables": Seeding(ALGORITHMS[1]),
        "zhuiwen-windows": Seeding(ALGORITHMS[3]),
        "zhuiwen-windows-published": Seeding(ALGORITHMS[3], PUBLISHED_STEP),
        "zhuiwen-both": Seeding(ALGORITHMS[4]),
        "zhuiwen-both-published": Seeding(ALGORITHMS[4], PUBLISHED_STEP),
    }
)


class Finder(Protocol):
    """Finds the works, among those that it was made with, from which a page copied."""

    def find(self, text: str, own_id: str | None = None) -> list[Reported]:
        """Return the reported works of a page, except the work `own_id`, if the page is itself a work."""
        ...


def engine_names(asked: str) -> list[str]:
    """Return the engines named by `--engine`: a comma-separated list, or `all`, the product first.

    `all` does not include the product with other seeds. Raises NotFound.
    """
    known = [*SEEDINGS, *ENGINES]
    names = [PRODUCT, *ENGINES] if asked == ALL else [name.strip() for name in asked.split(",") if name.strip()]
    for name in names:
        if name not in known:
            raise NotFound("engine", name, known=[ALL, *known])
    return list(dict.fromkeys(names))


def finder(name: str, works: Iterable[tuple[str, str]]) -> Finder:
    """Return the engine of this name with these works, (id, text) each. Raises NotFound."""
    if name in SEEDINGS:
        return ProductFinder(works, SEEDINGS[name])
    engine_names(name)
    return _EngineFinder(name, works)


class ProductFinder:
    """The matcher, with its index and works in memory. Works with the same text share it."""

    def __init__(self, works: Iterable[tuple[str, str]], seeding: Seeding) -> None:
        self._algorithm = seeding.algorithm
        self._owners: dict[WorkTextId, list[str]] = defaultdict(list)
        given = list(works)
        for work_id, text in given:
            self._owners[work_text_id(text)].append(work_id)
        self._matcher = memory_matcher((text for _, text in given), self._algorithm, seeding.calibration)

    def find(self, text: str, own_id: str | None = None) -> list[Reported]:
        """Return the matches of the matcher, with classes."""

        def sources(texts: Collection[WorkTextId]) -> Mapping[WorkTextId, Hashable]:
            return {text_id: text_id for text_id in texts if any(work != own_id for work in self._owners[text_id])}

        found = self._matcher.match(text, fingerprint_text(text, self._algorithm), sources)
        return [self._reported(match, own_id) for match in found]

    def _reported(self, match: Match, own_id: str | None) -> Reported:
        carriers = [
            work_id
            for text_id in (match.text_id, *match.also)
            for work_id in self._owners[text_id]
            if work_id != own_id
        ]
        passages = tuple(Passage(carriers[0], span.page, span.work) for span in match.spans)
        return Reported(carriers[0], passages, match.match_class, tuple(carriers[1:]))


class _EngineFinder:
    """A published engine."""

    def __init__(self, name: str, works: Iterable[tuple[str, str]]) -> None:
        self._engine = ENGINES[name].make()
        for work_id, text in works:
            self._engine.add_work(work_id, text)

    def find(self, text: str, own_id: str | None = None) -> list[Reported]:
        """Return the matches of the engine, which has no classes."""
        return [
            Reported(each.work_id, tuple(Passage(each.work_id, span.page, span.work) for span in each.spans))
            for each in self._engine.find(text)
            if each.work_id != own_id
        ]
