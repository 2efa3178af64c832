"""How often one character follows another in Chinese, and one syllable another.

The table tells a text from its characters in disorder, and these from characters that were replaced by others of their
sound.

Made by laboratory.build_followers of the shared corpora (13.3 M characters of works in the public domain, encyclopaedia
and news, November 2026; a quarter of the works is left out, to measure on).
"""

import lzma
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import BrokenInvariant
from fingerprint.compilation import kernel
from fingerprint.readings import payload_digest

SLOT_BITS = 20  # two bits a slot, 256 KB; half as many told prose from its characters shuffled by a tenth less
SYLLABLE_BITS = 9  # of a syllable's id; behind the slots of characters each pair of syllables has one of its own
LEVELS_A_BYTE = 4
MULTIPLIER = 0x9E3779B97F4A7C15  # 2^64 by the golden ratio: Knuth, The Art of Computer Programming 3, 6.4

Packed = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class FollowerTable:
    """One data file, loaded at first use. digest: SHA-256 of it before compression."""

    path: Path
    digest: str

    @cached_property
    def packed(self) -> Packed:
        """uint8[2^18 + 2^16]: a level of 0 to 3 for each pair, at its slot. Raises BrokenInvariant for another file."""
        try:
            payload = lzma.decompress(self.path.read_bytes())
        except (OSError, lzma.LZMAError) as error:
            raise BrokenInvariant("fingerprint.unreadable-table", path=self.path, error=error) from error
        if payload_digest(payload) != self.digest:
            raise BrokenInvariant("fingerprint.wrong-table", path=self.path)
        return np.frombuffer(payload, np.uint8)


FOLLOWERS_2026 = FollowerTable(
    Path(__file__).with_name("followers_2026.bin"), "a1f40e1ea29f3fc3340e46d6be99dcbdaf4292ef9f41b0506b01b9f64ac35d60"
)


def slots_of(first: NDArray[np.uint16], second: NDArray[np.uint16]) -> NDArray[np.uint64]:
    """uint64[n]: the slot of each pair."""
    pairs = first.astype(np.uint64) << np.uint64(16) | second
    return np.asarray((pairs * np.uint64(MULTIPLIER)) >> np.uint64(64 - SLOT_BITS))


def slots_of_syllables(first: NDArray[np.uint16], second: NDArray[np.uint16]) -> NDArray[np.uint64]:
    """uint64[n]: the slot of each pair of syllables."""
    return (1 << SLOT_BITS) + (first.astype(np.uint64) << np.uint64(SYLLABLE_BITS) | second)


@kernel(allocates=False, nogil=True)
def level_of(first: int, second: int, table: Packed) -> int:
    """How much more often the second character follows the first than by chance: 0, no more, to 3, e^3 times."""
    pair = np.uint64(first) << np.uint64(16) | np.uint64(second)
    return _level_at((pair * np.uint64(MULTIPLIER)) >> np.uint64(64 - SLOT_BITS), table)


@kernel(allocates=False, nogil=True)
def level_of_syllables(first: int, second: int, table: Packed) -> int:
    """The same of two syllables by their ids."""
    return _level_at(np.uint64((1 << SLOT_BITS) + (np.int64(first) << SYLLABLE_BITS) + np.int64(second)), table)


@kernel(allocates=False, nogil=True)
def _level_at(slot: np.uint64, table: Packed) -> int:
    return (np.int64(table[slot >> np.uint64(2)]) >> np.int64((slot & np.uint64(3)) << np.uint64(1))) & 3  # type: ignore[return-value]
