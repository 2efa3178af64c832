"""From a text whose characters follow each other as Chinese never does to the order in which it is Chinese.

A text is screened by samples. What reads as no Chinese is tried in every order of `fingerprint.order.candidates`, and
without what may have been strewn in; the order with the likeliest pairs is taken if the pairs that it makes are those
of Chinese. Whatever was done to a text, its characters tell: no rule here knows an obfuscation by its name.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.obfuscations import Obfuscation
from fingerprint.characters import Kind
from fingerprint.noise import NOISE_KINDS, Noise, Runs, collect_noise, runs_of
from fingerprint.order import order_kernels
from fingerprint.order.candidates import MAX_PERIOD, grid_orders, pattern_orders, unit_orders
from fingerprint.order.followers import FOLLOWERS_2026, Packed
from fingerprint.order.order_kernels import CHANCE_PERCENT, MAX_UNEVEN_PERIOD, SCREEN_TOKENS, Characters, Order
from fingerprint.order.text_units import Block, Units
from fingerprint.stream import Stream
from fingerprint.tables import Tables

# Mean levels of pairs (held-out works, November 2026): of prose 1.05 to 1.6, of the same characters shuffled .42. The
# deviation of one pair is an estimate. A window below .4 have .2 %, below .5 .8 % of pages of old novels; none of news.
SCREEN_STEP = 3 * SCREEN_TOKENS
MIN_WINDOW = 0.45
DEVIATION = 0.75
# Pages with a lower mean are looked at more closely: most of old novels, few of news. With one below the second they
# are likelier to be out of order, and below the third they are.
MIN_PAGE, MIN_LIKELY_PAGE, MIN_WHOLE_PAGE = 1.25, 0.85, 0.7
# Up to here a glance: news with a character after every 5th have 1.34 to 1.4.
GLANCE_TOKENS, MIN_GOOD_PAGE = 200, 1.45
# How uneven a page may be. Of ordinary pages 1 % are beyond 3.5 on 1,500 tokens; every fourth character strewn in gives
# 5 to 8 there. The limits for other sizes were set by what the search then costs, and by what was still found.
CLOSE_TOKENS, MAX_DEVIATIONS_OF_SAMPLE = 600, 3.3
ALL_TOKENS, MAX_DEVIATIONS, MAX_DEVIATIONS_OF_POOR = 4_000, 4.8, 3.4
MIN_LOW_TOKENS = 96
MAX_LOW_SHARE = 0.13  # of ordinary pages on 1,500 tokens 1 % have more than .09 to .11
# Of ordinary pages none has more than .17 on 600 tokens (575 of held-out works); every other line reversed gives .35.
MAX_TURNED_SHARE = 0.25
# Gain of a pair, percent, up to which a block may be out of order throughout: in disorder it is 0; not tuned.
MAX_BROKEN_GAIN = 24
MIN_PART, MAX_PART = 0.65, 0.52  # what a part is found by, and what it may have as a whole: verse has more
SMOOTH_TOKENS = 96
MIN_BLOCK_TOKENS = 48
# What the pairs that a repair makes have to be: nearly as good as the poorest held-out text (.72), and
# so far from chance that the best of some thousand orders of characters in disorder should not be. Not tuned.
MIN_MADE = 0.65
MIN_DEVIATIONS = 5.5
# Mean levels of pairs of syllables: .14 in disorder; in order more, by .35 to .5 of what those of characters have above
# theirs. Of the layouts of laboratory.edits.layout none comes near both together; figures.md says what is spared.
CHANCE_OF_SOUNDS, SOUNDS_A_CHARACTER, MIN_SOUNDS, DEVIATIONS_OF_SOUNDS = 0.14, 0.6, 0.05, 2.0
NEAR_BEST = 0.9  # to leave out some characters of the text as well gains a little; not tuned
MAX_ROUNDS = 3  # columns of transposed characters with others strewn in
MAX_BLOCKS = 8
MAX_TOKENS = 500_000  # of a text; more stays as it is, which bounds memory
MAX_BLOCK_TOKENS = 20_000  # of more, no other order of the whole is tried
MAX_ALIEN_LEVELS = (0.1, 0.25)  # mean level of a character that was strewn in, with its neighbours


def in_reading_order(codes: NDArray[np.uint32], stream: Stream, tables: Tables) -> Stream:
    """The stream as it is read: tokens in another order where that is Chinese, and without those strewn in.

    codes: of the text. What was left out is noise of the kind STREWN, and what was put in another order lies in noise
    of the kind REARRANGED; offsets are those of the text as given, and no longer increase there.
    """
    table, folding = FOLLOWERS_2026.packed, tables.readings.folding
    is_low, mean = order_kernels.find_low_window(codes, stream.offsets, folding, table, MIN_WINDOW, SCREEN_STEP)
    if not (is_low or mean < MIN_GOOD_PAGE) or not MIN_BLOCK_TOKENS <= stream.offsets.size <= MAX_TOKENS:
        return stream
    is_whole = mean < MIN_WHOLE_PAGE or _is_uneven(codes, stream.offsets, mean, folding, table)
    if not is_low and not is_whole:
        return stream
    folded = folding[codes[stream.offsets]]
    is_han = (tables.kinds[codes[stream.offsets]] == Kind.HAN) & (folded < 1 << 16)
    characters = np.where(is_han, folded, 0).astype(np.uint16)
    if _are_replaced(stream.tokens, characters, table):
        return stream
    units = Units.of(codes, stream.offsets)
    whole = Block(codes, stream.offsets, units, 0, characters.size, characters)
    parts = [
        replace(whole, start=start, end=end, characters=characters[start:end])
        for start, end in _find_blocks(characters, units, table)
        if not _are_replaced(stream.tokens[start:end], characters[start:end], table)
    ]
    found = [_find_orders(parts, table)]
    if is_whole:
        found.append(_find_orders([whole], table))
    gains = [order_kernels.sum_gains(characters, _joined(each, characters.size), table) for each in found]
    orders = found[int(np.argmax(gains))]
    return _reordered(stream, orders) if orders else stream


def _find_orders(blocks: Iterable[Block], table: Packed) -> list[tuple[int, int, Order]]:
    """Start and end of the blocks for which there is an order, with it."""
    found = [(block.start, block.end, find_order(block, table)) for block in blocks]
    return [(start, end, order) for start, end, order in found if order is not None]


def _are_replaced(tokens: NDArray[np.uint16], characters: Characters, table: Packed) -> bool:
    """Whether sounds follow each other as in Chinese where characters do not: these were replaced and not moved."""
    of_sounds, of_characters, pairs = order_kernels.mean_levels(tokens, characters, table)
    expected = CHANCE_OF_SOUNDS + SOUNDS_A_CHARACTER * max(of_characters - CHANCE_PERCENT / 100, 0.0)
    return bool(of_sounds - expected > MIN_SOUNDS + DEVIATIONS_OF_SOUNDS / np.sqrt(max(pairs, 1)))


def _is_uneven(
    codes: NDArray[np.uint32],
    offsets: NDArray[np.int32],
    mean: float,
    folding: NDArray[np.uint32],
    table: Packed,
) -> bool:
    """Whether every so-manieth pair is better or worse than the others, or whole parts are no Chinese, or backwards.

    mean: of the levels of all pairs.
    """
    is_poor = mean < MIN_LIKELY_PAGE
    if not is_poor:
        first = CLOSE_TOKENS if mean < MIN_PAGE else GLANCE_TOKENS
        deviations, low_share, turned = order_kernels.look_closer(codes, offsets[:first], folding, table)
        if deviations <= MAX_DEVIATIONS_OF_SAMPLE and low_share <= MAX_LOW_SHARE and turned <= MAX_TURNED_SHARE:
            return False
    deviations, low_share, turned = order_kernels.look_closer(codes, offsets[:ALL_TOKENS], folding, table)
    most = MAX_DEVIATIONS_OF_POOR if is_poor else MAX_DEVIATIONS
    in_parts = max(low_share / MAX_LOW_SHARE, turned / MAX_TURNED_SHARE) > 1
    return bool(deviations > most or (in_parts and max(low_share, turned) * offsets.size >= MIN_LOW_TOKENS))


def find_order(block: Block, table: Packed) -> Order | None:
    """int32[m], places of the block's tokens as they are read; None where no order is good enough."""
    best, is_found = np.arange(block.characters.size, dtype=np.int32), False
    for _ in range(MAX_ROUNDS):
        order = _best_order(block.read_as(best) if is_found else block, table)
        if order is None:
            break
        best, is_found = best[order], True
    return best if is_found else None


def _best_order(block: Block, table: Packed) -> Order | None:
    """The best of all candidates, or one nearly as good, that is good enough; None where none is."""
    as_it_is = order_kernels.sum_gains(block.characters, np.arange(block.characters.size, dtype=np.int32), table)
    known = _candidates(block, as_it_is < MAX_BROKEN_GAIN * block.characters.size, table)
    tried = ((order_kernels.sum_gains(block.characters, order, table), order) for order in known)
    better = sorted((each for each in tried if each[0] > as_it_is), key=lambda each: -each[0])
    near = (order for gains, order in better if gains >= NEAR_BEST * better[0][0])
    return next((order for order in near if _is_chinese(block, order, table)), None)


def _candidates(block: Block, is_broken: bool, table: Packed) -> Iterator[Order]:
    if block.characters.size <= MAX_BLOCK_TOKENS:
        yield from unit_orders(block, table, is_broken=is_broken)
        if is_broken:
            yield from grid_orders(block, table)
    yield from pattern_orders(block, table, MAX_PERIOD if is_broken else MAX_UNEVEN_PERIOD)
    yield from _without_aliens(block, table)


def _is_chinese(block: Block, order: Order, table: Packed) -> bool:
    """Whether the pairs that an order makes are those of Chinese, and more than chance.

    Against chance each pair counts once: a refrain of three characters has few, whichever of them is left out.
    """
    pairs, levels = order_kernels.new_pairs(block.characters, order, table)
    unlike = levels[np.unique(pairs, return_index=True)[1]].astype(np.int64)
    gain = int(unlike.sum()) - CHANCE_PERCENT / 100 * unlike.size
    is_far = gain >= MIN_DEVIATIONS * DEVIATION * np.sqrt(max(unlike.size, 1))
    return bool(is_far and levels.sum() >= MIN_MADE * levels.size)


def _without_aliens(block: Block, table: Packed) -> Iterator[Order]:
    """The block without the characters that go with none of their neighbours."""
    levels = order_kernels.pair_levels(block.characters, table).astype(np.int64)
    _, kinds, counts = np.unique(block.characters, return_inverse=True, return_counts=True)
    beside = np.bincount(kinds, weights=levels + np.append(levels[1:], 0)) / (2 * counts)
    for most in MAX_ALIEN_LEVELS:
        yield np.flatnonzero(beside[kinds] > most).astype(np.int32)


def _find_blocks(characters: Characters, units: Units, table: Packed) -> Iterator[tuple[int, int]]:
    """Where the text reads as no Chinese, in whole lines where these are short."""
    size = characters.size
    of_pairs = order_kernels.pair_levels(characters, table)
    levels = np.cumsum(np.append(0, of_pairs), dtype=np.int64)
    begins = np.unique(np.concatenate([units.lines, units.sentences, np.arange(0, size, SMOOTH_TOKENS)]))
    ends = np.append(begins[1:], size)
    missing = np.maximum(SMOOTH_TOKENS - (ends - begins), 0) // 2
    low, high = np.maximum(begins - missing, 0), np.minimum(ends + missing, size)
    is_bad = (levels[high] - levels[low]) / (high - low) < MIN_PART
    starts, stops = runs_of(is_bad)
    found = sorted(
        zip(begins[starts].tolist(), ends[stops - 1].tolist(), strict=True), key=lambda each: each[0] - each[1]
    )
    for start, end in found[:MAX_BLOCKS]:
        mean_of_part = (levels[end] - levels[start]) / (end - start)
        if end - start >= MIN_BLOCK_TOKENS and mean_of_part < MAX_PART:
            yield start, end


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
