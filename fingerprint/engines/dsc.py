"""DSC: selects 1 in 25 shingles by their hash. DSC-SS: hashes several selected shingles together.

Source: Broder, Glassman, Manasse, Zweig, "Syntactic clustering of the Web", WWW 1997.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from core.wording import Message
from fingerprint.engines.chapters import chapter_entry
from fingerprint.engines.feature_engine import FeatureEngine
from fingerprint.engines.tokens import CHINESE_TOKENS, mix_bits, shingle_hashes, tokenize

SHINGLE_TOKENS = 10  # as in the source
ONE_IN = 25
# The source gives no threshold for plagiarism; these values reach the figures known for both methods on edited Chinese
# text (docs/decisions/measurement.md).
MIN_CONTAINMENT, MIN_CONTAINMENT_SS = 0.25, 0.10


def kept_shingles(text: str, tokens: int = SHINGLE_TOKENS, one_in: int = ONE_IN) -> NDArray[np.uint64]:
    """Return the hashes of a text's shingles that are divisible by `one_in`, in order of the text, uint64[n]."""
    hashes = shingle_hashes(tokenize(text).ids, tokens)
    return np.compress(hashes % np.uint64(one_in) == 0, hashes)


@dataclass(eq=False)
class DscEngine(FeatureEngine):
    """Finds chapters with at least `min_containment` of the page's selected shingles.

    super_shingle: how many consecutive selected shingles are hashed together; 1 for plain DSC.
    """

    min_containment: float = MIN_CONTAINMENT
    super_shingle: int = 1
    shingle_tokens: int = SHINGLE_TOKENS
    one_in: int = ONE_IN

    def _alike(
        self, shared: NDArray[np.int64], page_features: int, chapter_features: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        del chapter_features
        shares = shared / max(1, page_features)
        return shares, shares >= self.min_containment

    def _extract_features(self, text: str) -> NDArray[np.uint64]:
        selected_hashes = kept_shingles(text, self.shingle_tokens, self.one_in)
        if self.super_shingle == 1:
            return np.unique(mix_bits(selected_hashes))
        return np.unique(shingle_hashes(selected_hashes, self.super_shingle)[:: self.super_shingle])


SAMPLING = Message("engine.hashes-are-those-of-splitmix64-in-place")
PARAMETERS = {
    "min_containment": Message("engine.a-copy-from-this-share-of-the-page-s"),
    "super_shingle": Message("engine.kept-shingles-that-are-hashed-together-1"),
    "shingle_tokens": Message("engine.tokens-of-a-shingle"),
    "one_in": Message("engine.one-shingle-in-so-many-is-kept-by-its"),
}
ENTRIES = (
    chapter_entry(
        "dsc",
        DscEngine,
        Message("engine.runs-of-10-characters-of-which-1-in-25-is"),
        "Broder et al., WWW 1997",
        (
            CHINESE_TOKENS,
            SAMPLING,
            Message("engine.the-source-has-no-threshold-for"),
        ),
        PARAMETERS,
    ),
    chapter_entry(
        "dsc-ss",
        partial(DscEngine, super_shingle=4, min_containment=MIN_CONTAINMENT_SS),
        Message("engine.super-shingles-every-4-kept-runs-hashed"),
        "Broder et al., WWW 1997",
        (
            CHINESE_TOKENS,
            SAMPLING,
            Message("engine.kept-shingles-are-hashed-together-by"),
        ),
        PARAMETERS,
    ),
)
