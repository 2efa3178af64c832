"""The addresses of texts: their form in Redis, and the table of them in a process."""

import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.ids import ID_HEX_CHARS, WorkTextId
from matcher.index.redis.keys import GenerationKeys
from matcher.index.redis.link import RedisLink

RANGE_BYTES = 13
_TAIL = struct.Struct("<II")
DIGEST, OTHER = b"\x01", b"\x02"  # first byte of a stored text id: 20 bytes of a digest follow, or text
TEXTS_PER_READ = 100_000


@dataclass(frozen=True, slots=True)
class Range:
    """The addresses [start, start + size) of a text, and the number of its postings. size is at least 1."""

    start: int
    size: int
    postings: int

    def to_bytes(self) -> bytes:
        return self.start.to_bytes(5, "little") + _TAIL.pack(self.size, self.postings)

    @classmethod
    def from_bytes(cls, stored: bytes) -> "Range":
        return cls(int.from_bytes(stored[:5], "little"), *_TAIL.unpack_from(stored, 5))


def pack_id(text_id: WorkTextId) -> bytes:
    """Return the stored form of a text id, which for a digest is half as long."""
    if len(text_id) == ID_HEX_CHARS and text_id.strip("0123456789abcdef") == "":
        return DIGEST + bytes.fromhex(text_id)
    return OTHER + text_id.encode()


def unpack_id(stored: bytes) -> WorkTextId:
    """Return the text id with this stored form."""
    return WorkTextId(stored[1:].hex() if stored[:1] == DIGEST else stored[1:].decode())


class TextTable:
    """The texts of one generation, as far as this process has read them.

    Addresses are never reused, so the table only grows. Removed texts remain in it and are marked.
    """

    def __init__(self, link: RedisLink, keys: GenerationKeys) -> None:
        self._link = link
        self._keys = keys
        self._ids: list[WorkTextId] = []  # by ordinal, the index in the log
        self._dead = 0  # the number of dead ranges marked so far
        self._starts = np.zeros(0, np.int64)  # increasing; the other columns have the same order
        self._ends = np.zeros(0, np.int64)
        self._ordinals = np.zeros(0, np.int32)
        self._is_dead = np.zeros(0, np.bool_)

    def refresh(self, logged: int, dead: int) -> None:
        """Read the texts added and removed since the last call.

        logged, dead: the current numbers of added texts and of removed ranges.
        """
        while len(self._ids) < logged:
            self._read_log()
        if self._dead < dead:
            self._read_dead()

    def owners(self, addresses: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the ordinal of the text and the position in it of each address, int32[h] each.

        The ordinal is -1 if the address belongs to no text, or to a removed one.
        """
        if not self._starts.size:
            return np.full(addresses.size, -1, np.int32), np.zeros(addresses.size, np.int32)
        rows = np.searchsorted(self._starts, addresses, side="right") - 1
        is_owned = (rows >= 0) & (addresses < self._ends[rows]) & ~self._is_dead[rows]
        ordinals = np.where(is_owned, self._ordinals[rows], -1)
        return ordinals.astype(np.int32), (addresses - self._starts[rows]).astype(np.int32)

    def text_id(self, ordinal: int) -> WorkTextId:
        return self._ids[ordinal]

    def _read_log(self) -> None:
        first = len(self._ids)
        entries: list[bytes] = self._link.one("LRANGE", self._keys.log, first, first + TEXTS_PER_READ - 1)
        ranges = unpack_ranges([entry[:RANGE_BYTES] for entry in entries])
        ordinals = np.arange(first, first + len(entries), dtype=np.int32)
        starts = np.concatenate([self._starts, ranges[0]])
        order = np.argsort(starts, kind="stable")
        self._starts = starts[order]
        self._ends = np.concatenate([self._ends, ranges[0] + ranges[1]])[order]
        self._ordinals = np.concatenate([self._ordinals, ordinals])[order]
        self._is_dead = np.concatenate([self._is_dead, np.zeros(len(entries), np.bool_)])[order]
        self._ids.extend(unpack_id(entry[RANGE_BYTES:]) for entry in entries)

    def _read_dead(self) -> None:
        ranges: list[bytes] = self._link.one("LRANGE", self._keys.dead, self._dead, -1)
        starts = unpack_ranges(ranges)[0]
        rows = np.searchsorted(self._starts, starts)
        rows[rows == self._starts.size] = 0
        is_known = self._starts[rows] == starts if self._starts.size else np.zeros(0, np.bool_)
        self._is_dead[rows[is_known]] = True  # unknown ranges were never published
        self._dead += len(ranges)


def unpack_ranges(stored: list[bytes]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the starts, sizes and numbers of postings of stored ranges, int64[n] each."""
    raw = np.zeros((len(stored), 24), np.uint8)
    packed = np.frombuffer(b"".join(stored), np.uint8).reshape(-1, RANGE_BYTES)
    raw[:, :5], raw[:, 8:12], raw[:, 16:20] = packed[:, :5], packed[:, 5:9], packed[:, 9:]
    columns = raw.view("<i8").reshape(-1, 3)
    return columns[:, 0].copy(), columns[:, 1].copy(), columns[:, 2].copy()
