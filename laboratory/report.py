"""The report of a measurement: tables for people, a record for programs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table of figures, for a terminal or a page. right: the right-aligned columns."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """The report of one measurement. notes: sentences needed to understand the tables."""

    tables: tuple[TextTable, ...]
    record: Mapping[str, Any]
    notes: tuple[str, ...] = field(default=())
