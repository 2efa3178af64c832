"""The result of intake: works with the statements of their manifests, and the faults of what could not be read."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from core.errors import BadInput
from core.text import storable
from core.works import WorkFile


@dataclass(frozen=True, slots=True)
class Division:
    """A way to divide a work: a style of headings, as the file does it (OWN), or not at all (WHOLE)."""

    style: str
    chapters: int


@dataclass(frozen=True, slots=True)
class FoundWork:
    """One work, and what a manifest says beyond its text; "" where none says anything.

    ways: to divide it, where the reading process looked for them: of a text made to be slow that takes long.
    """

    file: WorkFile
    source: Path
    kind: str = ""
    rights_holder: str = ""
    key: str = ""  # a name of the manifest's own for the work
    is_whole: bool = True  # False: some of its chapters could not be read; their numbers are left free
    ways: tuple[Division, ...] = field(default=(), compare=False)


@dataclass(slots=True)
class Intake:
    """All works of a path, and one error for each file or line that was left out."""

    works: list[FoundWork] = field(default_factory=list)
    faults: list[BadInput] = field(default_factory=list)

    def take(self, other: "Intake") -> None:
        self.works += other.works
        self.faults += other.faults

    def made_storable(self) -> "Intake":
        """The same without characters that cannot be stored, in names and titles of every source and in texts."""
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
