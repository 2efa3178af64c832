"""MinHash with locality-sensitive hashing: minima of hashes estimate a Jaccard index, bands of minima find candidates.

Source: Broder, "On the resemblance and containment of documents", 1997; Indyk and Motwani, STOC 1998. Hash functions:
Dietzfelbinger et al., "A reliable randomized algorithm for the closest-pair problem", 1997.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.wording import Message
from fingerprint.engines.chapters import ChapterEngine, chapter_entry
from fingerprint.engines.engine import EngineMatch
from fingerprint.engines.tokens import CHINESE_TOKENS, shingle_hashes, tokenize

MAX_BATCH = 4096  # features: times the permutations, held in memory in one step
HALF = np.uint64(32)  # features and minima have 32 bits, the products between them 64
STEPS = 1_000  # of the integrals over the Jaccard index; exact to three digits


@dataclass(eq=False)
class MinHashLshEngine(ChapterEngine):
    """Finds chapters that share a band of minima with the page and have a Jaccard index of at least `threshold`.

    The index is estimated from the minima. shingle_tokens: the tokens in a feature; permutations: the number of hash
    functions, whose minima are divided into bands so that the errors on both sides of `threshold` are fewest.
    """

    threshold: float = 0.5
    shingle_tokens: int = 5
    permutations: int = 128

    def __post_init__(self) -> None:
        self.bands_and_rows = choose_bands_and_rows(self.threshold, self.permutations)
        random = np.random.default_rng(1)
        self._factors, self._summands = random.integers(0, 1 << 64, (2, self.permutations), np.uint64)
        self._sketches: list[NDArray[np.uint64]] = []
        self._buckets: defaultdict[tuple[int, bytes], list[int]] = defaultdict(list)

    def _add_chapter(self, work_id: str, text: str) -> None:
        sketch = self._text_sketch(text)
        if sketch is not None:
            chapter = self._owners.add_chapter(work_id)
            self._sketches.append(sketch)
            for band in self._sketch_bands(sketch):
                self._buckets[band].append(chapter)

    def _find_chapter(self, text: str) -> Iterable[EngineMatch]:
        sketch = self._text_sketch(text)
        if sketch is None:
            return ()
        candidates = sorted({chapter for band in self._sketch_bands(sketch) for chapter in self._buckets.get(band, ())})
        estimates = ((chapter, float(np.mean(sketch == self._sketches[chapter]))) for chapter in candidates)
        return self._owners.works((chapter, jaccard) for chapter, jaccard in estimates if jaccard >= self.threshold)

    def _text_sketch(self, text: str) -> NDArray[np.uint64] | None:
        """Return the lowest hash of all features under each function, or None if the text has no features."""
        features = _text_features(text, self.shingle_tokens)
        if not features.size:
            return None
        batches = (features[first : first + MAX_BATCH, None] for first in range(0, features.size, MAX_BATCH))
        hashed = ((batch * self._factors + self._summands >> HALF).min(axis=0) for batch in batches)
        sketch: NDArray[np.uint64] = np.minimum.reduce(list(hashed))
        return sketch

    def _sketch_bands(self, sketch: NDArray[np.uint64]) -> list[tuple[int, bytes]]:
        bands, rows = self.bands_and_rows
        return [(band, sketch[band * rows : (band + 1) * rows].tobytes()) for band in range(bands)]


def choose_bands_and_rows(threshold: float, permutations: int) -> tuple[int, int]:
    """Return the number of bands, and of minima in each band, with the fewest errors of both kinds.

    >>> choose_bands_and_rows(0.5, 128)
    (25, 5)
    """
    jaccard = (np.arange(STEPS) + 0.5) / STEPS

    def errors(bands_and_rows: tuple[int, int]) -> float:
        bands, rows = bands_and_rows
        probability = 1 - (1 - jaccard**rows) ** bands
        return float(np.where(jaccard < threshold, probability, 1 - probability).sum())

    rows_of_bands = (
        (bands, rows) for bands in range(2, permutations + 1) for rows in range(1, permutations // bands + 1)
    )
    return min(rows_of_bands, key=errors)


def _text_features(text: str, shingle_tokens: int) -> NDArray[np.uint64]:
    return np.unique(shingle_hashes(tokenize(text).ids, shingle_tokens) >> HALF)


ENTRIES = (
    chapter_entry(
        "minhash-lsh",
        MinHashLshEngine,
        Message("engine.minhash-of-runs-of-5-characters-bands-for"),
        "Broder, 1997; Indyk, Motwani, STOC 1998",
        (CHINESE_TOKENS, Message("engine.what-shares-a-band-is-reported-only-when")),
        {
            "threshold": Message("engine.a-duplicate-from-this-estimated-jaccard"),
            "shingle_tokens": Message("engine.tokens-of-a-feature"),
            "permutations": Message("engine.hash-functions"),
        },
    ),
)
