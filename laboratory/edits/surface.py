"""Edits of punctuation and of the width of characters."""

from functools import cache
from random import Random

import numpy as np
from numpy.typing import NDArray

from fingerprint.readings import CODE_POINTS, code_points
from laboratory import draws
from laboratory.edits.confusion import Confusions
from laboratory.edits.edited import Edited
from laboratory.edits.material import Material
from laboratory.edits.pieces import Pieces, put_behind
from laboratory.edits.substitution import han_places

# The marks of a group are interchangeable.
MARKS = (
    "，,、；", "。．.！", "？?", "！!。", "：:；", "；;，", '“「『"', '”」』"',
    "‘『「'", "’』」'", "（(［〔", "）)］〕", "…·—", "《〈「", "》〉」",
)  # fmt: skip
ADDED_MARKS = "，。、；！"
# There is a mark for 5.1 Han characters in novels, 9.4 in wiki texts, 9.9 in news (medians of single_dev, wiki_dev and
# news_xwlb_dev, 2026-11): at strength 1 a third as many again are added to a novel, two thirds to news. Not tuned.
HAN_CHARS_PER_ADDED_MARK = 14

HALF_WIDTH = "".join(map(chr, range(0x21, 0x7F))) + " ｡､｢｣･"
FULL_WIDTH = "".join(map(chr, range(0xFF01, 0xFF5F))) + "\u3000。、「」・"


def punctuation(page: Edited, strength: float, rng: Random, _material: Material) -> Edited:
    """Change half of the chosen marks, drop the others, and add some; strength: share of the marks.

    At strength 1, one mark is added for each HAN_CHARS_PER_ADDED_MARK Han characters.
    """
    codes = page.codes.copy()
    marks = _marks()
    able = marks.places(codes)
    taken = draws.chosen(rng, able.size, strength)
    places, changed = able[taken], (draws.words(rng, able.size) & 1).astype(np.bool_)[taken]
    codes[places[changed]] = marks.drawn(codes[places[changed]], rng)
    han = han_places(codes)
    behind = han[draws.chosen(rng, han.size, strength / HAN_CHARS_PER_ADDED_MARK)]
    if not places.size and not behind.size:
        return page
    kept = np.ones(codes.size, np.bool_)
    kept[places[~changed]] = False
    positions = (np.cumsum(kept) - 1)[behind]
    numbers = draws.below(rng, np.full(behind.size, len(ADDED_MARKS)))
    return put_behind(page.with_codes(codes).taken(kept), positions, Pieces.of(ADDED_MARKS), numbers)


def width(page: Edited, strength: float, rng: Random, _material: Material) -> Edited:
    """Convert half-width characters to full width and vice versa; strength: share of the convertible characters."""
    codes = page.codes.copy()
    other = _other_width()
    able = np.flatnonzero(other[codes] != codes)
    places = able[draws.chosen(rng, able.size, strength)]
    codes[places] = other[codes[places]]
    return page.with_codes(codes) if places.size else page


@cache
def _marks() -> Confusions:
    return Confusions.of_alike(MARKS)


@cache
def _other_width() -> NDArray[np.uint32]:
    table = np.arange(CODE_POINTS, dtype=np.uint32)
    half, full = code_points(HALF_WIDTH), code_points(FULL_WIDTH)
    table[half], table[full] = full, half
    return table
