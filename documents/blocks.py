"""A paper in blocks, from which Word and PDF are written alike."""

from dataclasses import dataclass, field
from enum import StrEnum


class Align(StrEnum):
    LEFT = "left"
    CENTER = "center"
    RIGHT = "right"


class InlineMark(StrEnum):
    """What a stretch of a comparison is; "" in a paper's own words."""

    NONE = ""
    CHANGED = "changed"
    ADDED = "added"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class TextRun:
    """Text with one look; a line feed begins a new line."""

    text: str
    is_bold: bool = False
    mark: InlineMark = InlineMark.NONE


@dataclass(frozen=True, slots=True)
class Paragraph:
    """level: 1 to 3 for headings, 0 for text. is_indented: its first line by two characters, as Chinese letters are."""

    runs: tuple[TextRun, ...] = ()
    align: Align = Align.LEFT
    level: int = 0
    is_indented: bool = False

    @classmethod
    def from_text(
        cls, text: str, *, is_bold: bool = False, align: Align = Align.LEFT, is_indented: bool = False
    ) -> "Paragraph":
        return cls((TextRun(text, is_bold=is_bold),), align=align, is_indented=is_indented)

    @classmethod
    def heading(cls, text: str, level: int = 1, align: Align = Align.LEFT) -> "Paragraph":
        return cls((TextRun(text),), align=align, level=level)

    @property
    def text(self) -> str:
        return "".join(run.text for run in self.runs)


@dataclass(frozen=True, slots=True)
class BlockPicture:
    """A PNG or JPEG, as wide as what it stands in."""

    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class PageBreak:
    """What follows begins on a new page."""


@dataclass(frozen=True, slots=True)
class Cell:
    """span: over how many columns."""

    content: tuple[Paragraph | BlockPicture, ...] = ()
    span: int = 1

    @classmethod
    def from_text(cls, text: str, span: int = 1, *, is_bold: bool = False) -> "Cell":
        return cls((Paragraph.from_text(text, is_bold=is_bold),), span)


@dataclass(frozen=True, slots=True)
class BlockTable:
    """widths: shares of the page's width, one a column. has_head: the first row is repeated on each page."""

    rows: tuple[tuple[Cell, ...], ...]
    widths: tuple[float, ...]
    has_head: bool = False


Block = Paragraph | BlockTable | BlockPicture | PageBreak


@dataclass(frozen=True, slots=True)
class Document:
    """title: of the file, not shown. language: "zh" or "en". head, foot: on each page, beside its number."""

    title: str
    blocks: tuple[Block, ...]
    language: str = "zh"
    head: tuple[Paragraph | BlockPicture, ...] = ()
    foot: tuple[Paragraph | BlockPicture, ...] = ()
