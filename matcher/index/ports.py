"""The port of the index for matcher and pipeline. Implementations: `memory`, `redis.redis_index`, `snapshot`."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.ids import WorkTextId
from fingerprint.fingerprinting import Fingerprint
from matcher.corpus import TokenStreams


@dataclass(frozen=True, slots=True)
class IndexState:
    """The state of an index.

    generation: 0 if there is none (never built, or lost); such an index has no hits.
    corpus_revision: counts every text added or removed, over all generations.
    is_outgrown: whether a rebuild for its present size would make it faster.
    """

    generation: int
    corpus_revision: int
    texts: int
    postings: int
    is_outgrown: bool = False


@dataclass(frozen=True, slots=True)
class IndexVersion:
    """The version of an index; equal versions have the same texts.

    generation: 0 if there is none. origin: unique to this generation, even if the index was lost and numbers repeat.
    """

    generation: int
    revision: int
    origin: str


@dataclass(frozen=True, slots=True, eq=False)
class IndexHits:
    """Occurrences of hashes: one row each, unordered.

    queries    int32[h]  position in the array of hashes
    ordinals   int32[h]  number of the text; `text_id` returns its id
    positions  int32[h]  stream position in that text
    capped     number of hashes left out because they are too frequent
    postings   size of the whole index
    streams    token streams by ordinal, from an index with streams in memory
    counts     int32[hashes]  occurrences of each hash in the whole index, including hashes left out
    """

    queries: NDArray[np.int32]
    ordinals: NDArray[np.int32]
    positions: NDArray[np.int32]
    text_id: Callable[[int], WorkTextId]
    capped: int
    postings: int
    counts: NDArray[np.int32]
    streams: TokenStreams | None = None


class MatchIndex(Protocol):
    """Seeds of the reference corpus. Every call may raise core.errors.ServiceUnavailable.

    A new or lost index has generation 0: `add`, `remove` and `lookup` raise core.errors.IndexStale until `rebuild` or
    `clear` has opened a generation, so an empty result always means "no copies".
    """

    algorithm_id: int

    def add(self, text_id: WorkTextId, fingerprint: Fingerprint) -> bool:
        """Add a text unless it is present; return whether it was missing."""
        ...

    def remove(self, text_id: WorkTextId) -> None:
        """Remove a text, if it is present."""
        ...

    def lookup(self, hashes: NDArray[np.uint64], max_postings: int) -> IndexHits:
        """Return all occurrences of each hash that occurs at most `max_postings` times in the whole index.

        Of a hash repeated in one text, the first 16 places count (matcher.index.postings).
        """
        ...

    def state(self) -> IndexState: ...

    def may_have_lost(self) -> bool:
        """Return whether a server was replaced or restarted since the index was built, so that postings may be lost.

        Such an index still works, but may miss recently added texts; a rebuild repairs it.
        """
        ...

    def text_ids(self) -> frozenset[WorkTextId]: ...

    def clear(self) -> None:
        """Open a new, empty generation."""
        ...

    def rebuild(self, entries: Iterable[tuple[WorkTextId, Fingerprint]], min_revision: int = 0) -> IndexState:
        """Fill a new generation with `entries`, switch to it, and drop the old one.

        Look-ups use the old generation until the switch; an interrupted rebuild leaves it in place. The revision
        increases if the texts have changed, and is at least `min_revision` (for a lost index).
        """
        ...

    def tidy(self) -> None:
        """Free the memory of removed texts and of old generations."""
        ...
