"""Similarity of two characters by shared components, for classification; no fingerprint depends on it.

The table is written by laboratory.tables.build_components, which names its source, and read at first use.
"""

from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from fingerprint.near import unpack_arrays
from fingerprint.readings import CODE_POINTS

ARRAYS = 5  # in a data file


def table_path(name: str) -> Path:
    """Return the path of a table."""
    return Path(__file__).with_name(f"components_{name}.bin")


class ComponentTable:
    """The components of characters, simplified and traditional, as plain arrays by row; row 0 has none.

    The weight of a component is its inverse frequency: the logarithm of the common characters per character with it.
    """

    def __init__(self, path: Path) -> None:
        """Create a table. path: the data file."""
        self.path = path

    @cached_property
    def _stored_arrays(self) -> list[NDArray[np.generic]]:
        return unpack_arrays(self.path, ARRAYS)

    @cached_property
    def rows(self) -> NDArray[np.uint16]:
        """The row of each character, uint16[code point]."""
        rows, codes = np.zeros(CODE_POINTS, np.uint16), self._stored_arrays[0]
        rows[codes] = np.arange(1, codes.size + 1)
        return rows

    @cached_property
    def starts(self) -> NDArray[np.int32]:
        """The start of each row's components in `ids`, int32[rows + 1]."""
        return np.concatenate([[0, 0], np.cumsum(self._stored_arrays[1], dtype=np.int32)]).astype(np.int32)

    @cached_property
    def ids(self) -> NDArray[np.uint16]:
        """The components of each row that other characters share, ascending, uint16[n]."""
        return self._stored_arrays[2].astype(np.uint16)

    @cached_property
    def totals(self) -> NDArray[np.float32]:
        """The total weight of each row's components, including unique ones, float32[rows]."""
        return np.concatenate([[0], self._stored_arrays[3]]).astype(np.float32)

    @cached_property
    def weights(self) -> NDArray[np.float32]:
        """The weight of each component, float32[components]."""
        return self._stored_arrays[4].astype(np.float32)


@kernel(allocates=False)
def component_likeness(  # noqa: PLR0917 - kernels take no keywords
    one: int,
    other: int,
    starts: NDArray[np.int32],
    ids: NDArray[np.uint16],
    totals: NDArray[np.float32],
    weights: NDArray[np.float32],
) -> float:
    """Return the weighted Jaccard index of the components of two rows, from 0 to 1.

    The arrays are properties of ComponentTable.
    """
    here, there, shared = as_int(starts[one]), as_int(starts[other]), 0.0
    while here < starts[one + 1] and there < starts[other + 1]:
        if ids[here] == ids[there]:
            shared += weights[ids[here]]
            here, there = here + 1, there + 1
        elif ids[here] < ids[there]:
            here += 1
        else:
            there += 1
    return shared / (totals[one] + totals[other] - shared) if shared else 0.0


COMPONENTS_2026 = ComponentTable(table_path("2026"))
