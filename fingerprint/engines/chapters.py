"""Chapters: engines that compare whole documents index a work in pieces of a page's length and report the work."""

from collections.abc import Iterable, Iterator

from fingerprint.engines.engine import Found

CHAPTER_CHARS = 2_500  # about what a web page holds of a novel: pages and chapters have to be of one length


def chapters_of(text: str, chars: int = CHAPTER_CHARS, step: int | None = None) -> Iterator[str]:
    """Pieces of `chars` characters that begin every `step` (without one: end to end); the last may be shorter.

    >>> list(chapters_of("abcdefgh", 5)), list(chapters_of("abcdefgh", 4, 2)), list(chapters_of(""))
    (['abcde', 'fgh'], ['abcd', 'cdef', 'efgh'], [])
    """
    stride = step or chars
    last_start = max(1, len(text) - (chars - stride))
    return (text[start : start + chars] for start in range(0, last_start, stride) if text)


class ChapterOwners:
    """Which work each chapter belongs to; chapters are numbered from 0 in the order in which they were added."""

    def __init__(self) -> None:
        self._work_ids: list[str] = []

    def __len__(self) -> int:
        return len(self._work_ids)

    def add(self, work_id: str) -> int:
        """The number of a new chapter of that work."""
        self._work_ids.append(work_id)
        return len(self._work_ids) - 1

    def best_works(self, similar: Iterable[tuple[int, float]]) -> list[Found]:
        """The works of (chapter, similarity), each with its most similar chapter; best first, then by id."""
        works: dict[str, float] = {}
        for chapter, similarity in similar:
            work_id = self._work_ids[chapter]
            works[work_id] = max(similarity, works.get(work_id, 0.0))
        ranked = sorted(works.items(), key=lambda work: (-work[1], work[0]))
        return [Found(work_id, similarity) for work_id, similarity in ranked]
