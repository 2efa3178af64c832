"""The works of engines that give spans: equal features of page and work with their places, merged into spans."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.text import TextRange
from fingerprint.compilation import kernel
from fingerprint.engines.engine import EngineMatch, SharedSpan
from fingerprint.engines.feature_engine import bucket_starts

# Bounds of time and memory for a page if page and work repeat one passage many times: hits for a page of any length,
# and hits for each of its features. A page that copies from a few editions of one work is far below.
HITS_OF_ANY_PAGE, HITS_OF_A_FEATURE = 1_000_000, 4
Offsets = tuple[NDArray[np.int32], NDArray[np.int32]]  # starts and ends of tokens in a text


@dataclass(frozen=True, slots=True, eq=False)
class FeatureHits:
    """Equal features: places int64[h] on the page, works int32[h], work_places int64[h]; in order of the page."""

    places: NDArray[np.int64]
    works: NDArray[np.int32]
    work_places: NDArray[np.int64]


class PositionIndex:
    """Features of works with their places, in a sorted table that is rebuilt after additions."""

    def __init__(self) -> None:
        self._pending: list[tuple[int, NDArray[np.uint64], NDArray[np.int32]]] = []
        self._keys = np.zeros(0, np.uint64)
        self._works, self._places = np.zeros(0, np.int32), np.zeros(0, np.int32)
        self._buckets, self._shift = bucket_starts(self._keys)

    def add_features(self, work: int, features: NDArray[np.uint64], places: NDArray[np.int32]) -> None:
        """Add the features of a work."""
        self._pending.append((work, features, places))

    def hits(self, features: NDArray[np.uint64], places: NDArray[np.int32]) -> FeatureHits:
        """Return every pair of equal features of a page and of works.

        If there are too many pairs, the features that occur most often in works are left out.
        """
        if self._pending:
            self._sort_features()
        firsts, counts = _feature_ranges(features, self._keys, self._buckets, self._shift)
        kept = _rarest_features(counts, HITS_OF_ANY_PAGE + HITS_OF_A_FEATURE * features.size)
        queries = np.repeat(kept, counts[kept])
        within = np.arange(queries.size) - np.repeat(np.cumsum(counts[kept]) - counts[kept], counts[kept])
        entries = firsts[queries] + within
        return FeatureHits(
            places[queries].astype(np.int64), self._works[entries], self._places[entries].astype(np.int64)
        )

    def _sort_features(self) -> None:
        works, features, places = zip(*self._pending, strict=True)
        self._pending = []
        numbers = np.repeat(np.array(works, np.int32), [each.size for each in features])
        keys = np.concatenate([self._keys, *features])
        order = np.argsort(keys, kind="stable")
        self._keys = keys[order]
        self._works = np.concatenate([self._works, numbers])[order]
        self._places = np.concatenate([self._places, *places])[order]
        self._buckets, self._shift = bucket_starts(self._keys)


def _rarest_features(counts: NDArray[np.int64], max_total: int) -> NDArray[np.int64]:
    """Return the ascending numbers of the smallest counts whose sum is within the limit, int64[n]."""
    if counts.sum() <= max_total:
        return np.flatnonzero(counts)
    order = np.argsort(counts, kind="stable")
    kept: NDArray[np.int64] = np.sort(order[np.cumsum(counts[order]) <= max_total])
    return kept


@kernel()
def _feature_ranges(
    features: NDArray[np.uint64], keys: NDArray[np.uint64], buckets: NDArray[np.int64], shift: np.uint64
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the start and the number of the entries of each feature, int64[n] each."""
    firsts, counts = np.empty(features.size, np.int64), np.empty(features.size, np.int64)
    for query in range(features.size):
        bucket = np.int64(features[query] >> shift)
        start, end = buckets[bucket], buckets[bucket + 1]
        first = np.searchsorted(keys[start:end], features[query])
        firsts[query] = start + first
        counts[query] = np.searchsorted(keys[start:end], features[query], side="right") - first
    return firsts, counts


@dataclass(frozen=True, slots=True)
class MergeRule:
    """The rule for merging.

    max_gap: between neighbouring features, on both sides; max_drift: the most that their offset may change.
    """

    max_gap: int
    max_drift: int


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Merged hits, by work and then in order of the page: places of the first and the last feature on both sides.

    works: int32[c]; page_first, page_last, work_first, work_last: int64[c]; features: int64[c], distinct places on the
    page.
    """

    works: NDArray[np.int32]
    page_first: NDArray[np.int64]
    page_last: NDArray[np.int64]
    work_first: NDArray[np.int64]
    work_last: NDArray[np.int64]
    features: NDArray[np.int64]

    def keep_clusters(self, features: int) -> "Clusters":
        """Return the clusters with at least `features` features."""
        return self._select_clusters(self.features >= features)

    def keep_works_by_cluster(self, features: int) -> "Clusters":
        """Return the clusters of works that have a cluster with at least `features` features."""
        return self._select_clusters(np.isin(self.works, self.works[self.features >= features]))

    def keep_works_by_total(self, features: int) -> "Clusters":
        """Return the clusters of works whose clusters together have at least `features` features."""
        if not self.works.size:
            return self
        return self._select_clusters(np.bincount(self.works, self.features)[self.works] >= features)

    def _select_clusters(self, chosen: NDArray[np.bool_]) -> "Clusters":
        return Clusters(
            self.works[chosen],
            self.page_first[chosen],
            self.page_last[chosen],
            self.work_first[chosen],
            self.work_last[chosen],
            self.features[chosen],
        )


def merge_hits(hits: FeatureHits, rule: MergeRule) -> Clusters:
    """Return hits merged into bands of diagonals within the drift of each other, split at gaps.

    A diagonal is the place in the work minus the place on the page; it changes at insertions and deletions.
    """
    diagonals = hits.work_places - hits.places
    order = np.lexsort((hits.places, diagonals, hits.works))
    works, places, work_places = hits.works[order], hits.places[order], hits.work_places[order]
    bands = np.cumsum(_find_changes(works, 0) | _find_changes(diagonals[order], rule.max_drift))
    order = np.lexsort((work_places, places, bands))
    works, places, work_places, bands = works[order], places[order], work_places[order], bands[order]
    is_first = _find_changes(bands, 0) | _find_changes(places, rule.max_gap) | _find_changes(work_places, rule.max_gap)
    first = np.flatnonzero(is_first)
    if not first.size:
        empty = np.zeros(0, np.int64)
        return Clusters(works, empty, empty, empty, empty, empty)
    is_new_place = is_first | _find_changes(places, 0)
    return Clusters(
        works[first],
        places[first],
        np.maximum.reduceat(places, first),
        np.minimum.reduceat(work_places, first),
        np.maximum.reduceat(work_places, first),
        np.add.reduceat(is_new_place.astype(np.int64), first),
    )


def _find_changes(values: NDArray[np.generic], by_more_than: int) -> NDArray[np.bool_]:
    """Return whether each value is further from the previous one than the limit, bool[n]; True for the first."""
    changed = np.ones(values.size, np.bool_)
    changed[1:] = np.abs(np.diff(values.astype(np.int64))) > by_more_than
    return changed


class LocatedWorks:
    """Works in the order of addition. span_tokens: the number of tokens that a feature covers."""

    def __init__(self, span_tokens: int) -> None:
        self._span_tokens = span_tokens
        self._index = PositionIndex()
        self._work_ids: list[str] = []
        self._offsets: list[Offsets] = []

    def add_features(
        self, work_id: str, offsets: Offsets, features: NDArray[np.uint64], places: NDArray[np.int32]
    ) -> None:
        """Add the features of a work, with well mixed bits, and the token at which each begins."""
        self._index.add_features(len(self._work_ids), features, places)
        self._work_ids.append(work_id)
        self._offsets.append(offsets)

    def hits(self, features: NDArray[np.uint64], places: NDArray[np.int32]) -> FeatureHits:
        """Return the features that a page shares with any work."""
        return self._index.hits(features, places)

    def matches(self, clusters: Clusters, page: Offsets, page_features: int) -> list[EngineMatch]:
        """Return the works of the clusters, best first.

        The similarity is the share of the page's features in clusters.
        """
        works = sorted(set(clusters.works.tolist()))
        found = [self._work_match(work, clusters, page, page_features) for work in works]
        return sorted(found, key=lambda match: (-match.similarity, match.work_id))

    def _work_match(self, work: int, clusters: Clusters, page: Offsets, page_features: int) -> EngineMatch:
        own = np.flatnonzero(clusters.works == work)
        similarity = min(1.0, int(clusters.features[own].sum()) / page_features)
        return EngineMatch(
            self._work_ids[work], similarity, tuple(self._work_spans(own, clusters, page, self._offsets[work]))
        )

    def _work_spans(
        self, own: NDArray[np.int64], clusters: Clusters, page: Offsets, work: Offsets
    ) -> Iterator[SharedSpan]:
        last = self._span_tokens - 1
        sides = (
            page[0][clusters.page_first[own]],
            page[1][clusters.page_last[own] + last],
            work[0][clusters.work_first[own]],
            work[1][clusters.work_last[own] + last],
        )
        for page_start, page_end, work_start, work_end in zip(*(side.tolist() for side in sides), strict=True):
            yield SharedSpan(TextRange(page_start, page_end), TextRange(work_start, work_end))
