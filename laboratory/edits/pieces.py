"""Strings put into a text or in the place of its characters, all at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fingerprint.readings import code_points
from laboratory.edits.edited import PUT_IN, Edited


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Strings laid end to end. codes: uint32[c]; starts: int64[strings + 1] in codes."""

    codes: NDArray[np.uint32]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, strings: Sequence[str]) -> "Pieces":
        """These strings, numbered in their order."""
        starts = np.concatenate([[0], np.cumsum([len(string) for string in strings], dtype=np.int64)])
        return cls(code_points("".join(strings)), starts)

    @classmethod
    def of_codes(cls, codes: NDArray[np.uint32]) -> "Pieces":
        """Return each character as a string of its own."""
        return cls(codes, np.arange(codes.size + 1, dtype=np.int64))

    def laid(self, numbers: NDArray[np.int64]) -> NDArray[np.uint32]:
        """Return the strings of these numbers, one behind the other."""
        sizes = self.sizes(numbers)
        return self.codes[ranges(self.starts[numbers], sizes)]

    def sizes(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Characters of each."""
        return self.starts[numbers + 1] - self.starts[numbers]


def put_behind(page: Edited, places: NDArray[np.int64], pieces: Pieces, numbers: NDArray[np.int64]) -> Edited:
    """Return the page with a string put in behind each of these places.

    places: int64[k], increasing, positions in the page; numbers: int64[k], the string for each.
    """
    sizes = pieces.sizes(numbers)
    where = np.repeat(places + 1, sizes)
    codes = np.insert(page.codes, where, pieces.laid(numbers))
    return Edited.of_codes(codes, np.insert(page.origins, where, np.int32(PUT_IN)))


def put_in_place(page: Edited, places: NDArray[np.int64], pieces: Pieces, numbers: NDArray[np.int64]) -> Edited:
    """Return the page with a string in place of each of these characters, every letter standing for the character.

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
    """int64[sum of sizes]: start, start + 1 ... of each range, one range behind the other."""
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if ends.size else 0
    return np.asarray(np.arange(total) + np.repeat(starts - (ends - sizes), sizes), np.int64)
