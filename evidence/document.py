"""A plain document: headings, paragraphs, points, named values and commands. Text is text, never markup."""

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
class Lines:
    """What is typed as it stands."""

    lines: tuple[str, ...]


Block = Heading | Paragraph | Points | Pairs | Lines
