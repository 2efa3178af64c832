"""A plain document: headings, paragraphs, points, named values, texts side by side, commands. Text is never markup."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Heading:
    """`level` 1 to 3."""

    text: str
    level: int = 1


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: str


@dataclass(frozen=True, slots=True)
class Points:
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pairs:
    """Names and values in two columns."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Sides:
    """Two texts side by side, row by row: what stands before it, left, right. heads: of these three."""

    heads: tuple[str, str, str]
    rows: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class Lines:
    """What is typed as it stands."""

    lines: tuple[str, ...]


Block = Heading | Paragraph | Points | Pairs | Sides | Lines
