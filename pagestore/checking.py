"""Reads all contents of a page store and records damaged and missing items. Nothing is changed.

A damaged store rejects a whole batch because of one item, so the items of such a batch are read one by one.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Any, TypeVar

from core.batches import batches
from core.errors import BrokenInvariant
from core.ids import ID_HEX_CHARS, digest, page_id, version_id, work_text_id
from core.pages import PageVersion
from core.visits import Absence, absence_id
from pagestore import documents
from pagestore.blobs import BATCH_KEYS, INLINE_BYTES, Blobs, iterate_ids
from pagestore.captures import named_bodies, named_certificates, parse_capture
from pagestore.connection import MongoDatabase, translate_errors
from pagestore.documents import Document, text_from_bytes
from pagestore.mongo_history import sightings
from pagestore.raw_bodies import RawBodies
from pagestore.states import read_absence, read_states

PAGES, VERSIONS, ABSENCES = "pages", "page_versions", "page_absences"
TEXTS, BODIES, CAPTURES, CERTIFICATES = "page_texts", "raw_bodies", "captures", "certificates"
WORKS, FINGERPRINTS = "work_texts", "fingerprints"
BLOBS = (TEXTS, BODIES, CAPTURES, CERTIFICATES, WORKS, FINGERPRINTS)
Item = TypeVar("Item")
CHANGED_CODES = ("store.changed", "store.damaged")
# The errors that a damaged document causes in the code that reads it.
GARBLED = (BrokenInvariant, KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError)


class FaultKind(StrEnum):
    """The kind of an item's fault. UNREADABLE: the store cannot read the item."""

    CHANGED = "changed"
    MISSING = "missing"
    UNREADABLE = "unreadable"


@dataclass(slots=True)
class StoreFault:
    """A damaged or missing item. pages: the pages that need it; none for a work's text and its fingerprint."""

    collection: str
    key: str
    kind: FaultKind
    pages: set[str] = field(default_factory=set)


class StoreReading:
    """One pass over a page store, which records its faults in `faults`. items: the number of items read so far.

    Its methods raise ServiceUnavailable if the store does not respond.
    """

    def __init__(self, database: MongoDatabase, bodies: RawBodies | None) -> None:
        """Open the store. bodies: the store of response bodies, or None if they are in `database`."""
        self._database = database
        self._blobs: dict[str, RawBodies] = {name: Blobs(database, name, INLINE_BYTES) for name in BLOBS}
        if bodies is not None:
            self._blobs[BODIES] = bodies
        self.faults: dict[tuple[str, str], StoreFault] = {}
        self.items = 0

    def keys(self, collection: str) -> list[str]:
        """Return the keys of a collection, in order.

        If the store cannot list them, a fault is recorded and the result is empty.
        """
        all_keys: list[str] = []
        try:
            all_keys += iterate_ids(self._database, collection)
        except BrokenInvariant:
            self.note(collection, "", FaultKind.UNREADABLE)
        return all_keys

    def note(self, collection: str, key: str, kind: FaultKind, page: str = "") -> None:
        """Record a fault, once for each item, and the page that needs the item."""
        fault = self.faults.setdefault((collection, key), StoreFault(collection, key, kind))
        if page:
            fault.pages.add(page)

    def pages(self, ids: Iterable[str]) -> Iterator[Document]:
        """Yield the documents of undamaged pages. The versions and absences to which they refer are not checked."""
        for batch in batches(ids, BATCH_KEYS):
            for key, document in self._find_documents(PAGES, batch, {}).items():
                if _passes_check(_check_page, document):
                    yield document
                else:
                    self.note(PAGES, key, FaultKind.CHANGED, key)

    def versions(self, page_by_key: Mapping[str, str]) -> Iterator[PageVersion]:
        """Yield undamaged versions with their texts, and check the other parts to which they refer.

        page_by_key: the page of each version, "" if unknown.
        """
        for batch in batches(page_by_key, BATCH_KEYS):
            documents_by_key = self._find_documents(VERSIONS, batch, page_by_key)
            owners = {
                key: page_by_key[key] or str(document.get("page", "")) for key, document in documents_by_key.items()
            }
            referenced: dict[str, dict[str, str]] = {name: {} for name in (TEXTS, BODIES, CAPTURES)}
            for key, document in documents_by_key.items():
                for name, keys in _referenced_keys(document).items():
                    referenced[name] |= dict.fromkeys(keys, owners[key])
            texts = self.contents(TEXTS, referenced[TEXTS])
            self.contents(BODIES, referenced[BODIES])
            self.captures(referenced[CAPTURES])
            for key, document in documents_by_key.items():
                version = self._read_version(key, document, texts)
                if version is not None:
                    yield version

    def absences(self, page_by_key: Mapping[str, str]) -> Iterator[Absence]:
        """Yield undamaged absences, and check the responses and captures to which they refer.

        page_by_key: the page of each absence.
        """
        for batch in batches(page_by_key, BATCH_KEYS):
            for key, document in self._find_documents(ABSENCES, batch, page_by_key).items():
                try:
                    absence = read_absence(document)
                    is_same = absence_id(absence.page_id, absence.fetched_at, absence.raw_digest) == key
                except GARBLED:
                    is_same = False
                if not is_same:
                    self.note(ABSENCES, key, FaultKind.CHANGED, page_by_key[key])
                    continue
                self.contents(BODIES, {absence.raw_digest: page_by_key[key]})
                if absence.capture_digest:
                    self.captures({absence.capture_digest: page_by_key[key]})
                yield absence

    def captures(self, page_by_key: Mapping[str, str]) -> None:
        """Check captures, with their certificates and bodies. page_by_key: the page that needs each capture."""
        for key, data in self.contents(CAPTURES, page_by_key).items():
            try:
                names = {str(name): page_by_key[key] for name in named_certificates(data)}
                bodies = {str(name): page_by_key[key] for name in named_bodies(data)}
                certificates = self.contents(CERTIFICATES, names)
                contents_of_bodies = self.contents(BODIES, bodies)
                if len(certificates) == len(names) and len(contents_of_bodies) == len(bodies):
                    parse_capture(data, certificates, contents_of_bodies)
            except GARBLED:
                self.note(CAPTURES, key, FaultKind.CHANGED, page_by_key[key])

    def contents(self, collection: str, page_by_key: Mapping[str, str]) -> dict[str, bytes]:
        """Return the undamaged bytes under some keys, and record a fault for each damaged or missing key.

        page_by_key: the page that needs each key.
        """
        intact: dict[str, bytes] = {}
        for batch in batches(page_by_key, BATCH_KEYS):
            items, errors = _read_items(self._blobs[collection].get_many, batch)
            self.items += len(batch)
            for key in batch:
                if key in errors:
                    self.note(collection, key, _error_kind(errors[key]), page_by_key[key])
                elif key not in items:
                    self.note(collection, key, FaultKind.MISSING, page_by_key[key])
                elif not _is_content(collection, key, items[key]):
                    self.note(collection, key, FaultKind.CHANGED, page_by_key[key])
                else:
                    intact[key] = items[key]
        return intact

    def find_existing(self, collection: str, keys: Collection[str]) -> set[str]:
        """Return those `keys` under which a collection has a document."""
        return set(self._find_documents(collection, list(keys), None))

    def named_versions(self, pages: Iterable[str]) -> dict[str, frozenset[str]]:
        """Return, for each of `pages` that exists, the ids of its versions."""
        documents_by_key = self._find_documents(PAGES, list(pages), None)
        return {
            key: frozenset(map(str, _list_or_empty(document.get("versions"))))
            for key, document in documents_by_key.items()
        }

    def versions_of_pages(self, keys: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield the id of each version and the id of its page."""
        for batch in batches(keys, BATCH_KEYS):
            for key, document in self._find_documents(VERSIONS, batch, {}).items():
                yield key, str(document.get("page", ""))

    def _read_version(self, key: str, document: Document, texts: Mapping[str, bytes]) -> PageVersion | None:
        needed = _referenced_keys(document)[TEXTS]
        if not needed:
            self.note(VERSIONS, key, FaultKind.CHANGED, str(document.get("page", "")))
            return None
        if not needed <= texts.keys():
            return None  # the fault of the text is already recorded
        try:
            version = documents.read_version(document, texts)
            is_same = version_id(version.page_id, version.reading.identity, version.reading.title) == key
            is_same = is_same and page_id(version.site_id, version.canonical_url) == version.page_id
        except GARBLED:
            is_same = False
        if not is_same:
            self.note(VERSIONS, key, FaultKind.CHANGED, str(document.get("page", "")))
            return None
        return version

    def _find_documents(
        self, collection: str, keys: list[str], page_by_key: Mapping[str, str] | None
    ) -> dict[str, Document]:
        """Return documents by id, and record a fault for each that cannot be read.

        page_by_key: the page that needs each document; if it is not None, missing documents are recorded, too.
        """
        documents_by_key, owners = dict[str, Document](), page_by_key or {}
        for batch in batches(keys, BATCH_KEYS):
            items, errors = _read_items(partial(self._find_by_key, collection), batch)
            documents_by_key |= items
            for key in batch:
                if key in errors:
                    self.note(collection, key, FaultKind.UNREADABLE, owners.get(key, ""))
                elif key not in items and page_by_key is not None:
                    self.note(collection, key, FaultKind.MISSING, owners.get(key, ""))
        self.items += len(keys)
        return documents_by_key

    def _find_by_key(self, collection: str, keys: list[str]) -> dict[str, Document]:
        with translate_errors(self._database):
            return {each["_id"]: each for each in self._database[collection].find({"_id": {"$in": keys}})}


def _read_items(
    read: Callable[[list[str]], dict[str, Item]], keys: list[str]
) -> tuple[dict[str, Item], dict[str, Exception]]:
    """Read several items, one by one if one of them is damaged, and return the items and the errors by key."""
    try:
        return read(keys), {}
    except GARBLED as error:
        if len(keys) == 1:
            return {}, {keys[0]: error}
    items, errors = dict[str, Item](), dict[str, Exception]()
    for key in keys:
        item, error_of_item = _read_items(read, [key])
        items |= item
        errors |= error_of_item
    return items, errors


def _error_kind(error: Exception) -> FaultKind:
    is_changed = isinstance(error, BrokenInvariant) and error.message.code in CHANGED_CODES
    return FaultKind.CHANGED if is_changed else FaultKind.UNREADABLE


def _check_page(document: Document) -> bool:
    page = documents.read_page(document)
    versions = document["versions"]
    versions_in_states = {entry["key"] for entry in document.get("states", []) if entry["kind"] == "version"}
    read_states(sightings(document))
    return (
        page_id(page.site_id, page.canonical_url) == page.id
        and page.first_seen <= page.last_seen
        and page.current_version in versions
        and versions_in_states <= set(versions)
        and all(isinstance(entry, str) and len(entry) == ID_HEX_CHARS for entry in versions)
        and all(isinstance(entry, str) for entry in document.get("absences", []))
    )


def _passes_check(check: Callable[[Document], bool], document: Document) -> bool:
    try:
        return check(document)
    except GARBLED:
        return False


def _referenced_keys(document: Document) -> dict[str, set[str]]:
    """Return the keys to which a version refers, by collection. Values that cannot be keys are ignored."""
    parts = [part for part in _list_or_empty(document.get("parts")) if isinstance(part, dict)]
    all_documents = (document, *parts)
    keys_by_collection = {
        TEXTS: {document.get(name) for name in ("text", "raw_text", "beside", "marks")},
        BODIES: {document_of_part.get("raw") for document_of_part in all_documents},
        CAPTURES: {document_of_part.get("capture") for document_of_part in all_documents},
    }
    return {name: {key for key in keys if isinstance(key, str) and key} for name, keys in keys_by_collection.items()}


def _list_or_empty(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _is_content(collection: str, key: str, data: bytes) -> bool:
    if collection == FINGERPRINTS:
        return True  # only the caller knows its source
    if collection == WORKS:
        return _passes_check(lambda _: work_text_id(text_from_bytes(data)) == key, {})
    return digest(data) == key
