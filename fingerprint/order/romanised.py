"""Splits passages that are entirely in pinyin into syllables.

Tones may be marks, digits or absent, and spaces are optional. fingerprint.latin reads single syllables between Chinese
characters.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprint.characters import Kind
from fingerprint.compilation import kernel
from fingerprint.pinyin import LETTER_CODES, MAX_SYLLABLE_LETTERS
from fingerprint.stream import Stream, find_runs
from fingerprint.tables import Tables

# A page with fewer tokens for its length may be pinyin: ordinary Chinese has three tokens for four characters, and
# pinyin with tone digits, each of which is a token, at most one for three.
MAX_TOKENS_A_CHARACTER = 1 / 3
MAX_CHARACTERS = 1_000_000  # of a text; a longer text is unchanged, which bounds memory
MIN_SYLLABLES = 24  # a shorter passage is not a copy (matcher.calibration, min_matched_tokens)
# The share of a passage's letters in words that are pinyin. Passages of Malay, Italian, Vietnamese, Hawaiian, English
# and romanised Japanese are below, passages of the corpora in pinyin above (a few of each, November 2026).
MIN_SHARE_OF_LETTERS = 0.9
TONE_DIGITS = tuple(range(ord("0"), ord("6")))
COMBINING = range(0x300, 0x370)
# Of several ways to split a word the one with the fewest syllables is used, then the one with the fewest syllables that
# begin with a vowel: correct pinyin has an apostrophe before these.
SYLLABLE_COST, VOWEL_COST = 16, 1
UNREACHED = 1 << 30
LETTER_A, LETTER_E, LETTER_O = (ord(letter) - ord("a") + 1 for letter in "aeo")


def read_romanised(codes: NDArray[np.uint32], stream: Stream, tables: Tables) -> Stream:
    """Return the stream with the syllables of passages entirely in pinyin; tone digits in them are no tokens."""
    if stream.tokens.size >= MAX_TOKENS_A_CHARACTER * codes.size or codes.size > MAX_CHARACTERS:
        return stream
    kinds = tables.kinds[codes]
    letters = np.zeros(codes.size, np.uint8)
    is_latin = (kinds == Kind.LATIN) | (kinds == Kind.FULL_WIDTH_LATIN)
    letters[is_latin] = tables.pinyin.letters[codes[is_latin] % LETTER_CODES]
    is_passed_over = (kinds == Kind.ZERO_WIDTH) | ((codes >= COMBINING.start) & (codes < COMBINING.stop))
    offsets, tokens = np.zeros(codes.size, np.int32), np.zeros(codes.size, np.uint16)
    found, is_read = 0, np.zeros(codes.size, np.bool_)
    starts, ends = find_runs(kinds != Kind.HAN)
    letters_before = np.append(0, np.cumsum(letters > 0))
    are_long = letters_before[ends] - letters_before[starts] >= MIN_SYLLABLES
    for start, end in zip(starts[are_long].tolist(), ends[are_long].tolist(), strict=True):
        places = start + np.flatnonzero(~is_passed_over[start:end])
        count, read, seen = _read_words(letters[places], tables.pinyin.trie, tokens[found:], offsets[found:])
        if count < MIN_SYLLABLES or read < MIN_SHARE_OF_LETTERS * seen:
            continue
        offsets[found : found + count] = places[offsets[found : found + count]]
        found += count
        is_read[start:end] = True
    if not found:
        return stream
    behind_letter = np.append(0, letters[:-1]) > 0
    is_tone = is_read & np.isin(codes, TONE_DIGITS) & behind_letter
    kept = ~(is_tone | (is_read & is_latin))[stream.offsets]
    all_offsets = np.concatenate([stream.offsets[kept], offsets[:found]])
    all_tokens = np.concatenate([stream.tokens[kept], tokens[:found]])
    order = np.argsort(all_offsets, kind="stable")
    return Stream(all_tokens[order], all_offsets[order], stream.noise)


@kernel(nogil=True)
def _read_words(
    letters: NDArray[np.uint8], trie: NDArray[np.int32], tokens: NDArray[np.uint16], offsets: NDArray[np.int32]
) -> tuple[int, int, int]:
    """Write the syllables of all words in pinyin; return their number, their letters, and the letters of all words.

    letters: 1 to 26, or 0 if not a letter. trie: see fingerprint.pinyin.
    """
    size = letters.size + 1
    costs, bounds, names = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
    count, read, seen, start = 0, 0, 0, 0
    while start < letters.size:
        if letters[start] == 0:
            start += 1
            continue
        end = start
        while end < letters.size and letters[end] > 0:
            end += 1
        seen += end - start
        costs[end] = 0
        for first in range(end - 1, start - 1, -1):
            costs[first] = UNREACHED
            node = 0
            is_vowel = letters[first] in (LETTER_A, LETTER_E, LETTER_O)
            own = SYLLABLE_COST + VOWEL_COST * (is_vowel and first > start)
            for bound in range(first + 1, min(end, first + MAX_SYLLABLE_LETTERS) + 1):
                node = trie[node, letters[bound - 1]]
                if node == 0:
                    break
                if trie[node, 0] and costs[bound] + own <= costs[first]:
                    costs[first], bounds[first], names[first] = costs[bound] + own, bound, trie[node, 0]
        if costs[start] < UNREACHED:
            read += end - start
            at = start
            while at < end:
                tokens[count], offsets[count] = names[at], at
                count += 1
                at = bounds[at]
        start = end
    return count, read, seen
