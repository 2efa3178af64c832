"""One reading for each code point, without context: an edit of one character never changes the readings around it.

A table is written by laboratory.tables.build_readings. Its digest is part of the algorithms that use it.
"""

import hashlib
import lzma
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import BrokenInvariant
from fingerprint.syllables_2026 import SYLLABLES

CODE_POINTS = 0x110000

Columns = tuple[NDArray[np.uint32], NDArray[np.uint32]]


def pack_readings(readings: Columns, folding: Columns) -> bytes:
    """Return the table as uncompressed bytes: for each of its two parts the length, the code points and the values."""
    parts = []
    for keys, values in (readings, folding):
        steps = np.diff(keys, prepend=np.uint32(0))
        parts += [np.array([keys.size], "<u4"), steps.astype("<u4"), values.astype("<u4")]
    return b"".join(part.tobytes() for part in parts)


def unpack_readings(payload: bytes) -> tuple[Columns, Columns]:
    """Return the two parts of a table from the output of `pack_readings`."""
    words = np.frombuffer(payload, "<u4")
    first, second = int(words[0]), int(words[1 + 2 * int(words[0])])
    rest = words[2 + 2 * first :]
    readings = np.cumsum(words[1 : 1 + first], dtype=np.uint32), words[1 + first : 1 + 2 * first]
    return readings, (np.cumsum(rest[:second], dtype=np.uint32), rest[second : 2 * second])


def payload_digest(payload: bytes) -> str:
    """Return the SHA-256 of the uncompressed table, 64 hex digits."""
    return hashlib.sha256(payload).hexdigest()


def read_payload(path: Path, digest: str) -> bytes:
    """Return the decompressed content of a data file. Raises BrokenInvariant if it has another digest."""
    try:
        payload = lzma.decompress(path.read_bytes())
    except (OSError, lzma.LZMAError) as error:
        raise BrokenInvariant("fingerprint.unreadable-table", path=path, error=error) from error
    if payload_digest(payload) != digest:
        raise BrokenInvariant("fingerprint.wrong-table", path=path)
    return payload


@dataclass(frozen=True, eq=False)
class ReadingTable:
    """The readings in a data file, which is loaded at first use.

    digest: the SHA-256 of the file before compression, recorded permanently in the algorithms that use it. names: the
    syllables by id; the name of id 0, which means no reading, is "".
    """

    path: Path
    digest: str
    names: tuple[str, ...]

    @cached_property
    def _stored_columns(self) -> tuple[Columns, Columns]:
        """Readings and folding. Raises BrokenInvariant if the file does not have the digest."""
        return unpack_readings(read_payload(self.path, self.digest))

    @cached_property
    def syllables(self) -> NDArray[np.uint16]:
        """The syllable id of each code point, uint16[code point]; 0 if there is no reading."""
        codes, values = self._stored_columns[0]
        table = np.zeros(CODE_POINTS, np.uint16)
        table[codes] = values
        return table

    @cached_property
    def folding(self) -> NDArray[np.uint32]:
        """The simplified or compatibility form of each code point, uint32[code point]."""
        codes, values = self._stored_columns[1]
        table = np.arange(CODE_POINTS, dtype=np.uint32)
        table[codes] = values
        return table


READINGS_2026 = ReadingTable(
    Path(__file__).with_name("readings_2026.bin"),
    "39722b2c55c75e86878ced9d2bf63d276f4db0415b8453fb819cf33b69865633",
    SYLLABLES,
)


def code_points(text: str) -> NDArray[np.uint32]:
    """Return the code points of a text, including lone surrogates, uint32[len(text)]."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


def syllable_ids(text: str, table: ReadingTable = READINGS_2026) -> NDArray[np.uint16]:
    """Return the toneless syllable of each code point, uint16[len(text)]; 0 if it has none.

    Traditional and compatibility forms are read as their simplified form, digits as Chinese numerals.

    >>> [SYLLABLES[i] for i in syllable_ids("網9!")]
    ['wang', 'jiu', '']
    """
    return table.syllables[code_points(text)]


def fold_variants(text: str, table: ReadingTable = READINGS_2026) -> NDArray[np.uint32]:
    """Return each code point in its simplified or compatibility form, uint32[len(text)].

    >>> "".join(map(chr, fold_variants("網Ａ")))
    '网A'
    """
    return table.folding[code_points(text)]
