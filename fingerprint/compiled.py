"""The stages of a fingerprint, compiled: each equals the plain definition that its docstring names, bit for bit."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from core.pages import Disguise
from fingerprint import latin_kernels, seed_kernels, stream_kernels
from fingerprint.algorithms import Alphabet, AnchorRule, WindowRule
from fingerprint.characters import KINDS, Kind
from fingerprint.folding import folded_symbols
from fingerprint.letters import INITIALS, LETTERS, number_of
from fingerprint.noise import NOISE_KINDS, Noise
from fingerprint.normalization import Stream
from fingerprint.pinyin import PINYIN
from fingerprint.readings import code_points
from fingerprint.windows import bytes_per_window, digits

LETTER_KINDS = 1 << Kind.LATIN | 1 << Kind.FULL_WIDTH_LATIN
PINYIN_INSERTED = NOISE_KINDS.index(Disguise.PINYIN_INSERTED)
WORD_BITS = 64
# Below this share of a text's length, tokens are copied out of the memory that was reserved for them.
MIN_FILLED = 0.75
# Room for noise items is one for two characters, but at most this many; more are found in a second round.
MAX_EXPECTED_ITEMS = 1 << 16

Items = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8]]


def stream_of(text: str) -> Stream:
    """fingerprint.normalization.normalize."""
    codes, signs = code_points(text), KINDS.signs
    tokens, offsets = np.empty(codes.size, np.uint16), np.empty(codes.size, np.int32)
    count, kinds = stream_kernels.tokenize(codes, signs, tokens, offsets)
    tokens, offsets = tokens[:count], offsets[:count]
    if count < MIN_FILLED * codes.size:
        tokens, offsets = tokens.copy(), offsets.copy()
    noise = [_noise(codes)] if kinds & stream_kernels.NOISE_KINDS_BITS else []
    if kinds & LETTER_KINDS:
        more, more_offsets, starts, ends = _latin(codes, has_zero_width=bool(kinds >> Kind.ZERO_WIDTH & 1))
        if more.size:
            tokens, offsets = stream_kernels.merged(tokens, offsets, more, more_offsets)
        noise.append((starts, ends, np.full(starts.size, PINYIN_INSERTED, np.uint8)))
    return Stream(tokens, offsets, _sorted(noise))


def anchors_of(tokens: NDArray[np.uint16], rule: AnchorRule) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """fingerprint.anchors.anchor_positions."""
    symbols = _symbols(rule.alphabet)
    found: tuple[NDArray[np.uint64], NDArray[np.int32]] = seed_kernels.anchors(
        tokens, symbols, rule.tokens, 2 * rule.one_in - 1
    )
    return found


def windows_of(tokens: NDArray[np.uint16], rule: WindowRule) -> NDArray[np.uint8]:
    """fingerprint.windows.window_fingerprints of the tokens' initials."""
    low, high = _parts(rule)
    found: NDArray[np.uint8] = seed_kernels.windows(
        tokens, INITIALS.table, low, high, rule.granularity, rule.step, bytes_per_window(rule)
    )
    return found


def _noise(codes: NDArray[np.uint32]) -> Items:
    found = min(codes.size // 2 + 1, MAX_EXPECTED_ITEMS)
    while True:
        starts, ends, kinds = np.empty(found, np.int32), np.empty(found, np.int32), np.empty(found, np.uint8)
        found = stream_kernels.noise_items(codes, KINDS.signs, starts, ends, kinds)
        if found <= starts.size:
            return starts[:found].copy(), ends[:found].copy(), kinds[:found].copy()


def _latin(codes: NDArray[np.uint32], *, has_zero_width: bool) -> latin_kernels.Chains:
    if not has_zero_width:
        found: latin_kernels.Chains = latin_kernels.read_chains(codes, KINDS.signs, PINYIN.letters, PINYIN.trie)
        return found
    seen, places = stream_kernels.without_zero_width(codes, KINDS.signs)
    syllables, at, starts, ends = latin_kernels.read_chains(seen, KINDS.signs, PINYIN.letters, PINYIN.trie)
    return syllables, places[at], places[starts], places[ends - 1] + 1


def _sorted(parts: list[Items]) -> Noise:
    if not any(part[0].size for part in parts):
        return Noise(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.uint8))
    starts, ends, kinds = (np.concatenate(column) for column in zip(*parts, strict=True))
    if (starts[1:] > starts[:-1]).all():
        return Noise(starts, ends, kinds)
    order = np.lexsort((kinds, ends, starts))
    return Noise(starts[order], ends[order], kinds[order])


@cache
def _symbols(alphabet: Alphabet) -> NDArray[np.uint16]:
    if alphabet is Alphabet.INITIALS:
        return INITIALS.table.astype(np.uint16)
    if alphabet is Alphabet.FOLDED:
        return folded_symbols()
    return np.arange(1 << 16, dtype=np.uint16)


@cache
def _parts(rule: WindowRule) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """What each letter adds to a window's number for each count: the low and the high 64 bits."""
    low = np.zeros((LETTERS, rule.granularity + 1), np.uint64)
    high = np.zeros_like(low)
    counts = np.repeat(np.arange(rule.granularity + 1, dtype=np.uint16)[:, None], LETTERS, axis=1)
    for place, (letter, column) in enumerate(zip(reversed(rule.letters), digits(counts, rule).T[::-1], strict=True)):
        numbers = [digit * (rule.max_digit + 1) ** place for digit in column.tolist()]
        low[number_of(letter)] = [number % (1 << WORD_BITS) for number in numbers]
        high[number_of(letter)] = [number >> WORD_BITS for number in numbers]
    return low, high
