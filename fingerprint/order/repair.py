"""From a text whose characters follow each other as Chinese never does to the order in which it is Chinese.

A glance decides for nearly all texts that nothing is wrong (fingerprint.order.screen). Of the others the pairs near
each other say how they were put out of order, if they were (fingerprint.order.evidence); what may have been done is
tried, and the order with the likeliest pairs is taken if the pairs that it makes are those of Chinese. Whatever was
done to a text, its characters tell: no rule here knows an obfuscation by its name.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from core.obfuscations import Obfuscation
from fingerprint.noise import NOISE_KINDS, Noise, Runs, collect_noise
from fingerprint.order import gains
from fingerprint.order.evidence import Evidence, gather_evidence
from fingerprint.order.followers import FOLLOWERS_2026, Table
from fingerprint.order.gains import CHANCE_SHARE, KNOWN
from fingerprint.order.grids import grid_orders
from fingerprint.order.moved_stops import moved_stop_orders
from fingerprint.order.patterns import pattern_orders
from fingerprint.order.readings import Order
from fingerprint.order.screen import DISORDER, NO_DOUBT, glance
from fingerprint.order.strewn import strewn_orders, without_aliens
from fingerprint.order.text_units import Block
from fingerprint.order.turned import turned_orders
from fingerprint.order.units import unit_orders
from fingerprint.stream import Stream
from fingerprint.tables import Tables

# Shares of known pairs (held-out works, November 2026): of prose .38 to .65, in disorder .14.
# What is missing in a part, what it may have as a whole (verse has more), and what the rest has to have.
MIN_PART, MAX_PART, MIN_REST = 0.26, 0.2, 0.32
MAX_UNIT_TOKENS = 96  # a part begins and ends where a unit does, or within so many tokens
MIN_TOKENS, MIN_PART_TOKENS = 48, 200  # of a text, and of a part of one: lists of names in it are mostly shorter
# What the pairs that a repair makes have to be: as good as those of the poorest prose, and so far from chance that
# the best of some thousand orders of characters in disorder should not be.
MIN_MADE = 0.3
MIN_DEVIATIONS, DEVIATION = 5.5, 0.35
# The same of all pairs so near to these. In lists of names with one character in each, which are names without it, too,
# .2 to .334 and one .395 (excerpts of one novel, November 2026); in the poorest prose in which others were strewn .338,
# and .35 in nearly all.
AROUND, MIN_AROUND = 6, 0.335
# Share of known pairs that an order has more than the text. Wrong ones that are the best of many have up to .065 more,
# of every third sentence turned again .1 (held-out works, November 2026).
MIN_BETTER = 0.06
ONE_OF_MANY = 700.0  # what it takes to say which of a thousand orders it is: log(1000) = 7
# Of orders that gain as much but for so little, the one that leaves out more: characters strewn in, which are gathered
# at the ends of a pattern, cost little there. To leave out one of sixteen that belong there costs twice as much.
NEARLY = 0.97
MAX_ROUNDS = 3  # columns of transposed characters with others strewn in
MAX_BLOCKS = 8
MAX_TOKENS = 500_000  # of a text; more stays as it is, which bounds memory
MAX_BLOCK_TOKENS = 20_000  # of more, no other order of the whole is tried


def in_reading_order(codes: NDArray[np.uint32], stream: Stream, tables: Tables) -> Stream:
    """The stream as it is read: tokens in another order where that is Chinese, and without those strewn in.

    codes: of the text. What was left out is noise of the kind STREWN, and what was put in another order lies in noise
    of the kind REARRANGED; offsets are those of the text as given, and no longer increase there.
    """
    offsets = stream.offsets
    if not MIN_TOKENS <= offsets.size <= MAX_TOKENS:
        return stream
    table, simplified = FOLLOWERS_2026.words, tables.simplified
    seen = glance(codes, offsets, simplified, table)
    if seen == NO_DOUBT:
        return stream
    whole = Block(codes, offsets, stream.tokens, simplified)
    found = [orders for orders in _find_orders(whole, table, has_parts=seen == DISORDER) if orders]
    if not found:
        return stream
    gained = [gains.sum_gains(whole.keys, _joined(orders, offsets.size), table) for orders in found]
    return _reordered(stream, found[int(np.argmax(gained))])


def _find_orders(whole: Block, table: Table, *, has_parts: bool) -> Iterator[list[tuple[int, int, Order]]]:
    """Orders of the whole, and of parts of it, each with the first of its tokens and their end."""
    order = find_order(whole, table)
    yield [] if order is None else [(0, whole.size, order)]
    found = _find_parts(whole, table) if has_parts else ()
    parts = [(start, end, find_order(whole.part(start, end), table)) for start, end in found]
    yield [(start, end, order) for start, end, order in parts if order is not None]


def find_order(block: Block, table: Table) -> Order | None:
    """int32[m], places of the block's tokens as they are read; None where no order is good enough."""
    best = None
    for left in range(MAX_ROUNDS, -1, -1):
        evidence = gather_evidence(block.codes, block.places, block.tokens, block.simplified, table)
        order = None if evidence.is_in_order or not left else _best_order(block, evidence, table)
        if order is None:
            return None if evidence.is_lost else best
        best = order if best is None else best[order]
        block = block.read_as(order)
    return best


def _best_order(block: Block, evidence: Evidence, table: Table) -> Order | None:
    """The best of all candidates that is good enough; None where none is."""
    as_it_is = gains.sum_gains(block.keys, np.arange(block.size, dtype=np.int32), table)
    least = as_it_is / block.size + MIN_BETTER * KNOWN
    tried = [
        (gains.sum_gains(block.keys, order, table), order, spent)
        for order, spent in _candidates(block, evidence, table)
    ]
    better = [(gained - spent, order) for gained, order, spent in tried if gained >= least * order.size]
    nearly = NEARLY * max((gained for gained, _ in better), default=0.0)
    better.sort(key=lambda each: (each[0] < nearly, each[1].size if each[0] >= nearly else 0, -each[0]))
    return next((order for _, order in better if _is_chinese(block, order, table)), None)


def _candidates(block: Block, evidence: Evidence, table: Table) -> Iterator[tuple[Order, float]]:
    """Orders, and what it takes to say which it is, in gains."""
    if evidence.is_lost and block.size <= MAX_BLOCK_TOKENS:
        yield from ((order, ONE_OF_MANY) for order in unit_orders(block, table))
        yield from ((order, ONE_OF_MANY) for order in grid_orders(block, table))
        yield from moved_stop_orders(block, table)
        for kept, rest in without_aliens(block, table):
            of_rest = gather_evidence(rest.codes, rest.places, rest.tokens, rest.simplified, table)
            yield from ((kept[order], spent) for order, spent in _candidates(rest, of_rest, table))
    if evidence.is_mixed or evidence.period:
        patterns = pattern_orders(block, table, evidence.period, is_lost=evidence.is_lost)
        yield from ((order, ONE_OF_MANY) for order in patterns)
    if evidence.is_strewn:
        yield from strewn_orders(block, table)
    if evidence.is_turned:
        yield from turned_orders(block, table)


def _is_chinese(block: Block, order: Order, table: Table) -> bool:
    """Whether the pairs that an order makes, and those near them, are those of Chinese, and more than chance.

    Against chance each pair counts once: a refrain of three characters has few, whichever of them is left out.
    """
    pairs, are_known = gains.new_pairs(block.keys, order, table)
    unlike = are_known[np.unique(pairs, return_index=True)[1]]
    gain = int(np.count_nonzero(unlike)) - CHANCE_SHARE * unlike.size
    if gain < MIN_DEVIATIONS * DEVIATION * np.sqrt(max(unlike.size, 1)):
        return False
    around = np.convolve(np.diff(order) != 1, np.ones(2 * AROUND + 1), "same") > 0
    near = gains.known_pairs(block.keys[order], table)[1:][around]
    return bool(are_known.mean() >= MIN_MADE and near.mean() >= MIN_AROUND)


def _find_parts(block: Block, table: Table) -> list[tuple[int, int]]:
    """Where the text reads as no Chinese and the rest does, from where a line or sentence begins to where one does."""
    size = block.size
    known = np.cumsum(np.append(0, gains.known_pairs(block.keys, table)), dtype=np.int64)
    bounds = np.unique(np.concatenate([block.lines, block.sentences, np.arange(0, size, MAX_UNIT_TOKENS)]))
    missing = MIN_PART * bounds - known[bounds]  # known pairs that are missing up to there
    parts: list[tuple[int, int]] = []
    left = [(0, bounds.size - 1)]
    while left and len(parts) < MAX_BLOCKS:
        low, high = left.pop()
        here = missing[low : high + 1]
        last = low + int(np.argmax(here - np.minimum.accumulate(here)))
        first = low + int(np.argmin(missing[low : last + 1]))
        start, end = int(bounds[first]), int(bounds[last])
        if MIN_PART_TOKENS <= end - start < size:
            left += [(low, first), (last, high)]
            if known[end] - known[start] < MAX_PART * (end - start):
                parts.append((start, end))
    tokens, pairs = (
        sum(end - start for start, end in parts),
        sum(int(known[end] - known[start]) for start, end in parts),
    )
    is_other = known[-1] - pairs >= MIN_REST * (size - tokens)
    return sorted(parts) if is_other else []


def _reordered(stream: Stream, orders: list[tuple[int, int, Order]]) -> Stream:
    """The stream with each of these blocks of tokens in its order; blocks do not overlap."""
    moved = [
        (int(stream.offsets[start]), int(stream.offsets[end - 1]) + 1)
        for start, end, order in orders
        if (np.diff(order) < 0).any()
    ]
    kept = _joined(orders, stream.tokens.size)
    left_out = np.ones(stream.tokens.size, np.bool_)
    left_out[kept] = False
    dropped = stream.offsets[left_out].astype(np.int64)
    ranges = np.array(moved, np.int64).reshape(-1, 2)
    noise = _with_noise(
        stream.noise, {Obfuscation.STREWN: (dropped, dropped + 1), Obfuscation.REARRANGED: (ranges[:, 0], ranges[:, 1])}
    )
    return Stream(stream.tokens[kept], stream.offsets[kept], noise)


def _joined(orders: list[tuple[int, int, Order]], size: int) -> Order:
    """int32[m]: all `size` tokens as they are read, blocks in their orders and the rest as it is."""
    pieces, at = [], 0
    for start, end, order in sorted(orders, key=lambda each: each[0]):
        pieces += [np.arange(at, start), start + order]
        at = end
    return np.concatenate([*pieces, np.arange(at, size)]).astype(np.int32)


def _with_noise(noise: Noise, more: dict[Obfuscation, Runs]) -> Noise:
    known = [
        (kind, (noise.starts[noise.kinds == number], noise.ends[noise.kinds == number]))
        for number, kind in enumerate(NOISE_KINDS)
    ]
    return collect_noise([*known, *more.items()])
