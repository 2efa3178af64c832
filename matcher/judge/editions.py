"""Which texts of a corpus are editions of one work."""

import numpy as np
from numpy.typing import NDArray

from core.ids import WorkTextId
from fingerprint.record import Fingerprint
from fingerprint.rules import Seeds
from fingerprint.stages import find_anchors
from matcher.calibration import Calibration
from matcher.corpus import Corpus, WorkEntry

MAX_CACHED = 10_000


class Editions:
    """Tells editions of one work by the anchors they share, and caches the answers."""

    def __init__(self, corpus: Corpus, calibration: Calibration) -> None:
        self._corpus = corpus
        self._calibration = calibration
        self._cached: dict[tuple[int, WorkTextId], bool] = {}

    def are_editions(self, entry: WorkEntry, other: WorkTextId) -> bool:
        """Whether a text is another edition of `entry`."""
        key = (hash(entry.text), other)
        if key not in self._cached:
            if len(self._cached) >= MAX_CACHED:
                self._cached.clear()
            found = self._corpus.entry(other)
            self._cached[key] = (
                found is not None and self._anchor_overlap(entry, found) >= self._calibration.min_edition_share
            )
        return self._cached[key]

    @staticmethod
    def _anchor_overlap(one: WorkEntry, other: WorkEntry) -> float:
        hashes, others = anchor_hashes(one.fingerprint), anchor_hashes(other.fingerprint)
        common = np.intersect1d(hashes, others, assume_unique=True).size
        return common / max(1, min(hashes.size, others.size))


def anchor_hashes(fingerprint: Fingerprint) -> NDArray[np.uint64]:
    """uint64[a], sorted, distinct: of the anchors, whatever the seeds are; windows of two editions are out of phase."""
    algorithm = fingerprint.algorithm
    if Seeds.WINDOWS not in algorithm.seeds:
        return np.unique(fingerprint.hashes)
    return np.unique(find_anchors(fingerprint.tokens, algorithm.anchors, algorithm.symbols)[0])
