"""What is added and removed while a generation is made, so that the new one has it too."""

import struct
from dataclasses import dataclass

import numpy as np

from core.ids import WorkTextId
from matcher.postings import Postings
from matcher.redis_texts import packed_id, unpacked_id

_HEADER = struct.Struct("<HIQ")  # bytes of the id, postings, tokens; no tokens at all says that it was removed
REMOVED = 0xFFFFFFFFFFFFFFFF


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """A text that was added with its postings, or removed where they are None."""

    text_id: WorkTextId
    postings: Postings | None

    @property
    def packed(self) -> bytes:
        name = packed_id(self.text_id)
        if self.postings is None:
            return _HEADER.pack(len(name), 0, REMOVED) + name
        keys, positions = self.postings.keys, self.postings.positions
        header = _HEADER.pack(len(name), keys.size, self.postings.tokens)
        return header + name + keys.astype("<u8").tobytes() + positions.astype("<u4").tobytes()

    @classmethod
    def unpacked(cls, stored: bytes) -> "Change":
        size, count, tokens = _HEADER.unpack_from(stored)
        at = _HEADER.size + size
        text_id = unpacked_id(stored[_HEADER.size : at])
        if tokens == REMOVED:
            return cls(text_id, None)
        keys = np.frombuffer(stored, "<u8", count, at).astype(np.uint64)
        positions = np.frombuffer(stored, "<u4", count, at + 8 * count).astype(np.int64)
        return cls(text_id, Postings(keys, positions, tokens))
