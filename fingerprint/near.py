"""Characters that may stand for one another, by any of their readings or by their shape, for alignment.

A table is written by laboratory.tables.build_near for one reading table, and loaded at first use. It changes no
fingerprint.
"""

import io
import lzma
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import BrokenInvariant
from fingerprint.readings import CODE_POINTS, READINGS_2026, ReadingTable

READINGS_WIDTH = 8  # 7 of 41,923 characters have more; they lose their rarest
# Homophones by any reading in a dictionary: 2 columns cover .985 of them, 3 .995, 4 .998, 6 .998.
ALTERNATIVES_WIDTH = 4
SHAPES_WIDTH = 6
SHAPE_ALTERNATIVES_WIDTH = 4
ARRAYS = 5  # in a data file


def pack_arrays(arrays: list[NDArray[np.generic]]) -> bytes:
    """Return arrays as a data file: their npy forms, one after the other, compressed."""
    stream = io.BytesIO()
    for array in arrays:
        np.save(stream, array, allow_pickle=False)
    return lzma.compress(stream.getvalue(), preset=9)


def unpack_arrays(path: Path, count: int) -> list[NDArray[np.generic]]:
    """Return the arrays in a file written by `pack_arrays`. count: the number of arrays.

    Raises BrokenInvariant if the file is not valid.
    """
    try:
        stream = io.BytesIO(lzma.decompress(path.read_bytes()))
        return [np.load(stream, allow_pickle=False) for _ in range(count)]
    except (OSError, ValueError, EOFError, lzma.LZMAError) as error:
        raise BrokenInvariant("fingerprint.unreadable-table", path=path, error=error) from error


class NearTable:
    """Tables of similar characters. A traditional character has the row of its simplified form.

    These are plain arrays, which compiled loops can read: `table.readings[table.rows[code]]`. Row 0 is empty.
    """

    def __init__(self, path: Path, table: ReadingTable) -> None:
        """Create a table.

        path: the data file; table: the reading table that it was built for.
        """
        self.path = path
        self.table = table

    @cached_property
    def _stored_arrays(self) -> list[NDArray[np.generic]]:
        return unpack_arrays(self.path, ARRAYS)

    @cached_property
    def rows(self) -> NDArray[np.uint16]:
        """The row of each character in the other tables, uint16[code point]; 0 if it has none."""
        rows = np.zeros(CODE_POINTS, np.uint16)
        codes = self._stored_arrays[0]
        rows[codes] = np.arange(1, codes.size + 1)
        rows = rows[self.table.folding]
        rows[self.table.syllables == 0] = 0
        return rows

    @cached_property
    def readings(self) -> NDArray[np.uint16]:
        """The ids of all readings, uint16[rows, READINGS_WIDTH], padded with 0. The first reading is the token."""
        return _with_empty_row(self._stored_arrays[1])

    @cached_property
    def alternatives(self) -> NDArray[np.uint16]:
        """Other tokens that a character with a similar sound may have, uint16[rows, ALTERNATIVES_WIDTH], padded with 0.

        First the other readings of the character itself, then the first readings of characters that share one of its
        readings, the likeliest first.
        """
        return _with_empty_row(self._stored_arrays[2][self._stored_arrays[3]])

    @cached_property
    def shapes(self) -> NDArray[np.uint16]:
        """The rows of common characters of similar shape, uint16[rows, SHAPES_WIDTH], padded with 0.

        The most similar characters come first.
        """
        return _with_empty_row(self._stored_arrays[4])

    @cached_property
    def shape_alternatives(self) -> NDArray[np.uint16]:
        """The tokens of `shapes`, uint16[rows, SHAPE_ALTERNATIVES_WIDTH], the most similar first, padded with 0.

        The row's own token and its `alternatives` are omitted.
        """
        tokens = self.readings[self.shapes, 0]
        known = np.concatenate([self.readings[:, :1], self.alternatives], axis=1)
        for column in range(SHAPES_WIDTH):
            before = np.concatenate([known, tokens[:, :column]], axis=1)
            tokens[(before == tokens[:, column : column + 1]).any(axis=1), column] = 0
        order = np.argsort(tokens == 0, axis=1, kind="stable")
        return np.take_along_axis(tokens, order, axis=1)[:, :SHAPE_ALTERNATIVES_WIDTH].copy()


NEAR_2026 = NearTable(Path(__file__).with_name("near_2026.bin"), READINGS_2026)


def _with_empty_row(table: NDArray[np.generic]) -> NDArray[np.uint16]:
    return np.concatenate([np.zeros((1, table.shape[1]), np.uint16), table.astype(np.uint16)])
