"""What was strewn between the characters of a text: zero-width characters, spaces, pinyin, letters of odd width, marks.

Each kind is undone only where it is too much to be accident; a page with one stray blank stays as it is.
"""

import re
import unicodedata
from collections import Counter
from functools import lru_cache

import numpy as np

from core.obfuscations import Obfuscation, ObfuscationFound
from core.text import TextRange
from crawler.characters.repertoire import count_han
from crawler.obfuscation.repaired import EXAMPLE_CHARS
from crawler.obfuscation.repairs import Repair, TextRepair
from fingerprint.near import NEAR_2026
from fingerprint.noise import Noise
from fingerprint.normalization import normalize
from fingerprint.readings import code_points
from fingerprint.tables import TABLES_2026

_CONTEXT_CHARS = 6
# How many, and what share of the Han characters, is no accident. On the 58 development pages (2026-11) no main text has
# more than what is said here.
MIN_COUNT = 3
MIN_SHARES = {Obfuscation.ZERO_WIDTH: 0.005, Obfuscation.PINYIN_INSERTED: 0.01, Obfuscation.SPACES: 0.05}
MIN_SPACES = 8
MIN_FULL_WIDTH = 8  # letters; 央视 and the like write a full-width abbreviation now and then
# Marks that no Chinese sentence has between two characters, and those that it has, but not that often.
_ODD_MARKS = "*#^~_|\\/`@&+=$%<>·•●○◆◇■□▲△★☆※→←↑↓‖¦¤§¨°´¸¬.,;:!?'\"-–—‐‑゛゜｡､｢｣・﹒﹑﹐"
_TRUE_MARKS = "。，、；：！？…"
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_BETWEEN = re.compile(f"(?<=[{_HAN}])([{re.escape(_ODD_MARKS + _TRUE_MARKS)}]{{1,3}})(?=[{_HAN}])")
# Noise is everywhere, lists and names are here and there: of all stretches of so many Han characters, most have at
# least so many of the mark. Names as 喬治·利奧波德 and lists as 越南、老挝、缅甸 never fill three quarters of a
# text, and of the marks that part clauses no text has six in 24 characters (2,400 novels, news and articles, 2026-11).
STRETCH_HAN, MIN_STRETCHES = 24, 3
MIN_FILLED_SHARE = 0.75
_MIN_IN_STRETCH = {"·": 2, "・": 2, "•": 2, "、": 3, "，": 6, "。": 6, "；": 3, "：": 3, "！": 4, "？": 4, "…": 4}
_HALF_KANA_MARKS = str.maketrans("｡､｢｣･", "。、「」·")
_HAN_OR_MARK = re.compile(f"([{_HAN}])|[^\\s]")
_LETTERS = re.compile(r"[^\W\d_]+")
_NO_HAN = re.compile(f"[^{_HAN}]+")
_MAX_BEFORE = 4  # characters looked through for each that is spelt out: others strewn in between
_FULL_WIDTH = re.compile("[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]")
_FULL_WIDTH_LETTER = re.compile("[\uff21-\uff3a\uff41-\uff5a]")
_COMPATIBLE = re.compile("[\u2e80-\u2fdf\uf900-\ufaff\U0002f800-\U0002fa1f]")


def _without_kind(kind: Obfuscation, min_count: int = MIN_COUNT) -> TextRepair:
    def step(text: str, _host: str) -> tuple[str, ObfuscationFound | None]:
        ranges = [where for where, found in _noise(text).items() if found is kind]
        if kind is Obfuscation.PINYIN_INSERTED:
            ranges = [where for where in ranges if _is_spelt_out(text, where)]
        if len(ranges) < max(min_count, MIN_SHARES[kind] * count_han(text)):
            return text, None
        parts, at = [], 0
        for where in ranges:
            if "\n" in text[where.start : where.end]:
                continue
            parts.append(text[at : where.start])
            at = where.end
        first = ranges[0]
        return "".join([*parts, text[at:]]), ObfuscationFound(kind, len(ranges), _around(text, first.start, first.end))

    return step


def _is_spelt_out(text: str, where: TextRange) -> bool:
    """Whether letters give the sound of what stands before them, by any of its readings: 雾(wu), but not 方法(main)."""
    runs = [TABLES_2026.pinyin.read(run) for run in _LETTERS.findall(text[where.start : where.end])]
    syllables = [syllable for run in runs if run for syllable, _ in run]
    before = _NO_HAN.sub("", text[max(0, where.start - _MAX_BEFORE * len(syllables)) : where.start])[-len(syllables) :]
    if not syllables or len(before) < len(syllables):
        return False
    readings = NEAR_2026.readings[NEAR_2026.rows[code_points(before)]]
    return bool((readings == np.array(syllables, np.uint16)[:, None]).any(axis=1).all())


@lru_cache(maxsize=1)  # three steps look at the same text
def _noise(text: str) -> Noise:
    return normalize(text).noise


def _in_usual_width(text: str, _host: str) -> tuple[str, ObfuscationFound | None]:
    """Letters in full width, marks in half width and characters in forms kept for old encodings, as they are usual."""
    letters = _FULL_WIDTH_LETTER.findall(text)
    compatible = _COMPATIBLE.findall(text)
    marks = sum(text.count(mark) for mark in "｡､｢｣")
    changed, count = text, 0
    if len(letters) >= MIN_FULL_WIDTH:
        changed = _FULL_WIDTH.sub(lambda match: chr(ord(match[0]) - 0xFEE0), changed)
        count += len(letters)
    if len(set(compatible)) >= MIN_COUNT:  # an edition may lack one character; several different ones are meant
        changed = _COMPATIBLE.sub(lambda match: _plain(match[0]), changed)
        count += len(compatible)
    if marks >= MIN_COUNT:
        changed = changed.translate(_HALF_KANA_MARKS)
        count += marks
    if changed == text:
        return text, None
    first = next(number for number, (old, new) in enumerate(zip(text, changed, strict=True)) if old != new)
    return changed, ObfuscationFound(Obfuscation.FULL_WIDTH, count, _around(text, first, first + 1))


def _plain(char: str) -> str:
    folded = unicodedata.normalize("NFKC", char)
    return folded if len(folded) == 1 else char


def _without_marks(text: str, _host: str) -> tuple[str, ObfuscationFound | None]:
    matches = list(_BETWEEN.finditer(text))
    kinds = Counter(char for match in matches for char in match[1])
    noise = {char for char, count in kinds.items() if count >= MIN_STRETCHES and _is_noise(char, text)}
    if not noise:
        return text, None
    taken = [match for match in matches if set(match[1]) & noise]
    cleaned = _BETWEEN.sub(lambda match: "".join(char for char in match[1] if char not in noise), text)
    return cleaned, ObfuscationFound(
        Obfuscation.PUNCTUATION_NOISE, len(taken), _around(text, taken[0].start(), taken[0].end())
    )


def _is_noise(char: str, text: str) -> bool:
    least = _MIN_IN_STRETCH.get(char, 1)
    if text.count(char) < MIN_FILLED_SHARE * least * (count_han(text) // STRETCH_HAN):
        return False  # too few to fill most stretches, wherever they stand
    counts = [0]
    han = 0
    for match in _HAN_OR_MARK.finditer(text):
        if match[0] == char:
            counts[-1] += 1
        elif match[1]:
            han += 1
            if han % STRETCH_HAN == 0:
                counts.append(0)
    whole = counts[:-1]
    filled = sum(1 for count in whole if count >= least)
    return len(whole) >= MIN_STRETCHES and filled >= MIN_FILLED_SHARE * len(whole)


def _around(text: str, start: int, end: int) -> str:
    return text[max(0, start - _CONTEXT_CHARS) : end + _CONTEXT_CHARS].replace("\n", " ")[:EXAMPLE_CHARS]


ZERO_WIDTH = Repair(in_text=_without_kind(Obfuscation.ZERO_WIDTH))
SPACES = Repair(in_text=_without_kind(Obfuscation.SPACES, MIN_SPACES))
PINYIN_INSERTED = Repair(in_text=_without_kind(Obfuscation.PINYIN_INSERTED))
FULL_WIDTH = Repair(in_text=_in_usual_width)
PUNCTUATION_NOISE = Repair(in_text=_without_marks)
