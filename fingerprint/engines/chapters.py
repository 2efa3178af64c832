"""Chapters: pieces as long as a web page, into which engines that compare whole documents split works and pages."""

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
    """Return pieces of `chars` characters, end to end; the last may be shorter.

    >>> list(split_chapters("abcdefgh", 5)), list(split_chapters("", 5))
    (['abcde', 'fgh'], [])
    """
    return (text[start : start + chars] for start in range(0, len(text), chars))


def best_works(found: Iterable[EngineMatch]) -> list[EngineMatch]:
    """Return each work once with its highest similarity; best first, then by id."""
    best: dict[str, EngineMatch] = {}
    for each in found:
        if each.work_id not in best or each.similarity > best[each.work_id].similarity:
            best[each.work_id] = each
    return sorted(best.values(), key=lambda work: (-work.similarity, work.work_id))


class ChapterOwners:
    """The work of each chapter; chapters are numbered from 0 in order of addition."""

    def __init__(self) -> None:
        self._work_ids: list[str] = []

    def __len__(self) -> int:
        return len(self._work_ids)

    def add_chapter(self, work_id: str) -> int:
        """Add a chapter of a work, and return its number."""
        self._work_ids.append(work_id)
        return len(self._work_ids) - 1

    def works(self, similar: Iterable[tuple[int, float]]) -> Iterator[EngineMatch]:
        """Return the work of each (chapter, similarity); a work may occur several times."""
        return (EngineMatch(self._work_ids[chapter], similarity) for chapter, similarity in similar)


@dataclass(eq=False, kw_only=True)
class ChapterEngine(ABC):
    """The base of engines without passages: splits all texts into chapters, and scores a work by its best chapter.

    An engine is a dataclass: its public fields are its parameters.
    """

    chapter_chars: int = CHAPTER_CHARS
    _owners: ChapterOwners = field(init=False, repr=False, default_factory=ChapterOwners)

    def add_work(self, work_id: str, text: str) -> None:
        for chapter in self._cut(text):
            self._add_chapter(work_id, chapter)

    def find(self, text: str) -> list[EngineMatch]:
        return best_works(found for chapter in self._cut(text) for found in self._find_chapter(chapter))

    def _cut(self, text: str) -> Iterable[str]:
        return split_chapters(text, self.chapter_chars)

    @abstractmethod
    def _add_chapter(self, work_id: str, text: str) -> None:
        """Index a piece of a work."""

    @abstractmethod
    def _find_chapter(self, text: str) -> Iterable[EngineMatch]:
        """Return the works of the chapters that resemble a piece of a page; a work may occur several times."""


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
    """Return the entry of an engine that compares chapters, with the common departure and the chapter length."""
    known = {**parameters, **CHAPTER_PARAMETERS}
    in_order = {parameter: known[parameter] for parameter in signature(make).parameters}
    return EngineEntry(name, make, summary, source, (*departures, IN_CHAPTERS), in_order, needs_corpus)
