"""The reference corpus: the works against which matches are verified, with a cache."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Protocol

from core.ids import WorkTextId
from fingerprint.fingerprinting import Fingerprint

BYTES_PER_CHARACTER = 2  # Python keeps a Chinese text in two bytes a character
DEFAULT_CACHE_BYTES = 512 * 1024 * 1024  # some 40 M characters of works


@dataclass(frozen=True, slots=True, eq=False)
class WorkEntry:
    """One text of the reference corpus and its fingerprint."""

    text: str
    fingerprint: Fingerprint

    @property
    def nbytes(self) -> int:
        return len(self.text) * BYTES_PER_CHARACTER + self.fingerprint.nbytes


class Corpus(Protocol):
    """The source of works' texts and fingerprints."""

    def entry(self, text_id: WorkTextId) -> WorkEntry | None:
        """Return the text, or None if it has been removed."""
        ...


class CorpusCache:
    """A corpus that caches the last used texts of another, up to a number of bytes."""

    def __init__(self, source: Corpus, max_bytes: int = DEFAULT_CACHE_BYTES) -> None:
        self._source = source
        self._max_bytes = max_bytes
        self._entries: OrderedDict[WorkTextId, WorkEntry] = OrderedDict()
        self._bytes = 0

    @property
    def nbytes(self) -> int:
        """The bytes in the cache."""
        return self._bytes

    def entry(self, text_id: WorkTextId) -> WorkEntry | None:
        held = self._entries.get(text_id)
        if held is not None:
            self._entries.move_to_end(text_id)
            return held
        fetched = self._source.entry(text_id)
        if fetched is not None and fetched.nbytes <= self._max_bytes:
            self._entries[text_id] = fetched
            self._bytes += fetched.nbytes
            self._evict()
        return fetched

    def _evict(self) -> None:
        while self._bytes > self._max_bytes:
            self._bytes -= self._entries.popitem(last=False)[1].nbytes


class MemoryCorpus(dict[WorkTextId, WorkEntry]):
    """A corpus in a dictionary, for tests, `zhuiwen check` and archives."""

    def entry(self, text_id: WorkTextId) -> WorkEntry | None:
        return self.get(text_id)
