"""DSC: shingles of which 1 in 25 is kept, by its hash; DSC-SS: several kept shingles hashed together.

Source: Broder, Glassman, Manasse, Zweig, "Syntactic clustering of the Web", WWW 1997.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprint.engines.chapters import CHAPTER_CHARS, ChapterOwners, chapters_of
from fingerprint.engines.engine import EngineEntry, Found
from fingerprint.engines.feature_index import FeatureIndex
from fingerprint.engines.hashing import mix, shingle_hashes
from fingerprint.engines.tokens import tokens_of

SHINGLE_TOKENS = 10  # as in the source
ONE_IN = 25
# The source gives no threshold for plagiarism; these reach the figures that the two are known by on edited Chinese text
# (docs/decisions/published-engines.md).
MIN_CONTAINMENT, MIN_CONTAINMENT_SS = 0.25, 0.10


def kept_shingles(text: str, tokens: int = SHINGLE_TOKENS, one_in: int = ONE_IN) -> NDArray[np.uint64]:
    """uint64[n]: the shingles whose hash is divisible by `one_in`, in order of the text."""
    hashes = shingle_hashes(tokens_of(text).ids, tokens)
    return np.compress(hashes % np.uint64(one_in) == 0, hashes)


class DscEngine:
    """Chapters that hold at least `min_containment` of the page's kept shingles.

    super_shingle: how many kept shingles in a row are hashed together, 1 for plain DSC.
    """

    gives_spans = False

    def __init__(
        self,
        min_containment: float = MIN_CONTAINMENT,
        super_shingle: int = 1,
        shingle_tokens: int = SHINGLE_TOKENS,
        one_in: int = ONE_IN,
        chapter_chars: int = CHAPTER_CHARS,
    ) -> None:
        self._min_containment, self._super_shingle = min_containment, super_shingle
        self._shingle_tokens, self._one_in, self._chapter_chars = shingle_tokens, one_in, chapter_chars
        self._index, self._owners = FeatureIndex(), ChapterOwners()

    def add(self, work_id: str, text: str) -> None:
        for chapter in chapters_of(text, self._chapter_chars):
            features = self._features(chapter)
            if features.size:
                self._owners.add(work_id)
                self._index.add(features)

    def find(self, text: str) -> list[Found]:
        features = self._features(text)
        chapters, shared = self._index.count_shared(features)
        shares = shared / max(1, features.size)
        enough = shares >= self._min_containment
        return self._owners.best_works(zip(chapters[enough].tolist(), shares[enough].tolist(), strict=True))

    def _features(self, text: str) -> NDArray[np.uint64]:
        kept = kept_shingles(text, self._shingle_tokens, self._one_in)
        if self._super_shingle == 1:
            return np.unique(mix(kept))
        return np.unique(shingle_hashes(kept, self._super_shingle)[:: self._super_shingle])


ENTRIES = (
    EngineEntry(
        "dsc",
        DscEngine,
        DscEngine.gives_spans,
        "runs of 10 characters of which 1 in 25 is kept; share of the page's that stand in a chapter",
        "10 字片段按哈希保留二十五分之一，看页面片段有多少在某一章中",
        "Broder et al., WWW 1997",
    ),
    EngineEntry(
        "dsc-ss",
        lambda **options: DscEngine(**{"super_shingle": 4, "min_containment": MIN_CONTAINMENT_SS, **options}),
        DscEngine.gives_spans,
        "super-shingles: every 4 kept runs hashed together",
        "超级片段：每 4 个保留的片段合为一个哈希",
        "Broder et al., WWW 1997",
    ),
)
