"""A table of figures, for a terminal or for a page."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TextTable:
    """right: the columns that are set to the right."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[str, ...]
