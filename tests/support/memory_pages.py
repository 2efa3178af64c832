"""The stores of pages, works and fingerprints in memory, for tests. Same contract suite as pagestore.mongo."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from core.captures import Capture
from core.errors import BrokenInvariant
from core.ids import Digest, PageId, VersionId, WorkTextId, work_text_id
from core.ids import digest as content_digest
from core.pages import Fetched, Page, PageVersion, Reading, Stored, VersionOfPage
from core.visits import Absence, AbsenceReason
from core.works import StoredFingerprint, WorkText
from pagestore import documents
from pagestore.captures import capture_bytes
from pagestore.documents import required_portable
from pagestore.states import on_page
from tests.support.memory_history import MemoryPageHistory


class MemoryPageStore(MemoryPageHistory):
    """core.ports.PageStore and PageHistory in memory."""

    def __init__(self) -> None:
        super().__init__()
        self._captures: dict[Digest, Capture] = {}
        self._versions: dict[VersionId, PageVersion] = {}
        self._history: dict[PageId, list[VersionId]] = {}

    def put(self, fetched: Fetched, reading: Reading) -> Stored:
        # Through the document and back, so that moments and texts come out as they do from the live store.
        document = required_portable(documents.version_document(documents.new_version(fetched, reading)))
        version = documents.read_version(document, documents.reading_texts(reading))
        with self._lock:
            self._raw[version.raw_digest] = fetched.body
            for part, kept in zip(fetched.parts, version.parts, strict=True):
                self._raw[kept.raw_digest] = part.body
            if version.id not in self._versions:
                captures = (fetched.capture, *(part.capture for part in fetched.parts))
                self._captures |= {content_digest(capture_bytes(each)): each for each in captures if each is not None}
            self._versions.setdefault(version.id, version)
            history = self._history.setdefault(version.page_id, [])
            is_new_version = version.id not in history
            if is_new_version:
                history.append(version.id)
            known = self._pages.get(version.page_id)
            self._pages[version.page_id] = _moved(known, version) if known else _new_page(version)
            if known is None or version.fetched_at >= known.last_seen:
                self._note_shown(version.page_id, known, version.id, version.fetched_at)
            else:
                self._note_earlier(known, version.id, version.fetched_at)
        return Stored(version.page_id, version.id, is_new_version=is_new_version)

    def put_many(self, pages: Sequence[tuple[Fetched, Reading]]) -> list[Stored]:
        return [self.put(fetched, reading) for fetched, reading in pages]

    def put_absence(self, fetched: Fetched, reason: AbsenceReason, *, is_gone: bool) -> Absence:
        if fetched.capture is not None:
            self._captures[content_digest(capture_bytes(fetched.capture))] = fetched.capture
        return super().put_absence(fetched, reason, is_gone=is_gone)

    def page(self, page_id: PageId) -> Page | None:
        return self._pages.get(page_id)

    def version(self, version_id: VersionId) -> PageVersion | None:
        return self._versions.get(version_id)

    def versions(self, page_id: PageId) -> list[PageVersion]:
        with self._lock:
            found = [self._versions[each] for each in self._history.get(page_id, [])]
        return sorted(found, key=documents.oldest_first)

    def texts(self, version_ids: Sequence[VersionId]) -> dict[VersionId, str]:
        found = ((each, self._versions.get(each)) for each in version_ids)
        return {each: version.reading.text for each, version in found if version is not None}

    def raw(self, digest: Digest) -> bytes | None:
        body = self._raw.get(digest)
        if body is not None and content_digest(body) != digest:
            raise BrokenInvariant("store.raw-changed", key=digest)
        return body

    def capture(self, digest: Digest) -> Capture | None:
        return self._captures.get(digest)

    def on_pages(self, version_ids: Sequence[VersionId]) -> list[VersionOfPage]:
        with self._lock:
            versions = [self._versions[each] for each in dict.fromkeys(version_ids) if each in self._versions]
            pages = [self._pages[version.page_id] for version in versions]
            return [
                on_page(version, page.current_version, self._sightings(page))
                for version, page in zip(versions, pages, strict=True)
            ]

    def pages(self, after: PageId | None, limit: int) -> list[Page]:
        with self._lock:
            ids = sorted(each for each in self._pages if after is None or each > after)[: max(limit, 0)]
            return [self._pages[each] for each in ids]


class MemoryWorkStore:
    """core.ports.WorkStore in memory."""

    def __init__(self) -> None:
        self._texts: dict[WorkTextId, str] = {}

    def put_text(self, text: str) -> WorkTextId:
        key = work_text_id(text)
        self._texts[key] = text
        return key

    def text(self, text_id: WorkTextId) -> str | None:
        return self._texts.get(text_id)

    def remove_text(self, text_id: WorkTextId) -> None:
        self._texts.pop(text_id, None)

    def texts(self) -> Iterator[WorkText]:
        for key in sorted(self._texts):
            text = self._texts.get(key)
            if text is not None:
                yield WorkText(key, text)


class MemoryFingerprintStore:
    """core.ports.FingerprintStore in memory."""

    def __init__(self) -> None:
        self._fingerprints: dict[tuple[str, int], StoredFingerprint] = {}

    def put_many(self, fingerprints: Collection[StoredFingerprint]) -> None:
        self._fingerprints |= {(each.subject, each.algorithm_id): each for each in fingerprints}

    def get(self, subject: str, algorithm_id: int) -> StoredFingerprint | None:
        return self._fingerprints.get((subject, algorithm_id))

    def get_many(self, subjects: Sequence[str], algorithm_id: int) -> dict[str, StoredFingerprint]:
        found = ((subject, self.get(subject, algorithm_id)) for subject in subjects)
        return {subject: fingerprint for subject, fingerprint in found if fingerprint is not None}

    def find_existing(self, subjects: Sequence[str], algorithm_id: int) -> set[str]:
        return {subject for subject in subjects if (subject, algorithm_id) in self._fingerprints}

    def remove(self, subject: str, algorithm_id: int | None = None) -> None:
        for key in [key for key in self._fingerprints if key[0] == subject and algorithm_id in (None, key[1])]:
            self._fingerprints.pop(key, None)


def _new_page(version: PageVersion) -> Page:
    return documents.read_page(required_portable(documents.page_document(documents.new_page(version), [version.id])))


def _moved(page: Page, version: PageVersion) -> Page:
    seen = version.fetched_at
    if seen >= page.last_seen:
        return replace(page, last_seen=seen, current_version=version.id)
    return replace(page, first_seen=min(page.first_seen, seen))
