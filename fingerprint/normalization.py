"""The first stage: a text as a stream of tokens, each with its offset in the text as given, and the noise left out."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.pages import Disguise
from fingerprint.characters import KINDS, Kind
from fingerprint.latin import read_latin
from fingerprint.noise import Noise, Runs, gathered, runs_of, spaces_between_han, zero_width_runs
from fingerprint.readings import SYLLABLES, TABLE, code_points

WILDCARD = 0xFFFF  # a character stood here that nobody can read: equal to nothing, unequal to nothing


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """tokens: uint16[n], syllable ids or WILDCARD; offsets: int32[n], strictly increasing; noise: what was left out."""

    tokens: NDArray[np.uint16]
    offsets: NDArray[np.int32]
    noise: Noise


def normalize(text: str) -> Stream:
    """What can be compared of a text; whatever has no reading is dropped.

    >>> stream = normalize("網(wǎng)，络!")
    >>> [SYLLABLES[token] for token in stream.tokens], stream.offsets.tolist()
    (['wang', 'luo'], [0, 8])
    """
    codes = code_points(text)
    kinds, tokens = KINDS.table[codes], TABLE.syllables[codes]
    present = np.bincount(kinds, minlength=len(Kind)) > 0
    found: list[tuple[Disguise, Runs]] = []
    if present[Kind.WILDCARD]:
        tokens[kinds == Kind.WILDCARD] = WILDCARD
        found.append((Disguise.PRIVATE_USE, runs_of(kinds == Kind.WILDCARD)))
    if present[Kind.ZERO_WIDTH]:
        found.append((Disguise.ZERO_WIDTH, zero_width_runs(kinds)))
    if present[Kind.FULL_WIDTH_LATIN]:
        found.append((Disguise.FULL_WIDTH, runs_of(kinds == Kind.FULL_WIDTH_LATIN)))
    offsets = np.flatnonzero(tokens)
    tokens_read = tokens[offsets]
    has_latin = bool(present[Kind.LATIN] or present[Kind.FULL_WIDTH_LATIN])
    if has_latin or present[Kind.SPACE]:
        visible = np.flatnonzero(kinds != Kind.ZERO_WIDTH)
        found.append((Disguise.SPACES, spaces_between_han(kinds, visible)))
        if has_latin:
            latin = read_latin(text, kinds, tokens, visible)
            found.append((Disguise.PINYIN_INSERTED, latin.inserted))
            tokens_read, offsets = _merged(tokens_read, offsets, latin.tokens, latin.offsets)
    return Stream(tokens_read, offsets.astype(np.int32), gathered(found))


def _merged(
    tokens: NDArray[np.uint16], offsets: NDArray[np.int64], more: NDArray[np.uint16], more_offsets: NDArray[np.int64]
) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
    if not more.size:
        return tokens, offsets
    where = np.searchsorted(offsets, more_offsets)
    return np.insert(tokens, where, more), np.insert(offsets, where, more_offsets)


__all__ = ["SYLLABLES", "WILDCARD", "Stream", "normalize"]
