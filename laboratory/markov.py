"""Generates texts of any length with the statistics of given ones: a compiled Markov chain over characters.

Each character follows the two before it as often as in the given texts. The longest literal repetitions have about 20
characters, so a generated text is not a copy, while its five-character sequences are as frequent as those of prose.
"""

from collections.abc import Iterable

import numpy as np
from numba import njit
from numpy.typing import NDArray

MAX_CODE = 0xFFFF  # characters beyond the basic plane are left out
BREAKS = "。！？\n"
# A text is generated in parallel stretches, so that the processor waits for several memory accesses at once: 3 times as
# fast as sequentially (2026-11, 8 M characters of source text).
LANES = 8
# Odd constants and shifts of splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
STEP, MIX_1, MIX_2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


class ChainText:
    """A generator made from texts. Takes 16 bytes of memory for each of their characters."""

    def __init__(self, texts: Iterable[str], max_chars: int) -> None:
        """max_chars: maximum number of characters taken from the texts, the same share of each."""
        held = list(texts)
        share = min(1.0, max_chars / max(1, sum(map(len, held))))
        joined = "\n".join(text[: int(len(text) * share)] for text in held) + "\n"
        codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), "<u4")
        is_surrogate = (codes >= 0xD800) & (codes < 0xE000)
        kept = codes[(codes <= MAX_CODE) & ~is_surrogate].astype(np.uint16)
        self._places, self._order = _contexts(kept)
        is_break = np.isin(kept, [ord(character) for character in BREAKS])
        self._starts = np.flatnonzero(is_break).astype(np.int32)

    def text(self, chars: int, seed: int) -> str:
        """Return a text of that many characters, different for every seed of 64 bits."""
        made = np.empty(chars, np.uint16)
        _generate(self._places, self._order, self._starts, np.uint64(seed), made)
        return made.astype("<u2").tobytes().decode("utf-16-le")


def _contexts(codes: NDArray[np.uint16]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return, for each place, its character and the range of places in order with the same last two characters.

    Returns places int32[n, 3], in one array because they are read together, and order int32[n], the places ordered by
    the two characters that end there.
    """
    pairs = codes.astype(np.uint32)
    pairs[1:] |= pairs[:-1] << np.uint32(16)
    order = np.argsort(pairs, kind="stable").astype(np.int32)
    is_first = np.concatenate([[True], pairs[order[1:]] != pairs[order[:-1]]])
    bounds = np.append(np.flatnonzero(is_first), codes.size)
    places = np.empty((codes.size, 3), np.int32)
    sizes = np.diff(bounds)
    places[:, 0] = codes
    places[order, 1] = np.repeat(bounds[:-1], sizes)
    places[order, 2] = np.repeat(bounds[1:], sizes)
    return places, order


@njit(cache=True)
def _generate(
    places: NDArray[np.int32],
    order: NDArray[np.int32],
    starts: NDArray[np.int32],
    seed: np.uint64,
    made: NDArray[np.uint16],
) -> None:
    """Fill `made` as LANES parallel stretches, each from the start of a sentence."""
    length = (made.size + LANES - 1) // LANES
    at = np.empty(LANES, np.int64)
    state = seed
    for lane in range(LANES):
        state += STEP
        at[lane] = starts[_below(state, starts.size)]
    for step in range(length):
        for lane in range(LANES):
            row = lane * length + step
            state += STEP
            first = places[at[lane], 1]
            following = np.int64(order[first + _below(state, places[at[lane], 2] - first)]) + 1
            at[lane] = following if following < order.size else starts[0]
            if row < made.size:
                made[row] = places[at[lane], 0]


@njit(cache=True)
def _below(state: np.uint64, size: int) -> np.int64:
    """Return a number in [0, size) derived from a state."""
    drawn = (state ^ (state >> np.uint64(30))) * MIX_1
    drawn = (drawn ^ (drawn >> np.uint64(27))) * MIX_2
    return np.int64(((drawn >> np.uint64(32)) * np.uint64(size)) >> np.uint64(32))
