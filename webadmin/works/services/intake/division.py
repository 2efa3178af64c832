"""The works that intake finds, the faults of unreadable files, and the division of a work into other chapters."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from core.errors import BadInput, UnreadableFile
from core.text import storable
from core.works import GIVEN, OWN, WorkFile
from crawler.formats.headings import list_styles, number_chapters, split_chapters


@dataclass(frozen=True, slots=True)
class Division:
    """A way to divide a work: a heading style, the file's own division (OWN), or undivided (WHOLE)."""

    style: str
    chapters: int


@dataclass(frozen=True, slots=True)
class FoundWork:
    """A work with the values of its manifest, which are "" if missing.

    ways: the possible divisions, if the reading process searched for them, which takes long for hostile texts.
    """

    file: WorkFile
    source: Path
    kind: str = ""
    rights_holder: str = ""
    is_whole: bool = True  # False: some chapters could not be read; their numbers stay free
    ways: tuple[Division, ...] = field(default=(), compare=False)


@dataclass(slots=True)
class Intake:
    """The works at a path, and a fault for each file or line that was left out."""

    works: list[FoundWork] = field(default_factory=list)
    faults: list[BadInput] = field(default_factory=list)

    def take(self, other: "Intake") -> None:
        self.works += other.works
        self.faults += other.faults

    def made_storable(self) -> "Intake":
        """Return a copy without characters that cannot be stored in names, titles and texts."""
        return Intake([_storable_work(work) for work in self.works], self.faults)


def divisions(found: FoundWork) -> Sequence[Division]:
    """Return the ways to divide a work, the current one first; only that one if the file fixes it."""
    if found.ways:
        return found.ways
    own = [Division(found.file.style, len(found.file.chapters))] if found.file.style else []
    if found.file.style == GIVEN:
        return own
    return [*own, *(Division(style, count) for style, count in list_styles(_whole_text(found)))]


def divide_work(found: FoundWork, style: str) -> FoundWork:
    """Divide a work by one of the available styles, or by the first if `style` is "".

    Raises UnreadableFile for any other style.
    """
    if style in ("", found.file.style):
        return found
    known = [each.style for each in divisions(found)]
    if style not in known:
        raise UnreadableFile(found.source, "intake.no-such-style", style=style, styles=known)
    chapters = ((each.title, each.text) for each in split_chapters(_whole_text(found), style))
    return replace(found, file=replace(found.file, chapters=number_chapters(chapters), style=style))


def _whole_text(found: FoundWork) -> str:
    """Return the whole text of a work; parts cut at headings are joined without a line feed."""
    return ("\n" if found.file.style == OWN else "").join(each.text for each in found.file.chapters)


def _storable_work(work: FoundWork) -> FoundWork:
    file = work.file
    chapters = (replace(each, title=storable(each.title).strip(), text=storable(each.text)) for each in file.chapters)
    return replace(
        work,
        file=replace(
            file, title=storable(file.title).strip(), author=storable(file.author).strip(), chapters=tuple(chapters)
        ),
        kind=storable(work.kind),
        rights_holder=storable(work.rights_holder),
    )
