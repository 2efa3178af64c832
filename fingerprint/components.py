"""Similarity of two characters by shared components, for classification; no fingerprint depends on it.

The table is written by laboratory.tables.build_components, which names its source, and read at first use.
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from fingerprint.near import unpack_arrays
from fingerprint.readings import CODE_POINTS

ARRAYS = 5  # in a data file


def table_path(name: str) -> Path:
    """Return the path of a table."""
    return Path(__file__).with_name(f"components_{name}.bin")


class Components(NamedTuple):
    """The components of characters, simplified and traditional, as plain arrays by row; row 0 has none.

    rows: uint16[code point], the row of each character; starts: int32[rows + 1], the start of each row's components in
    `ids`; ids: uint16[n], the components of each row that other characters share, ascending; totals: float32[rows], the
    total weight of each row's components, including unique ones; weights: float32[components], the inverse frequency:
    the logarithm of the common characters per character with it.
    """

    rows: NDArray[np.uint16]
    starts: NDArray[np.int32]
    ids: NDArray[np.uint16]
    totals: NDArray[np.float32]
    weights: NDArray[np.float32]


COMPONENTS_2026 = table_path("2026")


@cache
def read_components(path: Path = COMPONENTS_2026) -> Components:
    """Return the table in a file. Raises BrokenInvariant if the file is not valid."""
    codes, counts, ids, totals, weights = unpack_arrays(path, ARRAYS)
    rows = np.zeros(CODE_POINTS, np.uint16)
    rows[codes] = np.arange(1, codes.size + 1)
    starts = np.concatenate([[0, 0], np.cumsum(counts, dtype=np.int32)]).astype(np.int32)
    of_rows = np.append(np.float32(0), totals.astype(np.float32))
    return Components(rows, starts, ids.astype(np.uint16), of_rows, weights.astype(np.float32))


@kernel(allocates=False)
def component_similarity(  # noqa: PLR0917 - kernels take no keywords
    one: int,
    other: int,
    starts: NDArray[np.int32],
    ids: NDArray[np.uint16],
    totals: NDArray[np.float32],
    weights: NDArray[np.float32],
) -> float:
    """Return the weighted Jaccard index of the components of two rows, from 0 to 1.

    The arrays are those of Components.
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
