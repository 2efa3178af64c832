"""The sources of cases: works, outside texts, and copies that others made."""

from dataclasses import dataclass, field
from enum import StrEnum

from core.text import TextRange
from laboratory.edits.edited import Passage
from laboratory.edits.material import Material, default_material


class Kind(StrEnum):
    """The kind of an outside text."""

    GENRE = "genre"  # of the genre of the works
    MODERN = "modern"
    WIKI = "wiki"
    NEWS = "news"


@dataclass(frozen=True, slots=True)
class Work:
    """One work of the reference corpus.

    chapters: in offsets of the text. is_unique: no other work is an edition of it, so a passage taken from it has one
    source. is_chapter: it is as short as a page, and pages of class `chapter` copy it whole.
    """

    work_id: str
    title: str
    text: str
    chapters: tuple[TextRange, ...]
    is_unique: bool = True
    is_chapter: bool = False


@dataclass(frozen=True, slots=True)
class Outside:
    """A text that is in no work, in its full length."""

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Copy:
    """A text that others copied from works, independently of this laboratory. It names each work that contains it.

    case_class: `natural` for another edition, `reuse` for a work that took over passages; attack: how it was copied.
    """

    case_class: str
    attack: str
    strength: str
    text: str
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources of one case set. Works and outside texts have only the language in common.

    material: the text that edits write into copies.
    """

    works: tuple[Work, ...]
    outside: tuple[Outside, ...]
    copies: tuple[Copy, ...] = ()
    material: Material = field(default_factory=default_material)


def joined(work_id: str, title: str, chapters: list[str], *, is_unique: bool = True, is_chapter: bool = False) -> Work:
    """Return a work made of chapters, with an empty line between them."""
    ranges, start = [], 0
    for chapter in chapters:
        ranges.append(TextRange(start, start + len(chapter)))
        start += len(chapter) + len(CHAPTER_BREAK)
    return Work(work_id, title, CHAPTER_BREAK.join(chapters), tuple(ranges), is_unique, is_chapter)


CHAPTER_BREAK = "\n\n"
