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

    generation: 0 if the index was never built or has been lost; it then has no hits. corpus_revision: increases with
    every text added or removed, over all generations. is_outgrown: whether a rebuild for its present size would make it
    faster.
    """

    generation: int
    corpus_revision: int
    texts: int
    postings: int
    is_outgrown: bool = False


@dataclass(frozen=True, slots=True)
class IndexVersion:
    """The version of an index. Equal versions have the same texts.

    generation: 0 if there is none. origin: unique to this generation, even if the index was lost and its numbers
    repeat.
    """

    generation: int
    revision: int
    origin: str


@dataclass(frozen=True, slots=True, eq=False)
class IndexHits:
    """Occurrences of the requested hashes, one in each row, unordered.

    queries    int32[h]  index of the hash in the request
    ordinals   int32[h]  number of the text; `text_id` returns its id
    positions  int32[h]  position in the token stream of that text
    capped     number of hashes omitted because they are too frequent
    postings   number of postings in the whole index
    streams    token streams by ordinal, if the index has them in memory
    counts     int32[hashes]  occurrences of each hash in the whole index, also of omitted hashes
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
    """The index of the seeds of the reference corpus. Every method may raise core.errors.ServiceUnavailable.

    A new or lost index has generation 0: `add`, `remove` and `lookup` raise core.errors.IndexStale until `rebuild` or
    `clear` has opened a generation. An empty result therefore always means that there are no copies.
    """

    algorithm_id: int

    def add(self, text_id: WorkTextId, fingerprint: Fingerprint) -> bool:
        """Add a text unless it is present; return whether it was added."""
        ...

    def remove(self, text_id: WorkTextId) -> None:
        """Remove a text if it is present."""
        ...

    def lookup(self, hashes: NDArray[np.uint64], max_postings: int) -> IndexHits:
        """Return all occurrences of each hash that occurs at most `max_postings` times in the whole index.

        If a text repeats a hash, only its first 16 occurrences are indexed (matcher.index.postings).
        """
        ...

    def state(self) -> IndexState:
        """Return the generation, revision and size of the index."""
        ...

    def may_have_lost(self) -> bool:
        """Return whether postings may be lost because a server was replaced or restarted since the index was built.

        Such an index still works, but may lack recently added texts; a rebuild repairs it.
        """
        ...

    def text_ids(self) -> frozenset[WorkTextId]:
        """Return the ids of all texts in the index."""
        ...

    def clear(self) -> None:
        """Open a new, empty generation."""
        ...

    def rebuild(self, entries: Iterable[tuple[WorkTextId, Fingerprint]], min_revision: int = 0) -> IndexState:
        """Fill a new generation with `entries`, switch to it, and delete the old one.

        Look-ups use the old generation until the switch; an interrupted rebuild leaves it in place. The revision
        increases if the texts have changed, and is at least `min_revision` (for a lost index).
        """
        ...

    def tidy(self) -> None:
        """Free the memory of removed texts and of old generations."""
        ...
