"""Reads the numbers in a sentence, in any notation: 17, １７, 十七, seventeen."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

_DIGITS = re.compile(r"(\d+(?:[,，]\d{3})*(?:[.．]\d+)?)([百千万亿]*)")
_CHINESE = re.compile(r"(?<!\d)[零〇一二三四五六七八九十百千万亿两]+")
_TO_NINETEEN = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ENGLISH = {
    **{word: number for number, word in enumerate(_TO_NINETEEN.split(), 1)},
    **{word: 10 * number for number, word in enumerate(_TENS.split(), 2)},
}
_ENGLISH_UNITS = {"hundred": 100, "thousand": 1_000, "million": 1_000_000}
_ANY_WORD = "|".join(sorted({**_ENGLISH, **_ENGLISH_UNITS}, key=len, reverse=True))
_WORDS = re.compile(rf"\b(?:{_ANY_WORD})(?:(?:[\s-]+|\s+and\s+)(?:{_ANY_WORD}))*\b", re.IGNORECASE)
_CHINESE_DIGITS = {digit: number for number, digit in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_CHINESE_UNITS = {"十": 10, "百": 100, "千": 1_000, "万": 10_000, "亿": 100_000_000}
_WORDS_OF_UNITS = ("万一", "千万", "万千", "亿万", "千百")  # in case, by all means, countless
_OF = "分之"
_MAX_CHARS = 20  # of a numeral; nobody reads a longer one


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number and its range in the sentence.

    is_loose: one to nine in words, which most sentences contain (一个, one of them).
    """

    value: float
    start: int
    end: int
    is_loose: bool = False


def numerals(sentence: str) -> list[Numeral]:
    """Return all numbers of a sentence.

    >>> [each.value for each in numerals("共计十七袋，比二〇二五年少了 1,200 斤。")]
    [17.0, 2025.0, 1200.0]
    >>> [each.value for each in numerals("Six hundred and fourteen stones, forty-one of them gone.")]
    [614.0, 41.0]
    >>> [each.value for each in numerals("325万人，一亿五千万元，4.8万亩，1千米")]
    [3250000.0, 150000000.0, 48000.0, 1000.0]
    >>> [each.value for each in numerals("3千万人里有十万人")]
    [30000000.0, 100000.0]
    >>> numerals("三分之一的灯，万一灭了，千万别慌")
    []
    """
    all_numerals = [*_digit_numerals(sentence), *_chinese_numerals(sentence), *_english_numerals(sentence)]
    return sorted(all_numerals, key=lambda numeral: numeral.start)


def _digit_numerals(sentence: str) -> Iterator[Numeral]:
    for match in _DIGITS.finditer(sentence):
        plain = unicodedata.normalize("NFKC", match[1]).replace(",", "")
        if len(plain) <= _MAX_CHARS:
            value = float(plain) * prod(_CHINESE_UNITS[unit] for unit in match[2])
            yield Numeral(round(value, 6), match.start(), match.end())


def _chinese_numerals(sentence: str) -> Iterator[Numeral]:
    for match in _CHINESE.finditer(sentence):
        digits = match[0]
        is_single = len(digits) == 1
        if sentence.startswith(_OF, match.end()) or sentence.endswith(_OF, 0, match.start()):
            continue  # 三分之一 is neither 3 nor 1
        if len(digits) > _MAX_CHARS or (is_single and digits not in _CHINESE_DIGITS and digits != "十"):
            continue
        if not is_single and not set(digits) & set(_CHINESE_UNITS) and len(digits) < 3:
            continue  # 一两, 三四: approximate
        if digits in _WORDS_OF_UNITS:
            continue
        yield Numeral(_chinese_value(digits), match.start(), match.end(), is_single)


def _chinese_value(digits: str) -> float:
    if not set(digits) & set(_CHINESE_UNITS):
        return float("".join(str(_CHINESE_DIGITS[digit]) for digit in digits))
    done = whole = part = digit = 0
    for char in digits:
        unit = _CHINESE_UNITS.get(char, 0)
        if not unit:
            digit = _CHINESE_DIGITS[char]
        elif unit < 10_000:
            part, digit = part + (digit or 1) * unit, 0
        elif unit == 10_000:
            whole, part, digit = (whole + part + digit or 1) * unit, 0, 0
        else:
            done, whole, part, digit = done + (whole + part + digit or 1) * unit, 0, 0, 0
    return float(done + whole + part + digit)


def _english_numerals(sentence: str) -> Iterator[Numeral]:
    for match in _WORDS.finditer(sentence):
        words = [word for word in re.split(r"[\s-]+", match[0].lower()) if word != "and"]
        if set(words) <= set(_ENGLISH_UNITS):
            continue  # "a hundred times"
        whole = part = 0
        for word in words:
            if word in _ENGLISH:
                part += _ENGLISH[word]
            elif word == "hundred":
                part = (part or 1) * 100
            else:
                whole, part = whole + (part or 1) * _ENGLISH_UNITS[word], 0
        value = whole + part
        yield Numeral(float(value), match.start(), match.end(), value < 10)
