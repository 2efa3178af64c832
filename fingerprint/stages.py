"""The stages of a fingerprint, compiled; tests/support/fingerprint_definition.py defines each, bit for bit."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from core.obfuscations import Obfuscation
from fingerprint import latin_kernels, seed_kernels, stream_kernels
from fingerprint.characters import Kind
from fingerprint.letters import LETTERS, letter_number
from fingerprint.noise import NOISE_KINDS, Noise
from fingerprint.order.repair import restore_reading_order
from fingerprint.order.romanised import read_romanised
from fingerprint.readings import code_points
from fingerprint.rules import AnchorRule, WindowRule
from fingerprint.stream import Stream
from fingerprint.tables import Tables
from fingerprint.windows import bytes_per_window, digits

LETTER_KINDS = 1 << Kind.LATIN | 1 << Kind.FULL_WIDTH_LATIN
PINYIN_INSERTED = NOISE_KINDS.index(Obfuscation.PINYIN_INSERTED)
WORD_BITS = 64
# Below this share of a text's length, tokens are copied out of the memory that was reserved for them.
MIN_FILLED = 0.75
# Room for noise items is one for two characters, but at most this many; more are found in a second round.
MAX_EXPECTED_ITEMS = 1 << 16

Items = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8]]


def normalize(text: str, tables: Tables) -> Stream:
    """Return the stream of a whole page or work, equal to that of `fingerprint.normalization`."""
    return _normalize(code_points(text), tables)


def _normalize(codes: NDArray[np.uint32], tables: Tables) -> Stream:
    signs = tables.signs
    tokens, offsets = np.empty(codes.size, np.uint16), np.empty(codes.size, np.int32)
    count, kinds = stream_kernels.tokenize(codes, signs, tokens, offsets)
    tokens, offsets = tokens[:count], offsets[:count]
    if count < MIN_FILLED * codes.size:
        tokens, offsets = tokens.copy(), offsets.copy()
    noise = [_find_noise(codes, signs)] if kinds & stream_kernels.NOISE_KINDS_BITS else []
    if kinds & LETTER_KINDS:
        has_zero_width = bool(kinds >> Kind.ZERO_WIDTH & 1)
        more, more_offsets, starts, ends = _read_latin(codes, tables, has_zero_width=has_zero_width)
        if more.size:
            tokens, offsets = stream_kernels.merge(tokens, offsets, more, more_offsets)
        noise.append((starts, ends, np.full(starts.size, PINYIN_INSERTED, np.uint8)))
    return Stream(tokens, offsets, _sort_noise(noise))


def normalize_in_order(text: str, tables: Tables) -> Stream:
    """Read the characters that can be compared, in reading order: pages in columns, backwards, with noise inserted."""
    codes = code_points(text)
    return restore_reading_order(codes, read_romanised(codes, _normalize(codes, tables), tables), tables)


def find_anchors(
    tokens: NDArray[np.uint16], rule: AnchorRule, symbols: NDArray[np.uint16]
) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """Hashes uint64[a] and stream positions int32[a], increasing, of the anchors of a stream.

    Whether a position is kept depends on the 2w - 2 + k tokens around it only, so that two texts with a passage in
    common keep the same positions in it. Runs of tokens with a wildcard, and all but the first of a row of equal runs
    (one character repeated), are never kept.
    """
    return seed_kernels.find_anchors(tokens, symbols, rule.tokens, 2 * rule.one_in - 1)


def fingerprint_windows(tokens: NDArray[np.uint16], rule: WindowRule, initials: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the fingerprint of each window, in order of the stream, uint8[windows, bytes].

    initials: uint8[65536], of every token.
    """
    low, high = _letter_parts(rule)
    return seed_kernels.fingerprint_windows(
        tokens, initials, low, high, rule.granularity, rule.step, bytes_per_window(rule)
    )


def _find_noise(codes: NDArray[np.uint32], signs: NDArray[np.uint16]) -> Items:
    found = min(codes.size // 2 + 1, MAX_EXPECTED_ITEMS)
    while True:
        starts, ends, kinds = np.empty(found, np.int32), np.empty(found, np.int32), np.empty(found, np.uint8)
        found = stream_kernels.find_noise(codes, signs, starts, ends, kinds)
        if found <= starts.size:
            return starts[:found].copy(), ends[:found].copy(), kinds[:found].copy()


def _read_latin(codes: NDArray[np.uint32], tables: Tables, *, has_zero_width: bool) -> latin_kernels.Chains:
    signs, pinyin = tables.signs, tables.pinyin
    if not has_zero_width:
        return latin_kernels.read_chains(codes, signs, pinyin.letters, pinyin.trie)
    seen, places = stream_kernels.drop_zero_width(codes, signs)
    seen.setflags(write=False)  # as `codes`: the kernel is compiled, and lies in memory, once
    syllables, at, starts, ends = latin_kernels.read_chains(seen, signs, pinyin.letters, pinyin.trie)
    return syllables, places[at], places[starts], places[ends - 1] + 1


def _sort_noise(parts: list[Items]) -> Noise:
    if not any(part[0].size for part in parts):
        return Noise(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.uint8))
    starts, ends, kinds = (np.concatenate(column) for column in zip(*parts, strict=True))
    if (starts[1:] > starts[:-1]).all():
        return Noise(starts, ends, kinds)
    order = np.lexsort((kinds, ends, starts))
    return Noise(starts[order], ends[order], kinds[order])


@cache
def _letter_parts(rule: WindowRule) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return, for each letter and count, the low and high 64 bits of what it adds to a window's fingerprint."""
    low = np.zeros((LETTERS, rule.granularity + 1), np.uint64)
    high = np.zeros_like(low)
    counts = np.repeat(np.arange(rule.granularity + 1, dtype=np.uint16)[:, None], LETTERS, axis=1)
    for place, (letter, column) in enumerate(zip(reversed(rule.letters), digits(counts, rule).T[::-1], strict=True)):
        numbers = [digit * (rule.max_digit + 1) ** place for digit in column.tolist()]
        low[letter_number(letter)] = [number % (1 << WORD_BITS) for number in numbers]
        high[letter_number(letter)] = [number >> WORD_BITS for number in numbers]
    return low, high
