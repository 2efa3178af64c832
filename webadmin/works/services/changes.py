"""Computes the changes that turn the current chapters of a work into the wanted ones."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from core.ids import WorkTextId, digest
from core.works import ChapterText
from webadmin.works.models import Chapter

MAX_TITLE_CHARS = 300


class Was(NamedTuple):
    """A chapter before a change."""

    number: int
    title: str
    text_id: str
    published_at: datetime | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """A chapter after a change. row: the row that stores it, or None if it is new."""

    chapter: ChapterText
    text_id: WorkTextId
    row: Chapter | None
    was: Was | None  # the content of the row before the change

    @property
    def title(self) -> str:
        return self.chapter.title[:MAX_TITLE_CHARS]

    @property
    def has_new_text(self) -> bool:
        return self.was is not None and self.was.text_id != self.text_id

    @property
    def is_renamed(self) -> bool:
        """True if the number or title changes and the text does not."""
        if self.was is None or self.has_new_text:
            return False
        return (self.was.number, self.was.title) != (self.chapter.number, self.title)

    @property
    def is_timed(self) -> bool:
        """True if the chapter gets a new official time."""
        at = self.chapter.published_at
        return at is not None and (self.was is None or self.was.published_at != at)


class ChapterChanges:
    """The changes from the chapters in `old` to those in `wanted` that touch the fewest rows.

    A chapter stays in its row if its text or its number is unchanged. keep_missing: keep chapters that are not in
    `wanted`, unless a wanted chapter has their number, because a file was only partly readable.
    """

    def __init__(
        self, old: Sequence[Chapter], wanted: Sequence[tuple[ChapterText, WorkTextId]], *, keep_missing: bool
    ) -> None:
        rows = _pair_rows(old, wanted)
        self.wanted = [
            Wanted(chapter, text_id, row, _former_chapter(row))
            for (chapter, text_id), row in zip(wanted, rows, strict=True)
        ]
        paired = {row.pk for row in rows if row is not None}
        taken = {chapter.number for chapter, _ in wanted}
        left = [row for row in old if row.pk not in paired]
        self.stays = [row for row in left if keep_missing and row.number not in taken]
        staying = {row.pk for row in self.stays}
        self.removed = [row for row in left if row.pk not in staying]

    @property
    def new(self) -> list[Wanted]:
        return [each for each in self.wanted if each.was is None]

    @property
    def changed_chapters(self) -> list[Wanted]:
        """The chapters whose text changes."""
        return [each for each in self.wanted if each.has_new_text]

    @property
    def unchanged_chapters(self) -> list[Wanted]:
        """The chapters whose text is unchanged, even if their number or title changes."""
        return [each for each in self.wanted if each.was is not None and not each.has_new_text]

    @property
    def renamed_chapters(self) -> list[Wanted]:
        return [each for each in self.wanted if each.is_renamed]

    @property
    def timed_chapters(self) -> list[Wanted]:
        return [each for each in self.wanted if each.is_timed]

    @property
    def is_nothing(self) -> bool:
        return not (self.new or self.changed_chapters or self.removed or self.renamed_chapters or self.timed_chapters)

    @property
    def moves_numbers(self) -> bool:
        return any(each.was is not None and each.was.number != each.chapter.number for each in self.wanted)


def plan_basis(chapters: Iterable[Chapter]) -> str:
    """Return a digest of the chapters on which a plan is based, independent of their order."""
    rows = sorted((row.number, row.text_id, row.title, str(row.published_at or "")) for row in chapters)
    return digest(repr(rows).encode("utf-8", "surrogatepass"))[:40]


def _former_chapter(row: Chapter | None) -> Was | None:
    return None if row is None else Was(row.number, row.title, row.text_id, row.published_at)


def _pair_rows(old: Sequence[Chapter], wanted: Sequence[tuple[ChapterText, WorkTextId]]) -> list[Chapter | None]:
    """Return the row for each wanted chapter: the next with its text, else the one with its number, else None."""
    by_text: dict[str, list[Chapter]] = defaultdict(list)
    for row in reversed(old):
        by_text[row.text_id].append(row)
    rows = [by_text[text_id].pop() if by_text[text_id] else None for _, text_id in wanted]
    by_number = {row.number: row for left in by_text.values() for row in left}
    return [
        row if row is not None else by_number.pop(chapter.number, None)
        for row, (chapter, _) in zip(rows, wanted, strict=True)
    ]
