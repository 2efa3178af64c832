"""Which rows name what the stores hold: what a backup must have for each of its rows."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.db import models

from pagestore.copying import EVIDENCE
from records.backups import tables
from records.evidence.kept_files import KEPT
from records.models import CaseMatch, Chapter, EvidenceBundle, PageRecord

# By model: the column that names a key of a collection.
NAMED: Mapping[type[models.Model], tuple[str, str]] = {
    Chapter: ("text_id", "work_texts"),
    PageRecord: ("version_id", "page_versions"),
    CaseMatch: ("version_id", "page_versions"),
    EvidenceBundle: ("digest", EVIDENCE),
    **dict.fromkeys(KEPT, ("digest", EVIDENCE)),
}


class Named:
    """The keys that rows name, by collection."""

    def __init__(self) -> None:
        self.keys: dict[str, set[str]] = {}

    def note(self, model: type[models.Model], rows: Iterable[tuple[Any, ...]], columns: tuple[str, ...]) -> None:
        """Take down what rows of a table name. A bundle that retention removed is named and need not be there."""
        if model not in NAMED:
            return
        column, collection = NAMED[model]
        at = columns.index(column)
        state = columns.index("state") if model is EvidenceBundle else None
        kept = (row for row in rows if state is None or row[state] in _THERE)
        self.keys.setdefault(collection, set()).update(row[at] for row in kept if row[at])

    def lacking(self, held: Mapping[str, set[str]]) -> Iterator[str]:
        """What is named and not there, as "collection/key"."""
        for collection, keys in sorted(self.keys.items()):
            yield from (f"{collection}/{key}" for key in sorted(keys - held.get(collection, set())))


def table_of(name: str) -> type[models.Model] | None:
    return next((model for model in tables.tables() if model._meta.db_table == name), None)


_THERE = (EvidenceBundle.State.HELD, EvidenceBundle.State.CHANGED, EvidenceBundle.State.MISSING)
