"""The document model: blocks from which Word, PDF and plain text are written."""

from dataclasses import dataclass, field
from enum import StrEnum


class Align(StrEnum):
    LEFT = "left"
    CENTER = "center"
    RIGHT = "right"


class InlineMark(StrEnum):
    """The mark of a text run in a comparison of two texts."""

    NONE = ""
    CHANGED = "changed"
    ADDED = "added"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class TextRun:
    """A run of text in one format. A line feed in it starts a new line."""

    text: str
    is_bold: bool = False
    mark: InlineMark = InlineMark.NONE


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph or heading. level: 1 to 3 for headings, 0 for text.

    is_indented: the first line is indented by two characters, as in Chinese letters.
    """

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
    """A PNG or JPEG image, displayed as wide as its container."""

    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class PageBreak:
    """A page break."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A table cell. span: the number of columns that it covers."""

    content: tuple[Paragraph | BlockPicture, ...] = ()
    span: int = 1

    @classmethod
    def from_text(cls, text: str, span: int = 1, *, is_bold: bool = False) -> "Cell":
        return cls((Paragraph.from_text(text, is_bold=is_bold),), span)


@dataclass(frozen=True, slots=True)
class BlockTable:
    """A table. widths: the share of the page's width for each column. has_head: whether the first row is a header."""

    rows: tuple[tuple[Cell, ...], ...]
    widths: tuple[float, ...]
    has_head: bool = False


Block = Paragraph | BlockTable | BlockPicture | PageBreak


@dataclass(frozen=True, slots=True)
class Document:
    """A document. title: the title in the file's metadata. language: "zh" or "en". head, foot: header and footer."""

    title: str
    blocks: tuple[Block, ...]
    language: str = "zh"
    head: tuple[Paragraph | BlockPicture, ...] = ()
    foot: tuple[Paragraph | BlockPicture, ...] = ()
