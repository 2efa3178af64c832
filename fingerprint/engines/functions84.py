"""Shingles under 84 hash functions: the minimum of each, 6 super-shingles of 14 minima, and their 15 pairs.

Source: Zelenkov and Segalovich, "Comparative analysis of methods for finding near-duplicate Web documents", RCDL 2007.
"""

from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from core.wording import Message
from fingerprint.engines.chapters import chapter_entry
from fingerprint.engines.feature_engine import FeatureEngine
from fingerprint.engines.tokens import CHINESE_TOKENS, MIX_1, mix_bits, shingle_hashes, tokenize

FUNCTIONS, SUPER_SHINGLES, MINIMA = 84, 6, 14
PAIRS = tuple(combinations(range(SUPER_SHINGLES), 2))
SHINGLE_TOKENS = 10
# Function words, which the published method leaves out: Chinese particles, English articles and similar words.
FUNCTION_WORDS = "的 地 得 了 着 过 吗 呢 吧 啊 呀 嘛 a an and at by for in of on or the to"
SEEDS = mix_bits(np.arange(1, FUNCTIONS + 1, dtype=np.uint64)) | np.uint64(1)


def minima(text: str, shingle_tokens: int = SHINGLE_TOKENS) -> NDArray[np.uint64]:
    """Return the lowest hash of a text's shingles under each function, uint64[84]; empty if there are no shingles.

    Markup, punctuation and function words are removed, and letters are in lower case.
    """
    ids = tokenize(text).ids
    shingles = shingle_hashes(ids[~np.isin(ids, _FUNCTION_WORD_IDS)], shingle_tokens)
    return np.array([_least_hash(shingles, seed) for seed in SEEDS if shingles.size], np.uint64)


def super_shingles(least: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return one hash for each group of 14 consecutive minima, uint64[6]."""
    return shingle_hashes(least, MINIMA)[::MINIMA]


def mega_shingles(supers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return one hash for each pair of super-shingles, uint64[15]."""
    return np.concatenate([shingle_hashes(supers[list(pair)], len(pair)) for pair in PAIRS])


@dataclass(eq=False)
class Functions84Engine(FeatureEngine):
    """Finds chapters that share enough minima, super-shingles or mega-shingles with the page.

    features: "minima", "super" or "mega"; min_equal: how many of the 84, 6 or 15 must agree, each in its position. The
    similarity is the share of positions that agree.
    """

    features: str = "minima"
    min_equal: int = 17
    shingle_tokens: int = SHINGLE_TOKENS

    def _alike(
        self, shared: NDArray[np.int64], page_features: int, chapter_features: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        del chapter_features
        return shared / max(1, page_features), shared >= self.min_equal

    def _extract_features(self, text: str) -> NDArray[np.uint64]:
        """Return the features combined with their positions: features can be equal only in the same position."""
        minimum_hashes = minima(text, self.shingle_tokens)
        if not minimum_hashes.size:
            return minimum_hashes
        selected = minimum_hashes if self.features == "minima" else super_shingles(minimum_hashes)
        selected = mega_shingles(selected) if self.features == "mega" else selected
        return mix_bits(selected ^ mix_bits(np.arange(selected.size, dtype=np.uint64)))


def _least_hash(shingles: NDArray[np.uint64], seed: np.uint64) -> np.uint64:
    values = (shingles ^ seed) * seed
    return np.uint64(((values ^ (values >> np.uint64(29))) * MIX_1).min())


_FUNCTION_WORD_IDS = tokenize(FUNCTION_WORDS).ids

DEPARTURES = (
    CHINESE_TOKENS,
    Message("engine.function-words-are-12-particles-of"),
    Message("engine.the-84-functions-are-one-multiplicative"),
)
PARAMETERS = {
    "features": Message("engine.what-is-compared-minima-super-or-mega"),
    "min_equal": Message("engine.near-duplicates-agree-in-at-least-so-many"),
    "shingle_tokens": Message("engine.tokens-of-a-shingle"),
}
_variant = partial(
    chapter_entry, source="Zelenkov, Segalovich, RCDL 2007", departures=DEPARTURES, parameters=PARAMETERS
)
ENTRIES = (
    _variant(
        "functions-84",
        Functions84Engine,
        Message("engine.minima-of-84-hash-functions-over-runs-of"),
        departures=(Message("engine.the-source-names-no-share-of-equal-minima"), *DEPARTURES),
    ),
    _variant(
        "super-shingles",
        partial(Functions84Engine, features="super", min_equal=2),
        Message("engine.6-super-shingles-of-14-minima-each-2"),
    ),
    _variant(
        "mega-shingles",
        partial(Functions84Engine, features="mega", min_equal=1),
        Message("engine.the-15-pairs-of-6-super-shingles-1-agrees"),
    ),
)
