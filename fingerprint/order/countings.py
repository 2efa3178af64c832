"""Ways to count the characters of a text: with or without other signs, through the text or anew in each unit."""

from collections.abc import Iterator

import numpy as np

from fingerprint.characters import NO_CHARACTER
from fingerprint.order.readings import Bounds, Order
from fingerprint.order.text_units import Block

Counting = tuple[Order, Bounds]  # the token of each place, -1 for none; where counting begins anew


def countings(block: Block) -> Iterator[Counting]:
    """All of them."""
    yield from _of_all(block)
    yield from _within(block, block.lines, block.sentences)
    if not block.signs_before_any.are_turned:  # then it was no single clauses: characters hardly tell the two
        yield from _within(block, block.clauses)


def treated_units(block: Block) -> tuple[Bounds, ...]:
    """Units of which each may have been treated: none that holds signs that stand where they belong.

    Stops before opening signs stand in sentences, those before line ends behind them. Where they are turned it was no
    single clauses: characters hardly tell the two.
    """
    if block.signs_before_openings.are_in_place:
        return (block.clauses,)
    if block.signs_before_any.are_in_place:
        return block.sentences, block.clauses
    larger = block.whole, block.lines, block.sentences
    return larger if block.signs_before_any.are_turned else (*larger, block.clauses)


def unit_countings(block: Block) -> Iterator[Counting]:
    """Those in which whole units may have been treated."""
    units = treated_units(block)
    if units[0] is block.whole:
        yield from _of_all(block)
    yield from _within(block, *units)


def _of_all(block: Block) -> Iterator[Counting]:
    tokens = np.arange(block.size, dtype=np.int32)
    yield tokens, block.whole
    is_han = block.characters != NO_CHARACTER
    if not is_han.all():
        han = tokens[is_han]
        yield han, np.array([0, han.size], np.int32)
    for places, lines in block.signs:
        yield places, np.array([0, places.size], np.int32)
        if lines.size > 2:
            yield places, lines


def _within(block: Block, *units: Bounds) -> Iterator[Counting]:
    tokens = np.arange(block.size, dtype=np.int32)
    for bounds in units:
        if bounds.size > 2:
            yield tokens, bounds


def sampled(bounds: Bounds, signs: int) -> Bounds:
    """The units of the first signs."""
    last = min(int(bounds[-1]), signs)
    return np.append(bounds[bounds < last], last).astype(np.int32)
