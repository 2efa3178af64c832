"""Inserts many strings into a text, or replaces characters by strings, in one operation."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fingerprint.readings import code_points
from laboratory.edits.edited import PUT_IN, Edited


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Concatenated strings. codes: uint32[c]; starts: int64[strings + 1] in codes."""

    codes: NDArray[np.uint32]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, strings: Sequence[str]) -> "Pieces":
        """Make pieces of strings, numbered in order."""
        starts = np.concatenate([[0], np.cumsum([len(string) for string in strings], dtype=np.int64)])
        return cls(code_points("".join(strings)), starts)

    @classmethod
    def of_codes(cls, codes: NDArray[np.uint32]) -> "Pieces":
        """Make pieces of single characters."""
        return cls(codes, np.arange(codes.size + 1, dtype=np.int64))

    def laid(self, numbers: NDArray[np.int64]) -> NDArray[np.uint32]:
        """Return the concatenated strings with these numbers."""
        sizes = self.sizes(numbers)
        return self.codes[ranges(self.starts[numbers], sizes)]

    def sizes(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the lengths of the strings with these numbers."""
        return self.starts[numbers + 1] - self.starts[numbers]


def put_behind(page: Edited, places: NDArray[np.int64], pieces: Pieces, numbers: NDArray[np.int64]) -> Edited:
    """Return the page with a string inserted after each of these places.

    places: int64[k], increasing, positions in the page; numbers: int64[k], the string for each.
    """
    sizes = pieces.sizes(numbers)
    where = np.repeat(places + 1, sizes)
    codes = np.insert(page.codes, where, pieces.laid(numbers))
    return Edited.of_codes(codes, np.insert(page.origins, where, np.int32(PUT_IN)))


def put_in_place(page: Edited, places: NDArray[np.int64], pieces: Pieces, numbers: NDArray[np.int64]) -> Edited:
    """Return the page with each of these characters replaced by a string, whose letters all stand for the character.

    places: int64[k], increasing, positions in the page; numbers: int64[k], the string for each, none of them empty.
    """
    sizes = pieces.sizes(numbers)
    copies = np.ones(len(page.text), np.int64)
    copies[places] = sizes
    codes = np.repeat(page.codes, copies)
    firsts = np.cumsum(copies)[places] - sizes
    codes[ranges(firsts, sizes)] = pieces.laid(numbers)
    return Edited.of_codes(codes, np.repeat(page.origins, copies))


def ranges(starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return int64[sum of sizes]: start, start + 1 ... of each range, one range after the other."""
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if ends.size else 0
    return np.asarray(np.arange(total) + np.repeat(starts - (ends - sizes), sizes), np.int64)
