"""Orders of units and patterns, against what they say of themselves."""

from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerprint.order import pattern_kernels, readings
from fingerprint.order.readings import (
    BACKWARDS,
    DEALT,
    DEALT_BACK,
    FENCE,
    GATHERED,
    GATHERED_BACK,
    HALVES,
    INSIDE_OUT,
    KEPT,
    OUTSIDE_IN,
)

SIZES = st.integers(1, 60)
WIDTHS = st.integers(2, 12)


def read(size: int, way: int, width: int = 1) -> list[int]:
    return [readings.place_of(at, size, way, width) for at in range(size)]


@given(SIZES, st.sampled_from(range(KEPT, HALVES + 1)), WIDTHS)
def test_every_way_reads_every_place_once(size: int, way: int, width: int) -> None:
    assert sorted(read(size, way, width)) == list(range(size))


@given(SIZES, WIDTHS)
def test_rows_are_read_one_after_the_other(size: int, width: int) -> None:
    rows = [list(range(row, size, width)) for row in range(width)]
    assert read(size, DEALT, width) == list(chain(*rows))
    assert read(size, DEALT_BACK, width) == list(chain(*reversed(rows)))


@given(SIZES, WIDTHS)
def test_rows_one_after_the_other_are_read_in_turn_from_their_ends(size: int, width: int) -> None:
    rows = [row.tolist() for row in np.array_split(np.arange(size), width)]
    assert read(size, GATHERED_BACK, width) == [row[-1 - at] for at in range(size) for row in rows if at < len(row)]


@given(SIZES, WIDTHS)
def test_what_was_dealt_is_gathered_again(size: int, width: int) -> None:
    dealt, gathered = read(size, DEALT, width), read(size, GATHERED, width)
    assert [dealt[place] for place in gathered] == list(range(size))


@given(SIZES)
def test_inside_out_is_the_inverse_of_outside_in(size: int) -> None:
    outside, inside = read(size, OUTSIDE_IN), read(size, INSIDE_OUT)
    assert [outside[place] for place in inside] == list(range(size))


def test_small_units() -> None:
    assert read(4, BACKWARDS) == [3, 2, 1, 0]
    assert read(5, HALVES) == [2, 3, 4, 0, 1]
    assert read(7, FENCE, 3) == [0, 2, 5, 3, 1, 4, 6]  # rails 0 4, 1 3 5, 2 6
    assert readings.read_units(np.array([0, 2, 5], np.int32), BACKWARDS, 1, False).tolist() == [1, 0, 4, 3, 2]


@given(st.data())
@pytest.mark.parametrize("period", [2, 5, 9])
def test_what_a_changed_pattern_gains_is_what_it_gains_when_it_is_added_up(period: int, data: st.DataObject) -> None:
    sums = np.random.default_rng(data.draw(st.integers(0, 99))).integers(-99, 99, (period, 3 * period)).astype(np.int32)
    pattern = np.array(data.draw(st.permutations(range(period))), np.int32)
    phase = data.draw(st.integers(0, period - 1))
    first = data.draw(st.integers(0, period - 1))
    end = data.draw(st.integers(first + 1, period))
    last = data.draw(st.sampled_from([first - 1, *range(end, period + 1)]))
    changed = pattern_kernels._changed(pattern, first, end, last)
    if not changed.size:
        return
    ahead, back = np.zeros(period, np.int64), np.zeros(period, np.int64)
    pattern_kernels._sum_up(ahead, back, sums, pattern, period, phase)
    found = pattern_kernels._gain_changed(sums, pattern, ahead, back, period, phase, first, end, last)
    steps = zip(changed.tolist(), [*changed.tolist()[1:], changed.tolist()[0] + period], strict=True)
    assert found == sum(int(sums[(phase + one) % period, other - one + period]) for one, other in steps)
