"""The first stage: a text as a stream of tokens, each with its offset in the text as given, and the noise left out."""

import numpy as np
from numpy.typing import NDArray

from core.obfuscations import Obfuscation
from fingerprint.characters import Kind
from fingerprint.latin import SignRows, read_latin
from fingerprint.noise import Runs, collect_noise, find_runs, spaces_between_han, zero_width_runs
from fingerprint.readings import code_points
from fingerprint.stream import WILDCARD, Stream
from fingerprint.tables import TABLES_2026, Tables


def normalize(text: str, tables: Tables = TABLES_2026) -> Stream:
    """Read the characters of a text that can be compared; those without a reading are dropped.

    >>> stream = normalize("網(wǎng)，络!")
    >>> [TABLES_2026.readings.names[token] for token in stream.tokens], stream.offsets.tolist()
    (['wang', 'luo'], [0, 8])
    """
    codes = code_points(text)
    kinds, tokens = tables.kinds[codes], tables.readings.syllables[codes]
    present = np.bincount(kinds, minlength=len(Kind)) > 0
    found: list[tuple[Obfuscation, Runs]] = []
    if present[Kind.WILDCARD]:
        tokens[kinds == Kind.WILDCARD] = WILDCARD
        found.append((Obfuscation.PRIVATE_USE, find_runs(kinds == Kind.WILDCARD)))
    if present[Kind.ZERO_WIDTH]:
        found.append((Obfuscation.ZERO_WIDTH, zero_width_runs(kinds)))
    if present[Kind.FULL_WIDTH_LATIN]:
        found.append((Obfuscation.FULL_WIDTH, find_runs(kinds == Kind.FULL_WIDTH_LATIN)))
    offsets = np.flatnonzero(tokens)
    tokens_read = tokens[offsets]
    has_latin = bool(present[Kind.LATIN] or present[Kind.FULL_WIDTH_LATIN])
    if has_latin or present[Kind.SPACE]:
        visible = np.flatnonzero(kinds != Kind.ZERO_WIDTH)
        found.append((Obfuscation.SPACES, spaces_between_han(kinds, visible)))
        if has_latin:
            latin = read_latin(SignRows(text, kinds, tokens, visible), tables.pinyin)
            found.append((Obfuscation.PINYIN_INSERTED, latin.inserted))
            tokens_read, offsets = _insert(tokens_read, offsets, latin.tokens, latin.offsets)
    return Stream(tokens_read, offsets.astype(np.int32), collect_noise(found))


def _insert(
    tokens: NDArray[np.uint16], offsets: NDArray[np.int64], more: NDArray[np.uint16], more_offsets: NDArray[np.int64]
) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
    if not more.size:
        return tokens, offsets
    places = np.searchsorted(offsets, more_offsets)
    return np.insert(tokens, places, more), np.insert(offsets, places, more_offsets)
