"""The result of intake: works with what their manifests say, and the faults of unreadable files."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from core.errors import BadInput
from core.text import storable
from core.works import WorkFile


@dataclass(frozen=True, slots=True)
class Division:
    """A way to divide a work: a heading style, the file's own way (OWN), or not at all (WHOLE)."""

    style: str
    chapters: int


@dataclass(frozen=True, slots=True)
class FoundWork:
    """A work, with what a manifest says about it; "" if it says nothing.

    ways: possible divisions, if the reading process looked for them; that is slow for a text made to be slow.
    """

    file: WorkFile
    source: Path
    kind: str = ""
    rights_holder: str = ""
    key: str = ""  # the manifest's own key for the work
    is_whole: bool = True  # False: some chapters could not be read; their numbers stay free
    ways: tuple[Division, ...] = field(default=(), compare=False)


@dataclass(slots=True)
class Intake:
    """The works of a path, and one fault for each file or line that was left out."""

    works: list[FoundWork] = field(default_factory=list)
    faults: list[BadInput] = field(default_factory=list)

    def take(self, other: "Intake") -> None:
        self.works += other.works
        self.faults += other.faults

    def made_storable(self) -> "Intake":
        """Return the same without characters that cannot be stored, in names, titles and texts."""
        return Intake([_storable(work) for work in self.works], self.faults)


def _storable(work: FoundWork) -> FoundWork:
    file = work.file
    chapters = (replace(each, title=storable(each.title).strip(), text=storable(each.text)) for each in file.chapters)
    return replace(
        work,
        file=replace(
            file, title=storable(file.title).strip(), author=storable(file.author).strip(), chapters=tuple(chapters)
        ),
        kind=storable(work.kind),
        rights_holder=storable(work.rights_holder),
        key=storable(work.key),
    )
