"""Anchors: hashes of k consecutive tokens, of which winnowing keeps about one in w by their content alone.

Source: Schleimer, Wilkerson, Aiken, "Winnowing", SIGMOD 2003; parameters measured in
docs/decisions/fingerprint-and-index.md.
Everywhere `symbols` is uint16[65536]: the hashed symbol of each token (fingerprint.alphabets).
"""

import numpy as np
from numpy.typing import NDArray

from fingerprint.rules import AnchorRule

NEVER = np.uint64(0xFFFFFFFFFFFFFFFF)  # the hash of tokens that are never chosen
MULTIPLIER = np.uint64(1_048_583)
MIX_1, MIX_2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
SHIFT_1, SHIFT_2 = np.uint64(32), np.uint64(29)


def hash_anchors(
    tokens: NDArray[np.uint16], positions: NDArray[np.int32], rule: AnchorRule, symbols: NDArray[np.uint16]
) -> NDArray[np.uint64]:
    """Return the hash of the k tokens from each position on, uint64[len(positions)]."""
    hashed = symbols[tokens].astype(np.uint64)
    hashes = np.zeros(positions.size, np.uint64)
    for shift in range(rule.tokens):
        hashes *= MULTIPLIER
        hashes += hashed[positions + shift]
    return mix(hashes)


def mix(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread sums over all 64 bits, in place; different sums stay different."""
    hashes *= MIX_1
    hashes ^= hashes >> SHIFT_1
    hashes *= MIX_2
    hashes ^= hashes >> SHIFT_2
    return hashes
