"""References from rows to records in the stores. A backup must contain every record that its rows refer to."""

from collections.abc import Iterator, Mapping, Sequence

from django.db import models

from pagestore.copying import EVIDENCE, PAGES
from pagestore.documents import Document
from webadmin.backups.services import tables
from webadmin.backups.services.contents import referenced_names
from webadmin.cases.models import CaseMatch, PageCheck, TakenText
from webadmin.evidence.models import EvidenceBundle
from webadmin.evidence.services.kept_files import KEPT
from webadmin.rewrites.models import RewordedLead
from webadmin.sites.models import PageRecord
from webadmin.works.models import Chapter

WORK_TEXTS, VERSIONS = "work_texts", "page_versions"
# The columns that contain keys of a collection, by model.
NAMED: Mapping[type[models.Model], tuple[tuple[str, str], ...]] = {
    Chapter: (("text_id", WORK_TEXTS),),
    TakenText: (("text_id", WORK_TEXTS),),
    PageRecord: (("version_id", VERSIONS), ("page_id", PAGES)),
    PageCheck: (("version_id", VERSIONS),),
    CaseMatch: (("version_id", VERSIONS), ("text_id", WORK_TEXTS)),
    RewordedLead: (("version_id", VERSIONS), ("text_id", WORK_TEXTS)),
    EvidenceBundle: (("digest", EVIDENCE), ("version_id", VERSIONS)),
}


def named_columns() -> Mapping[type[models.Model], tuple[tuple[str, str], ...]]:
    """Return the columns that refer to records in the stores, including evidence files, by model."""
    return {**NAMED, **dict.fromkeys(KEPT, (("digest", EVIDENCE),))}


def named_keys(collection: str) -> set[str]:
    """Return the keys in a collection that the current rows refer to, except bundles that retention removed."""
    found = set[str]()
    for model, columns in named_columns().items():
        rows = model._base_manager.order_by()
        if model is EvidenceBundle and collection == EVIDENCE:
            rows = rows.filter(state__in=_THERE)
        for column, named in columns:
            found.update(rows.values_list(column, flat=True).distinct() if named == collection else ())
    return found - {""}


class Named:
    """The keys that rows and records refer to, by collection."""

    def __init__(self) -> None:
        self.keys: dict[str, set[str]] = {}

    def note(self, model: type[models.Model], rows: Sequence[tables.Row], columns: tuple[str, ...]) -> None:
        """Add the references in a table's rows, except to bundles that retention removed.

        columns: the columns of the rows.
        """
        if model not in named_columns():
            return
        state = columns.index("state") if model is EvidenceBundle else None
        for column, collection in named_columns()[model]:
            at = columns.index(column)
            kept = (row for row in rows if state is None or collection != EVIDENCE or row[state] in _THERE)
            self.keys.setdefault(collection, set()).update(row[at] for row in kept if row[at])

    def note_record(self, collection: str, record: Document) -> None:
        """Add the references in a record of a collection. Raises DamagedBackup for a malformed record."""
        for named, keys in referenced_names(collection, record).items():
            self.keys.setdefault(named, set()).update(keys)

    def lacking(self, held: Mapping[str, set[str]]) -> Iterator[str]:
        """Yield the missing records that others refer to, as "collection/key".

        held: the existing keys by collection.
        """
        for collection, keys in sorted(self.keys.items()):
            yield from (f"{collection}/{key}" for key in sorted(keys - held.get(collection, set())))


_THERE = (EvidenceBundle.State.HELD, EvidenceBundle.State.CHANGED, EvidenceBundle.State.MISSING)
