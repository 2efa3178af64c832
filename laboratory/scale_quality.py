"""What a matcher finds in a large mother corpus, and how fast: the pages of a case set against index and snapshot."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.ids import WorkTextId, work_text_id
from core.matches import Match
from fingerprint.fingerprinting import fingerprint_text
from laboratory.cases import Case, CaseSet
from laboratory.scale import Mother
from matcher.corpus import WorkEntry
from matcher.matching import Matcher
from matcher.ports import MatchIndex


class MotherCorpus:
    """The texts of a mother corpus, drawn again when they are asked for: `matcher.corpus.Corpus`."""

    def __init__(self, mother: Mother, rows: dict[WorkTextId, int]) -> None:
        """rows: the number of each generated text by its id."""
        self._mother = mother
        self._real = {work_text_id(text): text for text in mother.real}
        self._rows = rows
        self._entries: dict[WorkTextId, WorkEntry] = {}

    def entry(self, text_id: WorkTextId) -> WorkEntry | None:
        if text_id not in self._entries:
            text = self._real.get(text_id)
            if text is None and text_id in self._rows:
                text = self._mother.generated(self._rows[text_id])
            if text is None:
                return None
            self._entries[text_id] = WorkEntry(text, fingerprint_text(text))
        return self._entries[text_id]


@dataclass(frozen=True, slots=True)
class Found:
    """The matches of a page; work ids are those of the case set where it has the text."""

    case: Case
    matches: tuple[Match, ...]
    seconds: float  # of processor time


def found(index: MatchIndex, corpus: MotherCorpus, cases: Sequence[Case]) -> Iterator[Found]:
    """Match every page of `cases`; fingerprinting is not in the time."""
    matcher = Matcher(index, corpus)
    for case in cases:
        fingerprint = fingerprint_text(case.text)
        started = time.process_time()
        matches = matcher.match(case.text, fingerprint)
        yield Found(case, matches, time.process_time() - started)


def work_ids(cases: CaseSet) -> dict[WorkTextId, str]:
    """The work of each text of the case set."""
    return {work_text_id(work.text): work.work_id for work in cases.works}
