"""What a part of `bench extract` is given and what it returns: tables for people, a record for programs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from laboratory.text_table import TextTable


@dataclass(frozen=True, slots=True)
class ExtractPlan:
    """pages: a folder or a .tar.gz with a manifest.jsonl in place of the corpora's saved pages."""

    corpora: Path
    seed: int
    pages: Path | None = None
    rounds: int = 1  # how often each extractor is timed; the fastest counts


@dataclass(frozen=True, slots=True)
class Section:
    """What one part found. notes: sentences that have to be known to read the tables."""

    tables: tuple[TextTable, ...]
    record: Mapping[str, Any]
    notes: tuple[str, ...] = field(default=())


Say = Callable[[str], None]
Part = Callable[[ExtractPlan, Say], Section]
