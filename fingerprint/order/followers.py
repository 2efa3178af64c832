"""Pairs of characters that follow each other in Chinese.

The table tells a text from its characters in disorder: of the pairs of prose half or more are known, of those of the
same characters in disorder one in seven.

Made by laboratory.tables.build_followers of the shared corpora (13.3 M characters of works in the public domain,
encyclopaedia
and news, November 2026; a quarter of the works is left out, to measure on).
"""

import lzma
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import BrokenInvariant
from fingerprint.characters import NO_CHARACTER
from fingerprint.compilation import kernel
from fingerprint.readings import payload_digest

# A pair of characters is known where three bits of one word are set, all named by one product (a Bloom filter in
# blocks: Putze, Sanders, Singler 2007). 2^16 words are 256 KB. Of 1 to 4 bits three told prose from its characters
# shuffled best; two bits a pair for how often it occurs told it worse by a quarter (held-out works, November 2026).
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
    """One data file, loaded at first use. digest: SHA-256 of it before compression."""

    path: Path
    digest: str

    @cached_property
    def words(self) -> Table:
        """uint32[2^16]: bits of pairs of characters. Raises BrokenInvariant for another file."""
        try:
            payload = lzma.decompress(self.path.read_bytes())
        except (OSError, lzma.LZMAError) as error:
            raise BrokenInvariant("fingerprint.unreadable-table", path=self.path, error=error) from error
        if payload_digest(payload) != self.digest:
            raise BrokenInvariant("fingerprint.wrong-table", path=self.path)
        return np.frombuffer(payload, "<u4").astype(np.uint32)


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

    Of pairs that do not some 1 in 40 are said to.
    """
    product = np.uint32((first << np.uint32(CHARACTER_BITS)) + second)  # of both characters beside each other
    word = table[product >> np.uint32(WORD_SHIFT)]
    one = word >> (product >> np.uint32(FIRST_SHIFT) & BIT_MASK)
    other = word >> (product >> np.uint32(SECOND_SHIFT) & BIT_MASK)
    return np.uint32(one & other & (word >> (product >> np.uint32(THIRD_SHIFT) & BIT_MASK)) & np.uint32(1))
