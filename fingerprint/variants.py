"""Characters that are variants of one another (异体字), for classification only: no fingerprint depends on them.

The table is written by laboratory.tables.build_variants, which names its sources, and read at first use.
"""

from itertools import combinations
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from core.errors import BrokenInvariant
from fingerprint.readings import CODE_POINTS, READINGS_2026, ReadingTable

CodePoint = TypeVar("CodePoint", int, NDArray[np.int64])

SOURCE_1955 = "1955"
SOURCE_UNIHAN = "unihan"


def table_path(name: str) -> Path:
    """Return the path of a table."""
    return Path(__file__).with_name(f"variants_{name}.tsv")


VARIANTS_2026 = table_path("2026")


def read_groups(path: Path = VARIANTS_2026) -> list[tuple[str, str]]:
    """Return source and variant characters of each line. Raises BrokenInvariant if the file is not valid."""
    try:
        lines = path.read_text("utf-8").splitlines()
        return [(source, group) for source, group in (line.split("\t") for line in lines if not line.startswith("#"))]
    except (OSError, ValueError) as error:
        raise BrokenInvariant("fingerprint.unreadable-table", path=path, error=error) from error


def variant_pairs(table: ReadingTable = READINGS_2026, path: Path = VARIANTS_2026) -> NDArray[np.int64]:
    """Return the `variant_key` of each pair of variants in this table's simplified forms, int64[n], ascending.

    Pairs that folding makes equal are left out.
    """
    keys = set()
    for _, group in read_groups(path):
        folded = {int(table.folding[ord(character)]) for character in group}
        keys |= {variant_key(*pair) for pair in combinations(sorted(folded), 2)}
    return np.array(sorted(keys), np.int64)


def variant_key(smaller: CodePoint, greater: CodePoint) -> CodePoint:
    """Return two code points as one number, which fits into int64.

    >>> variant_key(0x20, 0x21) == 0x20 * CODE_POINTS + 0x21
    True
    """
    return smaller * CODE_POINTS + greater
