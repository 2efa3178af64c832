"""The loops that say in which order a text is read. An order is int32[m]: places of tokens, as they are read."""

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import kernel

Order = NDArray[np.int32]
Bounds = NDArray[np.int32]  # where units begin, and the end of the last

# What may have been done to each unit of a text, by number; `read_unit` says how it is read again.
KEPT, BACKWARDS, DEALT, DEALT_BACK, GATHERED, GATHERED_BACK, FENCE, OUTSIDE_IN, INSIDE_OUT, HALVES = range(10)


@kernel(nogil=True)
def read_units(bounds: Bounds, way: int, width: int, from_end: bool) -> Order:
    """The order of a text of which every unit was treated in one way. from_end: and is then read backwards."""
    order = np.empty(bounds[-1] - bounds[0], np.int32)
    at = 0
    for unit in range(bounds.size - 1):
        start, size = bounds[unit], bounds[unit + 1] - bounds[unit]
        read_unit(order[at : at + size], start, size, way, width)
        if from_end:
            order[at : at + size] = order[at : at + size][::-1].copy()
        at += size
    return order


@kernel(allocates=False, nogil=True)
def read_unit(order: Order, start: int, size: int, way: int, width: int) -> None:
    """Write the first places of a unit of `size` tokens in the order in which it is read, as many as `order` takes."""
    for at in range(order.size):
        order[at] = start + place_of(at, size, way, width)


@kernel(allocates=False, nogil=True)
def place_of(at: int, size: int, way: int, width: int) -> int:
    """Where the character stands that is read as the `at`-th of a unit.

    DEALT: the text was dealt out to `width` rows in turn as cards are, and the rows are read one after the other;
    DEALT_BACK: from the last to the first. GATHERED: the rows stand one after the other and are read in turn;
    GATHERED_BACK: each from its end. FENCE: rows to which the text was dealt up and down. OUTSIDE_IN: first, last,
    second, last but one; INSIDE_OUT: the inverse.
    """
    if way == BACKWARDS:
        return size - 1 - at
    if way == DEALT:
        return _place_in_rows(at, size, width)
    if way == DEALT_BACK:
        return _place_in_rows_from_the_last(at, size, width)
    if way == GATHERED:
        row = at % width
        return row * (size // width) + min(row, size % width) + at // width
    if way == GATHERED_BACK:
        row = at % width + 1
        return row * (size // width) + min(row, size % width) - 1 - at // width
    if way == FENCE:
        return _place_in_fence(at, size, width)
    if way == OUTSIDE_IN:
        return at // 2 if at % 2 == 0 else size - 1 - at // 2
    if way == INSIDE_OUT:
        return 2 * at if at < (size + 1) // 2 else 2 * (size - at) - 1
    return (at + size // 2) % size if way == HALVES else at


@kernel(allocates=False, nogil=True)
def _place_in_rows(at: int, size: int, width: int) -> int:
    """The first rows have one more than the others, where these are not of one length."""
    low, longer = size // width, size % width
    if at < longer * (low + 1):
        return at // (low + 1) + at % (low + 1) * width
    at -= longer * (low + 1)
    return longer + at // low + at % low * width


@kernel(allocates=False, nogil=True)
def _place_in_rows_from_the_last(at: int, size: int, width: int) -> int:
    low, longer = size // width, size % width
    if at < (width - longer) * low:
        return width - 1 - at // low + at % low * width
    at -= (width - longer) * low
    return longer - 1 - at // (low + 1) + at % (low + 1) * width


@kernel(allocates=False, nogil=True)
def _place_in_fence(at: int, size: int, width: int) -> int:
    """Where the character that is read at `at` stands: behind all rows before its own, and what is before it there."""
    period = 2 * width - 2
    turn = at % period
    row = min(turn, period - turn)
    place = at // period * (1 if row in (0, width - 1) else 2) + (turn > width - 1)
    for before in range(row):
        place += (size - before + period - 1) // period if before < size else 0
        if before and period - before < size:
            place += (size - (period - before) + period - 1) // period
    return place


@kernel(nogil=True)
def read_pattern(places: Order, bounds: Bounds, pattern: Order, period: int, phase: int) -> Order:
    """The order of a text in which `period` characters at a time were mixed, or some of them put in.

    places: places of the characters that were counted, -1 for what is counted and not read. bounds: where counting
    begins anew. pattern: which of each `period` are read, in order. phase: how many stand before the first of these.
    """
    order, size = np.empty(places.size, np.int32), 0
    is_read = np.zeros(period, np.bool_)
    for one in pattern:
        is_read[one] = True
    for unit in range(bounds.size - 1):
        first, end = bounds[unit], bounds[unit + 1]
        whole = first + phase + max(end - first - phase, 0) // period * period
        for place in range(first, min(first + phase, end)):
            size = _put(order, size, places[place])
        for start in range(first + phase, whole, period):
            for one in pattern:
                size = _put(order, size, places[start + one])
        for place in range(whole, end):  # what is left of the last is as it was, but for what was put in
            if is_read[place - whole]:
                size = _put(order, size, places[place])
    return order[:size]


@kernel(allocates=False, nogil=True)
def _put(order: Order, size: int, place: int) -> int:
    order[size] = place
    return size + (place >= 0)


@kernel(nogil=True)
def take_places(places: Order, order: Order) -> Order:
    """The places that an order of them names, but for -1."""
    taken = np.empty(order.size, np.int32)
    size = 0
    for one in order:
        if places[one] >= 0:
            taken[size] = places[one]
            size += 1
    return taken[:size]


@kernel(nogil=True)
def with_uncounted(places: Order, order: Order, size: int) -> Order:
    """An order of all `size` tokens: those that no place counts stay behind the token that they stand behind."""
    is_counted = np.zeros(size, np.bool_)
    counted = 0
    for place in places:
        if place >= 0:
            is_counted[place] = True
            counted += 1
    if counted == size:
        return order
    whole = np.empty(order.size + size - counted, np.int32)
    at, head = 0, 0
    while head < size and not is_counted[head]:
        whole[at] = head
        at, head = at + 1, head + 1
    for one in order:
        whole[at] = one
        at, behind = at + 1, one + 1
        while behind < size and not is_counted[behind]:
            whole[at] = behind
            at, behind = at + 1, behind + 1
    return whole[:at]
