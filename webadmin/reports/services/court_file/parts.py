"""The parts of a court file, and the names of its files and folders."""

import re
from dataclasses import dataclass, field
from enum import StrEnum

from core.wording import Message
from webadmin.reports.services.court_file.evidence_list import EvidenceGroup

MAX_STEM_CHARS = 40  # characters of a file name; the list of evidence contains the whole name
_OTHER = re.compile(r"[^\w（）《》“”、，。·-]+")


class ExportPart(StrEnum):
    """The optional parts of the file, in addition to the bundles of pages."""

    OWNERSHIP = "ownership"
    COMPARISON = "comparison"
    OTHERS = "others"
    NOTICES = "notices"
    DAMAGES = "damages"
    FACTORS = "factors"  # states which evidence is missing
    DECISIONS = "decisions"  # names the people who decided

    @property
    def label(self) -> Message:
        return Message(f"court-file.part-{self}")


INTERNAL = frozenset({ExportPart.FACTORS, ExportPart.DECISIONS})


@dataclass(frozen=True, slots=True)
class ExportChoice:
    """The chosen parts. with_names: whether people are identified by name instead of role."""

    parts: frozenset[ExportPart] = frozenset(ExportPart) - INTERNAL
    with_names: bool = False


USUAL = ExportChoice()


@dataclass
class FileNames:
    """Numbers pieces of evidence and their folders in order, and names their files by these numbers."""

    pieces: int = 0
    folders: dict[EvidenceGroup, str] = field(default_factory=dict)

    def stem(self, group: EvidenceGroup, name: str) -> str:
        """Return the path of the next piece in a group, without extension.

        >>> names = FileNames()
        >>> names.stem(EvidenceGroup.OWNERSHIP, "营业执照 (副本)"), names.stem(EvidenceGroup.PAGES, "案件12")
        ('02-权利主体与权属/证据001-营业执照_副本', '03-网页取证/证据002-案件12')
        """
        self.pieces += 1
        folder = self.folders.setdefault(group, f"{len(self.folders) + 2:02d}-{group.value}")
        return f"{folder}/证据{self.pieces:03d}-{safe_file_name(name)}"

    @property
    def contents(self) -> list[tuple[str, Message]]:
        """The folders, each with a description of its content."""
        return [
            (f"{folder}/", Message(f"court-file.group-{group.name.lower()}")) for group, folder in self.folders.items()
        ]


def safe_file_name(name: str) -> str:
    """Return a safe file name for any name. It contains only letters, digits and a few signs.

    >>> safe_file_name("=cmd /c ../x 第一章　水位簿.html")
    'cmd_c_x_第一章_水位簿_html'
    """
    return _OTHER.sub("_", name)[:MAX_STEM_CHARS].strip("_-·，。、") or "文件"
