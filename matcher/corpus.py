"""The works that a match is verified against, and a cache of them."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.ids import WorkTextId
from fingerprint.record import Fingerprint
from matcher.extension import Streams

BYTES_PER_CHARACTER = 2  # Python keeps a Chinese text in two bytes a character
DEFAULT_CACHE_BYTES = 512 * 1024 * 1024  # some 40 M characters of works
FIRST_TOKENS = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class WorkEntry:
    """One text of the mother corpus and its fingerprint."""

    text: str
    fingerprint: Fingerprint

    @property
    def nbytes(self) -> int:
        return len(self.text) * BYTES_PER_CHARACTER + self.fingerprint.nbytes


class Corpus(Protocol):
    """Where texts and fingerprints of works come from."""

    def entry(self, text_id: WorkTextId) -> WorkEntry | None:
        """The text, or None when it has been removed meanwhile."""
        ...


class CorpusCache:
    """A corpus in front of another that keeps the texts asked for last, up to a number of bytes."""

    def __init__(self, source: Corpus, max_bytes: int = DEFAULT_CACHE_BYTES) -> None:
        self._source = source
        self._max_bytes = max_bytes
        self._entries: OrderedDict[WorkTextId, WorkEntry] = OrderedDict()
        self._bytes = 0

    @property
    def nbytes(self) -> int:
        """Bytes held now."""
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
    """A corpus in a dictionary: the twin for tests, `zhuiwen check` and archives."""

    def entry(self, text_id: WorkTextId) -> WorkEntry | None:
        return self.get(text_id)


class StreamShelf:
    """Token streams of texts side by side in one array, as the compiled loops want them.

    Holds what was asked for, up to a number of tokens; beyond it the shelf is cleared and filled anew.
    """

    def __init__(self, corpus: Corpus, max_tokens: int) -> None:
        self._corpus = corpus
        self._max_tokens = max_tokens
        self._tokens: NDArray[np.uint16] = np.empty(FIRST_TOKENS, np.uint16)
        self._used = 0
        self._places: dict[WorkTextId, tuple[int, int]] = {}

    def streams(self, text_ids: Sequence[WorkTextId]) -> Streams:
        """The streams of these texts, in their order; a text that is gone has an empty one."""
        places = self._placed(text_ids)
        if places is None:
            self._clear()
            places = self._placed(text_ids) or self._alone(text_ids)
        bounds = np.array(places, np.int64).reshape(-1, 2)
        return Streams(self._tokens, bounds[:, 0].copy(), bounds[:, 1].copy())

    def _placed(self, text_ids: Sequence[WorkTextId], is_forced: bool = False) -> list[tuple[int, int]] | None:
        """Where each stands; None when the shelf is full."""
        places = []
        for text_id in text_ids:
            place = self._places.get(text_id)
            if place is None:
                entry = self._corpus.entry(text_id)
                if entry is None:
                    places.append((0, 0))
                    continue
                place = self._put(entry.fingerprint.tokens, is_forced)
                if place is None:
                    return None
                self._places[text_id] = place
            places.append(place)
        return places

    def _alone(self, text_ids: Sequence[WorkTextId]) -> list[tuple[int, int]]:
        """More than the shelf holds, for this one question."""
        self._clear()
        return self._placed(text_ids, is_forced=True) or []

    def _put(self, tokens: NDArray[np.uint16], is_forced: bool) -> tuple[int, int] | None:
        end = self._used + tokens.size
        if end > self._max_tokens and not is_forced:
            return None
        if end > self._tokens.size:
            grown = np.empty(max(end, 2 * self._tokens.size), np.uint16)
            grown[: self._used] = self._tokens[: self._used]
            self._tokens = grown
        self._tokens[self._used : end] = tokens
        place = (self._used, end)
        self._used = end
        return place

    def _clear(self) -> None:
        self._places.clear()
        self._used = 0
        if self._tokens.size > self._max_tokens:
            self._tokens = np.empty(FIRST_TOKENS, np.uint16)
