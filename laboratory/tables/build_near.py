"""Writes the near table of an algorithm: all readings of each character, and the others that sound or look like it.

    python -m laboratory.tables.build_near 5

Requires pypinyin, Pillow and mplfonts, which only the builders of this package import. The same versions give the same
bytes on one machine; on another the order of equally similar characters may differ. Fingerprints do not depend on this
table; a new one may change the results of verification.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray
from pypinyin.constants import PHRASES_DICT, PINYIN_DICT

from fingerprint.algorithms import ALGORITHMS
from fingerprint.characters import Kind
from fingerprint.letters import NO_VOWEL
from fingerprint.near import ALTERNATIVES_WIDTH, READINGS_WIDTH, SHAPES_WIDTH, pack_arrays
from fingerprint.readings import ReadingTable
from fingerprint.tables import Tables
from laboratory.tables.build_readings import toneless
from laboratory.tables.build_shapes import big5, gb2312, look_alikes

DIGITS = range(ord("0"), ord("9") + 1)
# A reading without a phrase counts as this many uses.
UNSEEN_USES = 0.1
# Minimum share of a token among the replacements of a character by sound, for the token to be listed as an alternative
# if it is not a reading of the character itself.
MIN_SHARE = 0.01

Readings = Mapping[int, tuple[int, ...]]
Uses = Mapping[tuple[int, int], float]


def all_readings(table: ReadingTable) -> dict[int, tuple[int, ...]]:
    """Return the syllable ids of the readings of each simplified character or digit: its token, then by frequency.

    A simplified character also has the first readings of all characters that are folded to it.
    """
    uses = reading_uses(table)
    listed: dict[int, list[int]] = defaultdict(list)
    for code in sorted(PINYIN_DICT):
        folded = int(table.folding[code])
        listed[folded] += _listed_readings(code, table.names)[: None if folded == code else 1]
    for digit in DIGITS:
        listed[digit] = []
    found = {}
    for code, others in sorted(listed.items()):
        if token := int(table.syllables[code]):
            ranked = sorted(dict.fromkeys(others), key=lambda reading: -uses.get((code, reading), 0))
            found[code] = tuple(dict.fromkeys([token, *ranked]))[:READINGS_WIDTH]
    return found


def reading_uses(table: ReadingTable) -> Uses:
    """Return the uses of each (simplified character, syllable id) in the 47,111 phrases of pypinyin."""
    uses: Counter[tuple[int, int]] = Counter()
    for phrase, readings in PHRASES_DICT.items():
        if len(phrase) == len(readings):
            for character, reading in zip(phrase, readings, strict=True):
                uses[int(table.folding[ord(character)]), _syllable_id(reading[0], table.names)] += 1
    return {key: float(count) for key, count in uses.items()}


def sound_alternatives(readings: Readings, uses: Uses) -> Iterator[tuple[int, ...]]:
    """Yield, for each character, the tokens of the characters that may replace it by sound, except its own token."""
    weights = {code: _shares(code, own, uses) for code, own in readings.items()}
    tokens_of_sound: dict[int, dict[int, float]] = defaultdict(
        lambda: defaultdict(float)
    )  # reading -> token -> uses of characters
    for code, own in readings.items():
        for reading in own:
            if (count := uses.get((code, reading), 0)) > 0:
                tokens_of_sound[reading][own[0]] += count
    for code, own in readings.items():
        expected: dict[int, float] = defaultdict(float)
        for reading, share in weights[code].items():
            for token, count in tokens_of_sound[reading].items():
                expected[token] += share * count
        yield _likeliest_tokens(own, expected)


def shapes(codes: list[int], tables: Tables) -> NDArray[np.uint16]:
    """Return uint16[codes, SHAPES_WIDTH], the 1-based positions of the characters that look like each.

    The characters are all of GB 2312 and Big5 in simplified form; their look-alikes are from GB 2312.
    """
    everyday, further, rare = (
        _simplify(characters, tables) for characters in (gb2312(range(16, 56)), gb2312(range(56, 88)), big5())
    )
    places = {chr(code): place for place, code in enumerate(codes, start=1)}
    characters = sorted((everyday | further | rare) & places.keys())
    table = np.zeros((len(codes), SHAPES_WIDTH), np.uint16)
    alike = look_alikes(characters, everyday | further, everyday, SHAPES_WIDTH)
    for character, found in zip(characters, alike, strict=True):
        table[places[character] - 1, : len(found)] = [places[other] for other in found]
    return table


def _simplify(characters: frozenset[str], tables: Tables) -> frozenset[str]:
    folded = (int(tables.readings.folding[ord(character)]) for character in characters)
    return frozenset(chr(code) for code in folded if tables.kinds[code] == Kind.HAN)


def _likeliest_tokens(own: tuple[int, ...], expected: Mapping[int, float]) -> tuple[int, ...]:
    least = MIN_SHARE * sum(expected.values())
    others = [
        token
        for token in sorted(expected, key=lambda token: -expected[token])
        if expected[token] >= least and token not in own
    ]
    return (*own[1:], *others)[:ALTERNATIVES_WIDTH]


def _shares(code: int, own: tuple[int, ...], uses: Uses) -> dict[int, float]:
    counts = {reading: uses.get((code, reading), 0) + UNSEEN_USES for reading in own}
    total = sum(counts.values())
    return {reading: count / total for reading, count in counts.items()}


def _listed_readings(code: int, names: tuple[str, ...]) -> list[int]:
    return [number for reading in PINYIN_DICT[code].split(",") if (number := _syllable_id(reading, names))]


def _syllable_id(reading: str, names: tuple[str, ...]) -> int:
    """Return the syllable id of a reading, or 0 for a reading without a vowel, which only interjections have."""
    name = toneless(reading)
    return names.index(name) if name not in NO_VOWEL and name in names else 0


def _pad(rows: list[tuple[int, ...]], width: int) -> NDArray[np.uint16]:
    table = np.zeros((len(rows), width), np.uint16)
    for number, row in enumerate(rows):
        table[number, : len(row)] = row
    return table


def main(algorithm_id: int) -> None:
    algorithm = ALGORITHMS[algorithm_id]
    table = algorithm.tables.readings
    readings = all_readings(table)
    codes = np.array(list(readings), np.uint32)
    alternatives = _pad(list(sound_alternatives(readings, reading_uses(table))), ALTERNATIVES_WIDTH)
    unique, numbers = np.unique(alternatives, axis=0, return_inverse=True)
    alike = shapes(list(readings), algorithm.tables)
    sounds = _pad(list(readings.values()), READINGS_WIDTH)
    data = pack_arrays([codes, sounds, unique, numbers.astype(np.uint16), alike])
    algorithm.near.path.write_bytes(data)
    pairs = np.count_nonzero(alike)
    sys.stdout.write(f"{codes.size} characters, {pairs} pairs of like shape, {len(data)} bytes\n")


if __name__ == "__main__":
    main(int(sys.argv[1]))
