"""Anchors: hashes of k consecutive tokens, of which winnowing keeps about one in w by their content alone.

Source: Schleimer, Wilkerson, Aiken, "Winnowing", SIGMOD 2003; parameters measured in
docs/decisions/fingerprint-and-index.md.
Everywhere `symbols` is uint16[65536]: what of each token is hashed (fingerprint.alphabets).
"""

import numpy as np
from numpy.typing import NDArray

from fingerprint.rules import AnchorRule
from fingerprint.stream import WILDCARD

NEVER = np.uint64(0xFFFFFFFFFFFFFFFF)  # the hash of what is never chosen
MULTIPLIER = np.uint64(1_048_583)
MIX_1, MIX_2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
SHIFT_1, SHIFT_2 = np.uint64(32), np.uint64(29)


def anchor_positions(
    tokens: NDArray[np.uint16], rule: AnchorRule, symbols: NDArray[np.uint16]
) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """Hashes uint64[a] and stream positions int32[a], increasing, of the anchors of a stream.

    Whether a position is kept depends on the 2w - 2 + k tokens around it only, so that two texts with a passage in
    common keep the same positions in it. Runs of tokens with a wildcard, and all but the first of a row of equal runs
    (one character repeated), are never kept.
    """
    hashes = gram_hashes(tokens, rule, symbols)
    window = 2 * rule.one_in - 1
    if hashes.size < window:
        return hashes[:0], np.zeros(0, np.int32)
    chosen = rightmost_minima(hashes, window)
    chosen = chosen[hashes[chosen] != NEVER]
    return hashes[chosen], chosen.astype(np.int32)


def gram_hashes(tokens: NDArray[np.uint16], rule: AnchorRule, symbols: NDArray[np.uint16]) -> NDArray[np.uint64]:
    """uint64[n - k + 1]: the hash of the run that begins at each position; NEVER where none may be kept."""
    size = tokens.size - rule.tokens + 1
    if size <= 0:
        return np.zeros(0, np.uint64)
    hashed = symbols[tokens].astype(np.uint64)
    hashes = _hash_columns([hashed[shift : shift + size] for shift in range(rule.tokens)])
    is_barred = np.zeros(size, np.bool_)
    is_barred[1:] = hashes[1:] == hashes[:-1]
    is_wild = tokens == WILDCARD
    if is_wild.any():
        wild = np.concatenate([[0], np.cumsum(is_wild)])
        is_barred |= wild[rule.tokens :] > wild[: -rule.tokens]
    hashes[is_barred] = NEVER
    return hashes


def hashes_at(
    tokens: NDArray[np.uint16], positions: NDArray[np.int32], rule: AnchorRule, symbols: NDArray[np.uint16]
) -> NDArray[np.uint64]:
    """uint64[len(positions)]: the hash of the k tokens that begin at each position."""
    hashed = symbols[tokens].astype(np.uint64)
    return _hash_columns([hashed[positions + shift] for shift in range(rule.tokens)])


def mix(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread sums over all 64 bits, in place; different sums stay different."""
    hashes *= MIX_1
    hashes ^= hashes >> SHIFT_1
    hashes *= MIX_2
    hashes ^= hashes >> SHIFT_2
    return hashes


def rightmost_minima(hashes: NDArray[np.uint64], window: int) -> NDArray[np.int64]:
    """Increasing positions: the rightmost smallest hash of every window of `window` consecutive hashes, each once."""
    windows = hashes.size - window + 1
    least = hashes[:windows].copy()
    place = np.zeros(windows, np.int8)
    for shift in range(1, window):
        candidate = hashes[shift : shift + windows]
        is_lower = candidate <= least
        np.copyto(least, candidate, where=is_lower)
        place[is_lower] = shift
    positions: NDArray[np.int64] = np.arange(windows) + place
    is_new = np.concatenate([[True], positions[1:] != positions[:-1]])
    return np.compress(is_new, positions)


def _hash_columns(columns: list[NDArray[np.uint64]]) -> NDArray[np.uint64]:
    hashes = columns[0].copy()
    for column in columns[1:]:
        hashes *= MULTIPLIER
        hashes += column
    return mix(hashes)
