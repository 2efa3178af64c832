"""The script of a text changed with OpenCC, simplified to traditional or back, whichever it is not in."""

from itertools import pairwise
from random import Random

import numpy as np
from numpy.typing import NDArray
from opencc import OpenCC

from laboratory.edits import draws
from laboratory.edits.edited import Edited
from laboratory.edits.material import Material
from laboratory.edits.pieces import ranges
from laboratory.edits.scripts import SCRIPTS
from laboratory.edits.sentences import sentence_ends

SURROGATES = range(0xD800, 0xE000)
REPLACEMENT = 0xFFFD
# The standards that a site may have: OpenCC's own, Taiwan's, Hong Kong's.
TRADITIONAL_STANDARDS = ("s2t", "s2tw", "s2hk")
SIMPLIFIED_STANDARD = "t2s"


def script(page: Edited, strength: float, rng: Random, material: Material) -> Edited:
    """Whole sentences in the other script; strength: share of the sentences."""
    del material
    codes = page.codes
    standard = TRADITIONAL_STANDARDS[draws.one_below(rng, len(TRADITIONAL_STANDARDS))]
    standard = SIMPLIFIED_STANDARD if SCRIPTS.is_traditional(codes) else standard
    ends = sentence_ends(codes)
    sentences = draws.chosen(rng, ends.size, strength)
    if not sentences.size:
        return page
    ends = np.concatenate([[0], ends])
    mask = np.zeros(codes.size, np.bool_)
    mask[ranges(ends[sentences], (ends[1:] - ends[:-1])[sentences])] = True
    converted = _converted(codes, OpenCC(standard))
    if converted.size == codes.size:
        return page.with_codes(np.where(mask, converted, codes))
    return _by_sentence(page, ends, mask, OpenCC(standard))


def _by_sentence(page: Edited, ends: NDArray[np.int64], mask: NDArray[np.bool_], converter: OpenCC) -> Edited:
    """For texts with words that are longer in the other script: what differs stands for what it took the place of."""
    codes, origins = page.codes, page.origins
    parts, places = [], []
    for start, end in pairwise(ends.tolist()):
        sentence = codes[start:end]
        written = _converted(sentence, converter) if mask[start] else sentence
        parts.append(written)
        places.append(start + _places(sentence, written))
    return Edited.of_codes(np.concatenate(parts), origins[np.concatenate(places)])


def _places(before: NDArray[np.uint32], after: NDArray[np.uint32]) -> NDArray[np.int64]:
    """int64[len(after)]: which character each stands for; between what both begin and end with, in even steps."""
    if before.size == after.size:
        return np.arange(after.size)
    common = min(before.size, after.size)
    head = int(np.argmin(np.append(before[:common] == after[:common], False)))
    rest = common - head
    tail = int(np.argmin(np.append(before[::-1][:rest] == after[::-1][:rest], False)))
    middle = after.size - head - tail
    width = before.size - head - tail
    steps = head + np.arange(middle) * max(width, 1) // max(middle, 1)
    return np.concatenate([np.arange(head), steps, np.arange(before.size - tail, before.size)])


def _converted(codes: NDArray[np.uint32], converter: OpenCC) -> NDArray[np.uint32]:
    """OpenCC takes no lone surrogates: they are kept from it and put back where the length allows."""
    is_surrogate = (codes >= SURROGATES.start) & (codes < SURROGATES.stop)
    text = np.where(is_surrogate, REPLACEMENT, codes).astype("<u4").tobytes().decode("utf-32-le")
    written = np.frombuffer(converter.convert(text).encode("utf-32-le"), "<u4")
    return np.where(is_surrogate, codes, written) if written.size == codes.size else written
