"""The works of engines that give spans: equal features of page and work with their positions, merged into spans."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.text import TextRange
from fingerprint.engines.chapters import best_works
from fingerprint.engines.engine import EngineMatch, SharedSpan
from fingerprint.engines.feature_engine import FeatureTable, expand_ranges

# Bounds of time and memory for a page if page and work repeat one passage many times: hits for a page of any length,
# and hits for each of its features. A page that copies from a few editions of one work is far below.
HITS_OF_ANY_PAGE, HITS_OF_A_FEATURE = 1_000_000, 4
PLACE_BITS = 32  # below the number of the work
Offsets = tuple[NDArray[np.int32], NDArray[np.int32]]  # starts and ends of tokens in a text


@dataclass(frozen=True, slots=True, eq=False)
class FeatureHits:
    """Equal features: their positions on the page, their works and their positions in the works, int64[h] each.

    The hits are in order of the page.
    """

    places: NDArray[np.int64]
    works: NDArray[np.int64]
    work_places: NDArray[np.int64]


class PositionIndex:
    """The features of works, with their positions."""

    def __init__(self) -> None:
        self._table = FeatureTable()

    def add_features(self, work: int, features: NDArray[np.uint64], positions: NDArray[np.int32]) -> None:
        """Add the features of a work, each with its position."""
        self._table.add_occurrences(features, positions.astype(np.int64) | work << PLACE_BITS)

    def hits(self, features: NDArray[np.uint64], positions: NDArray[np.int32]) -> FeatureHits:
        """Return every pair of equal features of a page and of works.

        If there are too many pairs, the features that occur most often in works are omitted.
        """
        firsts, counts = self._table.find_rows(features)
        rarest = _rarest_features(counts, HITS_OF_ANY_PAGE + HITS_OF_A_FEATURE * features.size)
        numbers, rows = expand_ranges(firsts[rarest], counts[rarest])
        located = self._table.values[rows]
        in_works = located & ((1 << PLACE_BITS) - 1)
        return FeatureHits(positions[rarest[numbers]].astype(np.int64), located >> PLACE_BITS, in_works)


def _rarest_features(counts: NDArray[np.int64], max_total: int) -> NDArray[np.int64]:
    """Return the indexes of the smallest counts whose sum is at most `max_total`, ascending, int64[n]."""
    if counts.sum() <= max_total:
        return np.flatnonzero(counts)
    order = np.argsort(counts, kind="stable")
    rarest: NDArray[np.int64] = np.sort(order[np.cumsum(counts[order]) <= max_total])
    return rarest


@dataclass(frozen=True, slots=True)
class MergeRule:
    """The rule for merging hits.

    max_gap: the largest distance between neighbouring features, on both sides; max_drift: the largest change of
    diagonal.
    """

    max_gap: int
    max_drift: int


class Clusters(NamedTuple):
    """Merged hits, by work and then in order of the page: the positions of their first and last features on both sides.

    features: the number of distinct positions on the page. All columns are int64[c].
    """

    works: NDArray[np.int64]
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
        return self._select_clusters(np.bincount(self.works, self.features)[self.works] >= features)

    def _select_clusters(self, chosen: NDArray[np.bool_]) -> "Clusters":
        return Clusters(*(column[chosen] for column in self))


def merge_hits(hits: FeatureHits, rule: MergeRule) -> Clusters:
    """Return hits merged into clusters: bands of diagonals within `max_drift` of each other, split at gaps.

    A diagonal is the position in the work minus the position on the page. It changes at insertions and deletions.
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
    """Return whether each value differs from the previous one by more than the limit, bool[n]; True for the first."""
    changed = np.ones(values.size, np.bool_)
    changed[1:] = np.abs(np.diff(values.astype(np.int64))) > by_more_than
    return changed


class LocatedWorks:
    """The works in the order of addition. span_tokens: the number of tokens that a feature covers."""

    def __init__(self, span_tokens: int) -> None:
        self._span_tokens = span_tokens
        self._index = PositionIndex()
        self._work_ids: list[str] = []
        self._offsets: list[Offsets] = []

    def add_features(
        self, work_id: str, offsets: Offsets, features: NDArray[np.uint64], positions: NDArray[np.int32]
    ) -> None:
        """Add the features of a work, with well mixed bits, and the token at which each feature begins."""
        self._index.add_features(len(self._work_ids), features, positions)
        self._work_ids.append(work_id)
        self._offsets.append(offsets)

    def hits(self, features: NDArray[np.uint64], positions: NDArray[np.int32]) -> FeatureHits:
        """Return the features that a page shares with any work."""
        return self._index.hits(features, positions)

    def matches(self, clusters: Clusters, page: Offsets, page_features: int) -> list[EngineMatch]:
        """Return the works of the clusters, the most similar first.

        The similarity is the share of the page's features that are in clusters.
        """
        rows_by_work = (np.flatnonzero(clusters.works == work) for work in np.unique(clusters.works))
        return best_works(self._work_match(rows, clusters, page, page_features) for rows in rows_by_work)

    def _work_match(
        self, rows: NDArray[np.int64], clusters: Clusters, page: Offsets, page_features: int
    ) -> EngineMatch:
        """Return the match of a work. rows: the rows of its clusters."""
        work, last = int(clusters.works[rows[0]]), self._span_tokens - 1
        starts, ends = self._offsets[work]
        on_page = zip(page[0][clusters.page_first[rows]], page[1][clusters.page_last[rows] + last], strict=True)
        in_work = zip(starts[clusters.work_first[rows]], ends[clusters.work_last[rows] + last], strict=True)
        spans = (
            SharedSpan(TextRange(*map(int, page_range)), TextRange(*map(int, work_range)))
            for page_range, work_range in zip(on_page, in_work, strict=True)
        )
        similarity = min(1.0, int(clusters.features[rows].sum()) / page_features)
        return EngineMatch(self._work_ids[work], similarity, tuple(spans))
