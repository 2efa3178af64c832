"""Converts the script of a text with OpenCC, from simplified to traditional or back."""

from functools import cache
from itertools import pairwise
from random import Random

import numpy as np
from numpy.typing import NDArray
from opencc import OpenCC
from rapidfuzz.distance import Levenshtein

from fingerprint.readings import READINGS_2026
from laboratory import draws
from laboratory.edits.edited import Edited
from laboratory.edits.material import Material
from laboratory.edits.pieces import ranges
from laboratory.edits.scripts import SCRIPTS
from laboratory.edits.sentences import sentence_ends

SURROGATES = range(0xD800, 0xE000)
REPLACEMENT = 0xFFFD
# The standards that sites use: OpenCC's own, Taiwan's with or without its vocabulary, Hong Kong's.
TO_TRADITIONAL = ("s2t", "s2tw", "s2twp", "s2hk")
TO_SIMPLIFIED = ("t2s", "tw2s", "tw2sp", "hk2s")
# Text without punctuation is aligned in pieces, because the time grows with the square of the length.
MAX_PIECE_CHARS = 500


def script(page: Edited, strength: float, rng: Random, _material: Material) -> Edited:
    """Convert whole sentences to the other script; strength: share of the sentences."""
    codes = page.codes
    standards = TO_SIMPLIFIED if SCRIPTS.is_traditional(codes) else TO_TRADITIONAL
    converter = _converter(standards[draws.one_below(rng, len(standards))])
    ends = sentence_ends(codes)
    sentences = draws.chosen(rng, ends.size, strength)
    if not sentences.size:
        return page
    ends = np.concatenate([[0], ends])
    mask = np.zeros(codes.size, np.bool_)
    mask[ranges(ends[sentences], (ends[1:] - ends[:-1])[sentences])] = True
    converted = _converted(codes, converter)
    if converted.size == codes.size:
        return page.with_codes(np.where(mask, converted, codes))
    return _piece_by_piece(page, ends, mask, converter)


@cache
def _converter(standard: str) -> OpenCC:
    """Return a cached converter: loading one takes as long as converting 700,000 characters."""
    return OpenCC(standard)


def _piece_by_piece(page: Edited, ends: NDArray[np.int64], mask: NDArray[np.bool_], converter: OpenCC) -> Edited:
    """Convert a text with words that are longer or shorter in the other script (互联网, 網際網路)."""
    codes = page.codes
    cuts = np.union1d(ends, np.arange(0, codes.size, MAX_PIECE_CHARS))
    parts, places = [], []
    for start, end in pairwise(cuts.tolist()):
        piece = codes[start:end]
        written = _converted(piece, converter) if mask[start] else piece
        parts.append(written)
        places.append(start + _places(piece, written))
    return Edited.of_codes(np.concatenate(parts), page.origins[np.concatenate(places)])


def _places(before: NDArray[np.uint32], after: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return int64[len(after)], non-decreasing: the character that each stands for, evenly spaced in replaced words."""
    if before.size == after.size:
        return np.arange(after.size)
    places = np.zeros(after.size, np.int64)
    for block in Levenshtein.opcodes(READINGS_2026.folding[before].tolist(), READINGS_2026.folding[after].tolist()):
        size, width = block.dest_end - block.dest_start, block.src_end - block.src_start
        first = block.src_start if width else max(block.src_start - 1, 0)  # insertions stand for the character before
        places[block.dest_start : block.dest_end] = first + np.arange(size) * width // max(size, 1)
    return places


def _converted(codes: NDArray[np.uint32], converter: OpenCC) -> NDArray[np.uint32]:
    """Return the converted characters. Lone surrogates, which OpenCC rejects, are restored if the length is equal."""
    is_surrogate = (codes >= SURROGATES.start) & (codes < SURROGATES.stop)
    text = np.where(is_surrogate, REPLACEMENT, codes).astype("<u4").tobytes().decode("utf-32-le")
    written = np.frombuffer(converter.convert(text).encode("utf-32-le"), "<u4")
    return np.where(is_surrogate, codes, written) if written.size == codes.size else written
