"""DSC: shingles of which 1 in 25 is kept, by its hash; DSC-SS: several kept shingles hashed together.

Source: Broder, Glassman, Manasse, Zweig, "Syntactic clustering of the Web", WWW 1997.
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from core.words import Words
from fingerprint.engines.chapters import CHAPTER_CHARS, chapter_entry
from fingerprint.engines.feature_engine import FeatureEngine
from fingerprint.engines.hashing import mix, shingle_hashes
from fingerprint.engines.tokens import CHINESE_TOKENS, tokens_of

SHINGLE_TOKENS = 10  # as in the source
ONE_IN = 25
# The source gives no threshold for plagiarism; these reach the figures that the two are known by on edited Chinese text
# (docs/decisions/measurement.md).
MIN_CONTAINMENT, MIN_CONTAINMENT_SS = 0.25, 0.10


def kept_shingles(text: str, tokens: int = SHINGLE_TOKENS, one_in: int = ONE_IN) -> NDArray[np.uint64]:
    """uint64[n]: the shingles whose hash is divisible by `one_in`, in order of the text."""
    hashes = shingle_hashes(tokens_of(text).ids, tokens)
    return np.compress(hashes % np.uint64(one_in) == 0, hashes)


class DscEngine(FeatureEngine):
    """Chapters that hold at least `min_containment` of the page's kept shingles.

    super_shingle: how many kept shingles in a row are hashed together, 1 for plain DSC.
    """

    def __init__(
        self,
        min_containment: float = MIN_CONTAINMENT,
        super_shingle: int = 1,
        shingle_tokens: int = SHINGLE_TOKENS,
        one_in: int = ONE_IN,
        chapter_chars: int = CHAPTER_CHARS,
    ) -> None:
        super().__init__(chapter_chars)
        self._min_containment, self._super_shingle = min_containment, super_shingle
        self._shingle_tokens, self._one_in = shingle_tokens, one_in

    def _alike(
        self, shared: NDArray[np.int64], page_features: int, chapter_features: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        del chapter_features
        shares = shared / max(1, page_features)
        return shares, shares >= self._min_containment

    def _features_of(self, text: str) -> NDArray[np.uint64]:
        kept = kept_shingles(text, self._shingle_tokens, self._one_in)
        if self._super_shingle == 1:
            return np.unique(mix(kept))
        return np.unique(shingle_hashes(kept, self._super_shingle)[:: self._super_shingle])


SAMPLING = Words(
    "Hashes are those of splitmix64, in place of Rabin's fingerprints.", "哈希用 splitmix64，代替 Rabin 指纹。"
)
PARAMETERS = {
    "min_containment": Words(
        "a copy from this share of the page's features on", "网页特征中有这么大比例在某一章即判为雷同"
    ),
    "super_shingle": Words("kept shingles that are hashed together; 1: none", "合为一个哈希的片段数；1 为不合并"),
    "shingle_tokens": Words("tokens of a shingle", "每个片段的词元数"),
    "one_in": Words("one shingle in so many is kept, by its hash", "按哈希每这么多个片段保留一个"),
}
ENTRIES = (
    chapter_entry(
        "dsc",
        DscEngine,
        Words(
            "runs of 10 characters of which 1 in 25 is kept; share of the page's that stand in a chapter",
            "10 字片段按哈希保留二十五分之一，看页面片段有多少在某一章中",
        ),
        "Broder et al., WWW 1997",
        (
            CHINESE_TOKENS,
            SAMPLING,
            Words(
                "The source has no threshold for plagiarism; a quarter gives the recall that is known of the method.",
                "原文没有判定雷同的阈值；取四分之一，可得到该方法已知的召回率。",
            ),
        ),
        PARAMETERS,
    ),
    chapter_entry(
        "dsc-ss",
        partial(DscEngine, super_shingle=4, min_containment=MIN_CONTAINMENT_SS),
        Words("super-shingles: every 4 kept runs hashed together", "超级片段：每 4 个保留的片段合为一个哈希"),
        "Broder et al., WWW 1997",
        (
            CHINESE_TOKENS,
            SAMPLING,
            Words(
                "Kept shingles are hashed together by fours in the order of the text; the source sorts them first and "
                "calls one equal super-shingle enough. Here a tenth of the page's, which gives the known recall.",
                "保留的片段按文中顺序每 4 个合并；原文先排序，且一个超级片段相同即可。"
                "此处须达到网页超级片段的十分之一，可得到已知的召回率。",
            ),
        ),
        PARAMETERS,
    ),
)
