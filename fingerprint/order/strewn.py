"""Orders of a text without characters that were strewn in at no regular places."""

from collections.abc import Iterator

import numpy as np

from fingerprint.order import gains
from fingerprint.order.followers import Table
from fingerprint.order.readings import Order
from fingerprint.order.text_units import Block

ALIEN_SHARE = 0.05  # of the pairs of a character that belongs nowhere those that are known
MIN_ODDS = 3.0  # natural logarithm; a character that occurs twice is left in


def without_aliens(block: Block, table: Table) -> Iterator[Order]:
    """The block without the characters that hardly ever go with a neighbour, which others do."""
    known = gains.known_pairs(block.keys, table).astype(np.int64)
    share = min(max(float(known.mean()), 2 * ALIEN_SHARE), 0.9)
    _, kinds, counts = np.unique(block.characters, return_inverse=True, return_counts=True)
    beside = np.bincount(kinds, weights=known + np.append(known[1:], 0))
    odds = beside * np.log(ALIEN_SHARE / share) + (2 * counts - beside) * np.log((1 - ALIEN_SHARE) / (1 - share))
    yield np.flatnonzero(odds[kinds] < MIN_ODDS).astype(np.int32)
