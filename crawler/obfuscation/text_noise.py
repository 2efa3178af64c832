"""Removes noise between the characters of a text: zero-width characters, spaces, pinyin, unusual widths, symbols.

A kind of noise is removed only if it is too frequent to be accidental. A page with one stray space is not changed.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from core.marks import Mark
from core.obfuscations import Obfuscation, ObfuscationFound, merge_findings
from core.text import TextRange
from crawler.characters.mojibake import frequent_share
from crawler.characters.repertoire import count_han
from crawler.obfuscation.repairs import EXAMPLE_CHARS, Repair, TextRepair, repairs
from crawler.obfuscation.text_origins import constant_kind, restore_origins
from fingerprint.characters import CLASSES_2026, Kind
from fingerprint.near import NEAR_2026
from fingerprint.normalization import normalize
from fingerprint.order.followers import FOLLOWERS_2026, is_pair, pair_key
from fingerprint.readings import code_points
from fingerprint.stream import Noise
from fingerprint.tables import TABLES_2026

_CONTEXT_CHARS = 6
# Minimum number and share of Chinese characters that are not accidental. None of the main texts of the 58 development
# pages (2026-11) exceeds them.
MIN_COUNT = 3
MIN_SHARES = {Obfuscation.ZERO_WIDTH: 0.005, Obfuscation.PINYIN_INSERTED: 0.01, Obfuscation.SPACES: 0.05}
MIN_SPACES = 8
MIN_FULL_WIDTH = 8  # letters; some texts contain a full-width abbreviation
# Symbols that hardly occur between two characters of a Chinese sentence, and punctuation that every text has, in any
# width.
_ODD_MARKS = "*＊#＃^＾_＿~～|｜\\＼/／`@&+=$%<>-–—‐‑·・•●○◆◇■□▲△★☆※→←↑↓‖¦¤§¨°´¸¬゛゜"
_TRUE_MARKS = "。，、；：！？….,;:!?'\"｡､｢｣﹒﹑﹐"
_HAN_RANGES = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x323AF))
_HAN = "".join(f"{chr(first)}-{chr(last)}" for first, last in _HAN_RANGES)
_BETWEEN = re.compile(f"(?<=[{_HAN}])([{re.escape(_ODD_MARKS + _TRUE_MARKS)}]{{1,3}})(?=[{_HAN}])")
# Noise is everywhere, while real punctuation is sparse: noise fills most runs of STRETCH_HAN Chinese characters with at
# least this many marks. No text except lists and verse has six punctuation marks in 24 characters (2,400 novels, news
# and articles, 2026-11).
STRETCH_HAN, MIN_STRETCHES = 24, 3
MIN_FILLED_SHARE = 0.75
MIN_ODD_IN_STRETCH, MIN_IN_STRETCH = 2, 6
# Noise also divides words: the characters on both sides of noise form known pairs nearly as often as all others do. In
# prose, .69 of pairs are known, across punctuation .25, across the items of lists up to .4 (12,545 texts, 2026-11).
USUAL_SHARE_OF_KNOWN, MIN_PAIRS_TO_COMPARE, MIN_RATIO_INSIDE_WORDS = 0.69, 20, 0.65
# In texts without punctuation, spaces or strokes may replace it. Of 1,117 such texts, .077 were mistaken for noise with
# the usual ratio, and .006 with this one (2026-11).
MIN_RATIO_WITHOUT_PUNCTUATION, MAX_HAN_OF_CLAUSE = 0.9, 40
MIN_SHARE_OF_FREQUENT = 0.25  # of frequent characters; running text has at least this share, and lists have less
_MAX_PLACES_TO_JUDGE, _LAST_KNOWN = 1_000, 0xFFFF
_SIMPLIFIED = TABLES_2026.simplified_forms
_HALF_WIDTH_MARKS = "｡､｢｣"
_HALF_KANA_MARKS = str.maketrans("｡､｢｣･", "。、「」·")
_PUNCTUATION = re.compile("[。，、；：！？,.;:!?]")
_TWO_HAN = re.compile(f"[{_HAN}]{{2}}")
_LETTERS = re.compile(r"[^\W\d_]+")
_NO_HAN = re.compile(f"[^{_HAN}]+")
_MAX_BEFORE = 4  # characters searched per syllable, because other noise may be between them
_FULL_WIDTH = re.compile("[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]")
_FULL_WIDTH_LETTER = re.compile("[\uff21-\uff3a\uff41-\uff5a]")
_COMPATIBLE = re.compile("[\u2e80-\u2fdf\uf900-\ufaff\U0002f800-\U0002fa1f]")


def _without_kind(kind: Obfuscation, min_count: int = MIN_COUNT) -> TextRepair:
    def step(text: str, _host: str) -> tuple[str, ObfuscationFound | None]:
        ranges = [where for where, found in _noise(text).items() if found is kind]
        if kind is Obfuscation.PINYIN_INSERTED:
            ranges = [where for where in ranges if _is_spelt_out(text, where)]
        if kind is Obfuscation.SPACES and not _are_inside_words(text, ranges):
            return text, None  # separated names, verse and captions
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
    """Return True if letters spell the characters before them in any of their readings.

    The letters in 雾(wu) do, and those in 方法(main) do not.
    """
    runs = [TABLES_2026.pinyin.split_run(run) for run in _LETTERS.findall(text[where.start : where.end])]
    syllables = [syllable for run in runs if run for syllable, _ in run]
    before = _NO_HAN.sub("", text[max(0, where.start - _MAX_BEFORE * len(syllables)) : where.start])[-len(syllables) :]
    if not syllables or len(before) < len(syllables):
        return False
    readings = NEAR_2026.readings[NEAR_2026.rows[code_points(before)]]
    return bool((readings == np.array(syllables, np.uint16)[:, None]).any(axis=1).all())


@lru_cache(maxsize=1)  # three steps use the same text
def _noise(text: str) -> Noise:
    return normalize(text).noise


def _restore_usual_width(text: str, _host: str) -> tuple[str, ObfuscationFound | None]:
    """Replace full-width letters, half-width punctuation and compatibility characters by their usual forms."""
    letters = _FULL_WIDTH_LETTER.findall(text)
    compatible = _COMPATIBLE.findall(text)
    marks = sum(map(text.count, _HALF_WIDTH_MARKS))
    changed, count = text, 0
    if len(letters) >= MIN_FULL_WIDTH:
        changed = _FULL_WIDTH.sub(lambda match: chr(ord(match[0]) - 0xFEE0), changed)
        count += len(letters)
    if len(set(compatible)) >= MIN_COUNT:  # one may be a mistake of an edition, several are deliberate
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
    noise = _noise_marks(text, matches)
    if not noise:
        return text, None
    taken = [match for match in matches if set(match[1]) & noise]
    cleaned = _BETWEEN.sub(lambda match: "".join(char for char in match[1] if char not in noise), text)
    return cleaned, ObfuscationFound(
        Obfuscation.PUNCTUATION_NOISE, len(taken), _around(text, taken[0].start(), taken[0].end())
    )


def _noise_marks(text: str, matches: Sequence[re.Match[str]]) -> set[str]:
    """Return the marks between Chinese characters that occur inside words everywhere, singly or together."""
    whole = count_han(text) // STRETCH_HAN
    counts = Counter(chain.from_iterable(match[1] for match in matches))
    if whole < MIN_STRETCHES:
        return set()
    noise = {
        mark
        for mark, count in counts.items()
        if count >= MIN_FILLED_SHARE * (least := MIN_ODD_IN_STRETCH if mark in _ODD_MARKS else MIN_IN_STRETCH) * whole
        and _are_everywhere(text, (places := _places(matches, {mark})), least)
        and _are_inside_words(text, places)
    }
    if noise or counts.total() < MIN_FILLED_SHARE * MIN_IN_STRETCH * whole:
        return noise
    together = _places(matches, set(counts))
    if not (_are_everywhere(text, together, MIN_IN_STRETCH) and _are_inside_words(text, together)):
        return set()
    return {mark for mark in counts if _are_inside_words(text, _places(matches, {mark}))}


def _places(matches: Sequence[re.Match[str]], marks: Set[str]) -> list[TextRange]:
    return [TextRange(match.start(), match.end()) for match in matches if not marks.isdisjoint(match[1])]


def _are_inside_words(text: str, places: Sequence[TextRange]) -> bool:
    """Return True if, in running text, the characters on both sides of each range often form known pairs."""
    places = places[:_MAX_PLACES_TO_JUDGE]
    around = [text[where.start - 1] + text[where.end] for where in places]
    if frequent_share("".join(around)) < MIN_SHARE_OF_FREQUENT:
        return False
    elsewhere = [match[0] for match in islice(_TWO_HAN.finditer(text), _MAX_PLACES_TO_JUDGE)]
    usual = _share_of_known(elsewhere) if len(elsewhere) >= MIN_PAIRS_TO_COMPARE else USUAL_SHARE_OF_KNOWN
    is_punctuated = len(_PUNCTUATION.findall(text)) * MAX_HAN_OF_CLAUSE >= count_han(text)
    least = MIN_RATIO_INSIDE_WORDS if is_punctuated else MIN_RATIO_WITHOUT_PUNCTUATION
    return _share_of_known(around) >= least * usual


def _share_of_known(pairs: Sequence[str]) -> float:
    """Return the share of pairs of characters that are known to follow each other."""
    keys = [
        map(pair_key, _SIMPLIFIED[np.minimum(code_points("".join(side)), _LAST_KNOWN)])
        for side in zip(*pairs, strict=True)
    ]
    known = sum(int(is_pair(one, other, FOLLOWERS_2026.words)) for one, other in zip(*keys, strict=True))
    return known / len(pairs)


def _are_everywhere(text: str, places: Sequence[TextRange], least: int) -> bool:
    """Return True if most runs of STRETCH_HAN characters contain at least `least` of the ranges."""
    whole = count_han(text) // STRETCH_HAN
    counts = np.bincount(_stretches(text)[[where.start - 1 for where in places]], minlength=whole)[:whole]
    return int(np.count_nonzero(counts >= least)) >= MIN_FILLED_SHARE * whole


@lru_cache(maxsize=1)  # called for each mark in a text
def _stretches(text: str) -> NDArray[np.int64]:
    """Return int64[len(text)]: for each character, the number of its run of STRETCH_HAN Chinese characters."""
    codes = code_points(text)
    is_han = np.zeros(codes.size, np.bool_)
    for first, last in _HAN_RANGES:
        is_han |= (codes >= first) & (codes <= last)
    return np.asarray((np.cumsum(is_han) - is_han) // STRETCH_HAN, np.int64)


def _around(text: str, start: int, end: int) -> str:
    return text[max(0, start - _CONTEXT_CHARS) : end + _CONTEXT_CHARS].replace("\n", " ")[:EXAMPLE_CHARS]


def _kind_pattern(*kinds: Kind) -> re.Pattern[str]:
    """Return a pattern for the characters of some kinds. A text without a match has no noise of these kinds."""
    ranges = [each for kind in kinds for each in CLASSES_2026.by_range.get(kind, ())]
    listed = re.escape("".join(CLASSES_2026.by_character.get(kind, "") for kind in kinds))
    return re.compile(f"[{listed}{''.join(f'{chr(each.start)}-{chr(each.stop - 1)}' for each in ranges)}]")


ZERO_WIDTH = Repair(in_text=_without_kind(Obfuscation.ZERO_WIDTH), signs=_kind_pattern(Kind.ZERO_WIDTH))
SPACES = Repair(in_text=_without_kind(Obfuscation.SPACES, MIN_SPACES), signs=_kind_pattern(Kind.SPACE))
PINYIN_INSERTED = Repair(
    in_text=_without_kind(Obfuscation.PINYIN_INSERTED), signs=_kind_pattern(Kind.LATIN, Kind.FULL_WIDTH_LATIN)
)
FULL_WIDTH = Repair(
    in_text=_restore_usual_width,
    signs=re.compile(f"{_FULL_WIDTH_LETTER.pattern}|{_COMPATIBLE.pattern}|[{_HALF_WIDTH_MARKS}]"),
)
PUNCTUATION_NOISE = Repair(in_text=_without_marks)


# Removes obfuscations of the main text itself. Those in the markup were removed before.


@dataclass(frozen=True, slots=True)
class CleanText:
    """A text without its noise, and a record of the noise.

    steps: (kind, text after its removal) for each kind that was removed
    """

    text: str
    obfuscations: tuple[ObfuscationFound, ...]
    steps: tuple[tuple[str, str], ...] = ()


def clean_text(text: str, url: str = "") -> CleanText:
    """Remove the noise between the characters of a text. A text without noise is returned unchanged.

    >>> clean_text("夜很静。风停了。").obfuscations
    ()
    """
    host, again = _host(url), []
    found, steps = list[ObfuscationFound](), list[tuple[str, str]]()

    def undo(repair: Repair, text: str) -> str:
        if repair.in_text is None or (repair.signs is not None and repair.signs.search(text) is None):
            return text
        after, obfuscation = repair.in_text(text, host)
        if obfuscation is not None:
            found.append(obfuscation)
            steps.append((obfuscation.kind.value, after))
        return after

    for repair in repairs():
        if repair.is_repeated:
            again.append((repair, text))
        text = undo(repair, text)
    for repair, seen in again:  # noise may hide a URL, or may look like a part of a URL
        if text != seen:
            text = undo(repair, text)
    return CleanText(text, merge_findings(found), tuple(steps))


def add_noise_marks(raw_text: str, text: str, marks: Sequence[Mark], clean: CleanText) -> tuple[Mark, ...]:
    """Return the marks between a raw text and `text`, extended by those between `text` and its clean version."""
    if not clean.steps:
        return tuple(marks)
    origins = restore_origins(raw_text, text, marks)
    for kind, after in clean.steps:
        origins.step(after, constant_kind(kind))
    return origins.marks()


def _host(url: str) -> str:
    try:
        return urlsplit(url).netloc
    except ValueError:
        return ""
