"""Seeds: what the index is asked for. Anchors, frequency windows as hashes, or both, as the algorithm says."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fingerprint.algorithms import Algorithm
from fingerprint.anchors import MULTIPLIER, mix
from fingerprint.rules import Seeds, WindowRule
from fingerprint.stages import find_anchors, fingerprint_windows

HashesAndPositions = tuple[NDArray[np.uint64], NDArray[np.int32]]
WORD_BYTES = 8


def find_seeds(
    tokens: NDArray[np.uint16], windows: tuple[NDArray[np.uint8], ...], algorithm: Algorithm
) -> HashesAndPositions:
    """Hashes uint64[s] and stream positions int32[s] of the seeds, by position; at one position anchors come first.

    windows: the frequency fingerprints by each of the algorithm's rules.
    """
    found = []
    if Seeds.ANCHORS in algorithm.seeds:
        found.append(find_anchors(tokens, algorithm.anchors, algorithm.symbols))
    if Seeds.WINDOWS in algorithm.seeds:
        found += [window_seeds(rows, rule) for rows, rule in zip(windows, algorithm.windows, strict=True)]
    if len(found) == 1:
        return found[0]
    hashes, positions = (np.concatenate(column) for column in zip(*found, strict=True))
    order = np.argsort(positions, kind="stable")
    return hashes[order], positions[order]


def window_seeds(windows: NDArray[np.uint8], rule: WindowRule) -> HashesAndPositions:
    """Hashes of windows and where each begins. Of a row of equal windows (one sentence repeated) only the first.

    windows: uint8[w, bytes], one for every `rule.step` tokens. Windows of other rules have other hashes.
    """
    is_new = np.ones(len(windows), np.bool_)
    is_new[1:] = (windows[1:] != windows[:-1]).any(axis=1)
    positions = np.flatnonzero(is_new)
    numbers = _window_numbers(windows[positions])
    kind = np.uint64(rule.granularity << 8 | rule.max_digit)
    return mix(numbers * MULTIPLIER + kind), (positions * rule.step).astype(np.int32)


def window_seeds_at_step(
    tokens: NDArray[np.uint16], rule: WindowRule, initials: NDArray[np.uint8], step: int
) -> HashesAndPositions:
    """Window seeds of a stream at another step than the rule's, with the same hashes.

    Windows of a work every half granularity and of a page every token: no window of the work is out of phase.
    """
    moved = replace(rule, step=step)
    return window_seeds(fingerprint_windows(tokens, moved, initials), moved)


def _window_numbers(windows: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return the number of each window modulo 2^64, where it has more bits times an odd constant for these."""
    numbers = np.zeros(len(windows), np.uint64)
    for column in windows[:, :-WORD_BYTES].T:
        numbers = (numbers + column) * MULTIPLIER
    words = np.zeros((len(windows), WORD_BYTES), np.uint8)
    low = windows[:, -WORD_BYTES:]
    words[:, WORD_BYTES - low.shape[1] :] = low
    numbers ^= words.view(">u8").reshape(-1)
    return numbers
