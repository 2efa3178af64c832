"""Masks of the tokens that each character of a page may stand for, for the kernels."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from fingerprint.algorithms import Algorithm
from fingerprint.compilation import as_int, kernel
from fingerprint.fuzzy import fuzzy_syllables
from fingerprint.stream import WILDCARD
from matcher.align.token_agreement import NearTokens

SHAPES_USED = 2  # more columns agree by chance more often than they find: docs/decisions/matching.md
MASK_BITS = 64


def near_tokens(
    characters: NDArray[np.uint32], offsets: NDArray[np.int32], tokens: NDArray[np.uint16], algorithm: Algorithm
) -> tuple[NearTokens, NDArray[np.uint32]]:
    """Return the masks of a page's tokens, and the code point that each token was read from.

    That is: other readings of the character, characters that sound or look like it, syllables that people confuse. What
    anchors take for one symbol by ear must agree too, or passages that they find fall into pieces. characters: the code
    points of the page.
    """
    near = algorithm.near
    rows, codes = _rows(characters, offsets, tokens, near.rows, len(near.readings))
    return NearTokens(rows, _masks(algorithm)), codes


@kernel()
def _rows(
    characters: NDArray[np.uint32],
    offsets: NDArray[np.int32],
    tokens: NDArray[np.uint16],
    rows_of: NDArray[np.uint16],
    readings: int,
) -> tuple[NDArray[np.int32], NDArray[np.uint32]]:
    """Return rows of the masks, and code points. rows_of: by these; readings: rows of characters, before tokens."""
    rows, codes = np.empty(tokens.size, np.int32), np.empty(tokens.size, np.uint32)
    for number in range(tokens.size):
        codes[number] = characters[offsets[number]]
        row = as_int(rows_of[codes[number]])
        if row == 0 and tokens[number] != WILDCARD:
            row = readings + as_int(tokens[number])
        rows[number] = row
    return rows, codes


@cache
def _masks(algorithm: Algorithm) -> NDArray[np.uint64]:
    """Return the masks of characters by row in the near table, then of syllables, for tokens without a row.

    Cached for the life of the process, as the tables are that it is made from: 2 MB and 40 ms for each algorithm.
    """
    near, names = algorithm.near, algorithm.tables.readings.names
    fuzzy = fuzzy_syllables(names, algorithm.symbols if algorithm.anchors.alphabet.is_heard_alike else None)
    own = near.readings[:, :1]
    by_character = [near.alternatives, near.shape_alternatives[:, :SHAPES_USED], fuzzy[own[:, 0]]]
    tokens = np.concatenate([own, *by_character], axis=1)
    alone = np.concatenate([np.arange(fuzzy.shape[0], dtype=np.uint16)[:, None], fuzzy], axis=1)
    alone = np.pad(alone, ((0, 0), (0, tokens.shape[1] - alone.shape[1])))
    listed = np.concatenate([tokens, alone]).astype(np.int64)
    masks = np.zeros((len(listed), -(-fuzzy.shape[0] // MASK_BITS)), np.uint64)
    for column in listed.T:
        bits = np.where(column > 0, np.uint64(1) << (column % MASK_BITS).astype(np.uint64), np.uint64(0))
        np.bitwise_or.at(masks, (np.arange(len(listed)), column // MASK_BITS), bits)
    return masks
