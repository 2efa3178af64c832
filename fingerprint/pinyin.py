"""Reads Latin letters as pinyin: removes tone marks, and splits runs of letters into as few syllables as possible."""

import unicodedata
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from fingerprint.characters import Kind
from fingerprint.letters import LETTERS, NO_VOWEL, letter_number

MAX_RUN_LETTERS = 40  # longer runs are not pinyin of a few characters; bounds the work for one run
MAX_SYLLABLE_LETTERS = 6  # zhuang
MAX_CACHED_RUNS = 50_000
LETTER_CODES = 1 << 16  # every Latin letter that is read is below

Syllables = tuple[tuple[int, int], ...]


class PinyinReader:
    """Splits runs of letters into syllables, and caches the results."""

    def __init__(self, names: tuple[str, ...], kinds: NDArray[np.uint8]) -> None:
        """Create a reader. names: the syllables by id; kinds: uint8[code point], a `Kind`."""
        self._ids = {name: number for number, name in enumerate(names) if name not in NO_VOWEL}
        self._kinds = kinds
        self._cached: dict[str, Syllables | None] = {}

    def split_run(self, run: str) -> Syllables | None:
        """Return the id and the offset in the run of each syllable, or None if the run is not pinyin.

        Tone marks are removed, ü is v, and capitals and full-width letters count as lower case.
        """
        if len(run) > MAX_RUN_LETTERS:
            return None
        if run not in self._cached:
            if len(self._cached) >= MAX_CACHED_RUNS:
                self._cached.clear()
            self._cached[run] = self._fewest_syllables("".join(map(letter_without_marks, run)))
        return self._cached[run]

    @cached_property
    def letters(self) -> NDArray[np.uint8]:
        """The number of each Latin letter, 1 to 26, regardless of marks, case and width, uint8[LETTER_CODES].

        0 for others.
        """
        kinds = self._kinds[:LETTER_CODES]
        table = np.zeros(LETTER_CODES, np.uint8)
        for code in np.flatnonzero((kinds == Kind.LATIN) | (kinds == Kind.FULL_WIDTH_LATIN)).tolist():
            table[code] = letter_number(letter_without_marks(chr(code)))
        return table

    @cached_property
    def trie(self) -> NDArray[np.int32]:
        """The trie of all syllables, int32[nodes, LETTERS]: the node after each letter, or 0.

        Column 0 contains the id of the syllable that ends at the node, or 0.
        """
        rows = [[0] * LETTERS]
        for name, number in self._ids.items():
            node = 0
            for letter in map(letter_number, name):
                if not rows[node][letter]:
                    rows[node][letter] = len(rows)
                    rows.append([0] * LETTERS)
                node = rows[node][letter]
            rows[node][0] = number
        return np.array(rows, np.int32)

    def _fewest_syllables(self, letters: str) -> Syllables | None:
        fewest: list[Syllables | None] = [None] * len(letters) + [()]
        for start in range(len(letters) - 1, -1, -1):
            for end in range(min(len(letters), start + MAX_SYLLABLE_LETTERS), start, -1):
                rest, number = fewest[end], self._ids.get(letters[start:end])
                if rest is None or number is None:
                    continue
                best = fewest[start]
                if best is None or len(rest) + 1 < len(best):
                    fewest[start] = ((number, start), *rest)
        return fewest[0]


@lru_cache(maxsize=4096)  # texts use a few hundred distinct letters
def letter_without_marks(character: str) -> str:
    """Return the lower-case form of a Latin letter, without marks and width; ü is v.

    >>> "".join(map(letter_without_marks, "Lǜ"))
    'lv'
    """
    decomposed = unicodedata.normalize("NFKD", character.lower()).replace("u\u0308", "v")
    return decomposed[:1]
