"""Restores the reading order of a text whose characters do not follow each other like Chinese.

A quick check shows for nearly all texts that nothing is wrong (fingerprint.order.screen). In other texts, the stretch
that reads worst is tried in the ways in which texts are disguised: columns, reversed stretches, swapped neighbours,
inserted characters. A change that makes better Chinese there is applied to the whole text, and kept if the pairs that
it creates are Chinese and unlikely by chance.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.obfuscations import Obfuscation
from fingerprint.order import kernels
from fingerprint.order.followers import FOLLOWERS_2026, Keys, Table
from fingerprint.order.kernels import CHANCE_SHARE, KNOWN, Bounds, Gains, Order
from fingerprint.order.screen import IN_COLUMNS, INSERTED, REVERSED, SWAPPED, find_suspect, is_doubtful, pair_keys
from fingerprint.stream import NOISE_KINDS, Noise, Stream
from fingerprint.tables import Tables

LINE_END, SENTENCE_END, SPACE = 1, 2, 3
SIGN_KINDS = np.zeros(1 << 16, np.uint8)  # for the signs that separate units of a text
SIGN_KINDS[[0x0A, 0x0D, 0x2028, 0x2029]] = LINE_END
SIGN_KINDS[[*map(ord, "。！？!?")]] = SENTENCE_END
SIGN_KINDS[[0x09, 0x20, 0xA0, 0x3000]] = SPACE
MIN_TOKENS, MAX_TOKENS = 48, 500_000  # of a text; fewer prove nothing, and the maximum bounds memory
# The pairs that a repair creates must be as good as in the poorest prose, and so far from chance that the best of many
# orders of shuffled characters does not reach it.
MIN_MADE = 0.3
MIN_DEVIATIONS, DEVIATION = 5.5, 0.35
# The same for all pairs near the new ones. In lists of names with one character in each that could be left out, .2 to
# .334 and once .395 (excerpts of one novel, November 2026); in the poorest prose with inserted characters .338, and .35
# in nearly all.
MIN_NEAR = 0.335
# The least increase of the share of known pairs. Wrong orders that are the best of many gain up to .065; reversing
# every third sentence again gains .1 (held-out works, November 2026).
MIN_BETTER = 0.06
MAX_PERIOD = 16  # signs after which swaps or insertions repeat
# Lines with a smaller share of known pairs may be rows of a grid: in prose .38 to .65 are known, in disorder .14.
MIN_KNOWN_OF_LINES = 0.26
MIN_LINES, MAX_EMPTY = 4, 8  # of a grid; cells per token, which bounds time
MAX_ROUNDS = 2  # one kind of disorder in another


@dataclass(frozen=True, eq=False)
class Text:
    """The tokens of a text in some order.

    keys: the key of each token's character. offsets: int32[n], the position of each token in the text. codes: the code
    points of the text, or None if the tokens are no longer in the order of the text.
    """

    keys: Keys
    offsets: NDArray[np.int32]
    codes: NDArray[np.uint32] | None
    table: Table

    @cached_property
    def gains(self) -> Gains:
        """Return `kernels.near_gains` of the tokens."""
        return kernels.near_gains(self.keys, self.table)

    def in_order(self, order: Order) -> "Text":
        """Return the tokens in another order."""
        return Text(self.keys[order], np.arange(order.size, dtype=np.int32), None, self.table)

    def units(self) -> Iterator[Bounds]:
        """Yield the starts of reversible units, and the end of the last: the whole text, lines, sentences, clauses."""
        size = self.keys.size
        yield np.array([0, size], np.int32)
        if self.codes is None:
            return
        kinds = SIGN_KINDS[np.minimum(self.codes, SIGN_KINDS.size - 1)]
        is_sign = kinds != SPACE
        is_sign[self.offsets] = False
        for is_end in (kinds == LINE_END, (kinds == LINE_END) | (kinds == SENTENCE_END), is_sign):
            ends_before = np.cumsum(is_end, dtype=np.int32)[self.offsets]
            begins = np.flatnonzero(ends_before[1:] > ends_before[:-1]) + 1
            if begins.size:
                yield np.concatenate([[0], begins, [size]]).astype(np.int32)


def restore_reading_order(codes: NDArray[np.uint32], stream: Stream, tables: Tables) -> Stream:
    """Return the stream as it is read: reordered if that makes better Chinese, and without inserted tokens.

    codes: the code points of the text. Tokens left out are noise of the kind STREWN, and reordered tokens lie in noise
    of the kind REARRANGED; offsets refer to the text as given, and do not increase there.
    """
    if not MIN_TOKENS <= stream.offsets.size <= MAX_TOKENS:
        return stream
    table = FOLLOWERS_2026.words
    if not is_doubtful(codes, stream.offsets, tables.simplified_forms, table):
        return stream
    keys = pair_keys(codes, stream.offsets, tables.simplified_forms)
    order = _find_order(Text(keys, stream.offsets, codes, table))
    return stream if order is None else _reorder_stream(stream, order)


def _find_order(text: Text) -> Order | None:
    """Return the places of the tokens in reading order, int32[m]; None if no order is good enough."""
    original, found, best, all_spent = text, None, None, 0.0
    for _ in range(MAX_ROUNDS):
        orders = list(_candidate_orders(text)) if text.keys.size >= MIN_TOKENS else []
        if not orders:
            break
        order, spent = max(orders, key=lambda each: _mean_gain(text, *each))
        found, all_spent = order if found is None else found[order], all_spent + spent
        if _is_chinese(original, found, all_spent):
            best = found
        text = text.in_order(order)
    return best


def _candidate_orders(text: Text) -> Iterator[tuple[Order, float]]:
    """Yield orders that undo the suspected changes, and the cost of naming each, in gains."""
    suspected = find_suspect(text.keys, text.table)
    if suspected & IN_COLUMNS:
        yield from ((order, 0.0) for order in _column_orders(text))
    if suspected & REVERSED:
        for bounds in text.units():
            yield kernels.reverse_units(text.gains, bounds)
    if suspected & SWAPPED:
        yield kernels.swap_neighbours(text.gains, text.offsets, MAX_PERIOD)
    if suspected & INSERTED:
        yield kernels.leave_out(text.gains, text.keys, text.offsets, MAX_PERIOD)


def _mean_gain(text: Text, order: Order, spent: float) -> float:
    return (kernels.sum_gains(text.keys, order, text.table) - spent) / max(order.size, 1)


def _column_orders(text: Text) -> Iterator[Order]:
    """Yield the orders of lines as rows of a grid, read in columns from the right and from the left."""
    codes, offsets = text.codes, text.offsets
    if codes is None:
        return
    ends = np.append(np.flatnonzero(SIGN_KINDS[np.minimum(codes, SIGN_KINDS.size - 1)] == LINE_END), codes.size)
    starts = np.append(0, ends[:-1] + 1)
    tokens = np.searchsorted(offsets, np.stack([starts, ends]))  # the first token of each line, and its end
    has_tokens = tokens[1] > tokens[0]
    starts, ends, tokens = starts[has_tokens], ends[has_tokens], tokens[:, has_tokens]
    if starts.size < MIN_LINES:
        return
    known = np.append(0, np.cumsum(text.gains[:, 1] > 0))
    missing = np.append(
        0, np.cumsum(MIN_KNOWN_OF_LINES * (tokens[1] - tokens[0]) - (known[tokens[1]] - known[tokens[0]]))
    )
    last = int(np.argmax(missing - np.minimum.accumulate(missing)))
    first = int(np.argmin(missing[: last + 1]))
    widths = ends - starts
    usual = np.median(widths[first:last]) if last > first else 0
    while first > 0 and abs(widths[first - 1] - usual) <= 1:
        first -= 1
    while last < widths.size and abs(widths[last] - usual) <= 1:
        last += 1
    start, end = int(tokens[0, first]), int(tokens[1, last - 1])
    if last - first < MIN_LINES or (last - first) * int(widths[first:last].max()) > MAX_EMPTY * (end - start):
        return
    token_at = np.full(codes.size, -1, np.int32)
    token_at[offsets] = np.arange(offsets.size)
    lines = starts[first:last].astype(np.int32), ends[first:last].astype(np.int32)
    size = offsets.size
    for from_right in (True, False):
        inside = kernels.read_columns(*lines, token_at, from_right)
        yield np.concatenate([np.arange(start), inside, np.arange(end, size)]).astype(np.int32)


def _is_chinese(text: Text, order: Order, spent: float) -> bool:
    """Return whether the pairs that an order creates, and the pairs near them, are Chinese and unlikely by chance.

    Against chance each distinct pair counts once: a refrain of three characters has few, whichever of them is left out.
    """
    weight = kernels.weigh(text.keys, order, text.table)
    if not weight.made:
        return False
    least = weight.gained_before / weight.before + MIN_BETTER * KNOWN
    unlike = weight.known_unlike - CHANCE_SHARE * weight.unlike
    return (
        weight.gained - spent >= least * weight.after
        and unlike >= MIN_DEVIATIONS * DEVIATION * np.sqrt(weight.unlike)
        and weight.known_made >= MIN_MADE * weight.made
        and weight.known_near >= MIN_NEAR * weight.near
    )


def _reorder_stream(stream: Stream, order: Order) -> Stream:
    """Return the stream in this order, with noise for tokens left out and for ranges in which tokens moved."""
    left_out = np.ones(stream.tokens.size, np.bool_)
    left_out[order] = False
    starts = stream.offsets[left_out]
    ends, kinds = starts + 1, np.full(starts.size, NOISE_KINDS.index(Obfuscation.STREWN))
    # A token has moved if a token behind it is read before it, or the reverse.
    is_moved = np.maximum.accumulate(order) > np.minimum.accumulate(order[::-1])[::-1]
    if is_moved.any():
        moved = stream.offsets[order[is_moved]]
        starts, ends = np.append(starts, moved.min()), np.append(ends, moved.max() + 1)
        kinds = np.append(kinds, NOISE_KINDS.index(Obfuscation.REARRANGED))
    noise = stream.noise
    columns = [np.concatenate(pair) for pair in ((noise.starts, starts), (noise.ends, ends), (noise.kinds, kinds))]
    by_place = np.lexsort(columns[::-1])
    starts, ends, kinds = (column[by_place] for column in columns)
    noise = Noise(starts.astype(np.int32), ends.astype(np.int32), kinds.astype(np.uint8))
    return Stream(stream.tokens[order], stream.offsets[order], noise)
