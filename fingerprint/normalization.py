"""The first stage: turns a text into tokens with their offsets in the text as given, and the noise left out.

tests/support/fingerprint_definition.py has its plain definition. A sign describes a code point by
fingerprint.characters: its kind in the bits above TOKEN_BITS, its token below.
"""

import numpy as np
from numpy.typing import NDArray

from core.obfuscations import Obfuscation
from fingerprint.characters import TOKEN_BITS, TOKEN_MASK, Kind
from fingerprint.compilation import kernel
from fingerprint.latin import Chains, read_chains
from fingerprint.order.repair import restore_reading_order
from fingerprint.order.romanised import read_romanised
from fingerprint.readings import code_points
from fingerprint.stream import NOISE_KINDS, Noise, Stream
from fingerprint.stream import WILDCARD as WILDCARD_TOKEN
from fingerprint.tables import TABLES_2026, Tables

LETTER_KINDS = 1 << Kind.LATIN | 1 << Kind.FULL_WIDTH_LATIN
PINYIN_INSERTED = NOISE_KINDS.index(Obfuscation.PINYIN_INSERTED)
# Below this share of a text's length, tokens are copied out of the memory reserved for them.
MIN_FILLED = 0.75
# There is room for one noise item per two characters, up to this number; if there are more, a second pass finds them.
MAX_EXPECTED_ITEMS = 1 << 16
HAN, SPACE, ZERO_WIDTH = int(Kind.HAN), int(Kind.SPACE), int(Kind.ZERO_WIDTH)
WILDCARD, FULL_WIDTH = int(Kind.WILDCARD), int(Kind.FULL_WIDTH_LATIN)
NO_KIND = len(Kind)
NOISE_KINDS_BITS = 1 << SPACE | 1 << ZERO_WIDTH | 1 << WILDCARD | 1 << FULL_WIDTH
# Indexes into NOISE_KINDS.
NOISE_ZERO_WIDTH, NOISE_SPACES, NOISE_PRIVATE_USE, NOISE_FULL_WIDTH = 0, 1, 3, 4

Items = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8]]
Codes = NDArray[np.uint32]
Signs = NDArray[np.uint16]


def normalize(text: str, tables: Tables = TABLES_2026) -> Stream:
    """Return the comparable characters of a text as a stream of readings; characters without a reading are dropped.

    >>> stream = normalize("網(wǎng)，络!")
    >>> [TABLES_2026.readings.names[token] for token in stream.tokens], stream.offsets.tolist()
    (['wang', 'luo'], [0, 8])
    """
    return _normalize_codes(code_points(text), tables)


def _normalize_codes(codes: NDArray[np.uint32], tables: Tables) -> Stream:
    signs = tables.signs
    tokens, offsets = np.empty(codes.size, np.uint16), np.empty(codes.size, np.int32)
    count, kinds = _write_tokens(codes, signs, tokens, offsets)
    tokens, offsets = tokens[:count], offsets[:count]
    if count < MIN_FILLED * codes.size:
        tokens, offsets = tokens.copy(), offsets.copy()
    noise = [_find_noise(codes, signs)] if kinds & NOISE_KINDS_BITS else []
    if kinds & LETTER_KINDS:
        has_zero_width = bool(kinds >> Kind.ZERO_WIDTH & 1)
        more, more_offsets, starts, ends = _read_latin(codes, tables, has_zero_width=has_zero_width)
        if more.size:
            tokens, offsets = np.concatenate([tokens, more]), np.concatenate([offsets, more_offsets])
            order = np.argsort(offsets, kind="stable")
            tokens, offsets = tokens[order], offsets[order]
        noise.append((starts, ends, np.full(starts.size, PINYIN_INSERTED, np.uint8)))
    return Stream(tokens, offsets, _sort_noise(noise))


def normalize_in_order(text: str, tables: Tables) -> Stream:
    """Read the characters that can be compared, in reading order: columns, reversed text, inserted noise."""
    codes = code_points(text)
    return restore_reading_order(codes, read_romanised(codes, _normalize_codes(codes, tables), tables), tables)


def _find_noise(codes: NDArray[np.uint32], signs: NDArray[np.uint16]) -> Items:
    found = min(codes.size // 2 + 1, MAX_EXPECTED_ITEMS)
    while True:
        starts, ends, kinds = np.empty(found, np.int32), np.empty(found, np.int32), np.empty(found, np.uint8)
        found = _write_noise(codes, signs, starts, ends, kinds)
        if found <= starts.size:
            return starts[:found].copy(), ends[:found].copy(), kinds[:found].copy()


def _read_latin(codes: NDArray[np.uint32], tables: Tables, *, has_zero_width: bool) -> Chains:
    signs, pinyin = tables.signs, tables.pinyin
    if not has_zero_width:
        return read_chains(codes, signs, pinyin.letters, pinyin.trie)
    places = np.flatnonzero(signs[codes] >> np.uint16(TOKEN_BITS) != ZERO_WIDTH).astype(np.int32)
    seen = codes[places]
    seen.setflags(write=False)  # like `codes`: the kernel is compiled once
    syllables, at, starts, ends = read_chains(seen, signs, pinyin.letters, pinyin.trie)
    return syllables, places[at], places[starts], places[ends - 1] + 1


def _sort_noise(parts: list[Items]) -> Noise:
    if not any(part[0].size for part in parts):
        return Noise(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.uint8))
    starts, ends, kinds = (np.concatenate(column) for column in zip(*parts, strict=True))
    if (starts[1:] > starts[:-1]).all():
        return Noise(starts, ends, kinds)
    order = np.lexsort((kinds, ends, starts))
    return Noise(starts[order], ends[order], kinds[order])


@kernel(allocates=False, nogil=True)
def _write_tokens(
    codes: Codes, signs: Signs, tokens: NDArray[np.uint16], offsets: NDArray[np.int32]
) -> tuple[int, int]:
    """Write tokens and offsets of readable characters; return their number and a bit for each kind.

    Both arrays are as long as codes.
    """
    count, kinds = 0, 0
    for place in range(codes.size):
        sign = signs[codes[place]]
        kind = sign >> TOKEN_BITS
        kinds |= 1 << kind
        token = WILDCARD_TOKEN if kind == WILDCARD else sign & TOKEN_MASK
        tokens[count] = token
        offsets[count] = place
        count += token != 0
    return count, kinds


@kernel(allocates=False, nogil=True)
def _write_noise(
    codes: Codes, signs: Signs, starts: NDArray[np.int32], ends: NDArray[np.int32], noise_kinds: NDArray[np.uint8]
) -> int:
    """Write all noise except inserted pinyin, unordered, as far as the arrays have room; return the total."""
    count, place = 0, 0
    while place < codes.size:
        if not NOISE_KINDS_BITS >> (signs[codes[place]] >> TOKEN_BITS) & 1:
            place += 1
            continue
        run_kind = _read_kind(codes, signs, place - 1)
        visible_before, kind_before_run, run_start = run_kind, NO_KIND, place
        space_start, space_end, is_inside = -1, -1, True
        while is_inside:
            kind = _read_kind(codes, signs, place)
            is_inside = (NOISE_KINDS_BITS >> kind) & 1 > 0
            if kind != run_kind:
                noise = _noise_of_run(run_kind, kind_before_run)
                if noise != NO_KIND:
                    count = _append_noise(starts, ends, noise_kinds, count, run_start, place, noise)
                kind_before_run, run_kind, run_start = run_kind, kind, place
            if kind == SPACE:
                space_start = place if space_start < 0 else space_start
                space_end = place + 1
            elif kind != ZERO_WIDTH:
                if space_start >= 0 and visible_before == HAN and kind == HAN:
                    count = _append_noise(starts, ends, noise_kinds, count, space_start, space_end, NOISE_SPACES)
                space_start, visible_before = -1, kind
            place += 1
    return count


@kernel(allocates=False, nogil=True)
def _append_noise(  # noqa: PLR0917 - numba compiles no records
    starts: NDArray[np.int32],
    ends: NDArray[np.int32],
    noise_kinds: NDArray[np.uint8],
    count: int,
    start: int,
    end: int,
    noise: int,
) -> int:
    if count < starts.size:
        starts[count], ends[count], noise_kinds[count] = start, end, noise
    return count + 1


@kernel(allocates=False, nogil=True)
def _read_kind(codes: Codes, signs: Signs, place: int) -> int:
    """Return the kind of a place; NO_KIND outside.

    The result is signed, since numba combines signed and unsigned integers to a float.
    """
    if place < 0 or place >= codes.size:
        return NO_KIND
    return np.int64(signs[codes[place]] >> TOKEN_BITS)  # type: ignore[return-value]


@kernel(allocates=False, nogil=True)
def _noise_of_run(kind: int, kind_before: int) -> int:
    if kind == WILDCARD:
        return NOISE_PRIVATE_USE
    if kind == FULL_WIDTH:
        return NOISE_FULL_WIDTH
    if kind == ZERO_WIDTH and kind_before == HAN:
        return NOISE_ZERO_WIDTH
    return NO_KIND
