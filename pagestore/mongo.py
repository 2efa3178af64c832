"""Stores pages, texts and fingerprints in MongoDB or the embedded server. All operations select documents by `_id`.

pages               a page, its current version and the ids of all its versions; its states (pagestore.mongo_history)
page_versions       a version without its text; never changed
raw_bodies, page_texts, captures, certificates, work_texts, fingerprints    bytes by key (pagestore.blobs);
    raw bodies may be stored elsewhere (pagestore.raw_bodies)
"""

from collections.abc import Collection, Iterator, Sequence

from pymongo.collection import Collection as MongoCollection
from pymongo.errors import BulkWriteError

from core.batches import batches
from core.captures import Capture
from core.errors import BrokenInvariant
from core.ids import Digest, PageId, VersionId, WorkTextId, work_text_id
from core.ids import digest as content_digest
from core.pages import Fetched, Page, PageVersion, Reading, Stored, VersionOfPage
from core.visits import Absence, AbsenceReason
from core.works import StoredFingerprint, WorkText
from pagestore import documents
from pagestore.blobs import BATCH_KEYS, INLINE_BYTES, Blobs, is_duplicates_alone
from pagestore.captures import (
    capture_bodies,
    capture_bytes,
    capture_certificates,
    named_bodies,
    named_certificates,
    parse_capture,
)
from pagestore.connection import MongoDatabase, connect, ping, translate_errors
from pagestore.documents import Document, microseconds, text_bytes, text_from_bytes
from pagestore.mongo_history import SIGHTINGS, MongoPageHistory, sightings
from pagestore.raw_bodies import RawBodies
from pagestore.states import on_page, state, version_state

__all__ = ["MongoDatabase", "MongoFingerprintStore", "MongoPageStore", "MongoWorkStore", "connect", "ping"]

_WITHOUT_HISTORY = {"versions": 0, "states": 0, "absences": 0}
MAX_ATTEMPTS = 5  # an attempt fails only if another writer has changed the same page in between


class MongoPageStore(MongoPageHistory):
    """core.ports.PageStore and PageHistory on MongoDB.

    raw: the store of response bodies if they are not in the database.
    """

    def __init__(self, database: MongoDatabase, raw: RawBodies | None = None) -> None:
        super().__init__(database, raw)
        self._versions = database["page_versions"]
        self._texts = Blobs(database, "page_texts", INLINE_BYTES)
        self._captures = Blobs(database, "captures", INLINE_BYTES)
        self._certificates = Blobs(database, "certificates", INLINE_BYTES)

    def put(self, fetched: Fetched, reading: Reading) -> Stored:
        return self.put_many([(fetched, reading)])[0]

    def put_many(self, pages: Sequence[tuple[Fetched, Reading]]) -> list[Stored]:
        """Store raw responses, texts, versions and pages, in this order, so that every reference has its target."""
        versions = [documents.new_version(fetched, reading) for fetched, reading in pages]
        self._raw.put_many(_page_bodies(pages, versions))
        self._texts.put_many(_page_texts(pages))
        with translate_errors(self._database):
            self._insert_versions(versions, [fetched for fetched, _ in pages])
            inserted = self._insert_pages(versions)
            return [
                inserted[index] if index in inserted else self._put_page(version)
                for index, version in enumerate(versions)
            ]

    def put_absence(self, fetched: Fetched, reason: AbsenceReason, *, is_gone: bool) -> Absence:
        """Store the capture of the response, then the response."""
        if fetched.capture is not None:
            with translate_errors(self._database):
                self._put_captures([fetched.capture])
        return super().put_absence(fetched, reason, is_gone=is_gone)

    def page(self, page_id: PageId) -> Page | None:
        with translate_errors(self._database):
            document = self._pages.find_one({"_id": page_id}, _WITHOUT_HISTORY)
        return documents.read_page(document) if document is not None else None

    def version(self, version_id: VersionId) -> PageVersion | None:
        return next(iter(self._iterate_versions([version_id])), None)

    def versions(self, page_id: PageId) -> list[PageVersion]:
        with translate_errors(self._database):
            document = self._pages.find_one({"_id": page_id}, {"versions": 1})
        ids = [VersionId(each) for each in document["versions"]] if document is not None else []
        return sorted(self._iterate_versions(ids), key=documents.oldest_first)

    def on_pages(self, version_ids: Sequence[VersionId]) -> list[VersionOfPage]:
        versions = list(self._iterate_versions(list(dict.fromkeys(version_ids))))
        page_ids = sorted({version.page_id for version in versions})
        with translate_errors(self._database):
            batches_of_pages = (
                self._pages.find({"_id": {"$in": batch}}, SIGHTINGS) for batch in batches(page_ids, BATCH_KEYS)
            )
            pages = {page["_id"]: page for batch in batches_of_pages for page in batch}
        # If a writer died after storing the version, it has no page.
        versions_with_pages = [(version, pages.get(version.page_id, {})) for version in versions]
        return [on_page(version, page.get("current"), sightings(page)) for version, page in versions_with_pages]

    def texts(self, version_ids: Sequence[VersionId]) -> dict[VersionId, str]:
        return {version.id: version.reading.text for version in self._iterate_versions(version_ids)}

    def raw(self, digest: Digest) -> bytes | None:
        body = self._raw.get_many([digest]).get(digest)
        if body is not None and content_digest(body) != digest:
            raise BrokenInvariant("store.raw-changed", key=digest)
        return body

    def capture(self, digest: Digest) -> Capture | None:
        data = self._captures.get(digest)
        if data is None:
            return None
        if content_digest(data) != digest:
            raise BrokenInvariant("store.capture-changed", key=digest)
        certificates = self._certificates.get_many(named_certificates(data))
        if any(content_digest(der) != name for name, der in certificates.items()):
            raise BrokenInvariant("store.certificate-changed", key=digest)
        bodies = self._raw.get_many(named_bodies(data))
        if any(content_digest(body) != name for name, body in bodies.items()):
            raise BrokenInvariant("store.body-changed", key=digest)
        return parse_capture(data, certificates, bodies)

    def pages(self, after: PageId | None, limit: int) -> list[Page]:
        if limit <= 0:
            return []
        query: Document = {"_id": {"$gt": after}} if after is not None else {}
        with translate_errors(self._database):
            page_documents = list(self._pages.find(query, _WITHOUT_HISTORY).sort("_id", 1).limit(limit))
        return [documents.read_page(each) for each in page_documents]

    def _iterate_versions(self, ids: Sequence[VersionId]) -> Iterator[PageVersion]:
        for batch in batches(ids, BATCH_KEYS):
            with translate_errors(self._database):
                version_documents = list(self._versions.find({"_id": {"$in": batch}}))
            texts = self._texts.get_many(
                list({key for document in version_documents for key in documents.text_keys(document)})
            )
            for document in version_documents:
                yield documents.read_version(document, texts)

    def _insert_versions(self, versions: Sequence[PageVersion], fetched: Sequence[Fetched]) -> None:
        new: dict[VersionId, tuple[PageVersion, Fetched]] = {}
        for version, each in zip(versions, fetched, strict=True):
            new.setdefault(version.id, (version, each))
        for key in self._existing_ids(self._versions, list(new)):
            del new[VersionId(key)]
        self._put_captures([capture for _, each in new.values() for capture in _fetched_captures(each)])
        # If another writer has stored a version meanwhile, it is the same one.
        _insert_new(self._versions, [documents.version_document(version) for version, _ in new.values()])

    def _put_captures(self, captures: Sequence[Capture]) -> None:
        bodies = {name: body for capture in captures for name, body in capture_bodies(capture).items()}
        known = self._raw.find_existing(list(bodies))  # usually all: pages share pictures and style sheets
        self._raw.put_many({name: body for name, body in bodies.items() if name not in known})
        self._certificates.put_many(
            {name: der for each in captures for name, der in capture_certificates(each).items()}
        )
        packed = [capture_bytes(capture) for capture in captures]
        self._captures.put_many({content_digest(data): data for data in packed})

    def _insert_pages(self, versions: Sequence[PageVersion]) -> dict[int, Stored]:
        """Insert new pages; return the results by index in `versions`, for the first version of each new page only."""
        first: dict[PageId, int] = {}
        for index, version in enumerate(versions):
            first.setdefault(version.page_id, index)
        for key in self._existing_ids(self._pages, list(first)):
            del first[PageId(key)]
        already_inserted = _insert_new(self._pages, [_new_page_document(versions[index]) for index in first.values()])
        return {
            index: Stored(page, versions[index].id, is_new_version=True)
            for page, index in first.items()
            if page not in already_inserted
        }

    def _put_page(self, version: PageVersion) -> Stored:
        for _ in range(MAX_ATTEMPTS):
            stored = self._make_current(version) or self._insert_version(version) or self._insert_earlier(version)
            if stored is not None:
                return stored
        raise BrokenInvariant("store.page-stuck", page=version.page_id)

    def _existing_ids(self, collection: MongoCollection[Document], ids: Sequence[str]) -> set[str]:
        return {
            document["_id"]
            for batch in batches(ids, BATCH_KEYS)
            for document in collection.find({"_id": {"$in": batch}}, {"_id": 1})
        }

    def _make_current(self, version: PageVersion) -> Stored | None:
        """Make this the current version unless the page was seen later.

        Return None in that case or if the page is unknown.
        """
        return _stored_result(version, self._show_version(version.page_id, version.id, version.fetched_at))

    def _insert_version(self, version: PageVersion) -> Stored | None:
        return self._insert_pages([version]).get(0)

    def _insert_earlier(self, version: PageVersion) -> Stored | None:
        """Add a version that arrives after a later one to the history, because of a retry or a slow writer."""
        seen = microseconds(version.fetched_at)
        page = self._pages.find_one({"_id": version.page_id}, {"current": 1, "last_seen": 1})
        if page is None or page["last_seen"] <= seen:
            return None
        after = state(page["last_seen"], "version", page["current"])
        states = {"$each": [version_state(version.fetched_at, version.id), after]}
        before = self._pages.find_one_and_update(
            {"_id": version.page_id, "current": page["current"], "last_seen": page["last_seen"]},
            {"$min": {"first_seen": seen}, "$addToSet": {"versions": version.id, "states": states}},
        )
        return _stored_result(version, before)


class MongoWorkStore:
    """core.ports.WorkStore on MongoDB."""

    def __init__(self, database: MongoDatabase) -> None:
        self._texts = Blobs(database, "work_texts")

    def put_text(self, text: str) -> WorkTextId:
        key = work_text_id(text)
        self._texts.put(key, text_bytes(text))
        return key

    def text(self, text_id: WorkTextId) -> str | None:
        data = self._texts.get(text_id)
        return text_from_bytes(data) if data is not None else None

    def remove_text(self, text_id: WorkTextId) -> None:
        self._texts.remove(text_id)

    def texts(self) -> Iterator[WorkText]:
        """Yield every text, in order of id, without texts that are removed meanwhile."""
        for batch in batches(self._texts.keys(), BATCH_KEYS):
            data_by_key = self._texts.get_many(batch)
            yield from (
                WorkText(WorkTextId(key), text_from_bytes(data_by_key[key])) for key in batch if key in data_by_key
            )


class MongoFingerprintStore:
    """core.ports.FingerprintStore on MongoDB.

    Keys are `subject:algorithm`, so that all keys of a subject are adjacent.
    """

    def __init__(self, database: MongoDatabase) -> None:
        self._payloads = Blobs(database, "fingerprints", INLINE_BYTES)

    def put_many(self, fingerprints: Collection[StoredFingerprint]) -> None:
        self._payloads.put_many(
            {_fingerprint_key(version.subject, version.algorithm_id): version.payload for version in fingerprints}
        )

    def get(self, subject: str, algorithm_id: int) -> StoredFingerprint | None:
        return self.get_many([subject], algorithm_id).get(subject)

    def get_many(self, subjects: Sequence[str], algorithm_id: int) -> dict[str, StoredFingerprint]:
        payloads = self._payloads.get_many(
            [_fingerprint_key(subject, algorithm_id) for subject in dict.fromkeys(subjects)]
        )
        named = ((subject, payloads.get(_fingerprint_key(subject, algorithm_id))) for subject in subjects)
        return {s: StoredFingerprint(s, algorithm_id, payload) for s, payload in named if payload is not None}

    def find_existing(self, subjects: Sequence[str], algorithm_id: int) -> set[str]:
        subject_of = {_fingerprint_key(subject, algorithm_id): subject for subject in subjects}
        return {subject_of[key] for key in self._payloads.find_existing(list(subject_of))}

    def remove(self, subject: str, algorithm_id: int | None = None) -> None:
        if algorithm_id is None:
            self._payloads.remove_range(f"{subject}:", f"{subject};")
        else:
            self._payloads.remove(_fingerprint_key(subject, algorithm_id))


def _fingerprint_key(subject: str, algorithm_id: int) -> str:
    return f"{subject}:{algorithm_id:03d}"


def _page_bodies(pages: Sequence[tuple[Fetched, Reading]], versions: Sequence[PageVersion]) -> dict[str, bytes]:
    bodies: dict[str, bytes] = {}
    for (fetched, _), version in zip(pages, versions, strict=True):
        bodies[version.raw_digest] = fetched.body
        bodies |= {
            stored_part.raw_digest: part.body for part, stored_part in zip(fetched.parts, version.parts, strict=True)
        }
    return bodies


def _page_texts(pages: Sequence[tuple[Fetched, Reading]]) -> dict[str, bytes]:
    return {name: data for _, reading in pages for name, data in documents.reading_texts(reading).items()}


def _fetched_captures(fetched: Fetched) -> list[Capture]:
    captures = (fetched.capture, *(part.capture for part in fetched.parts))
    return [capture for capture in captures if capture is not None]


def _new_page_document(version: PageVersion) -> Document:
    history = {"states": [version_state(version.fetched_at, version.id)], "absences": []}
    return {**documents.page_document(documents.new_page(version), [version.id]), **history}


def _insert_new(collection: MongoCollection[Document], rows: list[Document]) -> set[str]:
    """Insert documents; return the ids of those that another writer has inserted already."""
    if not rows:
        return set()
    try:
        collection.insert_many(rows, ordered=False)
    except BulkWriteError as error:
        if not is_duplicates_alone(error):
            raise
        return {rows[fault["index"]]["_id"] for fault in error.details["writeErrors"]}
    return set()


def _stored_result(version: PageVersion, before: Document | None) -> Stored | None:
    if before is None:
        return None
    is_new = version.id not in before["versions"]
    return Stored(version.page_id, version.id, is_new_version=is_new)
