"""Edits that insert or delete characters, or swap neighbouring ones."""

from random import Random

import numpy as np

from fingerprint.characters import Kind
from fingerprint.readings import READINGS_2026
from fingerprint.stream import find_runs
from fingerprint.syllables_2026 import SYLLABLES
from fingerprint.tables import TABLES_2026
from laboratory import draws
from laboratory.edits.edited import Edited
from laboratory.edits.material import Material
from laboratory.edits.pieces import Pieces, put_behind, put_in_place
from laboratory.edits.substitution import any_characters, han_places

SPACES = ("\u0020", "\u3000", "\u00a0", "\u2003", "\u2009")
ZERO_WIDTH = ("\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad")
PINYIN = Pieces.of(SYLLABLES)
# Half- and full-width brackets and the two angular kinds, as found on sites.
BRACKETS = (("(", ")"), ("（", "）"), ("[", "]"), ("【", "】"))
PINYIN_IN_BRACKETS = Pieces.of(
    [opening + syllable + closing for opening, closing in BRACKETS for syllable in SYLLABLES]
)


def insertion(page: Edited, strength: float, rng: Random, material: Material) -> Edited:
    """Insert common characters after Han characters; strength: number of insertions per Han character."""
    codes = page.codes
    han = han_places(codes)
    places = han[draws.chosen(rng, han.size, strength)]
    if not places.size:
        return page
    pieces = Pieces.of_codes(any_characters(codes, han, places, rng, material))
    return put_behind(page, places, pieces, np.arange(places.size))


def deletion(page: Edited, strength: float, rng: Random, _material: Material) -> Edited:
    """Delete Han characters; strength: share of them."""
    han = han_places(page.codes)
    kept = np.ones(len(page.text), np.bool_)
    kept[han[draws.chosen(rng, han.size, strength)]] = False
    return page if kept.all() else page.taken(kept)


def swap(page: Edited, strength: float, rng: Random, _material: Material) -> Edited:
    """Swap neighbouring Han characters; strength: share of the characters that have a partner.

    A character is moved once; equal neighbours are not swapped.
    """
    codes = page.codes
    starts, ends = find_runs(TABLES_2026.kinds[codes] == Kind.HAN)
    sizes = ends - starts
    # In a run of odd length one character has no partner: the first of some runs, the last of others.
    firsts = starts + np.where(sizes % 2, draws.words(rng, starts.size) & 1, 0)
    pairs = sizes // 2
    offsets = np.arange(pairs.sum()) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    left = np.repeat(firsts, pairs) + 2 * offsets
    left = left[codes[left] != codes[left + 1]]
    left = left[draws.chosen(rng, left.size, strength)]
    places = np.arange(codes.size)
    places[left], places[left + 1] = left + 1, left
    return page.taken(places) if left.size else page


def pinyin_in_place(page: Edited, strength: float, rng: Random, _material: Material) -> Edited:
    """Replace Han characters by their toneless syllables; strength: share of the Han characters."""
    codes = page.codes
    han = han_places(codes)
    places = han[draws.chosen(rng, han.size, strength)]
    syllables = READINGS_2026.syllables[codes[places]].astype(np.int64)
    return put_in_place(page, places, PINYIN, syllables) if places.size else page


def pinyin_after(page: Edited, strength: float, rng: Random, _material: Material) -> Edited:
    """Insert toneless syllables in brackets after Han characters; each page has one kind of brackets."""
    codes = page.codes
    han = han_places(codes)
    kind = draws.one_below(rng, len(BRACKETS))
    places = han[draws.chosen(rng, han.size, strength)]
    syllables = READINGS_2026.syllables[codes[places]].astype(np.int64) + kind * len(SYLLABLES)
    return put_behind(page, places, PINYIN_IN_BRACKETS, syllables) if places.size else page


def spaces(page: Edited, strength: float, rng: Random, _material: Material) -> Edited:
    """Insert spaces after Han characters, of one kind in each page; strength: share of the Han characters."""
    kind = draws.one_below(rng, len(SPACES))
    han = han_places(page.codes)
    places = han[draws.chosen(rng, han.size, strength)]
    return put_behind(page, places, Pieces.of(SPACES), np.full(places.size, kind)) if places.size else page


def zero_width(page: Edited, strength: float, rng: Random, _material: Material) -> Edited:
    """Insert invisible characters of mixed kinds after Han characters.

    strength: share of the Han characters.
    """
    han = han_places(page.codes)
    places = han[draws.chosen(rng, han.size, strength)]
    kinds = draws.below(rng, np.full(places.size, len(ZERO_WIDTH)))
    return put_behind(page, places, Pieces.of(ZERO_WIDTH), kinds) if places.size else page
