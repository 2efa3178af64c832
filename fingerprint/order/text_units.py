"""The units in which a text may have been put in another order: lines, sentences, clauses; where its signs stand."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.order.followers import MULTIPLIER, Keys
from fingerprint.order.readings import Bounds, Order

LINE_ENDS = (0x0A, 0x0D, 0x2028, 0x2029)
SENTENCE_ENDS = tuple(map(ord, "。！？!?"))
# In a text that reads forwards a stop may stand before an opening sign and never behind it.
STOPS = tuple(map(ord, "。！？!?…；;，,：:、"))
OPENING = tuple(map(ord, "「『“‘《（(【"))
SPACES = (0x09, 0x20, 0xA0, 0x3000)
LINE_END, SENTENCE_END, STOP, OPEN, SPACE = 1, 2, 4, 8, 16  # what a sign is, one bit each
# Of 150 passages each (held-out works, November 2026) clauses turned in place leave a share of .68 or more with a stop
# before it, nearly all; every other character by itself leaves .55 at most.
MIN_SIGNS_IN_PLACE, MIN_SHARE_IN_PLACE = 4, 0.6


def _sign_kinds() -> NDArray[np.uint8]:
    kinds = np.zeros(1 << 16, np.uint8)
    for bit, codes in ((LINE_END, LINE_ENDS), (SENTENCE_END, SENTENCE_ENDS), (STOP, STOPS), (OPEN, OPENING)):
        kinds[list(codes)] |= bit
    kinds[list(SPACES)] |= SPACE
    return kinds


SIGN_KINDS = _sign_kinds()  # uint8[65536]; of what is beyond, nothing is a sign


class Signs(NamedTuple):
    """Of so many signs: how many have a stop behind them, as in no text; how many one before, where it belongs."""

    turned: int
    kept: int
    all: int

    @property
    def are_turned(self) -> bool:
        """Whether they stand backwards."""
        return self.turned > self.kept

    @property
    def are_in_place(self) -> bool:
        """Whether they stand as in a text that is read forwards: most of them, and several for each that is turned."""
        return self.kept >= max(MIN_SIGNS_IN_PLACE * (self.turned + 1), MIN_SHARE_IN_PLACE * self.all)


@dataclass(frozen=True, eq=False)
class Block:
    """A text, or a part of one, that may be out of order.

    codes: uint32[n], of all its signs. places: int32[m], increasing, which of these are tokens. tokens: uint16[m],
    their syllables. simplified: as of fingerprint.tables.
    """

    codes: NDArray[np.uint32]
    places: NDArray[np.int32]
    tokens: NDArray[np.uint16]
    simplified: NDArray[np.uint16]

    def part(self, start: int, end: int) -> "Block":
        """The tokens from start to end, with the signs between them; those at the ends of the text are at its ends."""
        first = int(self.places[start]) if start else 0
        last = int(self.places[end - 1]) + 1 if end < self.size else self.codes.size
        places = self.places[start:end] - np.int32(first)
        return Block(self.codes[first:last], places, self.tokens[start:end], self.simplified)

    def read_as(self, order: Order) -> "Block":
        """The tokens in another order, without other signs."""
        places = np.arange(order.size, dtype=np.int32)
        return Block(self.codes[self.places[order]], places, self.tokens[order], self.simplified)

    @cached_property
    def characters(self) -> NDArray[np.uint16]:
        """uint16[m]: those of the tokens in simplified form, NO_CHARACTER of others."""
        return np.asarray(self.simplified[self.codes[self.places]])

    @cached_property
    def kinds(self) -> NDArray[np.uint8]:
        """uint8[n]: what each sign is."""
        return np.asarray(SIGN_KINDS[np.minimum(self.codes, SIGN_KINDS.size - 1)])

    @property
    def size(self) -> int:
        """How many tokens."""
        return int(self.places.size)

    @cached_property
    def keys(self) -> Keys:
        """uint32[m]: the keys of the characters."""
        return np.asarray(self.characters.astype(np.uint32) * MULTIPLIER)

    @cached_property
    def whole(self) -> Bounds:
        """The block as one unit."""
        return np.array([0, self.size], np.int32)

    @cached_property
    def lines(self) -> Bounds:
        """Where lines begin, and the end."""
        return self._bounds((self.kinds & LINE_END) > 0)

    @cached_property
    def sentences(self) -> Bounds:
        """Where sentences and lines begin, and the end."""
        return self._bounds((self.kinds & (LINE_END | SENTENCE_END)) > 0)

    @cached_property
    def clauses(self) -> Bounds:
        """Where the tokens between two other signs but spaces begin, and the end."""
        is_sign = (self.kinds & SPACE) == 0
        is_sign[self.places] = False
        return self._bounds(is_sign)

    def _bounds(self, is_end: NDArray[np.bool_]) -> Bounds:
        """The tokens that have an end between themselves and the token before, the first of all, and the end."""
        ends_before = np.cumsum(is_end, dtype=np.int32)[self.places]
        begins = np.flatnonzero(ends_before[1:] > ends_before[:-1]) + 1
        return np.concatenate([[0], begins, [self.size]]).astype(np.int32)

    @cached_property
    def signs_before_any(self) -> Signs:
        """Stops beside opening signs and line ends."""
        return self._signs(OPEN | LINE_END)

    @cached_property
    def signs_before_openings(self) -> Signs:
        """Stops beside opening signs."""
        return self._signs(OPEN)

    def _signs(self, others: int) -> Signs:
        kinds = self.kinds[(self.kinds & SPACE) == 0]
        is_stop, is_other = (kinds & STOP) > 0, (kinds & others) > 0
        turned, kept = is_other[:-1] & is_stop[1:], is_stop[:-1] & is_other[1:]
        return Signs(int(turned.sum()), int(kept.sum()), int(is_other.sum()))

    @cached_property
    def signs(self) -> tuple[tuple[Order, Bounds], ...]:
        """All signs, and all but spaces and line ends: the token of each, -1 for none; where lines of them begin."""
        tokens = np.full(self.kinds.size, -1, np.int32)
        tokens[self.places] = np.arange(self.size, dtype=np.int32)
        lines = np.cumsum((self.kinds & LINE_END) > 0)
        is_kept = (self.kinds & (LINE_END | SPACE)) == 0
        return tuple(
            (tokens[kept], np.append(np.flatnonzero(np.diff(lines[kept], prepend=-1) > 0), kept.sum()).astype(np.int32))
            for kept in (is_kept, np.ones(self.kinds.size, np.bool_))
        )

    @cached_property
    def cells(self) -> NDArray[np.int64]:
        """int64[m, 3]: the line of each token, its place in the line, and its place from the end of the line."""
        places = self.places.astype(np.int64)
        ends = np.flatnonzero(self.kinds & LINE_END)
        numbers = np.searchsorted(ends, places)
        begins = np.append(-1, ends)[numbers] + 1
        stops = np.append(ends, self.kinds.size)[numbers]
        lines = np.cumsum(np.diff(numbers, prepend=-1) > 0) - 1
        return np.stack([lines, places - begins, stops - 1 - places], axis=1)
