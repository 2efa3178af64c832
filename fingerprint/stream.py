"""The token stream of a text, which is all that later stages use, and the noise that was removed from it."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.obfuscations import Obfuscation
from core.text import TextRange

WILDCARD = 0xFFFF  # an unreadable character: neither equal nor unequal to any token
# The order is stored as numbers: append only.
NOISE_KINDS: tuple[Obfuscation, ...] = (
    Obfuscation.ZERO_WIDTH,
    Obfuscation.SPACES,
    Obfuscation.PINYIN_INSERTED,
    Obfuscation.PRIVATE_USE,
    Obfuscation.FULL_WIDTH,
    Obfuscation.STREWN,
    Obfuscation.REARRANGED,
)


@dataclass(frozen=True, slots=True, eq=False)
class Noise:
    """The items of noise in order of the text.

    starts, ends: int32[items], offsets in the text; kinds: uint8[items], indexes into NOISE_KINDS.
    """

    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    kinds: NDArray[np.uint8]

    def __len__(self) -> int:
        return self.starts.size

    def items(self) -> Iterator[tuple[TextRange, Obfuscation]]:
        """Yield the range and the kind of each item."""
        for start, end, kind in zip(self.starts.tolist(), self.ends.tolist(), self.kinds.tolist(), strict=True):
            yield TextRange(start, end), NOISE_KINDS[kind]


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """The tokens of a text in reading order.

    tokens: uint16[n], syllable ids or WILDCARD; offsets: int32[n], distinct, and increasing except within noise of the
    kind REARRANGED; noise: the removed items, and the ranges that were reordered.
    """

    tokens: NDArray[np.uint16]
    offsets: NDArray[np.int32]
    noise: Noise


def find_runs(mask: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the starts and the ends of the runs of True.

    >>> [edges.tolist() for edges in find_runs(np.array([False, True, True, False, True]))]
    [[1, 4], [3, 5]]
    """
    edges = np.flatnonzero(np.diff(mask.astype(np.int8), prepend=0, append=0))
    return edges[0::2], edges[1::2]
