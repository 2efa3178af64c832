"""Noise in a text that keeps it from being found: places and kinds."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.obfuscations import Obfuscation
from core.text import TextRange
from fingerprint.characters import Kind

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

Runs = tuple[NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True, slots=True, eq=False)
class Noise:
    """Noise items in order of the text. starts, ends: int32[items], text offsets; kinds: uint8[items], NOISE_KINDS."""

    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    kinds: NDArray[np.uint8]

    def __len__(self) -> int:
        return self.starts.size

    def items(self) -> Iterator[tuple[TextRange, Obfuscation]]:
        """Yield each item as a range of the text and its kind."""
        for start, end, kind in zip(self.starts.tolist(), self.ends.tolist(), self.kinds.tolist(), strict=True):
            yield TextRange(start, end), NOISE_KINDS[kind]

    def count(self, kind: Obfuscation) -> int:
        """Count the items of a kind."""
        return int(np.count_nonzero(self.kinds == NOISE_KINDS.index(kind)))


def collect_noise(found: list[tuple[Obfuscation, Runs]]) -> Noise:
    """Return the runs of several kinds as one list, in order of the text."""
    starts = np.concatenate([np.zeros(0, np.int64), *(runs[0] for _, runs in found)])
    ends = np.concatenate([np.zeros(0, np.int64), *(runs[1] for _, runs in found)])
    kinds = np.concatenate([np.zeros(0, np.uint8), *(_kind_column(kind, runs) for kind, runs in found)])
    order = np.lexsort((kinds, ends, starts))
    return Noise(starts[order].astype(np.int32), ends[order].astype(np.int32), kinds[order].astype(np.uint8))


def find_runs(mask: NDArray[np.bool_]) -> Runs:
    """Starts and ends of the runs of True.

    >>> [edges.tolist() for edges in find_runs(np.array([False, True, True, False, True]))]
    [[1, 4], [3, 5]]
    """
    edges = np.flatnonzero(np.diff(mask.astype(np.int8), prepend=0, append=0))
    return edges[0::2], edges[1::2]


def zero_width_runs(kinds: NDArray[np.uint8]) -> Runs:
    """Return the runs of zero-width characters after a Han character; elsewhere (BOM, emoji) they are legitimate."""
    starts, ends = find_runs(kinds == Kind.ZERO_WIDTH)
    follows_han = _read_kind(kinds, starts - 1) == Kind.HAN
    return starts[follows_han], ends[follows_han]


def spaces_between_han(kinds: NDArray[np.uint8], visible: NDArray[np.int64]) -> Runs:
    """Return the runs of spaces between Han characters. visible: the positions without zero width."""
    seen = kinds[visible]
    starts, ends = find_runs(seen == Kind.SPACE)
    is_between = (_read_kind(seen, starts - 1) == Kind.HAN) & (_read_kind(seen, ends) == Kind.HAN)
    starts, ends = starts[is_between], ends[is_between]
    return visible[starts], visible[ends - 1] + 1


def _read_kind(kinds: NDArray[np.uint8], positions: NDArray[np.int64]) -> NDArray[np.uint8]:
    inside = (positions >= 0) & (positions < kinds.size)
    found = np.zeros(positions.size, np.uint8)
    found[inside] = kinds[positions[inside]]
    return found


def _kind_column(kind: Obfuscation, runs: Runs) -> NDArray[np.uint8]:
    return np.full(runs[0].size, NOISE_KINDS.index(kind), np.uint8)
