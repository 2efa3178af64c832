"""Parses the numbers of chapters, and sorts file names by their numbers. No files are read here."""

import re
import unicodedata

from core.numerals import DIGITS, NUMERAL_CHARS, TENS, UNITS, chinese_number

CHAPTER_WORDS = "章回节節卷部集篇话話幕折册冊"

_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_CHINESE = f"[{NUMERAL_CHARS}]+"
# A Chinese numeral in a name counts as a number only if it numbers something (第三, 三章) or begins the name.
_TOKENS = re.compile(
    f"\\d+|(?<=第){_CHINESE}|(?<=[{CHAPTER_WORDS}]){_CHINESE}(?![^\\s._、-])|{_CHINESE}(?=[{CHAPTER_WORDS}])|^{_CHINESE}(?=$|[\\s._、-])"
)
_BEFORE_ALL = re.compile(
    "^(?:封面|扉页|版权|书名|目录|序|自序|代序|总序|楔子|引子|引言|前言|导言|导读|cover|title|preface|prologue|foreword)",
    re.IGNORECASE,
)
_AFTER_ALL = re.compile("^(?:尾声|终章|后记|後記|跋|番外|附录|附錄|结语|epilogue|afterword|appendix)", re.IGNORECASE)
_PARTS = {"上": "0", "中": "1", "下": "2"}
_PART = re.compile(r"(?<=[(\[_\s-])[上中下](?=[)\]]|$)")


def parse_number(text: str) -> int | None:
    """Parse an Arabic (of any width), Chinese or Roman numeral. Return None for other text.

    >>> [parse_number(text) for text in ("一百零三", "二〇四", "１２", "xiv", "廿一", "春")]
    [103, 204, 12, 14, 21, None]
    """
    plain = unicodedata.normalize("NFKC", text).strip()
    if plain.isdecimal():
        return int(plain) if len(plain) <= 9 else None
    if plain and all(char in NUMERAL_CHARS for char in plain):
        return chinese_number(plain)
    upper = plain.upper()
    return _roman_value(upper) if upper and all(char in _ROMAN for char in upper) else None


def natural_key(name: str) -> tuple[int, tuple[tuple[int, int, str], ...]]:
    """Return a sort key for file names that orders their numbers by value. Prefaces come first, and afterwords last.

    >>> sorted(["第十章", "第九章", "后记", "楔子", "第十一章"], key=natural_key)
    ['楔子', '第九章', '第十章', '第十一章', '后记']
    >>> sorted(["10 a.txt", "9 b.txt", "010.txt"], key=natural_key)
    ['9 b.txt', '10 a.txt', '010.txt']
    """
    plain = unicodedata.normalize("NFKC", name).strip().lower()
    rank = 0 if _BEFORE_ALL.match(plain) else 2 if _AFTER_ALL.match(plain) else 1
    plain = _PART.sub(lambda found: _PARTS[found[0]], plain)
    key: list[tuple[int, int, str]] = []
    position = 0
    for found in _TOKENS.finditer(plain):
        key += _word_numerals(plain[position : found.start()])
        key.append((0, parse_number(found[0]) or 0, ""))
        position = found.end()
    key += _word_numerals(plain[position:])
    return rank, tuple(key)


def _word_numerals(text: str) -> list[tuple[int, int, str]]:
    return [(1, 0, text)] if text else []


def _roman_value(text: str) -> int:
    values = [_ROMAN[char] for char in text]
    following = [*values[1:], 0]
    return sum(-value if value < after else value for value, after in zip(values, following, strict=True))


# Reads the numbers of chapters in headings.
#
# Forms: 第十二章, 第012回, 第一百零三节, 卷二 第三回, 12. 渡口, 12、渡口, （十二）, 十二 渡口, Chapter 12; both
# scripts, full-width digits, the formal numerals 壹贰叁. The parts of a chapter (一章（2/3）, 上, 下) have its number.

MAX_CHAPTER = 99_999  # the longest novels on the web have some 20,000 chapters
_SMALL = "".join([*DIGITS, *UNITS, *TENS])
_NUMERAL = f"[{NUMERAL_CHARS}\\d]+"
# The smallest division comes first: 卷二 第三回 is the third chapter of its volume.
_DIVISIONS = ("[章回節节話话]", "[篇折出齣幕則则]", "[集部卷]")
_NAMED = tuple(re.compile(rf"第\s*({_NUMERAL})\s*{unit}") for unit in _DIVISIONS)
_BARE_UNIT = re.compile(rf"^(?:\D{{0,12}}\s)?({_NUMERAL})\s*[章回](?=$|\s|[：:、.，,])")
_LEADING = re.compile(r"^(?:正文\s*)?[（(【\[]?\s*(\d{1,5})\s*(?:[)）】\]]|[.．、:：]|\s+(?=[\u4e00-\u9fff]))(?!\d)")
_LEADING_HAN = re.compile(rf"^[（(【\[]?\s*([{_SMALL}]{{1,7}})\s*(?:[)）】\]]|[.．、:：]|\s+|$)")
_LATIN = re.compile(r"\bchapter\s*(\d{1,5})\b", re.IGNORECASE)


def chapter_number(title: str) -> int | None:
    """Return the number of the chapter that a heading names, or None if it names none.

    >>> chapter_number("第一百零三回　渡口"), chapter_number("12. 渡口"), chapter_number("卷二 第三回 燈下")
    (103, 12, 3)
    >>> chapter_number("2026年3月1日停航通知") is None
    True
    """
    text = unicodedata.normalize("NFKC", title).strip()
    for form in (*_NAMED, _BARE_UNIT, _LATIN, _LEADING, _LEADING_HAN):
        found = list(form.finditer(text))
        number = parse_number(found[-1][1]) if found else None
        if number is not None and number <= MAX_CHAPTER:
            return number
    return None
