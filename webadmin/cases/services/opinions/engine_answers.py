"""Computes the answers of all published engines about a page and the texts of a work, without a database.

Importing this module loads and may compile all engines. The web server therefore never imports it, and reads stored
answers.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from core.shares import cut_share
from fingerprint.engines.catalogue import CORPUS_ENGINES, ENGINES
from fingerprint.engines.chapters import CHAPTER_CHARS
from fingerprint.engines.engine import Engine, EngineEntry, EngineMatch

log = logging.getLogger("zhuiwen.opinions")

# Measured in November 2026 on 30 texts of the development corpora with five kinds of edits and unrelated pages, with 0,
# 4, 8, 16, 32 and 64 other pieces. The two engines agree with their verdicts for 400 other pieces in 93 % and 99 % of
# the pairs with 32 pieces, and in 96 % and 98 % with 64. With 16, I-Match agrees in only 86 %, because it reports more
# copies.
BACKGROUND_PIECES = 64
MIN_CORPUS_PIECES = 33  # including the pieces of the work itself


class EngineVerdict(StrEnum):
    """The verdicts of an engine by its published rule, and the reasons why it gave none."""

    COPY = "copy"
    NO_COPY = "no_copy"
    NEEDS_CORPUS = "needs_corpus"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class EngineAnswer:
    """The answer of an engine. similarity: its own measure, or None without a match.

    passages, page_share: the number of marked passages, and the share of the page that they cover, from 0 to 1.
    """

    engine: str
    verdict: EngineVerdict
    similarity: float | None = None
    passages: int = 0
    page_share: float = 0.0


@dataclass(frozen=True, slots=True)
class Question:
    """A page and all texts of the work that it copied. background: parts of texts of other works."""

    page: str
    works: Sequence[str]
    background: Sequence[str]

    @property
    def piece_chars(self) -> int:
        """The length in characters of the parts of a work for engines that compare whole documents.

        They need documents of equal length. The catalogue cuts works and pages to the usual length of a novel's page. A
        longer page is not cut here, because a line before its text would shift every cut.
        """
        return max(CHAPTER_CHARS, len(self.page))

    @property
    def corpus_pieces(self) -> int:
        return len(self.background) + sum(-(-len(text) // self.piece_chars) for text in self.works)


def describe_engines(engines: Mapping[str, EngineEntry] = ENGINES) -> list[dict[str, Any]]:
    """Return the name, summaries, source and `gives_spans` of every engine as JSON values."""
    return [
        {
            "name": entry.name,
            "summary_en": str(entry.summary),
            "summary_zh": entry.summary.in_language("zh"),
            "source": entry.source,
            "gives_spans": entry.gives_spans,
        }
        for entry in engines.values()
    ]


def ask_all_engines(question: Question, engines: Mapping[str, EngineEntry] = ENGINES) -> list[EngineAnswer]:
    """Return the answer of each engine, in the order of the catalogue `engines`."""
    return [_engine_answer(entry, question) for entry in engines.values()]


def _engine_answer(entry: EngineEntry, question: Question) -> EngineAnswer:
    if entry.name in CORPUS_ENGINES and question.corpus_pieces < MIN_CORPUS_PIECES:
        return EngineAnswer(entry.name, EngineVerdict.NEEDS_CORPUS)
    try:
        found = _ask_engine(entry, question)
    except Exception:  # An error must not hide the answers of other engines.
        log.exception("the engine %s failed on a page of %d characters", entry.name, len(question.page))
        return EngineAnswer(entry.name, EngineVerdict.FAILED)
    if not found:
        return EngineAnswer(entry.name, EngineVerdict.NO_COPY)
    ranges = [(span.page.start, span.page.end) for each in found for span in each.spans]
    return EngineAnswer(
        entry.name,
        EngineVerdict.COPY,
        similarity=cut_share(max(0.0, *(each.similarity for each in found))),
        passages=len(ranges),
        page_share=cut_share(count_covered(ranges) / max(1, len(question.page))),
    )


def _ask_engine(entry: EngineEntry, question: Question) -> list[EngineMatch]:
    """Return the engine's matches of the page with the texts of the work."""
    # An engine that marks passages searches whole texts; the others compare documents of equal length.
    engine: Engine = entry.make() if entry.gives_spans else entry.make(chapter_chars=question.piece_chars)
    own = {f"work {number}": text for number, text in enumerate(question.works)}
    others = question.background if entry.name in CORPUS_ENGINES else ()
    for work_id, text in own.items():
        engine.add_work(work_id, text)
    for number, text in enumerate(others):
        engine.add_work(f"other {number}", text)
    return [found for found in engine.find(question.page) if found.work_id in own]


def count_covered(ranges: Iterable[tuple[int, int]]) -> int:
    """Return the length of the union of half-open ranges.

    >>> count_covered([(5, 9), (0, 3), (2, 6)]), count_covered([])
    (9, 0)
    """
    total, reached = 0, 0
    for start, end in sorted(ranges):
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total
