"""Sets of shingles or words, compared by the Jaccard index: the shared features as a share of all features."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.wording import Message
from fingerprint.engines.chapters import CHAPTER_CHARS, chapter_entry
from fingerprint.engines.feature_engine import FeatureEngine
from fingerprint.engines.tokens import CHINESE_TOKENS, CHINESE_WORDS, shingle_hashes, tokenize, word_ids


@dataclass(eq=False)
class JaccardEngine(FeatureEngine):
    """Finds the chapters whose sets of features are similar enough to the set of the page."""

    features: Callable[[str], NDArray[np.uint64]]
    is_duplicate: Callable[[NDArray[np.float64]], NDArray[np.bool_]]

    def _extract_features(self, text: str) -> NDArray[np.uint64]:
        return self.features(text)

    def _alike(
        self, shared: NDArray[np.int64], page_features: int, chapter_features: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        jaccard = shared / (page_features + chapter_features - shared)
        return jaccard, self.is_duplicate(jaccard)


def shingle_set(text: str, tokens: int) -> NDArray[np.uint64]:
    """Return the hashes of a text's distinct runs of `tokens` tokens, uint64[n]."""
    return np.unique(shingle_hashes(tokenize(text).ids, tokens))


def word_set(text: str) -> NDArray[np.uint64]:
    """Return the hashes of a text's distinct words, uint64[n]."""
    return np.unique(word_ids(tokenize(text)))


def k_shingle_engine(tokens: int = 3, min_jaccard: float = 0.5, chapter_chars: int = CHAPTER_CHARS) -> JaccardEngine:
    """Return an engine that compares all shingles of `tokens` tokens.

    The published example has no threshold; 0.5 is from "Syntactic clustering of the Web" (Broder et al. 1997).
    """
    return JaccardEngine(
        lambda text: shingle_set(text, tokens), lambda jaccard: jaccard >= min_jaccard, chapter_chars=chapter_chars
    )


def word_jaccard_engine(above_jaccard: float = 0.8, chapter_chars: int = CHAPTER_CHARS) -> JaccardEngine:
    """Return an engine that compares words. Two neighbouring Chinese characters are a word."""
    return JaccardEngine(word_set, lambda jaccard: jaccard > above_jaccard, chapter_chars=chapter_chars)


ENTRIES = (
    chapter_entry(
        "k-shingle",
        k_shingle_engine,
        Message("engine.sets-of-runs-of-3-tokens-jaccard-index-of"),
        "Broder et al. 1997, Syntactic clustering of the Web",
        (CHINESE_TOKENS, Message("engine.the-worked-example-with-k-3-has-no")),
        {
            "tokens": Message("engine.tokens-of-a-shingle"),
            "min_jaccard": Message("engine.a-duplicate-from-this-jaccard-index-on"),
        },
    ),
    chapter_entry(
        "word-jaccard",
        word_jaccard_engine,
        Message("engine.sets-of-words-two-neighbouring-characters"),
        "Conrad et al. 2003, Online duplicate document detection",
        (CHINESE_WORDS,),
        {"above_jaccard": Message("engine.a-duplicate-above-this-jaccard-index")},
    ),
)
