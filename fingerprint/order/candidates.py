"""The orders that a block of text is tried in: a bounded family, of which the characters themselves choose."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from fingerprint.order import order_kernels
from fingerprint.order.followers import Packed
from fingerprint.order.order_kernels import (
    ALL,
    BACKWARDS,
    DEALT,
    DEALT_BACK,
    FENCE,
    GATHERED,
    HALVES,
    INSIDE_OUT,
    KEPT,
    ODD,
    OUTSIDE_IN,
    Bounds,
    Order,
)
from fingerprint.order.text_units import Block

MAX_WIDTH_OF_BLOCK = 160  # characters in a line, or lines, of a text that was set in columns and then run together
MAX_WIDTH_OF_UNIT = 12
MAX_FENCE = 6
MAX_HEIGHT = 64  # lines of a block of columns, where several stand above each other
SAMPLE_SIGNS = 400  # that most candidates are first tried on
LIKELY_LAGS = 3
LIKELY_WAYS = 3  # two ways may begin alike
# Gain of a pair, percent, from which lines may be rows of a grid: in disorder 0 by 75 divided by the root of the pairs,
# in a grid that is read around at least 15 in some direction, in columns 60.
MIN_GAIN_OF_GRID = 8
# Gain of a pair, percent, at which blocks of columns may stand above each other: of pairs in disorder 0, in order 60.
MIN_GAIN_OF_COLUMNS = 20
MAX_PERIOD = 16  # characters that are mixed at a time
MAX_EXHAUSTED = 4  # up to here every order is tried, and every choice of at least half of the characters


AS_IT_IS = (KEPT, 1)
WAYS = (
    *((BACKWARDS, 1), (OUTSIDE_IN, 1), (INSIDE_OUT, 1), (HALVES, 1)),
    *((FENCE, width) for width in range(3, MAX_FENCE + 1)),
    *((way, width) for way in (DEALT, DEALT_BACK, GATHERED) for width in range(2, MAX_WIDTH_OF_UNIT + 1)),
)
# Of every other unit alone.
WAYS_OF_SOME = ((BACKWARDS, 1), (HALVES, 1), (DEALT, 2), (GATHERED, 2))


def countings(block: Block) -> Iterator[tuple[Order, Bounds]]:
    """Ways to count characters: with or without other signs, through the block or anew in each unit."""
    yield from _countings_of_all(block)
    tokens = np.arange(block.characters.size, dtype=np.int32)
    yield from _countings_within(block, tokens, block.units.lines, block.units.sentences)
    if not block.signs_before_any.are_turned:  # then it was no single clauses: characters hardly tell the two
        yield from _countings_within(block, tokens, block.units.clauses)


def _unit_countings(block: Block) -> Iterator[tuple[Order, Bounds]]:
    """Those in which whole units may have been treated: none that holds signs that stand where they belong.

    Stops before opening signs stand in sentences, those before line ends behind them.
    """
    tokens = np.arange(block.characters.size, dtype=np.int32)
    if block.signs_before_openings.are_in_place:
        return _countings_within(block, tokens, block.units.clauses)
    if block.signs_before_any.are_in_place:
        return _countings_within(block, tokens, block.units.sentences, block.units.clauses)
    return countings(block)


def _countings_of_all(block: Block) -> Iterator[tuple[Order, Bounds]]:
    tokens = np.arange(block.characters.size, dtype=np.int32)
    yield tokens, block.whole
    han = np.where(block.characters > 0, tokens, -1)
    if (han < 0).any():
        yield tokens[han >= 0], np.array([0, np.count_nonzero(han >= 0)], np.int32)
    for places, lines in block.signs:
        yield places, np.array([0, places.size], np.int32)
        if lines.size > 2:
            yield places, lines


def _countings_within(block: Block, tokens: Order, *units: Bounds) -> Iterator[tuple[Order, Bounds]]:
    for begins in units:
        bounds = block.bounds(begins)
        if bounds.size > 2:
            yield tokens, bounds


def unit_orders(block: Block, table: Packed, *, is_broken: bool) -> Iterator[Order]:
    """The block, its lines, sentences or clauses, all or every other one, each treated in one way.

    For each way to count the likeliest by SAMPLE_SIGNS signs. is_broken: whether the block may have been treated
    throughout; of one that is Chinese in part only every other unit was.
    """
    for places, bounds in _unit_countings(block):
        is_one = bounds.size == 2
        if is_one and not is_broken:
            continue
        known = (AS_IT_IS, *(WAYS if is_broken else WAYS_OF_SOME), *(_wide(block, places, table) if is_one else ()))
        seen = bounds if is_one else sampled(bounds)
        gains = order_kernels.way_gains(block.characters, places, seen, np.array(known, np.int32), SAMPLE_SIGNS, table)
        least = gains[0, ALL, 0]
        gains[:, : ALL if is_broken else ODD] = least
        likely = np.argsort(-gains, axis=None, kind="stable")[:LIKELY_WAYS]
        likely = likely[gains.ravel()[likely] > least]
        for number, parity, is_from_end in zip(*np.unravel_index(likely, gains.shape), strict=True):
            order = order_kernels.read_units(bounds, known[number][0], known[number][1], int(parity), bool(is_from_end))
            taken = order_kernels.take_places(places, order)
            yield order_kernels.with_uncounted(places, taken, block.characters.size)


def _wide(block: Block, places: Order, table: Packed) -> Iterator[tuple[int, int]]:
    """Wide rows that ran together: widths at which characters that stand so far apart are pairs."""
    gains = order_kernels.lag_gains(block.characters, places, min(places.size, SAMPLE_SIGNS), MAX_WIDTH_OF_BLOCK, table)
    for lag in np.argsort(-gains, kind="stable")[:LIKELY_LAGS].tolist():
        if lag > MAX_WIDTH_OF_UNIT:
            yield DEALT, lag
            yield DEALT_BACK, lag


def sampled(bounds: Bounds) -> Bounds:
    """The units of the first SAMPLE_SIGNS signs."""
    last = min(int(bounds[-1]), SAMPLE_SIGNS)
    return np.append(bounds[bounds < last], last).astype(np.int32)


def grid_orders(block: Block, table: Packed) -> Iterator[Order]:
    """Lines as rows of a grid that is read in columns, around, or aslant; lines are flush left or flush right."""
    lines = int(block.cells[:, 0].max()) + 1 if block.cells.size else 0
    if lines < 2:
        return
    for column in (1, 2):
        rows, columns = block.cells[:, 0].astype(np.int64), block.cells[:, column].astype(np.int64)
        if column == 2:
            columns = columns.max() - columns
        if not _may_be_grid(block, rows, columns, table):
            continue
        whole = list(_column_orders(rows, columns, lines))
        yield from whole
        yield from _slanting_orders(rows, columns)
        yield from _spiral_orders(rows, columns)
        most = max(order_kernels.sum_gains(block.characters, order, table) for order in whole)
        if most >= MIN_GAIN_OF_COLUMNS * block.characters.size:
            for height in range(2, min(MAX_HEIGHT, lines - 1) + 1):
                yield from _column_orders(rows, columns, height)


def _may_be_grid(block: Block, rows: NDArray[np.int64], columns: NDArray[np.int64], table: Packed) -> bool:
    """Whether characters go with those beside, below or aslant below them as no line read forwards does."""
    width = int(columns.max()) + 2
    cells = rows * width + columns
    least = MIN_GAIN_OF_GRID * block.characters.size
    beside = order_kernels.step_gains(block.characters, cells, 1, table)[1]
    return beside >= least or any(
        max(order_kernels.step_gains(block.characters, cells, step, table)) >= least
        for step in (width - 1, width, width + 1)
    )


def _column_orders(rows: NDArray[np.int64], columns: NDArray[np.int64], height: int) -> Iterator[Order]:
    """Columns of `height` rows, from the right or the left, read down, up, or in turn."""
    blocks, inside = rows // height, rows % height
    width = int(columns.max()) + 1
    for column in (width - 1 - columns, columns):
        for is_up in (np.zeros(rows.size, np.bool_), column % 2 == 1):
            row = np.where(is_up, height - 1 - inside, inside)
            key = (blocks * width + column) * height + row
            order = np.argsort(key, kind="stable").astype(np.int32)
            yield order
            yield np.argsort((blocks * width + column) * height + height - 1 - row, kind="stable").astype(np.int32)


def _slanting_orders(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Iterator[Order]:
    span = int(max(rows.max(), columns.max())) + 1
    for diagonal in (rows + columns, rows - columns + span):
        for along in (rows, span - rows):
            order = np.argsort(diagonal * 2 * span + along, kind="stable").astype(np.int32)
            yield order
            yield order[::-1].copy()


def _spiral_orders(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Iterator[Order]:
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


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """Which of how many characters that were mixed at a time are read in which order.

    values: int32[v], those of all patterns; starts: int32[p + 1], where each begins; periods: int32[p], increasing.
    """

    values: Order
    starts: Order
    periods: Order


@cache
def patterns(max_period: int) -> Patterns:
    """All patterns up to a period."""
    found: list[tuple[int, tuple[int, ...]]] = []
    for period in range(2, max_period + 1):
        kept = tuple(range(period))
        if period <= MAX_EXHAUSTED:
            sizes = range((period + 1) // 2, period + 1)
            found += [(period, chosen) for size in sizes for chosen in permutations(kept, size) if chosen != kept]
            continue
        half = period // 2
        found += [
            (period, kept[:-1]),
            (period, kept[:-2]),
            (period, kept[:-3]),
            (period, kept[::-1]),
            (period, (1, 0, *kept[2:])),
            (period, (2, 1, 0, *kept[3:])),
            (period, (3, 2, 1, 0, *kept[4:])),
            (period, (2, 3, 0, 1, *kept[4:])),
            (period, (1, 2, 0, *kept[3:])),
            (period, (2, 0, 1, *kept[3:])),
            (period, (*kept[1:], 0)),
            (period, (period - 1, *kept[:-1])),
            (period, (*kept[half:], *kept[:half])),
            (period, (period - 1, *kept[1:-1], 0)),
        ]
    unlike = list(dict.fromkeys(found))
    lengths = [len(chosen) for _, chosen in unlike]
    return Patterns(
        np.array([place for _, chosen in unlike for place in chosen], np.int32),
        np.cumsum([0, *lengths], dtype=np.int32),
        np.array([period for period, _ in unlike], np.int32),
    )


def pattern_orders(block: Block, table: Packed, max_period: int) -> Iterator[Order]:
    """For each way to count characters the order of the pattern that is best for the first SAMPLE_SIGNS signs."""
    known = patterns(max_period)
    for places, bounds in countings(block):
        best, phase, _ = order_kernels.find_best_pattern(
            block.characters, places, sampled(bounds), known.values, known.starts, known.periods, table
        )
        if best >= 0:
            pattern = known.values[known.starts[best] : known.starts[best + 1]]
            order = order_kernels.read_pattern(places, bounds, pattern, known.periods[best], phase)
            yield order_kernels.with_uncounted(places, order, block.characters.size)
