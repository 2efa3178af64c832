"""Which characters of a text stand on pages: a set of places, so that what many pages took is counted once.

A place is where a character of the work begins (code points of the text as given), and it is taken where the page has
the same character, another form of it, one of like sound or shape, or its pinyin: what `Match.matched_chars` counts.
Sets unite in any order, and a page that takes the same again adds nothing.
"""

import zlib
from collections.abc import Iterable
from dataclasses import dataclass

from core.text import TextRange


@dataclass(frozen=True, slots=True, repr=False)
class Places:
    """A set of places in one text. `bits`: bit n is set where the character at code point n is taken."""

    bits: int = 0

    @classmethod
    def from_starts(cls, starts: Iterable[int]) -> "Places":
        """These places, in any order.

        >>> len(Places.from_starts([3, 5, 3]))
        2
        """
        places = sorted(starts)
        bits = bytearray(places[-1] // 8 + 1 if places else 0)
        for start in places:
            bits[start // 8] |= 1 << start % 8
        return cls(int.from_bytes(bits, "little"))

    @classmethod
    def unpack(cls, data: bytes) -> "Places":
        """Return the places that `packed` made `data` of."""
        return cls(int.from_bytes(zlib.decompress(data), "little"))

    def pack(self) -> bytes:
        """Short bytes for a store: one bit a character, least significant first, in zlib's format.

        A copied chapter of 3,000 characters takes some 330 bytes, the same in a text of 10^6 no more.
        """
        return zlib.compress(self.bits.to_bytes(-(-self.bits.bit_length() // 8), "little"))

    def __or__(self, other: "Places") -> "Places":
        return Places(self.bits | other.bits)

    def __and__(self, other: "Places") -> "Places":
        return Places(self.bits & other.bits)

    def __len__(self) -> int:
        return self.bits.bit_count()

    def count_range(self, place: TextRange) -> int:
        """Return how many of them lie in a range.

        >>> Places.from_starts([3, 5, 9]).count_range(TextRange(4, 10))
        2
        """
        return (self.bits >> place.start & ((1 << max(0, place.end - place.start)) - 1)).bit_count()

    def __repr__(self) -> str:
        return f"<{len(self)} places>"  # written out, a chapter's bits are a number of a thousand digits


NO_PLACES = Places()


def unite_places(sets: Iterable[Places]) -> Places:
    """Return the places of all of them."""
    bits = 0
    for each in sets:
        bits |= each.bits
    return Places(bits)


def share_of_work(taken_chars: int, work_chars: int) -> float | None:
    """Return how much of a work is taken; None for a work of which nothing can be counted.

    Never beyond 1: a chapter may have been shortened since a page was compared with it.
    """
    return min(1.0, taken_chars / work_chars) if work_chars else None
