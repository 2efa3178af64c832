"""Recreates the lost document of a page from its versions and absences, which name the page."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.batches import batches
from core.pages import PageVersion
from core.visits import AbsenceReason
from pagestore import documents
from pagestore.blobs import BATCH_KEYS
from pagestore.checking import GARBLED
from pagestore.connection import MongoDatabase, translate_errors
from pagestore.documents import Document, microseconds
from pagestore.states import absence_state, read_absence, state

_NOT_THERE = (AbsenceReason.NOT_FOUND, AbsenceReason.GONE, AbsenceReason.NOT_FOUND_PAGE)


@dataclass(frozen=True, slots=True)
class LostPage:
    """A page whose document is lost: one undamaged version, and what the admin database knows about the page.

    current: id of the version that it showed; times in microseconds since 1970. "" and None: unknown.
    """

    version: PageVersion
    current: str = ""
    first_seen: int | None = None
    last_seen: int | None = None
    gone_since: int | None = None


def remake_pages(database: MongoDatabase, lost: Mapping[str, LostPage]) -> None:
    """Recreate the documents of pages; existing ones are not changed.

    They contain all versions and absences that name the page, including damaged ones. When it was seen or gone in
    between is lost, because nothing else stores it. Raises the page store's errors.
    """
    for batch in batches(lost, BATCH_KEYS):
        with translate_errors(database):
            of_batch = {"page": {"$in": batch}}
            versions = list(database["page_versions"].find(of_batch, {"page": 1, "fetched_at": 1}))
            absences = list(database["page_absences"].find(of_batch))
            for page in batch:
                made = _page_document(
                    lost[page], _sort_by_fetch_time(page, versions), _sort_by_fetch_time(page, absences)
                )
                database["pages"].update_one({"_id": page}, {"$setOnInsert": made}, upsert=True)


def _sort_by_fetch_time(page: str, rows: list[Document]) -> list[Document]:
    """Return the rows of a page in the order in which they were fetched."""
    return sorted((row for row in rows if row["page"] == page), key=lambda row: (_fetch_time(row), row["_id"]))


def _fetch_time(row: Document) -> int:
    found = row.get("fetched_at")
    return found if isinstance(found, int) else 0


def _page_document(lost: LostPage, versions: list[Document], absences: list[Document]) -> Document:
    ids = [row["_id"] for row in versions]
    states = [state(_fetch_time(row), "version", row["_id"]) for row in versions if _fetch_time(row)]
    moments = [entry["at"] for entry in states] or [microseconds(lost.version.fetched_at)]
    made = documents.page_document(documents.new_page(lost.version), ids)
    made["current"] = lost.current if lost.current in ids else ids[-1]
    made["first_seen"] = min(moments + ([lost.first_seen] if lost.first_seen is not None else []))
    made["last_seen"] = max(moments + ([lost.last_seen] if lost.last_seen is not None else []))
    gone = _find_absence(absences, max(made["last_seen"], lost.gone_since)) if lost.gone_since is not None else None
    if gone is not None:
        made["gone"] = gone["at"]
        states.append(gone)
    return made | {"states": states, "absences": [row["_id"] for row in absences]}


def _find_absence(absences: list[Document], since: int) -> Document | None:
    """Return, as a state, the first response from `since` on that shows that the page is missing."""
    for row in absences:
        try:
            absence = read_absence(row)
        except GARBLED:
            continue
        if absence.reason in _NOT_THERE and _fetch_time(row) >= since:
            return absence_state(absence)
    return None
