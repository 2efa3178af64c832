"""Texts without end that have the statistics of given ones: a Markov chain over characters, compiled.

Each character follows the two before it as often as in the given texts. The longest stretches that come out word for
word are some 20 characters, so that a generated text is nobody's copy, while its five-character sequences are as common
and as rare as those of prose.
"""

from collections.abc import Iterable

import numpy as np
from numba import njit
from numpy.typing import NDArray

MAX_CODE = 0xFFFF  # characters beyond the basic plane are left out
BREAKS = "。！？\n"
# Odd constants and shifts of splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
STEP, MIX_1, MIX_2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


class ChainText:
    """A generator made of texts. Memory: 14 bytes for each of their characters."""

    def __init__(self, texts: Iterable[str], max_chars: int) -> None:
        """max_chars: how much of the texts is taken, from each the same share."""
        held = list(texts)
        share = min(1.0, max_chars / max(1, sum(map(len, held))))
        joined = "\n".join(text[: int(len(text) * share)] for text in held) + "\n"
        codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), "<u4")
        is_surrogate = (codes >= 0xD800) & (codes < 0xE000)
        self._codes = codes[(codes <= MAX_CODE) & ~is_surrogate].astype(np.uint16)
        self._order, self._firsts, self._ends = _contexts(self._codes)
        is_break = np.isin(self._codes, [ord(character) for character in BREAKS])
        self._starts = np.flatnonzero(is_break).astype(np.int32)

    def text(self, chars: int, seed: int) -> str:
        """A text of that many characters; another for every seed of 64 bits."""
        made = np.empty(chars, np.uint16)
        _generate(self._codes, self._order, self._firsts, self._ends, self._starts, np.uint64(seed), made)
        return made.astype("<u2").tobytes().decode("utf-16-le")


def _contexts(codes: NDArray[np.uint16]) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Places ordered by the two characters that end there, and of each place where those with its two begin and end."""
    pairs = codes.astype(np.uint32)
    pairs[1:] |= pairs[:-1] << np.uint32(16)
    order = np.argsort(pairs, kind="stable").astype(np.int32)
    is_first = np.concatenate([[True], pairs[order[1:]] != pairs[order[:-1]]])
    bounds = np.append(np.flatnonzero(is_first), codes.size)
    firsts, ends = np.empty(codes.size, np.int32), np.empty(codes.size, np.int32)
    sizes = np.diff(bounds)
    firsts[order] = np.repeat(bounds[:-1], sizes)
    ends[order] = np.repeat(bounds[1:], sizes)
    return order, firsts, ends


@njit(cache=True)
def _generate(  # noqa: PLR0917 - numba has no keyword-only arguments
    codes: NDArray[np.uint16],
    order: NDArray[np.int32],
    firsts: NDArray[np.int32],
    ends: NDArray[np.int32],
    starts: NDArray[np.int32],
    seed: np.uint64,
    made: NDArray[np.uint16],
) -> None:
    state = seed
    place = np.int64(starts[np.int64(seed % np.uint64(starts.size))])
    for at in range(made.size):
        state += STEP
        drawn = (state ^ (state >> np.uint64(30))) * MIX_1
        drawn = (drawn ^ (drawn >> np.uint64(27))) * MIX_2
        drawn ^= drawn >> np.uint64(31)
        first = firsts[place]
        among = np.uint64(ends[place] - first)
        place = np.int64(order[first + np.int64(drawn % among)]) + 1
        if place == codes.size:
            place = np.int64(starts[np.int64(drawn % np.uint64(starts.size))])
        made[at] = codes[place]
