"""Splits texts into units: sentences of similar length, each with one vector, and their offsets in the text as given.

Blocks are runs of units that are looked up together, since a passage may be a small part of a page.
"""

import re
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fingerprint.readings import fold_variants

Units = NDArray[np.int32]  # int32[units, 2]: start and end in code points of the text as given, ascending, disjoint

# A sentence of 48 characters says some two things, one of 10 hardly one: bounds and target of the design, in which no
# others were tried. The values for Latin text are three to four times as long, like translations of Chinese.
MIN_HAN, MAX_HAN, TARGET_HAN = 10, 48, 30
MIN_LATIN, MAX_LATIN, TARGET_LATIN = 30, 180, 100
MIN_LETTERS = 4  # a shorter unit is a number, a cry or an ornament, and left out
LATIN_PER_HAN = 3  # letters: an English word has some five, a Chinese one less than two

_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_NO_LETTERS = re.compile(r"[\W_]+")
_ENDS = re.compile(r"[。！？!?；;…]+[”’」』）)\"]*|\n+")
_LATIN_ENDS = re.compile(r"[.!?;]+[\"”’')]*(?=\s|$)|\n+")
_PAUSES = re.compile('[，,：:、—]+[”’」』）)"]*')
_LATIN_PAUSES = re.compile(r"[,:—–]+[\"”’')]*\s|\s-+\s")
_GAPS = re.compile("\\s+")
Block = tuple[int, int]  # [start, end) in sentences


def is_latin(text: str) -> bool:
    """Return whether to split a text as English: it has at least three times more Latin letters than characters.

    >>> is_latin("There was a mountain (山)."), is_latin("从前有座山。There was one.")
    (True, False)
    """
    return len(_LATIN.findall(text)) > LATIN_PER_HAN * max(1, len(_HAN.findall(text)))


def sentence_units(text: str) -> Units:
    """Split a text at sentence ends; split long sentences at pauses, and join short ones to a neighbour.

    A unit is at most 48 characters long (180 in Latin text) and has at least 10 letters (30) if a neighbour can be
    joined. An empty text has no units.

    >>> text = "他走了。那一年的冬天，雪下得很大很大。我在河边遇见一位老人！"
    >>> [text[start:end] for start, end in sentence_units(text)]
    ['他走了。那一年的冬天，雪下得很大很大。', '我在河边遇见一位老人！']
    """
    is_latin_text = is_latin(text)
    min_chars, max_chars = (MIN_LATIN, MAX_LATIN) if is_latin_text else (MIN_HAN, MAX_HAN)
    parts = []
    for start, end in _split_sentences(text, is_latin_text):
        parts += _split_long_sentence(text, start, end, is_latin_text) if end - start > max_chars else [(start, end)]
    joined = _join_short_parts(text, parts, min_chars, max_chars)
    return np.array(joined, np.int32).reshape(-1, 2)


def fold_characters(text: str) -> str:
    """Return the text with traditional characters simplified; the length and all offsets are unchanged.

    >>> fold_characters("後臺網絡")
    '后台网络'
    """
    return fold_variants(text).tobytes().decode("utf-32-le", "replace")


def _split_sentences(text: str, is_latin_text: bool) -> list[tuple[int, int]]:
    """Return the range of each sentence without surrounding space; none is empty."""
    ends = [match.end() for match in (_LATIN_ENDS if is_latin_text else _ENDS).finditer(text)]
    stripped = (_strip_range(text, start, end) for start, end in pairwise([0, *ends, len(text)]))
    return [(start, end) for start, end in stripped if start < end]


def _strip_range(text: str, start: int, end: int) -> tuple[int, int]:
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())


def _split_long_sentence(text: str, start: int, end: int, is_latin_text: bool) -> list[tuple[int, int]]:
    """Return the parts of a long sentence, of similar length, each cut at the pause nearest to the ideal position.

    Without a pause, a part is cut at a space in Latin text, otherwise at the ideal position.
    """
    min_chars, max_chars, target_chars = (
        (MIN_LATIN, MAX_LATIN, TARGET_LATIN) if is_latin_text else (MIN_HAN, MAX_HAN, TARGET_HAN)
    )
    pauses = [match.end() for match in (_LATIN_PAUSES if is_latin_text else _PAUSES).finditer(text, start, end)]
    parts = []
    while end - start > max_chars:
        part_count = max(2, round((end - start) / target_chars))
        ideal_cut = start + (end - start) // part_count
        cuts = [cut for cut in pauses if start + min_chars <= cut <= min(start + max_chars, end - min_chars)]
        if not cuts and is_latin_text:
            cuts = [match.end() for match in _GAPS.finditer(text, start + min_chars, min(start + max_chars, end))]
        cut = min(cuts, key=lambda position: abs(position - ideal_cut)) if cuts else ideal_cut
        parts.append(_strip_range(text, start, cut))
        start = cut
    return [(first, last) for first, last in [*parts, _strip_range(text, start, end)] if first < last]


def _join_short_parts(
    text: str, parts: list[tuple[int, int]], min_letters: int, max_chars: int
) -> list[tuple[int, int]]:
    """Return the parts, those with too few letters joined to a neighbour if both fit into one unit."""
    joined: list[tuple[int, int, int]] = []
    for start, end in parts:
        letters = len(_NO_LETTERS.sub("", text[start:end]))
        if joined:
            first, last, letters_before = joined[-1]
            is_near = end - first <= max_chars and len(text[last:start].strip()) == 0
            if is_near and (letters_before < min_letters or letters < min_letters):
                joined[-1] = (first, end, letters_before + letters)
                continue
        joined.append((start, end, letters))
    return [(start, end) for start, end, letters in joined if letters >= MIN_LETTERS]


def blocks(units: int, size: int, step: int) -> list[Block]:
    """Return the ranges [start, end) of blocks of `size` sentences; the last block is full if possible.

    >>> blocks(5, 16, 8), blocks(20, 16, 8), blocks(0, 16, 8)
    ([(0, 5)], [(0, 16), (4, 20)], [])
    """
    if not units:
        return []
    last = max(0, units - size)
    return [(start, min(units, start + size)) for start in [*range(0, last, step), last]]
