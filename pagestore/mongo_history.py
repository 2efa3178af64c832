"""Stores the history of pages in MongoDB or the embedded server. All operations select documents by `_id`.

pages            `states` and `absences` in a page's own document; `gone` while it is gone
page_absences    the responses that report a page as missing; never changed
"""

from contextlib import suppress
from datetime import datetime

from pymongo.errors import DuplicateKeyError

from core.batches import batches
from core.ids import PageId, VersionId
from core.pages import Fetched
from core.visits import Absence, AbsenceReason, PageState
from pagestore.blobs import BATCH_KEYS, INLINE_BYTES, Blobs
from pagestore.connection import MongoDatabase, translate_errors
from pagestore.documents import Document, microseconds
from pagestore.raw_bodies import RawBodies
from pagestore.states import (
    absence_document,
    absence_state,
    new_absence,
    read_absence,
    read_states,
    state,
    version_state,
)

RAW_BODIES = "raw_bodies"
SIGHTINGS = {"states": 1, "current": 1, "last_seen": 1}


class MongoPageHistory:
    """core.ports.PageHistory on MongoDB. raw: the store of response bodies if they are not in the database."""

    def __init__(self, database: MongoDatabase, raw: RawBodies | None = None) -> None:
        self._database = database
        self._pages = database["pages"]
        self._absences = database["page_absences"]
        self._raw: RawBodies = raw or Blobs(database, RAW_BODIES, INLINE_BYTES)

    def record_sighting(self, page_id: PageId, at: datetime) -> VersionId | None:
        with translate_errors(self._database):
            page = self._pages.find_one({"_id": page_id}, {"current": 1})
            if page is None:
                return None
            if self._show_version(page_id, VersionId(page["current"]), at) is None:
                self._pages.update_one({"_id": page_id}, {"$min": {"first_seen": microseconds(at)}})
        return VersionId(page["current"])

    def put_absence(self, fetched: Fetched, reason: AbsenceReason, *, is_gone: bool) -> Absence:
        """Store the raw response, the absence and the page, in this order, so that every reference has its target."""
        absence = new_absence(fetched, reason)
        self._raw.put_many({absence.raw_digest: fetched.body})
        with translate_errors(self._database):
            with suppress(DuplicateKeyError):  # the same response was stored before
                self._absences.insert_one(absence_document(absence))
            self._pages.update_one({"_id": absence.page_id}, {"$addToSet": {"absences": absence.id}})
            if is_gone:
                gone = absence_state(absence)
                self._pages.update_one(
                    {"_id": absence.page_id, "last_seen": {"$lt": gone["at"]}, "gone": {"$exists": False}},
                    {"$set": {"gone": gone["at"]}, "$addToSet": {"states": gone}},
                )
        return absence

    def absences(self, page_id: PageId) -> list[Absence]:
        with translate_errors(self._database):
            page = self._pages.find_one({"_id": page_id}, {"absences": 1}) or {}
            absences_of_page = [
                read_absence(document)
                for batch in batches(page.get("absences", []), BATCH_KEYS)
                for document in self._absences.find({"_id": {"$in": batch}})
            ]
        return sorted(absences_of_page, key=lambda absence: (absence.fetched_at, absence.id))

    def states(self, page_id: PageId) -> list[PageState]:
        with translate_errors(self._database):
            page = self._pages.find_one({"_id": page_id}, SIGHTINGS) or {}
        return read_states(sightings(page))

    def _show_version(self, page_id: PageId, version: VersionId, at: datetime) -> Document | None:
        """Make `version` the current version of a page from this time on, and return the page's previous document.

        Returns None if the page is unknown, was seen later, or was changed by another writer meanwhile. A state is
        written only if the page had a different version or was gone.
        """
        page = self._pages.find_one({"_id": page_id}, {"current": 1, "gone": 1, "last_seen": 1})
        moment = microseconds(at)
        if page is None or page["last_seen"] > moment:
            return None
        query = {"_id": page_id, "last_seen": {"$lte": moment}, "current": page["current"]}
        change: Document = {"$set": {"last_seen": moment, "current": version}}
        if page["current"] == version and "gone" not in page:
            query["gone"] = {"$exists": False}
        else:
            before = state(page["last_seen"], "version", page["current"])
            change["$addToSet"] = {"versions": version, "states": {"$each": [before, version_state(at, version)]}}
            change["$unset"] = {"gone": ""}
        previous = self._pages.find_one_and_update(query, change)
        return None if previous is None else dict(previous)


def sightings(page: Document) -> list[Document]:
    """Return the states in a page's document, and the last time at which its current version was seen."""
    last = [state(page["last_seen"], "version", page["current"])] if "current" in page else []
    return [*page.get("states", []), *last]
