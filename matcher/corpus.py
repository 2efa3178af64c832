"""The reference corpus: the works with which pages are compared, a cache of them, and their token streams."""

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
        """Return a text with its fingerprint, or None if the text has been removed."""
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
        """The number of bytes in the cache."""
        return self._bytes

    def entry(self, text_id: WorkTextId) -> WorkEntry | None:
        cached = self._entries.get(text_id)
        if cached is not None:
            self._entries.move_to_end(text_id)
            return cached
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
    """A corpus in a dictionary, for tests, `zhuiwen check` and `zhuiwen batch`."""

    def entry(self, text_id: WorkTextId) -> WorkEntry | None:
        return self.get(text_id)


class TokenStreams(NamedTuple):
    """The token streams of many texts. Text number t has the tokens tokens[starts[t]:ends[t]]."""

    tokens: NDArray[np.uint16]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


class Hits(NamedTuple):
    """Positions where a page and a text agree, int32[h] each.

    texts: the number of each text; pages: the positions on the page; works: the positions in the text.
    """

    texts: NDArray[np.int32]
    pages: NDArray[np.int32]
    works: NDArray[np.int32]


class TokenCache:
    """A cache of token streams, cleared if it would exceed its maximum number of tokens."""

    def __init__(self, corpus: Corpus, max_tokens: int) -> None:
        self._corpus = corpus
        self._max_tokens = max_tokens
        self._tokens: NDArray[np.uint16] = np.empty(FIRST_TOKENS, np.uint16)
        self._used = 0
        self._ranges: dict[WorkTextId, tuple[int, int]] = {}

    def streams(self, text_ids: Sequence[WorkTextId]) -> TokenStreams:
        """Return the streams of texts, in order; a missing text has an empty stream."""
        ranges = self._fetch_streams(text_ids)
        if ranges is None:
            self._clear_cache()
            ranges = self._fetch_streams(text_ids)
        if ranges is None:  # more than the cache may hold, for this request only
            self._clear_cache()
            ranges = self._fetch_streams(text_ids, is_limited=False) or []
        bounds = np.array(ranges, np.int64).reshape(-1, 2)
        return TokenStreams(self._tokens, bounds[:, 0].copy(), bounds[:, 1].copy())

    def _fetch_streams(self, text_ids: Sequence[WorkTextId], is_limited: bool = True) -> list[tuple[int, int]] | None:
        """Fetch the missing streams, and return the range of each stream in the cache, or None if the cache is full.

        is_limited: whether the cache has a maximum size.
        """
        ranges = []
        for text_id in text_ids:
            token_range = self._ranges.get(text_id)
            if token_range is None:
                entry = self._corpus.entry(text_id)
                if entry is None:
                    ranges.append((0, 0))
                    continue
                token_range = self._append_tokens(entry.fingerprint.tokens, is_limited)
                if token_range is None:
                    return None
                self._ranges[text_id] = token_range
            ranges.append(token_range)
        return ranges

    def _append_tokens(self, tokens: NDArray[np.uint16], is_limited: bool) -> tuple[int, int] | None:
        end = self._used + tokens.size
        if is_limited and end > self._max_tokens:
            return None
        if end > self._tokens.size:
            grown = np.empty(max(end, 2 * self._tokens.size), np.uint16)
            grown[: self._used] = self._tokens[: self._used]
            self._tokens = grown
        self._tokens[self._used : end] = tokens
        token_range = (self._used, end)
        self._used = end
        return token_range

    def _clear_cache(self) -> None:
        self._ranges.clear()
        self._used = 0
        if self._tokens.size > self._max_tokens:
            self._tokens = np.empty(FIRST_TOKENS, np.uint16)
