"""Chapter numbers in headings.

Forms: 第十二章, 第012回, 第一百零三节, 卷二 第三回, 12. 渡口, 12、渡口, （十二）, 十二 渡口, Chapter 12; both scripts,
full-width digits, the formal numerals 壹贰叁. A part of a chapter (一章（2/3）, 上, 下) has the chapter's number.
"""

import re
import unicodedata

from core.numerals import DIGITS, NUMERAL_CHARS, TENS, UNITS, chinese_number

MAX_CHAPTER = 99_999  # the longest novels on the web have some 20,000 chapters
_SMALL = "".join([*DIGITS, *UNITS, *TENS])
_NUMERAL = f"[{NUMERAL_CHARS}\\d]+"
# The smallest division first: 卷二 第三回 is the third chapter of its volume.
_DIVISIONS = ("[章回節节話话]", "[篇折出齣幕則则]", "[集部卷]")
_NAMED = tuple(re.compile(rf"第\s*({_NUMERAL})\s*{unit}") for unit in _DIVISIONS)
_BARE_UNIT = re.compile(rf"^(?:\D{{0,12}}\s)?({_NUMERAL})\s*[章回](?=$|\s|[：:、.，,])")
_LEADING = re.compile(r"^(?:正文\s*)?[（(【\[]?\s*(\d{1,5})\s*(?:[)）】\]]|[.．、:：]|\s+(?=[\u4e00-\u9fff]))(?!\d)")
_LEADING_HAN = re.compile(rf"^[（(【\[]?\s*([{_SMALL}]{{1,7}})\s*(?:[)）】\]]|[.．、:：]|\s+|$)")
_LATIN = re.compile(r"\bchapter\s*(\d{1,5})\b", re.IGNORECASE)


def chapter_number(title: str) -> int | None:
    """Return the number of the chapter that a heading names, None if it names none.

    >>> chapter_number("第一百零三回　渡口"), chapter_number("12. 渡口"), chapter_number("卷二 第三回 燈下")
    (103, 12, 3)
    >>> chapter_number("2026年3月1日停航通知") is None
    True
    """
    text = unicodedata.normalize("NFKC", title).strip()
    for form in (*_NAMED, _BARE_UNIT, _LATIN, _LEADING, _LEADING_HAN):
        found = list(form.finditer(text))
        number = numeral(found[-1][1]) if found else None
        if number is not None and number <= MAX_CHAPTER:
            return number
    return None


def numeral(text: str) -> int | None:
    """Return the value of a numeral in digits or Chinese, None if it is none.

    >>> numeral("一百二十三"), numeral("一二三"), numeral("十"), numeral("廿一"), numeral("１２")
    (123, 123, 10, 21, 12)
    """
    text = unicodedata.normalize("NFKC", text)
    return int(text) if text.isdecimal() else chinese_number(text)
