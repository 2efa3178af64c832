"""Equal features of a page and its works, merged into spans: those near each other on both sides are one passage."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fingerprint.engines.position_index import FeatureHits


@dataclass(frozen=True, slots=True)
class MergeRule:
    """max_gap: between places of neighbouring features, on both sides; max_drift: what their distance may change by."""

    max_gap: int
    max_drift: int


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Merged hits, by work and then by the page: places of the first and the last feature on both sides.

    works: int32[c]; page_first, page_last, work_first, work_last: int64[c]; features: int64[c], places of the page.
    """

    works: NDArray[np.int32]
    page_first: NDArray[np.int64]
    page_last: NDArray[np.int64]
    work_first: NDArray[np.int64]
    work_last: NDArray[np.int64]
    features: NDArray[np.int64]

    def keep_clusters(self, features: int) -> "Clusters":
        """Keep the clusters with so many features."""
        return self._select(self.features >= features)

    def keep_works_by_cluster(self, features: int) -> "Clusters":
        """Keep the clusters of works that have one with so many features."""
        return self._select(np.isin(self.works, self.works[self.features >= features]))

    def keep_works_by_total(self, features: int) -> "Clusters":
        """Keep the clusters of works that have so many features in all of theirs."""
        if not self.works.size:
            return self
        return self._select(np.bincount(self.works, self.features)[self.works] >= features)

    def _select(self, chosen: NDArray[np.bool_]) -> "Clusters":
        return Clusters(
            self.works[chosen],
            self.page_first[chosen],
            self.page_last[chosen],
            self.work_first[chosen],
            self.work_last[chosen],
            self.features[chosen],
        )


def merge_hits(hits: FeatureHits, rule: MergeRule) -> Clusters:
    """Sort hits into bands of diagonals that lie within the drift of each other, and cuts these at gaps.

    A diagonal is the place in the work less that in the page; it changes where something was inserted or left out.
    """
    diagonals = hits.work_places - hits.places
    order = np.lexsort((hits.places, diagonals, hits.works))
    works, places, work_places = hits.works[order], hits.places[order], hits.work_places[order]
    bands = np.cumsum(_changes(works, 0) | _changes(diagonals[order], rule.max_drift))
    order = np.lexsort((work_places, places, bands))
    works, places, work_places, bands = works[order], places[order], work_places[order], bands[order]
    is_first = _changes(bands, 0) | _changes(places, rule.max_gap) | _changes(work_places, rule.max_gap)
    first = np.flatnonzero(is_first)
    if not first.size:
        empty = np.zeros(0, np.int64)
        return Clusters(works, empty, empty, empty, empty, empty)
    is_new_place = is_first | _changes(places, 0)
    return Clusters(
        works[first],
        places[first],
        np.maximum.reduceat(places, first),
        np.minimum.reduceat(work_places, first),
        np.maximum.reduceat(work_places, first),
        np.add.reduceat(is_new_place.astype(np.int64), first),
    )


def _changes(values: NDArray[np.generic], by_more_than: int) -> NDArray[np.bool_]:
    """Return whether each value is further from the previous one, bool[n]; True for the first."""
    changed = np.ones(values.size, np.bool_)
    changed[1:] = np.abs(np.diff(values.astype(np.int64))) > by_more_than
    return changed
