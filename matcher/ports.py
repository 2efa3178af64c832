"""The index as matcher and pipeline see it. Live side: matcher.redis_index; memory side: matcher.memory_index."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.ids import WorkTextId
from fingerprint.record import Fingerprint
from matcher.extension import Streams


@dataclass(frozen=True, slots=True)
class IndexState:
    """What an index holds.

    generation: 0 when there is none (never built, or lost); such an index answers nothing.
    corpus_revision: counts every text added or removed, over all generations.
    is_outgrown: it answers, but slower than one made anew for its size would.
    """

    generation: int
    corpus_revision: int
    texts: int
    postings: int
    is_outgrown: bool = False


@dataclass(frozen=True, slots=True)
class IndexVersion:
    """Equal versions of an index hold the same texts.

    generation: 0 when there is none. origin: of this generation and no other, also not of one that had the same number
    before the index was lost.
    """

    generation: int
    revision: int
    origin: str


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """Where asked hashes occur: one row for each occurrence, in no order.

    queries    int32[h]  position in the array of hashes that was asked
    ordinals   int32[h]  a number for the text, which `texts` names
    positions  int32[h]  stream position in that text
    capped     how many of the hashes were left out because they occur too often
    postings   size of the whole index
    streams    token streams by ordinal, of an index that has them in memory
    counts     int32[hashes asked]  how often each occurs in the whole index, those that were left out too
    """

    queries: NDArray[np.int32]
    ordinals: NDArray[np.int32]
    positions: NDArray[np.int32]
    texts: Mapping[int, WorkTextId]
    capped: int
    postings: int
    counts: NDArray[np.int32]
    streams: Streams | None = None


class TextNames(Mapping[int, WorkTextId]):
    """Text ids by ordinal, where ordinals count from 0; those of other texts than the hits' among them."""

    def __init__(self, ids: Sequence[WorkTextId]) -> None:
        self._ids = ids

    def __getitem__(self, ordinal: int) -> WorkTextId:
        if not 0 <= ordinal < len(self._ids):
            raise KeyError(ordinal)
        return self._ids[ordinal]

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self._ids)))

    def __len__(self) -> int:
        return len(self._ids)


class MatchIndex(Protocol):
    """Anchors of the mother corpus. Every call may raise core.errors.ServiceUnavailable.

    A new or lost index has generation 0: `add`, `remove` and `lookup` raise core.errors.IndexStale until `rebuild` or
    `clear` has opened a generation, so that silence is never mistaken for "no copies".
    """

    algorithm_id: int

    def add(self, text_id: WorkTextId, fingerprint: Fingerprint) -> bool:
        """Make a text known, and say whether it was not; one that is there already is left as it is."""
        ...

    def remove(self, text_id: WorkTextId) -> None:
        """Forget a text; one that is not there is no error."""
        ...

    def lookup(self, hashes: NDArray[np.uint64], max_postings: int) -> Hits:
        """Find all occurrences of each hash that occurs at most `max_postings` times in the whole index.

        Of a hash that one text repeats, its first 16 places count (matcher.postings).
        """
        ...

    def state(self) -> IndexState: ...

    def text_ids(self) -> frozenset[WorkTextId]: ...

    def clear(self) -> None:
        """Open a new generation without any text."""
        ...

    def rebuild(self, entries: Iterable[tuple[WorkTextId, Fingerprint]], min_revision: int = 0) -> IndexState:
        """Fill a new generation with `entries`, switch to it, and drop the old one.

        Look-ups go on with the old generation until the switch; a rebuild that dies leaves it in place. The revision
        moves on when the texts differ from those before, and is at least `min_revision` (for an index that was lost).
        """
        ...

    def tidy(self) -> None:
        """Free the memory of texts that were removed and of old generations; little to do where there are none."""
        ...
