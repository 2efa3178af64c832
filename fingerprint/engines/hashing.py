"""Hashes of tokens and of shingles; the same in every process, so that figures can be repeated."""

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import kernel

# The multipliers of the finaliser of splitmix64 (Steele, Lea, Flood, OOPSLA 2014); a large prime for the polynomial.
MIX_1, MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
WORD_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


def mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return each value with well mixed bits, uint64[n]; different values stay different."""
    mixing: NDArray[np.uint64] = values ^ (values >> np.uint64(30))
    mixing *= MIX_1
    mixing ^= mixing >> np.uint64(27)
    mixing *= MIX_2
    mixing ^= mixing >> np.uint64(31)
    return mixing


def shingle_hashes(ids: NDArray[np.uint64], size: int) -> NDArray[np.uint64]:
    """Return the hash of every `size` consecutive ids, uint64[n - size + 1]; empty for fewer."""
    if ids.size < size:
        return np.zeros(0, np.uint64)
    return mix(_polynomials(ids, size))


@kernel()
def _polynomials(ids: NDArray[np.uint64], size: int) -> NDArray[np.uint64]:
    hashes = np.empty(ids.size - size + 1, np.uint64)
    for first in range(hashes.size):
        value = np.uint64(0)
        for place in range(first, first + size):
            value = (value + ids[place]) * np.uint64(0x9E3779B97F4A7C15)
            value ^= value >> np.uint64(32)
        hashes[first] = value
    return hashes
