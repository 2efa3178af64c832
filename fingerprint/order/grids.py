"""Orders of a text of which the lines are the rows of a grid, read in columns, around, or aslant."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fingerprint.order import gains
from fingerprint.order.followers import Table
from fingerprint.order.readings import Order
from fingerprint.order.text_units import Block

MAX_HEIGHT = 64  # lines of a block of columns, where several stand above each other
SAMPLE_CELLS = 600
# Gain of a pair from which lines may be rows of a grid: in disorder -16 by 50 divided by the root of the pairs, in a
# grid that is read around at least -4 in some direction, in columns 37.
MIN_GAIN = -9
MIN_SHARE_OF_PAIRS = 0.3  # of the cells of a grid more have one beside, and below
# From which blocks of columns may stand above each other: of pairs in disorder -16, in order 37.
MIN_GAIN_OF_COLUMNS = 1

Numbers = NDArray[np.int64]


def grid_orders(block: Block, table: Table) -> Iterator[Order]:
    """All of them; lines are flush left or flush right."""
    lines = int(block.cells[-1, 0]) + 1
    if lines < 2:
        return
    for column in (1, 2):
        rows, columns = block.cells[:, 0], block.cells[:, column]
        if column == 2:
            columns = columns.max() - columns
        if not _may_be_grid(block, rows, columns, table):
            continue
        whole = list(_column_orders(rows, columns, lines))
        yield from whole
        yield from _slanting_orders(rows, columns)
        yield from _spiral_orders(rows, columns)
        most = max(gains.sum_gains(block.keys, order, table) for order in whole)
        if most >= MIN_GAIN_OF_COLUMNS * block.size:
            for height in range(2, min(MAX_HEIGHT, lines - 1) + 1):
                yield from _column_orders(rows, columns, height)


def _may_be_grid(block: Block, rows: Numbers, columns: Numbers, table: Table) -> bool:
    """Whether characters go with those beside, below or aslant below them as no line read forwards does."""
    width = int(columns.max()) + 2
    cells = (rows * width + columns)[:SAMPLE_CELLS]
    found = [gains.step_gains(block.keys, cells, step, table) for step in (1, width - 1, width, width + 1)]
    best = [found[0][1], *(max(ahead, back) for ahead, back, _ in found[1:])]
    return any(
        gained >= MIN_GAIN * pairs and pairs >= MIN_SHARE_OF_PAIRS * cells.size
        for gained, (_, _, pairs) in zip(best, found, strict=True)
    )


def _column_orders(rows: Numbers, columns: Numbers, height: int) -> Iterator[Order]:
    """Columns of `height` rows, from the right or the left, read down, up, or in turn."""
    blocks, inside = rows // height, rows % height
    width = int(columns.max()) + 1
    for column in (width - 1 - columns, columns):
        for is_up in (np.zeros(rows.size, np.bool_), column % 2 == 1):
            down = np.where(is_up, height - 1 - inside, inside)
            for row in (down, height - 1 - down):
                yield np.argsort((blocks * width + column) * height + row, kind="stable").astype(np.int32)


def _slanting_orders(rows: Numbers, columns: Numbers) -> Iterator[Order]:
    span = int(max(rows.max(), columns.max())) + 1
    for diagonal in (rows + columns, rows - columns + span):
        for along in (rows, span - rows):
            order = np.argsort(diagonal * 2 * span + along, kind="stable").astype(np.int32)
            yield order
            yield order[::-1].copy()


def _spiral_orders(rows: Numbers, columns: Numbers) -> Iterator[Order]:
    """Around from each corner inwards, to either side, and outwards."""
    height, width = int(rows.max()), int(columns.max())
    for row, column, high, wide in (
        *((rows, columns, height, width), (rows, width - columns, height, width)),
        *((height - rows, columns, height, width), (height - rows, width - columns, height, width)),
        *((columns, rows, width, height), (columns, height - rows, width, height)),
        *((width - columns, rows, width, height), (width - columns, height - rows, width, height)),
    ):
        ring = np.minimum(np.minimum(row, high - row), np.minimum(column, wide - column))
        side_row, side_column = high - 2 * ring, wide - 2 * ring
        r, c = row - ring, column - ring
        around = np.where(
            r == 0,
            c,
            np.where(
                c == side_column,
                side_column + r,
                np.where(r == side_row, side_column + side_row + side_column - c, 2 * (side_column + side_row) - r),
            ),
        )
        order = np.argsort(ring * 4 * (high + wide + 1) + around, kind="stable").astype(np.int32)
        yield order
        yield order[::-1].copy()
