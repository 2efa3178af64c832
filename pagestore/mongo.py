"""Pages, texts and fingerprints in MongoDB or its embedded twin. Every operation is keyed by `_id`.

pages               a page, its current version and the ids of all its versions; its states (pagestore.mongo_history)
page_versions       a version without its text; never written again
raw_bodies, page_texts, captures, certificates, work_texts, fingerprints    bytes by key (pagestore.blobs)
"""

from collections.abc import Iterator, Sequence

from pymongo.errors import DuplicateKeyError

from core.captures import Capture
from core.errors import BrokenInvariant
from core.ids import Digest, PageId, VersionId, WorkTextId, work_text_id
from core.ids import digest as content_digest
from core.pages import Fetched, Page, PageVersion, Reading, Stored
from core.works import StoredFingerprint, WorkText
from pagestore import documents
from pagestore.blobs import BATCH_KEYS, Blobs, batches
from pagestore.captures import (
    bodies_in,
    capture_bytes,
    capture_of,
    certificates_in,
    named_bodies,
    named_certificates,
)
from pagestore.connection import MongoDatabase, connect, ping, translated
from pagestore.documents import Document
from pagestore.mongo_history import MongoPageHistory
from pagestore.states import version_state

__all__ = ["MongoDatabase", "MongoFingerprintStore", "MongoPageStore", "MongoWorkStore", "connect", "ping"]

_WITHOUT_HISTORY = {"versions": 0, "states": 0, "absences": 0}
MAX_ATTEMPTS = 5  # each lost attempt means that another writer moved the same page in between


class MongoPageStore(MongoPageHistory):
    """core.ports.PageStore and PageHistory over MongoDB."""

    def __init__(self, database: MongoDatabase) -> None:
        super().__init__(database)
        self._versions = database["page_versions"]
        self._texts = Blobs(database, "page_texts")
        self._captures = Blobs(database, "captures")
        self._certificates = Blobs(database, "certificates")

    def put(self, fetched: Fetched, reading: Reading) -> Stored:
        """Raw response, text, version, page, in this order: what is referred to is always there."""
        version = documents.new_version(fetched, reading)
        self._raw.put(version.raw_digest, fetched.body)
        for part, kept in zip(fetched.parts, version.parts, strict=True):
            self._raw.put(kept.raw_digest, part.body)
        self._texts.put(version.text_digest, documents.text_bytes(reading.text))
        if reading.raw_text:
            as_stood = documents.text_bytes(reading.raw_text)
            self._texts.put(content_digest(as_stood), as_stood)
        with translated(self._database):
            self._insert_version(version, fetched)
            for _ in range(MAX_ATTEMPTS):
                stored = self._moved(version) or self._inserted(version) or self._recalled(version)
                if stored is not None:
                    return stored
        raise BrokenInvariant(f"page {version.page_id} could neither be inserted nor moved")

    def page(self, page_id: PageId) -> Page | None:
        with translated(self._database):
            found = self._pages.find_one({"_id": page_id}, _WITHOUT_HISTORY)
        return documents.page_of(found) if found is not None else None

    def version(self, version_id: VersionId) -> PageVersion | None:
        return next(iter(self._versions_of([version_id])), None)

    def versions(self, page_id: PageId) -> list[PageVersion]:
        with translated(self._database):
            found = self._pages.find_one({"_id": page_id}, {"versions": 1})
        ids = [VersionId(each) for each in found["versions"]] if found is not None else []
        return sorted(self._versions_of(ids), key=documents.oldest_first)

    def texts(self, version_ids: Sequence[VersionId]) -> dict[VersionId, str]:
        return {version.id: version.reading.text for version in self._versions_of(version_ids)}

    def raw(self, digest: Digest) -> bytes | None:
        body = self._raw.get(digest)
        if body is not None and content_digest(body) != digest:
            raise BrokenInvariant(f"the raw response {digest} no longer has its digest")
        return body

    def capture(self, digest: Digest) -> Capture | None:
        data = self._captures.get(digest)
        if data is None:
            return None
        if content_digest(data) != digest:
            raise BrokenInvariant(f"the capture {digest} no longer has its digest")
        certificates = self._certificates.get_many(named_certificates(data))
        if any(content_digest(der) != name for name, der in certificates.items()):
            raise BrokenInvariant(f"a certificate of the capture {digest} no longer has its digest")
        bodies = self._raw.get_many(named_bodies(data))
        if any(content_digest(body) != name for name, body in bodies.items()):
            raise BrokenInvariant(f"a body of the capture {digest} no longer has its digest")
        return capture_of(data, certificates, bodies)

    def pages(self, after: PageId | None, limit: int) -> list[Page]:
        if limit <= 0:
            return []
        beyond: Document = {"_id": {"$gt": after}} if after is not None else {}
        with translated(self._database):
            found = list(self._pages.find(beyond, _WITHOUT_HISTORY).sort("_id", 1).limit(limit))
        return [documents.page_of(each) for each in found]

    def _versions_of(self, ids: Sequence[VersionId]) -> Iterator[PageVersion]:
        for batch in batches(ids, BATCH_KEYS):
            with translated(self._database):
                found = list(self._versions.find({"_id": {"$in": batch}}))
            raw_keys = {each["_id"]: documents.raw_text_key(each) for each in found}
            keys = {each["text"] for each in found} | {key for key in raw_keys.values() if key}
            texts = self._texts.get_many(list(keys))
            for each in found:
                raw_key = raw_keys[each["_id"]]
                if each["text"] not in texts or (raw_key and raw_key not in texts):
                    raise BrokenInvariant(f"the text of version {each['_id']} is gone from the page store")
                raw_text = documents.text_of(texts[raw_key]) if raw_key else ""
                yield documents.version_of(each, documents.text_of(texts[each["text"]]), raw_text)

    def _insert_version(self, version: PageVersion, fetched: Fetched) -> None:
        if self._versions.find_one({"_id": version.id}, {"_id": 1}) is None:
            for capture in (fetched.capture, *(part.capture for part in fetched.parts)):
                self._put_capture(capture)
            try:
                self._versions.insert_one(documents.version_document(version))
            except DuplicateKeyError:
                return  # another writer stored the same version: it is what we would have stored

    def _put_capture(self, capture: Capture | None) -> None:
        if capture is None:
            return
        for name, der in certificates_in(capture).items():
            self._certificates.put(name, der)
        bodies = bodies_in(capture)
        known = self._raw.known(list(bodies))  # most are those of the page before: pictures, style sheets
        for name in bodies.keys() - known:
            self._raw.put(name, bodies[name])
        data = capture_bytes(capture)
        self._captures.put(content_digest(data), data)

    def _moved(self, version: PageVersion) -> Stored | None:
        """Make this the current version of a page that was last seen no later."""
        return _stored(version, self._show(version.page_id, version.id, version.fetched_at))

    def _inserted(self, version: PageVersion) -> Stored | None:
        page = documents.new_page(version)
        try:
            history = {"states": [version_state(version.fetched_at, version.id)], "absences": []}
            self._pages.insert_one({**documents.page_document(page, [version.id]), **history})
        except DuplicateKeyError:
            return None
        return Stored(version.page_id, version.id, is_new_page=True, is_new_version=True)

    def _recalled(self, version: PageVersion) -> Stored | None:
        """Add to its history a version that arrives after a later one: a retry, or a slow writer."""
        seen = documents.microseconds(version.fetched_at)
        self._prepare(version.page_id)
        before = self._pages.find_one_and_update(
            {"_id": version.page_id, "last_seen": {"$gt": seen}},
            {
                "$min": {"first_seen": seen},
                "$addToSet": {"versions": version.id, "states": version_state(version.fetched_at, version.id)},
            },
        )
        return _stored(version, before)


class MongoWorkStore:
    """core.ports.WorkStore over MongoDB."""

    def __init__(self, database: MongoDatabase) -> None:
        self._texts = Blobs(database, "work_texts")

    def put_text(self, text: str) -> WorkTextId:
        key = work_text_id(text)
        self._texts.put(key, documents.text_bytes(text))
        return key

    def text(self, text_id: WorkTextId) -> str | None:
        data = self._texts.get(text_id)
        return documents.text_of(data) if data is not None else None

    def remove_text(self, text_id: WorkTextId) -> None:
        self._texts.remove(text_id)

    def texts(self) -> Iterator[WorkText]:
        """Every text, in order of id; one that is removed meanwhile is left out."""
        for batch in batches(self._texts.keys(), BATCH_KEYS):
            found = self._texts.get_many(batch)
            yield from (WorkText(WorkTextId(key), documents.text_of(found[key])) for key in batch if key in found)


class MongoFingerprintStore:
    """core.ports.FingerprintStore over MongoDB. Keys are `subject:algorithm`, so that a subject's lie side by side."""

    def __init__(self, database: MongoDatabase) -> None:
        self._payloads = Blobs(database, "fingerprints")

    def put(self, fingerprint: StoredFingerprint) -> None:
        self._payloads.put(_key(fingerprint.subject, fingerprint.algorithm_id), fingerprint.payload)

    def get(self, subject: str, algorithm_id: int) -> StoredFingerprint | None:
        return self.get_many([subject], algorithm_id).get(subject)

    def get_many(self, subjects: Sequence[str], algorithm_id: int) -> dict[str, StoredFingerprint]:
        payloads = self._payloads.get_many([_key(subject, algorithm_id) for subject in dict.fromkeys(subjects)])
        named = ((subject, payloads.get(_key(subject, algorithm_id))) for subject in subjects)
        return {s: StoredFingerprint(s, algorithm_id, payload) for s, payload in named if payload is not None}

    def known(self, subjects: Sequence[str], algorithm_id: int) -> set[str]:
        subject_of = {_key(subject, algorithm_id): subject for subject in subjects}
        return {subject_of[key] for key in self._payloads.known(list(subject_of))}

    def remove(self, subject: str) -> None:
        self._payloads.remove_range(f"{subject}:", f"{subject};")


def _key(subject: str, algorithm_id: int) -> str:
    return f"{subject}:{algorithm_id:03d}"


def _stored(version: PageVersion, before: Document | None) -> Stored | None:
    if before is None:
        return None
    is_new = version.id not in before["versions"]
    return Stored(version.page_id, version.id, is_new_page=False, is_new_version=is_new)
