"""Frequencies of the words in a text; `tokens` says what a word of Chinese is."""

import numpy as np
from numpy.typing import NDArray

from fingerprint.engines.tokens import tokenize, word_ids


def word_counts(text: str, min_occurrences: int = 1) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """Return the frequent words of a text, uint64[m], ascending and distinct, and their counts, int32[m].

    >>> sorted(word_counts("天地，天地")[1].tolist()), word_counts("天地，天地", 2)[1].tolist()
    ([1, 2], [2])
    """
    found, counts = np.unique(word_ids(tokenize(text)), return_counts=True)
    is_kept = counts >= min_occurrences
    return found[is_kept], counts[is_kept].astype(np.int32)
