"""Latin letters read as pinyin: tone marks taken off, a run cut into the fewest syllables."""

import unicodedata

from fingerprint.readings import SYLLABLES

MAX_RUN_LETTERS = 40  # longer runs are no pinyin of a few characters; bounds the work for one run
MAX_SYLLABLE_LETTERS = 6  # zhuang
MAX_REMEMBERED_RUNS = 50_000
NO_VOWEL = frozenset({"", "m", "n", "ng", "hm", "hng"})  # readings of interjections; as letters they are no pinyin

Syllables = tuple[tuple[int, int], ...]


class PinyinReader:
    """Cuts runs of letters into syllables, and remembers those that it has cut."""

    def __init__(self, syllables: tuple[str, ...]) -> None:
        self._ids = {name: number for number, name in enumerate(syllables) if name not in NO_VOWEL}
        self._remembered: dict[str, Syllables | None] = {}

    def read(self, run: str) -> Syllables | None:
        """(syllable id, offset in the run) of each syllable; None when the run is no pinyin.

        Tone marks are taken off, ü is v, capitals and full-width letters count as small ones.
        """
        if len(run) > MAX_RUN_LETTERS:
            return None
        if run not in self._remembered:
            if len(self._remembered) >= MAX_REMEMBERED_RUNS:
                self._remembered.clear()
            self._remembered[run] = self._cut("".join(map(_letter, run)))
        return self._remembered[run]

    def _cut(self, letters: str) -> Syllables | None:
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


def _letter(character: str) -> str:
    decomposed = unicodedata.normalize("NFKD", character.lower()).replace("u\u0308", "v")
    return decomposed[:1]


PINYIN = PinyinReader(SYLLABLES)
