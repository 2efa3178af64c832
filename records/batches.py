"""Many keys, some at a time: what a statement takes."""

from collections.abc import Iterator, Sequence
from typing import Any

BATCH_IDS = 400  # SQLite takes at most 999 variables in a statement; one of these may name two things


def batches(items: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """`items` in pieces that fit into a statement."""
    return (items[start : start + BATCH_IDS] for start in range(0, len(items), BATCH_IDS))
