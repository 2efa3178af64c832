"""Edits that replace single characters: the text keeps its length, and each character its origin."""

from random import Random

import numpy as np
from numpy.typing import NDArray

from fingerprint.characters import Kind
from fingerprint.tables import TABLES_2026
from laboratory import draws
from laboratory.edits.confusion import Confusions
from laboratory.edits.edited import Edited
from laboratory.edits.material import Material
from laboratory.edits.scripts import SCRIPTS

PRIVATE_USE = range(0xE000, 0xF900)
MORE_PRIVATE_USE = 0xF0000  # beyond 6,400 different characters


def homophone(page: Edited, strength: float, rng: Random, material: Material) -> Edited:
    """Replace Han characters by others of the same toneless syllable; strength: share of the Han characters."""
    return _confused(page, strength, rng, material.homophones)


def fuzzy_sound(page: Edited, strength: float, rng: Random, material: Material) -> Edited:
    """Replace Han characters by others of an often confused syllable (zh/z, n/l, ng/n, f/h).

    strength: as for shape.
    """
    return _confused(page, strength, rng, material.fuzzy_sounds)


def shape(page: Edited, strength: float, rng: Random, material: Material) -> Edited:
    """Replace Han characters by similar ones; strength: share of the Han characters, if enough have candidates."""
    return _confused(page, strength, rng, material.shapes, keep_form=True)


def traditional_variants(page: Edited, strength: float, rng: Random, material: Material) -> Edited:
    """Replace characters by their variants (裏裡, 爲為, 发發髮); strength: share of the characters that have any."""
    return _confused(page, strength, rng, material.variants, keep_form=True)


def random_characters(page: Edited, strength: float, rng: Random, material: Material) -> Edited:
    """Replace Han characters by other common characters; strength: share of the Han characters."""
    codes = page.codes
    han = han_places(codes)
    places = han[draws.chosen(rng, han.size, strength)]
    return _replaced(page, places, any_characters(codes, han, places, rng, material)) if places.size else page


def private_use(page: Edited, strength: float, rng: Random, material: Material) -> Edited:
    """Replace Han characters by private-use code points, as sites with their own font do.

    strength: share of the Han characters, met approximately, because all occurrences of a character change together.
    """
    codes = page.codes
    han = han_places(codes)
    kinds, which, counts = np.unique(codes[han], return_inverse=True, return_counts=True)
    wanted = draws.share(rng, han.size, strength)
    mixed = draws.order(rng, kinds.size)
    sums = np.cumsum(counts[mixed])
    hidden = mixed[2 * sums - counts[mixed] < 2 * wanted]
    glyphs = np.concatenate([draws.order(rng, len(PRIVATE_USE)) + PRIVATE_USE.start, _beyond(kinds.size)])
    table = kinds.copy()
    table[hidden] = glyphs[: hidden.size]
    return _replaced(page, han, table[which]) if hidden.size else page


def han_places(codes: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return int64[k], the positions of the Han characters."""
    return np.flatnonzero(TABLES_2026.kinds[codes] == Kind.HAN)


def any_characters(
    codes: NDArray[np.uint32], han: NDArray[np.int64], places: NDArray[np.int64], rng: Random, material: Material
) -> NDArray[np.uint32]:
    """Return, for each place, a common character other than the one there, in the script of the text.

    Half of them are drawn from the text itself, in proportion to their frequency, like real slips.
    """
    there = codes[places]
    common = SCRIPTS.as_in(material.common, codes)
    numbers = draws.below(rng, np.full(places.size, common.size))
    drawn, following = common[numbers], common[(numbers + 1) % common.size]
    own = codes[han][draws.below(rng, np.full(places.size, han.size))]
    mixed = np.where(draws.words(rng, places.size) & 1, own, drawn)
    mixed = np.where(mixed == there, drawn, mixed)
    return np.where(mixed == there, following, mixed).astype(np.uint32)


def _confused(page: Edited, strength: float, rng: Random, confusions: Confusions, keep_form: bool = False) -> Edited:
    codes = page.codes
    able = confusions.places(codes)
    places = able[draws.chosen(rng, able.size, strength, of=max(han_places(codes).size, able.size))]
    if not places.size:
        return page
    written = confusions.drawn(codes[places], rng)
    if not keep_form:
        formed = SCRIPTS.as_in(written, codes)
        written = np.where(formed == codes[places], written, formed)
    return _replaced(page, places, written)


def _replaced(page: Edited, places: NDArray[np.int64], written: NDArray[np.uint32]) -> Edited:
    codes = page.codes.copy()
    codes[places] = written
    return page.with_codes(codes)


def _beyond(kinds: int) -> NDArray[np.int64]:
    return np.arange(MORE_PRIVATE_USE, MORE_PRIVATE_USE + max(kinds - len(PRIVATE_USE), 0))
