"""Folded syllables: syllables that people confuse by ear have one symbol, so that confusions leave anchors unchanged.

A syllable is reduced to three coarse parts: the place of articulation of its initial, the glide, and the rhyme.
Aspirated or not, stop or fricative, dental or retroflex (b/p, d/t, g/k, j/q/x, z/c/s/zh/ch/sh), n or l are one initial.
u and ü are one sound. -n and -ng after a or e are one rhyme; ao and ou are another. Algorithm 5 depends on this, so it
must never change. Chosen by measurement: docs/decisions/fingerprint-and-index.md.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprint.letters import NO_VOWEL, TOKENS

# Of two initials that begin alike, the longer one comes first. y and w are glides and no initials.
PLACES = {
    **dict.fromkeys(("zh", "ch", "sh", "z", "c", "s"), "z"),
    **dict.fromkeys(("b", "p"), "b"),
    **dict.fromkeys(("d", "t"), "d"),
    **dict.fromkeys(("n", "l"), "l"),
    **dict.fromkeys(("g", "k"), "g"),
    **dict.fromkeys(("j", "q", "x"), "j"),
    **{letter: letter for letter in ("m", "f", "h", "r")},
}
# Syllables that pinyin abbreviates, and glides that it writes as initials; u after j, q, x and y is ü, here equal to u.
SPELLED_OUT = {"iu": "iou", "ui": "uei", "un": "uen", "in": "ien", "ing": "ieng", "ong": "ueng", "iong": "ueng"}
ROUNDED_BEHIND_LIPS = ("b", "p", "m", "f")  # bo is buo
GLIDES = "iu"
RHYMES = {**dict.fromkeys(("an", "ang", "en", "eng"), "n"), **dict.fromkeys(("ao", "ou"), "ao")}

Folded = tuple[str, str, str]


def folded_symbols(names: tuple[str, ...]) -> NDArray[np.uint16]:
    """Return the symbol of every token, uint16[65536]: from 1 in the order of the syllables, or 0 without a syllable.

    names: the syllables by id; the name of id 0 is "".

    >>> folded_symbols(("", "shang", "xi", "cen"))[:5].tolist()
    [0, 1, 2, 1, 0]
    """
    numbers: dict[Folded, int] = {}
    table = np.zeros(TOKENS, np.uint16)
    for token, name in enumerate(names[1:], start=1):
        table[token] = numbers.setdefault(fold_syllable(name), len(numbers) + 1)
    return table


def fold_syllable(name: str) -> Folded:
    """Return the folded initial, glide and rhyme of a toneless syllable; any of them may be empty.

    >>> fold_syllable("zhuang"), fold_syllable("yuan"), fold_syllable("liu"), fold_syllable("er")
    (('z', 'u', 'n'), ('', 'u', 'n'), ('l', 'i', 'ao'), ('', '', 'er'))
    """
    if name in NO_VOWEL:
        return name, "", ""
    initial = next((start for start in PLACES if name.startswith(start)), "")
    final = _spell_out(initial, name.removeprefix(initial))
    has_glide = len(final) > 1 and final[0] in GLIDES
    glide, rhyme = (final[0], final[1:]) if has_glide else ("", final)
    return PLACES.get(initial, ""), glide, RHYMES.get(rhyme, rhyme)


def _spell_out(initial: str, written: str) -> str:
    final = written.replace("v", "u")
    if final[0] == "y":
        final = final[1:] if final[1] in GLIDES else "i" + final[1:]
    elif final[0] == "w":
        final = final[1:] if final[1] in GLIDES else "u" + final[1:]
    if initial in ROUNDED_BEHIND_LIPS and final == "o":
        final = "uo"
    return SPELLED_OUT.get(final, final)
