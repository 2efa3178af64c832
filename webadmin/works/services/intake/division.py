"""The works found in files, the errors of unreadable files, and the division of works into chapters."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from core.errors import BadInput, UnreadableFile
from core.text import storable
from core.works import GIVEN, OWN, WorkFile
from crawler.formats.headings import list_styles, number_chapters, split_chapters


@dataclass(frozen=True, slots=True)
class Division:
    """A way to divide a work, and the number of its chapters.

    style: a heading style, OWN for the division in the file, or WHOLE for a single chapter.
    """

    style: str
    chapters: int


@dataclass(frozen=True, slots=True)
class FoundWork:
    """A work that was read from `source`. kind: "" if the user has not chosen one.

    ways: the possible divisions, if they were computed in the reading process, because hostile texts take long.
    """

    file: WorkFile
    source: Path
    kind: str = ""
    is_whole: bool = True  # False if some chapters could not be read; their numbers are then unused
    ways: tuple[Division, ...] = field(default=(), compare=False)


@dataclass(slots=True)
class Intake:
    """The works read from a path, and an error for each file or line that was left out."""

    works: list[FoundWork] = field(default_factory=list)
    faults: list[BadInput] = field(default_factory=list)

    def take(self, other: "Intake") -> None:
        self.works += other.works
        self.faults += other.faults

    def made_storable(self) -> "Intake":
        """Return a copy whose names, titles and texts contain no characters that cannot be stored."""
        return Intake([_storable_work(work) for work in self.works], self.faults)


def divisions(found: FoundWork) -> Sequence[Division]:
    """Return the possible divisions of a work, the current one first. The file may allow only the current one."""
    if found.ways:
        return found.ways
    own = [Division(found.file.style, len(found.file.chapters))] if found.file.style else []
    if found.file.style == GIVEN:
        return own
    return [*own, *(Division(style, count) for style, count in list_styles(_whole_text(found)))]


def divide_work(found: FoundWork, style: str) -> FoundWork:
    """Return the work divided by `style`, or unchanged if `style` is "" or the current style.

    Raises UnreadableFile if the work has no such division.
    """
    if style in ("", found.file.style):
        return found
    known = [each.style for each in divisions(found)]
    if style not in known:
        raise UnreadableFile(found.source, "intake.no-such-style", style=style, styles=known)
    chapters = ((each.title, each.text) for each in split_chapters(_whole_text(found), style))
    return replace(found, file=replace(found.file, chapters=number_chapters(chapters), style=style))


def _whole_text(found: FoundWork) -> str:
    """Return the whole text of a work. Chapters of the file's own division are joined with line feeds."""
    return ("\n" if found.file.style == OWN else "").join(each.text for each in found.file.chapters)


def _storable_work(work: FoundWork) -> FoundWork:
    file = work.file
    chapters = (replace(each, title=storable(each.title).strip(), text=storable(each.text)) for each in file.chapters)
    return replace(
        work,
        file=replace(
            file, title=storable(file.title).strip(), author=storable(file.author).strip(), chapters=tuple(chapters)
        ),
    )
