"""The journal of changes that are made while a generation is being built, and applied to it at the end."""

import struct
from dataclasses import dataclass

import numpy as np

from core.ids import WorkTextId
from matcher.index.postings import Postings
from matcher.index.redis.text_table import pack_id, unpack_id

_HEADER = struct.Struct("<HIQ")  # bytes of the id, postings, tokens; REMOVED instead of tokens
REMOVED = 0xFFFFFFFFFFFFFFFF


@dataclass(frozen=True, slots=True, eq=False)
class JournalEntry:
    """The addition of a text with its postings, or its removal if `postings` is None."""

    text_id: WorkTextId
    postings: Postings | None

    def to_bytes(self) -> bytes:
        name = pack_id(self.text_id)
        if self.postings is None:
            return _HEADER.pack(len(name), 0, REMOVED) + name
        keys, positions = self.postings.keys, self.postings.positions
        header = _HEADER.pack(len(name), keys.size, self.postings.tokens)
        return header + name + keys.astype("<u8").tobytes() + positions.astype("<u4").tobytes()

    @classmethod
    def from_bytes(cls, stored: bytes) -> "JournalEntry":
        size, count, tokens = _HEADER.unpack_from(stored)
        at = _HEADER.size + size
        text_id = unpack_id(stored[_HEADER.size : at])
        if tokens == REMOVED:
            return cls(text_id, None)
        keys = np.frombuffer(stored, "<u8", count, at).astype(np.uint64)
        positions = np.frombuffer(stored, "<u4", count, at + 8 * count).astype(np.int64)
        return cls(text_id, Postings(keys, positions, tokens))
