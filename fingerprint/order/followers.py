"""Pairs of characters that follow each other in Chinese.

The table distinguishes a text from its characters in disorder: half or more of the pairs in prose are known, but only
one in seven of the same characters in disorder.

Built by laboratory.tables.build_followers from the shared corpora (13.3 M characters of works in the public domain,
encyclopaedia and news, November 2026; a quarter of the works is left out for measurement).
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fingerprint.characters import NO_CHARACTER
from fingerprint.compilation import kernel
from fingerprint.readings import read_payload

# A pair of characters is known if three bits of one word are set, all chosen by one product (a Bloom filter in blocks:
# Putze, Sanders, Singler 2007). 2^16 words are 256 KB. Of 1 to 4 bits, three distinguished prose from its shuffled
# characters best; two bits a pair for its frequency were worse by a quarter (held-out works, November 2026).
WORDS = 1 << 16
MULTIPLIER = np.uint32(0x9E3779B1)  # 2^32 by the golden ratio, a prime: Knuth, The Art of Computer Programming 3, 6.4
CHARACTER_BITS = 16
WORD_SHIFT, FIRST_SHIFT, SECOND_SHIFT, THIRD_SHIFT = 16, 11, 6, 1
BIT_MASK = np.uint32(31)

NO_KEY = np.uint32(NO_CHARACTER * int(MULTIPLIER))

Table = NDArray[np.uint32]
Keys = NDArray[np.uint32]  # of characters, see `pair_key`


@dataclass(frozen=True, eq=False)
class FollowerTable:
    """A data file, loaded at first use. digest: its SHA-256 before compression."""

    path: Path
    digest: str

    @cached_property
    def words(self) -> Table:
        """The bits of pairs of characters, uint32[2^16]. Raises BrokenInvariant if the file has another digest."""
        return np.frombuffer(read_payload(self.path, self.digest), "<u4").astype(np.uint32)


FOLLOWERS_2026 = FollowerTable(
    Path(__file__).with_name("followers_2026.bin"), "3760c462244ee6906ca73a6b67cbfb498be3108d9d11da9218b1b65b0479e659"
)


@kernel(allocates=False, nogil=True)
def pair_key(character: int) -> np.uint32:
    """Return the key of a character in simplified form, for `is_pair`."""
    return np.uint32(np.uint32(character) * MULTIPLIER)


@kernel(allocates=False, nogil=True)
def is_pair(first: np.uint32, second: np.uint32, table: Table) -> np.uint32:
    """Return 1 if the second key's character follows the first's more often than by chance, else 0.

    About 1 in 40 of the other pairs gives 1 too.
    """
    product = np.uint32((first << np.uint32(CHARACTER_BITS)) + second)  # of the two adjacent characters
    word = table[product >> np.uint32(WORD_SHIFT)]
    one = word >> (product >> np.uint32(FIRST_SHIFT) & BIT_MASK)
    other = word >> (product >> np.uint32(SECOND_SHIFT) & BIT_MASK)
    return np.uint32(one & other & (word >> (product >> np.uint32(THIRD_SHIFT) & BIT_MASK)) & np.uint32(1))
