"""The new texts of a search, prepared for matching against page fingerprints."""

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import numpy as np
from numpy.typing import NDArray

from core.errors import NotFound
from core.ids import WorkTextId
from fingerprint.fingerprinting import Fingerprint
from matcher.calibration import DEFAULT as CALIBRATION
from matcher.corpus import CorpusCache
from matcher.index.lookups import page_seeds
from matcher.index.memory import MemoryIndex
from matcher.matching import Matcher
from pipeline.corpus import StoredCorpus
from pipeline.steps import Ports, work_fingerprint

# Above this number the pages are left to the index, and all workers share the comparisons: texts with this many seeds
# (about 20 M characters) share a seed with nearly every page, and their index takes about 200 MB in this process.
MAX_SEEDS = 4_000_000
CACHED_TEXT_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, eq=False)
class NewTextQuery:
    """New texts of one rights holder.

    hashes      uint64[s], sorted, distinct: all their seeds
    findable    time of indexing of each; None: it may be indexed at any moment
    """

    hashes: NDArray[np.uint64]
    matcher: Matcher
    findable: Mapping[WorkTextId, datetime | None]

    def __len__(self) -> int:
        return len(self.findable)

    def shares_seeds(self, fingerprint: Fingerprint) -> bool:
        """Return True if a page has a seed of these texts. Every finding begins with a seed, so none is lost."""
        return has_common_value(page_seeds(fingerprint, CALIBRATION).hashes, self.hashes)

    def has_match(self, text: str, fingerprint: Fingerprint, checked_at: datetime) -> bool:
        """Return True if a page compared at `checked_at` matches a later text among these texts."""
        return bool(self.matcher.match(text, fingerprint, partial(self._findable_texts, checked_at)))

    def _findable_texts(self, checked_at: datetime, texts: Collection[WorkTextId]) -> Mapping[WorkTextId, Hashable]:
        return {text: text for text in texts if (at := self.findable.get(text)) is None or at >= checked_at}


def new_text_query(rights_holder: int, since: datetime, ports: Ports) -> NewTextQuery | None:
    """Return the query for a rights holder's texts that pages compared at `since` missed, or None for too many."""
    findable = ports.cases.newer_texts(rights_holder, since)
    index = MemoryIndex(ports.algorithm.id)
    hashes: list[NDArray[np.uint64]] = []
    seeds = 0
    for text_id in findable:
        try:
            fingerprint = work_fingerprint(text_id, ports)
        except NotFound:
            continue  # the store lost it: no page can match it until its work is added again
        seeds += fingerprint.hashes.size
        if seeds > MAX_SEEDS:
            return None
        hashes.append(fingerprint.hashes)
        index.add(text_id, fingerprint)
    corpus = CorpusCache(StoredCorpus(ports.works, ports.fingerprints, ports.algorithm), CACHED_TEXT_BYTES)
    distinct = np.unique(np.concatenate([np.zeros(0, np.uint64), *hashes]))
    return NewTextQuery(distinct, Matcher(index, corpus, CALIBRATION), findable)


def has_common_value(values: NDArray[np.uint64], ordered: NDArray[np.uint64]) -> bool:
    """Return True if one of `values` is in `ordered`, which is sorted and distinct.

    >>> has_common_value(np.array([1, 5], np.uint64), np.array([2, 5], np.uint64))
    True
    """
    if not ordered.size:
        return False
    places = np.searchsorted(ordered, values)
    places[places == ordered.size] = 0
    return bool((ordered[places] == values).any())
