"""Finds the ends of sentences, and edits that move, drop or separate sentences."""

from functools import cache
from random import Random

import numpy as np
from numpy.typing import NDArray

from fingerprint.readings import CODE_POINTS
from fingerprint.stream import find_runs
from laboratory import draws
from laboratory.edits.edited import Edited
from laboratory.edits.material import Material
from laboratory.edits.pieces import put_behind, ranges

ENDING, CLOSING = 1, 2
ENDINGS = "。！？!?…｡\n"
CLOSINGS = "”’」』）)】》\"'"


def sentence_ends(codes: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return int64[sentences], increasing: the end of each sentence with its closing quotes and line end.

    The last is the length of the text, even if its last sentence is incomplete; an empty text has no sentences.
    """
    kinds = _kinds()[codes]
    starts, ends = find_runs(kinds > 0)
    endings = np.concatenate([[0], np.cumsum(kinds == ENDING)])
    found = ends[endings[ends] > endings[starts]]
    return np.unique(np.append(found, codes.size)) if codes.size else found


def shuffle(page: Edited, strength: float, rng: Random, _material: Material) -> Edited:
    """Shuffle sentences; strength: share of the sentences, each of which moves."""
    ends = sentence_ends(page.codes)
    moved = draws.chosen(rng, ends.size, strength)
    if moved.size < 2:
        return page
    mixed = moved[draws.order(rng, moved.size)]
    sequence = np.arange(ends.size)
    sequence[mixed] = np.roll(mixed, 1)  # one cycle through all of them, so each moves
    return in_sequence(page, ends, sequence)


def drop(page: Edited, strength: float, rng: Random, _material: Material) -> Edited:
    """Delete sentences; strength: share of the sentences, at 1 all of them."""
    ends = sentence_ends(page.codes)
    dropped = draws.chosen(rng, ends.size, strength)
    return in_sequence(page, ends, np.delete(np.arange(ends.size), dropped)) if dropped.size else page


def advertisement(page: Edited, strength: float, rng: Random, material: Material) -> Edited:
    """Insert slogans after sentences, on a separate line at the end of a line; strength: share of the sentences."""
    codes = page.codes
    ends = sentence_ends(codes)
    ends = ends[draws.chosen(rng, ends.size, strength)]
    if not ends.size or not material.slogans:
        return page
    numbers = draws.below(rng, np.full(ends.size, len(material.slogans)))
    numbers += np.where(codes[ends - 1] == ord("\n"), len(material.slogans), 0)
    return put_behind(page, ends - 1, material.slogan_pieces, numbers)


def in_sequence(page: Edited, ends: NDArray[np.int64], sequence: NDArray[np.int64]) -> Edited:
    """Return the sentences with these numbers, in this order. ends: result of `sentence_ends`."""
    starts = np.concatenate([[0], ends[:-1]])
    return page.taken(ranges(starts[sequence], (ends - starts)[sequence]))


@cache
def _kinds() -> NDArray[np.uint8]:
    table = np.zeros(CODE_POINTS, np.uint8)
    table[[ord(character) for character in CLOSINGS]] = CLOSING
    table[[ord(character) for character in ENDINGS]] = ENDING
    return table
