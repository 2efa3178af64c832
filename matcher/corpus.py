"""The reference corpus: the works against which matches are verified, with a cache, and their token streams."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from core.ids import WorkTextId
from fingerprint.fingerprinting import Fingerprint

BYTES_PER_CHARACTER = 2  # Python stores a Chinese text in two bytes a character
DEFAULT_CACHE_BYTES = 512 * 1024 * 1024  # some 40 M characters of works
FIRST_TOKENS = 1 << 16


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
    """A corpus that caches the most recently used texts of another corpus, up to a number of bytes."""

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
            self._evict_oldest()
        return fetched

    def _evict_oldest(self) -> None:
        while self._bytes > self._max_bytes:
            self._bytes -= self._entries.popitem(last=False)[1].nbytes


class MemoryCorpus(dict[WorkTextId, WorkEntry]):
    """A corpus in a dictionary, for tests, `zhuiwen check` and archives."""

    def entry(self, text_id: WorkTextId) -> WorkEntry | None:
        return self.get(text_id)


class TokenStreams(NamedTuple):
    """The streams of many texts: text number t has the tokens tokens[starts[t]:ends[t]]."""

    tokens: NDArray[np.uint16]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


class Hits(NamedTuple):
    """Places where page and texts agree; int32[h] each. works: positions within the texts."""

    texts: NDArray[np.int32]
    pages: NDArray[np.int32]
    works: NDArray[np.int32]


class TokenCache:
    """A cache of token streams.

    Holds up to a number of tokens; if it is full, it is cleared.
    """

    def __init__(self, corpus: Corpus, max_tokens: int) -> None:
        self._corpus = corpus
        self._max_tokens = max_tokens
        self._tokens: NDArray[np.uint16] = np.empty(FIRST_TOKENS, np.uint16)
        self._used = 0
        self._places: dict[WorkTextId, tuple[int, int]] = {}

    def streams(self, text_ids: Sequence[WorkTextId]) -> TokenStreams:
        """Return the streams of these texts, in order; a missing text has an empty stream."""
        places = self._fetch_streams(text_ids)
        if places is None:
            self._clear_cache()
            places = self._fetch_streams(text_ids)
        if places is None:  # more than the cache may hold, for this request only
            self._clear_cache()
            places = self._fetch_streams(text_ids, is_limited=False) or []
        bounds = np.array(places, np.int64).reshape(-1, 2)
        return TokenStreams(self._tokens, bounds[:, 0].copy(), bounds[:, 1].copy())

    def _fetch_streams(self, text_ids: Sequence[WorkTextId], is_limited: bool = True) -> list[tuple[int, int]] | None:
        """Fetch the missing streams, and return the range of each, or None if the cache is full."""
        places = []
        for text_id in text_ids:
            place = self._places.get(text_id)
            if place is None:
                entry = self._corpus.entry(text_id)
                if entry is None:
                    places.append((0, 0))
                    continue
                place = self._append_tokens(entry.fingerprint.tokens, is_limited)
                if place is None:
                    return None
                self._places[text_id] = place
            places.append(place)
        return places

    def _append_tokens(self, tokens: NDArray[np.uint16], is_limited: bool) -> tuple[int, int] | None:
        end = self._used + tokens.size
        if is_limited and end > self._max_tokens:
            return None
        if end > self._tokens.size:
            grown = np.empty(max(end, 2 * self._tokens.size), np.uint16)
            grown[: self._used] = self._tokens[: self._used]
            self._tokens = grown
        self._tokens[self._used : end] = tokens
        place = (self._used, end)
        self._used = end
        return place

    def _clear_cache(self) -> None:
        self._places.clear()
        self._used = 0
        if self._tokens.size > self._max_tokens:
            self._tokens = np.empty(FIRST_TOKENS, np.uint16)
