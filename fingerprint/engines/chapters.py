"""Splits works and pages into chapters as long as a web page, for engines that compare whole documents."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from inspect import signature

from core.wording import Message
from fingerprint.engines.engine import Engine, EngineEntry, EngineMatch

CHAPTER_CHARS = 2_500  # the usual length of a novel's web page: pages and chapters must have the same length

CHAPTER_PARAMETERS = {
    "chapter_chars": Message("engine.characters-of-the-pieces-that-works-and"),
}
IN_CHAPTERS = Message("engine.whole-documents-are-compared-in-the")


def split_chapters(text: str, chars: int) -> Iterator[str]:
    """Return consecutive parts of `chars` characters; the last part may be shorter.

    >>> list(split_chapters("abcdefgh", 5)), list(split_chapters("", 5))
    (['abcde', 'fgh'], [])
    """
    return (text[start : start + chars] for start in range(0, len(text), chars))


def best_works(matches: Iterable[EngineMatch]) -> list[EngineMatch]:
    """Return each work once, with its highest similarity; the most similar first, then by id."""
    best: dict[str, EngineMatch] = {}
    for match in matches:
        if match.work_id not in best or match.similarity > best[match.work_id].similarity:
            best[match.work_id] = match
    return sorted(best.values(), key=lambda work: (-work.similarity, work.work_id))


class ChapterOwners:
    """The work of each chapter. Chapters are numbered from 0 in the order of addition."""

    def __init__(self) -> None:
        self._work_ids: list[str] = []

    def __len__(self) -> int:
        return len(self._work_ids)

    def add_chapter(self, work_id: str) -> int:
        """Add a chapter of a work, and return its number."""
        self._work_ids.append(work_id)
        return len(self._work_ids) - 1

    def works(self, similar: Iterable[tuple[int, float]]) -> Iterator[EngineMatch]:
        """Return the work of each pair of a chapter and a similarity; a work may occur several times."""
        return (EngineMatch(self._work_ids[chapter], similarity) for chapter, similarity in similar)


@dataclass(eq=False, kw_only=True)
class ChapterEngine(ABC):
    """The base of engines without passages, which split all texts into chapters. A work scores as its best chapter.

    An engine is a dataclass whose public fields are its parameters.
    """

    chapter_chars: int = CHAPTER_CHARS
    _owners: ChapterOwners = field(init=False, repr=False, default_factory=ChapterOwners)

    def add_work(self, work_id: str, text: str) -> None:
        for chapter in self._cut(text):
            self._add_chapter(work_id, chapter)

    def find(self, text: str) -> list[EngineMatch]:
        return best_works(match for chapter in self._cut(text) for match in self._find_chapter(chapter))

    def _cut(self, text: str) -> Iterable[str]:
        return split_chapters(text, self.chapter_chars)

    @abstractmethod
    def _add_chapter(self, work_id: str, text: str) -> None:
        """Index a chapter of a work."""

    @abstractmethod
    def _find_chapter(self, text: str) -> Iterable[EngineMatch]:
        """Return the works of the chapters that are similar to a chapter of a page; a work may occur several times."""


def chapter_entry(  # noqa: PLR0917 - what an entry says
    name: str,
    make: Callable[..., Engine],
    summary: Message,
    source: str,
    departures: tuple[Message, ...],
    parameters: Mapping[str, Message],
    *,
    needs_corpus: bool = False,
) -> EngineEntry:
    """Return the catalogue entry of an engine that compares chapters, with the chapter length as a parameter."""
    all_parameters = {**parameters, **CHAPTER_PARAMETERS}
    ordered_parameters = {parameter: all_parameters[parameter] for parameter in signature(make).parameters}
    return EngineEntry(name, make, summary, source, (*departures, IN_CHAPTERS), ordered_parameters, needs_corpus)
