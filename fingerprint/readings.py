"""One reading for each code point, without context: an edit of one character never changes its neighbours' readings.

The table is written by fingerprint.build_readings; its digest is part of an algorithm id.
"""

import hashlib
import lzma
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import BrokenInvariant
from fingerprint.syllables import SYLLABLES

__all__ = [
    "CODE_POINTS",
    "SYLLABLES",
    "TABLE",
    "ReadingTable",
    "code_points",
    "folded",
    "pack",
    "payload_digest",
    "syllable_ids",
]

CODE_POINTS = 0x110000
DATA_PATH = Path(__file__).with_name("readings.bin")

Columns = tuple[NDArray[np.uint32], NDArray[np.uint32]]


def pack(readings: Columns, folding: Columns) -> bytes:
    """The table as bytes, before compression: for each of the two, its length, code points and values (uint32, LE)."""
    parts = []
    for keys, values in (readings, folding):
        steps = np.diff(keys, prepend=np.uint32(0))
        parts += [np.array([keys.size], "<u4"), steps.astype("<u4"), values.astype("<u4")]
    return b"".join(part.tobytes() for part in parts)


def unpack(payload: bytes) -> tuple[Columns, Columns]:
    """The inverse of `pack`."""
    words = np.frombuffer(payload, "<u4")
    first, second = int(words[0]), int(words[1 + 2 * int(words[0])])
    rest = words[2 + 2 * first :]
    readings = np.cumsum(words[1 : 1 + first], dtype=np.uint32), words[1 + first : 1 + 2 * first]
    return readings, (np.cumsum(rest[:second], dtype=np.uint32), rest[second : 2 * second])


def payload_digest(payload: bytes) -> str:
    """SHA-256 of the table before compression, 64 hex digits."""
    return hashlib.sha256(payload).hexdigest()


class ReadingTable:
    """The table of one data file, read at the first question."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @cached_property
    def _payload(self) -> bytes:
        try:
            return lzma.decompress(self._path.read_bytes())
        except (OSError, lzma.LZMAError) as error:
            raise BrokenInvariant(f"{self._path} cannot be read ({error}); install the product again") from error

    @cached_property
    def digest(self) -> str:
        """What an algorithm id records of this table."""
        return payload_digest(self._payload)

    @cached_property
    def syllables(self) -> NDArray[np.uint16]:
        """uint16[code point]: the syllable's id, 0 where there is no reading."""
        codes, values = unpack(self._payload)[0]
        table = np.zeros(CODE_POINTS, np.uint16)
        table[codes] = values
        return table

    @cached_property
    def folding(self) -> NDArray[np.uint32]:
        """uint32[code point]: the simplified or compatibility form that stands for it."""
        codes, values = unpack(self._payload)[1]
        table = np.arange(CODE_POINTS, dtype=np.uint32)
        table[codes] = values
        return table


TABLE = ReadingTable(DATA_PATH)


def code_points(text: str) -> NDArray[np.uint32]:
    """uint32[len(text)]: the code points, lone surrogates included."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


def syllable_ids(text: str) -> NDArray[np.uint16]:
    """uint16[len(text)]: the toneless syllable of each code point, 0 where it has none.

    Traditional and compatibility forms read as their simplified form, digits as Chinese numerals.

    >>> [SYLLABLES[i] for i in syllable_ids("網9!")]
    ['wang', 'jiu', '']
    """
    return TABLE.syllables[code_points(text)]


def folded(text: str) -> NDArray[np.uint32]:
    """uint32[len(text)]: each code point in its simplified or compatibility form.

    >>> "".join(map(chr, folded("網Ａ")))
    '网A'
    """
    return TABLE.folding[code_points(text)]
