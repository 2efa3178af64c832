"""Plain definitions of fingerprints and near characters, with which the compiled loops are compared."""

import re

import numpy as np
from numpy.typing import NDArray

from core.obfuscations import Obfuscation
from fingerprint import normalization
from fingerprint.algorithms import DEFAULT, Algorithm
from fingerprint.characters import Kind
from fingerprint.fingerprinting import Fingerprint
from fingerprint.letters import LETTERS
from fingerprint.near import NEAR_2026, NearTable
from fingerprint.order.repair import restore_reading_order
from fingerprint.order.romanised import read_romanised
from fingerprint.readings import READINGS_2026, ReadingTable, code_points
from fingerprint.rules import AnchorRule, Seeds, WindowRule
from fingerprint.seeds import BITS_PER_BYTE, NEVER, bytes_per_window, hash_anchors, window_digits, window_seeds
from fingerprint.stream import NOISE_KINDS, WILDCARD, Noise, Stream
from fingerprint.tables import TABLES_2026, Tables
from fingerprint.variants import variant_key, variant_pairs

WORD_BYTES = 8
KIND_LETTERS = ".HDLFZSWOCJ"  # by Kind: Han, digit, Latin, full width, zero width, space, wildcard and three marks


def normalize(text: str, tables: Tables = TABLES_2026) -> Stream:
    """fingerprint.normalization.normalize: patterns over the kinds of characters, one letter of KIND_LETTERS each."""
    codes = code_points(text)
    kinds = "".join(KIND_LETTERS[kind] for kind in tables.kinds[codes].tolist())
    places = [place for place, kind in enumerate(kinds) if kind != "Z"]
    seen = kinds.replace("Z", "")
    tokens = tables.readings.syllables[codes]
    tokens[tables.kinds[codes] == Kind.WILDCARD] = WILDCARD
    read = {place: token for place, token in enumerate(tokens.tolist()) if token}
    noise = [(*found.span(), Obfuscation.PRIVATE_USE) for found in re.finditer("W+", kinds)]
    noise += [(*found.span(), Obfuscation.FULL_WIDTH) for found in re.finditer("F+", kinds)]
    noise += [(*found.span(), Obfuscation.ZERO_WIDTH) for found in re.finditer("(?<=H)Z+", kinds)]
    hidden = [(*found.span(), Obfuscation.SPACES) for found in re.finditer("(?<=H)S+(?=H)", seen)]
    for chain in re.finditer("[LF]+([SJ]{1,2}[LF]+)*", seen):
        (start, end), syllables = chain.span(), dict[int, int]()
        for run in re.finditer("[LF]+", chain[0]):
            first = start + run.start()
            cut = tables.pinyin.split_run("".join(text[places[first + at]] for at in range(len(run[0]))))
            if cut is None:
                break
            syllables |= {first + offset: syllable for syllable, offset in cut}
        else:
            before = [tokens[place] for place in places[max(start - len(syllables), 0) : start]]
            if "H" not in seen[max(start - 2, 0) : start] + seen[end : end + 2]:
                continue
            if seen[max(start - 2, 0) : start] + seen[end : end + 1] == "HOC":
                hidden.append((start - 1, end + 1, Obfuscation.PINYIN_INSERTED))
            elif before == list(syllables.values()):
                hidden.append((start, end, Obfuscation.PINYIN_INSERTED))
            else:
                read |= {places[at]: syllable for at, syllable in syllables.items()}
    noise += [(places[start], places[end - 1] + 1, kind) for start, end, kind in hidden]
    rows = sorted((start, end, NOISE_KINDS.index(kind)) for start, end, kind in noise)
    starts, ends, numbers = np.array(rows, np.int32).reshape(-1, 3).T
    offsets = sorted(read)
    return Stream(
        np.array([read[place] for place in offsets], np.uint16),
        np.array(offsets, np.int32),
        Noise(starts, ends, numbers.astype(np.uint8)),
    )


def normalize_in_order(text: str, tables: Tables) -> Stream:
    """fingerprint.normalization.normalize_in_order."""
    codes = code_points(text)
    return restore_reading_order(codes, read_romanised(codes, normalize(text, tables), tables), tables)


PLAIN = {normalization.normalize: normalize, normalization.normalize_in_order: normalize_in_order}


def fingerprint_by_definition(text: str, algorithm: Algorithm = DEFAULT) -> Fingerprint:
    """Return what `fingerprint_text` gives, by the plain definition of every stage, some ten times slower."""
    rule, initials = algorithm.normalization, algorithm.tables.initials
    stream = PLAIN.get(rule.stage, rule.stage)(text, rule.tables)
    windows = tuple(window_fingerprints(initials[stream.tokens], each) for each in algorithm.windows)
    found = [anchor_positions(stream.tokens, algorithm.anchors, algorithm.symbols)] * (Seeds.ANCHORS in algorithm.seeds)
    if Seeds.WINDOWS in algorithm.seeds:
        found += [window_seeds(rows, each) for rows, each in zip(windows, algorithm.windows, strict=True)]
    hashes, positions = (np.concatenate(column) for column in zip(*found, strict=True))
    order = np.argsort(positions, kind="stable")
    hashes, positions = hashes[order], positions[order]
    return Fingerprint(algorithm.id, stream.tokens, stream.offsets, hashes, positions, windows, stream.noise)


def assert_same(first: Fingerprint, second: Fingerprint) -> None:
    """Raise AssertionError if two fingerprints differ in a value or a type."""
    pairs = [(getattr(first, name), getattr(second, name)) for name in ("tokens", "offsets", "hashes", "anchors")]
    pairs += list(zip(first.windows, second.windows, strict=True))
    pairs += [(getattr(first.noise, name), getattr(second.noise, name)) for name in ("starts", "ends", "kinds")]
    for one, other in pairs:
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        assert (one == other).all()


def anchor_positions(
    tokens: NDArray[np.uint16], rule: AnchorRule, symbols: NDArray[np.uint16]
) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """fingerprint.seeds.find_anchors."""
    hashes = gram_hashes(tokens, rule, symbols)
    window = 2 * rule.one_in - 1
    if hashes.size < window:
        return hashes[:0], np.zeros(0, np.int32)
    chosen = rightmost_minima(hashes, window)
    chosen = chosen[hashes[chosen] != NEVER]
    return hashes[chosen], chosen.astype(np.int32)


def gram_hashes(tokens: NDArray[np.uint16], rule: AnchorRule, symbols: NDArray[np.uint16]) -> NDArray[np.uint64]:
    """uint64[n - k + 1]: the hash of the run that begins at each position; NEVER where none may be kept."""
    size = tokens.size - rule.tokens + 1
    if size <= 0:
        return np.zeros(0, np.uint64)
    hashes = hash_anchors(tokens, np.arange(size, dtype=np.int32), rule, symbols)
    is_barred = np.zeros(size, np.bool_)
    is_barred[1:] = hashes[1:] == hashes[:-1]
    is_wild = tokens == WILDCARD
    if is_wild.any():
        wild = np.concatenate([[0], np.cumsum(is_wild)])
        is_barred |= wild[rule.tokens :] > wild[: -rule.tokens]
    hashes[is_barred] = NEVER
    return hashes


def rightmost_minima(hashes: NDArray[np.uint64], window: int) -> NDArray[np.int64]:
    """Increasing positions: the rightmost smallest hash of every window of `window` consecutive hashes, each once."""
    windows = hashes.size - window + 1
    least = hashes[:windows].copy()
    place = np.zeros(windows, np.int8)
    for shift in range(1, window):
        candidate = hashes[shift : shift + windows]
        is_lower = candidate <= least
        np.copyto(least, candidate, where=is_lower)
        place[is_lower] = shift
    positions: NDArray[np.int64] = np.arange(windows) + place
    is_new = np.concatenate([[True], positions[1:] != positions[:-1]])
    return np.compress(is_new, positions)


def letter_counts(letters: NDArray[np.uint8], granularity: int, step: int) -> NDArray[np.uint16]:
    """uint16[windows, LETTERS]: how often each letter occurs in each window; every row sums to `granularity`."""
    starts = range(0, letters.size - granularity + 1, step)
    rows = [np.bincount(letters[start : start + granularity], minlength=LETTERS) for start in starts]
    return np.array(rows, np.uint16).reshape(-1, LETTERS)


def pack_digits(values: NDArray[np.uint8], rule: WindowRule) -> NDArray[np.uint8]:
    """uint8[windows, bytes]: the digits of each row as one big-endian number in base max_digit + 1.

    20 digits need 3 bytes for [0,1], 5 for [0,3], 8 for [0,7] and 9 for [0,9] (the source says 8: 10^20 > 2^64).
    """
    width = bytes_per_window(rule)
    if width > WORD_BYTES:
        return _pack_wide(values, rule.max_digit + 1, width)
    places = np.arange(len(rule.letters))[::-1].astype(np.uint64)
    numbers = values.astype(np.uint64) @ (np.uint64(rule.max_digit + 1) ** places)
    return numbers.astype(">u8").view(np.uint8).reshape(-1, WORD_BYTES)[:, WORD_BYTES - width :].copy()


def _pack_wide(values: NDArray[np.uint8], base: int, width: int) -> NDArray[np.uint8]:
    number = np.zeros((values.shape[0], width), np.uint32)
    for digit in values.T:
        number *= np.uint32(base)
        number[:, -1] += digit
        for place in range(width - 1, 0, -1):
            number[:, place - 1] += number[:, place] >> BITS_PER_BYTE
            number[:, place] &= 0xFF
    return number.astype(np.uint8)


def window_fingerprints(letters: NDArray[np.uint8], rule: WindowRule) -> NDArray[np.uint8]:
    """fingerprint.seeds.windows_of_rule, of initials."""
    return pack_digits(window_digits(letter_counts(letters, rule.granularity, rule.step), rule), rule)


def alternatives(codes: NDArray[np.uint32], table: NearTable = NEAR_2026) -> NDArray[np.uint16]:
    """uint16[n, ALTERNATIVES_WIDTH], padded with 0: tokens, other than its own, of characters of like sound.

    codes: uint32[n], code points as they stand in the text (traditional forms are folded here).
    """
    return table.alternatives[table.rows[codes]]


def shape_alternatives(codes: NDArray[np.uint32], table: NearTable = NEAR_2026) -> NDArray[np.uint16]:
    """uint16[n, SHAPE_ALTERNATIVES_WIDTH], padded with 0: further tokens, of common characters that look alike."""
    return table.shape_alternatives[table.rows[codes]]


def are_homophones(
    first: NDArray[np.uint32], second: NDArray[np.uint32], table: NearTable = NEAR_2026
) -> NDArray[np.bool_]:
    """bool[n]: whether any reading of first[i] is one of second[i], tones aside; False where either has none.

    >>> from fingerprint.readings import code_points
    >>> are_homophones(code_points("行行，"), code_points("航走，")).tolist()
    [True, False, False]
    """
    one, other = table.readings[table.rows[first]], table.readings[table.rows[second]]
    is_shared = (one[:, :, None] == other[:, None, :]) & (one[:, :, None] > 0)
    return np.asarray(is_shared.any(axis=(1, 2)))


def are_alike(first: NDArray[np.uint32], second: NDArray[np.uint32], table: NearTable = NEAR_2026) -> NDArray[np.bool_]:
    """bool[n]: whether first[i] and second[i] are different characters that look alike.

    >>> from fingerprint.readings import code_points
    >>> are_alike(code_points("己士己"), code_points("已土己")).tolist()
    [True, True, False]
    """
    one, other = table.rows[first], table.rows[second]
    found = (table.shapes[one] == other[:, None]) | (table.shapes[other] == one[:, None])
    return np.asarray(found.any(axis=1) & (one > 0) & (other > 0))


def are_variants(
    first: NDArray[np.uint32], second: NDArray[np.uint32], table: ReadingTable = READINGS_2026
) -> NDArray[np.bool_]:
    """bool[n]: whether first[i] and second[i] are one character: in simplified form the same, or variants.

    >>> from fingerprint.readings import code_points
    >>> are_variants(code_points("揹彷裏她"), code_points("背仿里他")).tolist()
    [True, True, True, False]
    """
    one, other = (table.folding[codes].astype(np.int64) for codes in (first, second))
    keys = variant_key(np.minimum(one, other), np.maximum(one, other))
    return np.asarray((one == other) | np.isin(keys, variant_pairs(table)))
