"""The works of an engine that gives spans: their features with places, and the offsets that the places stand for."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from core.text import TextRange
from fingerprint.engines.engine import EngineMatch, SharedSpan
from fingerprint.engines.position_index import FeatureHits, PositionIndex
from fingerprint.engines.span_merging import Clusters

Offsets = tuple[NDArray[np.int32], NDArray[np.int32]]  # starts and ends of tokens in a text


class LocatedWorks:
    """Works in the order in which they were added. span_tokens: how many tokens a feature covers."""

    def __init__(self, span_tokens: int) -> None:
        self._span_tokens = span_tokens
        self._index = PositionIndex()
        self._work_ids: list[str] = []
        self._offsets: list[Offsets] = []

    def add_features(
        self, work_id: str, offsets: Offsets, features: NDArray[np.uint64], places: NDArray[np.int32]
    ) -> None:
        """Add the features of a work, well mixed, with the token at which each begins."""
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
        found = [self._match(work, clusters, page, page_features) for work in works]
        return sorted(found, key=lambda match: (-match.similarity, match.work_id))

    def _match(self, work: int, clusters: Clusters, page: Offsets, page_features: int) -> EngineMatch:
        own = np.flatnonzero(clusters.works == work)
        similarity = min(1.0, int(clusters.features[own].sum()) / page_features)
        return EngineMatch(
            self._work_ids[work], similarity, tuple(self._spans(own, clusters, page, self._offsets[work]))
        )

    def _spans(self, own: NDArray[np.int64], clusters: Clusters, page: Offsets, work: Offsets) -> Iterator[SharedSpan]:
        last = self._span_tokens - 1
        sides = (
            page[0][clusters.page_first[own]],
            page[1][clusters.page_last[own] + last],
            work[0][clusters.work_first[own]],
            work[1][clusters.work_last[own] + last],
        )
        for page_start, page_end, work_start, work_end in zip(*(side.tolist() for side in sides), strict=True):
            yield SharedSpan(TextRange(page_start, page_end), TextRange(work_start, work_end))
