"""What a matcher finds in a large reference corpus, and how fast: the pages of a case set against index or snapshot."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from core.ids import WorkTextId, work_text_id
from core.matches import Match
from fingerprint.fingerprinting import fingerprint_text
from laboratory.cases.case_set import CaseSet
from laboratory.edits.edited import Passage
from laboratory.measures.results import row
from laboratory.scores.detection_quality import ALL, NEGATIVE, OVERALL, Case, Condition, Reported, measured
from laboratory.speed.reference_corpus import ReferenceCorpus
from matcher.corpus import MemoryCorpus, WorkEntry
from matcher.index.ports import MatchIndex
from matcher.matching import GivenPage, Matcher

GENERATED = "generated"  # the id of every work that no case knows
ROUNDS = 5
SUMS = (Condition(OVERALL, ALL), Condition(NEGATIVE, ALL), Condition("hard", ALL))


@dataclass(frozen=True, slots=True)
class Matched:
    """Pages a second of processor time, without fingerprinting, and the measures of the sums of the case set."""

    pages: int
    pages_per_s: float
    figures: list[dict[str, Any]]


class RedrawnCorpus:
    """The texts of a reference corpus, drawn again when they are asked for: `matcher.corpus.Corpus`."""

    def __init__(self, reference: ReferenceCorpus, generated: dict[WorkTextId, int]) -> None:
        """generated: the number of each generated text by its id."""
        self._reference = reference
        self._real = {work_text_id(text): text for text in reference.real}
        self._generated = generated
        self._entries = MemoryCorpus()

    def entry(self, text_id: WorkTextId) -> WorkEntry | None:
        if text_id not in self._entries:
            text = self._real.get(text_id)
            if text is None and text_id in self._generated:
                text = self._reference.generated(self._generated[text_id])
            if text is None:
                return None
            self._entries[text_id] = WorkEntry(text, fingerprint_text(text))
        return self._entries[text_id]


def matched(matchers: Sequence[Matcher], case_set: CaseSet, every: int) -> list[Matched]:
    """Match every so many pages of a case set by each of some matchers and score them.

    Pages are handed over together, as a worker does. The matchers take turns; of ROUNDS rounds the best counts. One
    goes before, in which what a process needs is loaded.
    """
    work_ids = {work_text_id(work.text): work.work_id for work in case_set.works}
    cases = case_set.cases[::every]
    pages = [GivenPage(case.text, fingerprint_text(case.text)) for case in cases]
    best = [inf] * len(matchers)
    found = [list(matcher.match_pages(pages)) for matcher in matchers]
    for _ in range(ROUNDS):
        for number, matcher in enumerate(matchers):
            started = time.process_time()
            for _ in matcher.match_pages(pages):
                pass
            best[number] = min(best[number], time.process_time() - started)
    return [
        Matched(len(cases), round(len(cases) / seconds, 1), _figures(cases, matches, work_ids))
        for seconds, matches in zip(best, found, strict=True)
    ]


def _figures(
    cases: Sequence[Case], found: Sequence[Sequence[Match]], work_ids: dict[WorkTextId, str]
) -> list[dict[str, Any]]:
    reports = [[_reported(match, work_ids) for match in matches] for matches in found]
    measures = measured(zip(cases, reports, strict=True))
    return [row(condition, measures[condition]) for condition in SUMS if condition in measures]


def large_matcher(index: MatchIndex, reference: ReferenceCorpus, text_ids: Sequence[WorkTextId]) -> Matcher:
    """A matcher over a built index; text_ids: of all texts of `reference`, in their order."""
    first = len(reference.real)
    generated = {text_id: first + row for row, text_id in enumerate(text_ids[first:])}
    return Matcher(index, RedrawnCorpus(reference, generated))


def _reported(match: Match, work_ids: dict[WorkTextId, str]) -> Reported:
    work_id = work_ids.get(match.text_id, GENERATED)
    passages = tuple(Passage(work_id, span.page, span.work) for span in match.spans)
    return Reported(work_id, passages, match.match_class)
