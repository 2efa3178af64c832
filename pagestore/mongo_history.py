"""The history of pages in MongoDB or its embedded twin: when one was seen, gone, back; every operation keyed by `_id`.

pages            `states` and `absences` in a page's own document; `gone` while it is gone
page_absences    the responses that say that a page is not there; never written again
"""

from datetime import datetime

from pymongo.errors import DuplicateKeyError

from core.ids import PageId, VersionId
from core.pages import Fetched
from core.visits import Absence, AbsenceReason, PageState
from pagestore.blobs import BATCH_KEYS, Blobs, batches
from pagestore.connection import MongoDatabase, translated
from pagestore.documents import Document, microseconds
from pagestore.states import absence_document, absence_of, absence_state, new_absence, states_of, version_state


class MongoPageHistory:
    """core.ports.PageHistory over MongoDB."""

    def __init__(self, database: MongoDatabase) -> None:
        self._database = database
        self._pages = database["pages"]
        self._absences = database["page_absences"]
        self._raw = Blobs(database, "raw_bodies")

    def seen(self, page_id: PageId, at: datetime) -> VersionId | None:
        with translated(self._database):
            page = self._pages.find_one({"_id": page_id}, {"current": 1, "gone": 1})
            if page is None:
                return None
            self._show(page_id, VersionId(page["current"]), at)
        return VersionId(page["current"])

    def put_absence(self, fetched: Fetched, reason: AbsenceReason, *, is_gone: bool) -> Absence:
        """Raw response, absence, page, in this order: what is referred to is always there."""
        absence = new_absence(fetched, reason)
        self._raw.put(absence.raw_digest, fetched.body)
        with translated(self._database):
            try:
                self._absences.insert_one(absence_document(absence))
            except DuplicateKeyError:
                pass  # stored before: it is the same response
            self._pages.update_one({"_id": absence.page_id}, {"$addToSet": {"absences": absence.id}})
            if is_gone:
                state = absence_state(absence)
                self._pages.update_one(
                    {"_id": absence.page_id, "last_seen": {"$lt": state[0]}, "gone": {"$exists": False}},
                    {"$set": {"gone": state[0]}, "$addToSet": {"states": state}},
                )
        return absence

    def absences(self, page_id: PageId) -> list[Absence]:
        with translated(self._database):
            page = self._pages.find_one({"_id": page_id}, {"absences": 1}) or {}
            found = [
                absence_of(document)
                for batch in batches(page.get("absences", []), BATCH_KEYS)
                for document in self._absences.find({"_id": {"$in": batch}})
            ]
        return sorted(found, key=lambda absence: (absence.fetched_at, absence.id))

    def states(self, page_id: PageId) -> list[PageState]:
        """What was stored before states were kept is told from the first moment of each version."""
        with translated(self._database):
            page = self._pages.find_one({"_id": page_id}, {"states": 1, "versions": 1}) or {}
            entries = list(page.get("states", []))
            named = {key for _, _, key in entries}
            early = [each for each in page.get("versions", []) if each not in named]
            for batch in batches(early, BATCH_KEYS):
                found = self._database["page_versions"].find({"_id": {"$in": batch}}, {"fetched_at": 1})
                entries += [[each["fetched_at"], "version", each["_id"]] for each in found]
        return states_of(entries)

    def _show(self, page_id: PageId, version: VersionId, at: datetime) -> Document | None:
        """Make the page one that shows `version` at that moment, unless it was seen later; as it was before, or None.

        A state is written only where the page showed something else, or was gone.
        """
        moment = microseconds(at)
        no_later = {"_id": page_id, "last_seen": {"$lte": moment}}
        before = self._pages.find_one_and_update(
            {**no_later, "current": version, "gone": {"$exists": False}}, {"$set": {"last_seen": moment}}
        )
        if before is not None:
            return dict(before)
        changed = self._pages.find_one_and_update(
            no_later,
            {
                "$set": {"last_seen": moment, "current": version},
                "$addToSet": {"versions": version, "states": version_state(at, version)},
                "$unset": {"gone": ""},
            },
        )
        return None if changed is None else dict(changed)
