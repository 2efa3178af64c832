"""Reads lines as chapter headings, with their style and number.

A style consists of a numeral system and its surroundings: a unit (第N章, 卷N, Chapter N), a mark (1、 一 (1) 【1】), a
constant text (书名(1), 分节阅读 1), or a mark without a number (☆、题). Headings that differ only in number and title
have the same style. crawler.formats.heading_styles decides from all lines of a style whether they are headings.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum

from core.numerals import NUMERAL_CHARS
from crawler.formats.numerals import parse_number

MAX_HEADING_CHARS = 40  # old novels have couplets of sixteen characters as titles, and sentences are longer
MAX_TITLE_CHARS = 25  # after a mark that is weaker than 第N章; reading apps for telephones allow 20 to 30
MAX_PREFIX_CHARS = 20  # for the name of a volume or book before 第N章


class Rank(Enum):
    """The rank of a style. Its value is the weight of a heading when styles are compared."""

    CHAPTER = 1.0  # 第N章, Chapter N
    SECTION = 0.2  # 第N节 is a part of a chapter if there are chapters
    NUMBER = 0.05  # 1、 may be a list, an outline or a chapter
    VOLUME = 0.02  # 卷N, 第N部
    PAGE = 0.015  # 分节阅读 N, 第N页: the site split the text here, even inside a sentence
    SIGN = 0.0101  # ☆、题, 正文 题
    TITLE = 0.01  # 【题】, or a line with an unusual indent
    UNNUMBERED = 0.0  # 楔子, 尾声: chapters between those of any style

    @property
    def weight(self) -> float:
        return self.value


@dataclass(frozen=True, slots=True)
class HeadingReading:
    """A line as it reads if it is a heading.

    number: None if the heading has none. is_sure: False if the neighbouring numbers must confirm it
    """

    style: str
    number: int | None
    rank: Rank
    is_sure: bool = True


_HAN = f"[{NUMERAL_CHARS}]"
_NUMERAL = rf"(?:[0-9]{{1,5}}|{_HAN}(?: ?(?:{_HAN}|[0-9])){{0,8}}|[0-9](?: [0-9]){{1,3}})"
_ONES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = ("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ENGLISH = rf"(?:{'|'.join(_TENS[2:])})(?:[ -](?:{'|'.join(_ONES[1:])}))?|{'|'.join((*_TEENS, *_ONES[1:]))}"
_CHAPTERS, _SECTIONS, _VOLUMES = "章回话話篇幕折齣出则則课課讲講", "节節场場", "卷部集册冊辑輯编編季"
_ORDINAL = (
    rf"第 ?(?P<number>{_NUMERAL})(?: ?[-~—、至到和] ?第?{_NUMERAL})? ?(?P<unit>部分|[{_CHAPTERS}{_SECTIONS}{_VOLUMES}])"
)
_VOLUME = rf"卷 ?[之第]? ?(?P<volume>{_HAN}{{1,5}}|{_HAN}(?: {_HAN}){{1,4}}$|[0-9]{{1,3}})(?![0-9{NUMERAL_CHARS}])"
_THIRD = r"(?P<third>[上中下])(?P<third_unit>[卷部集篇册冊编編])"
_LATIN = (
    r"(?P<word>chapter|chap|ch(?=[. ]*[0-9])|part|volume|vol|book)[. ]*"
    rf"(?P<latin>[0-9]{{1,4}}|[ivxlc]{{1,8}}|{_ENGLISH})(?![a-z0-9])"
)
_BARE = rf"(?P<bare>{_NUMERAL}) ?(?P<bare_unit>[{_CHAPTERS}{_SECTIONS}{_VOLUMES}])(?=$|[ :.、·-])"
_DIVISION = re.compile("|".join((_ORDINAL, _VOLUME, _THIRD, _LATIN, _BARE)), re.IGNORECASE)
_INNER = re.compile(_ORDINAL)  # the division after the name of a volume or book
_BEFORE = re.compile(  # 正文 第一章, VIP章节 第一章, 001.第一章
    r"(?:正文|vip ?(?:章节|卷)?|最新章节|章节目录)?[ :]*(?:[0-9]{1,5}[. 、-]+(?=第))?", re.IGNORECASE
)
_SEPARATORS = " :.、·-—_|/~;)]】〗〕』」》>"
_UNNUMBERED = re.compile(
    r"(?:序 ?[章幕言曲]?|[自代总總前后後译譯原] ?序|楔 ?子|引 ?[子言]|前 ?言|[导導] ?[言读讀]|弁 ?言|卷首[语語]|"
    r"尾 ?[声聲章]|[终終] ?[章卷曲]|(?:大 ?)?[结結] ?局|[后後] ?[记記]|跋|附 ?[录錄]|[完结結] ?[本结結]?感言|"
    r"(?:番 ?外|外 ?[传傳篇])[^ :]{0,12})(?:[ :·—-].{0,25})?"
)
_ENDS_PROSE = re.compile("[。，、；：,;]$|。.")
_IS_PROSE = re.compile('[。，；,;]|[！？!?…”"’]$')
_GOES_ON = re.compile(
    "[的里裡是中讲講说說和与與到在有就了过過]"
)  # these words continue sentences such as 第一章的内容 and 第三回见到他

_SIGNS = "☆★✦✧❀✿✪✩"
_BULLETS = "◆◇■□●○◎◉※▲△▼▽♥♡§◈►▶▪#*=卍✽❖⊙"
_DECORATION = rf"{_SIGNS}{_BULLETS}•~_+\-—－·"
_OPENING = re.compile(rf"^[{_DECORATION}{re.escape('[({<【〖〔《『「')} ]+[、. ]*")
_CLOSING = re.compile(rf"[{_DECORATION} ]+$")
_BRACKETS = " \u200b[](){}<>【】〖〗〔〕《》『』「」"
_SIGNED = re.compile(rf"(?P<mark>[{_SIGNS}{_BULLETS}])(?P=mark)*(?P<stop>[、.]?) ?(?P<title>[^{_DECORATION}].*)")
_BRACKETED = re.compile(r"(?P<open>[【〖〔\[《『<])(?P<title>[^【〖〔\[《『<】〗〕\]》』>]+)[】〗〕\]》』>]")
_BODY = re.compile(r"正文[ :]+(?P<title>.+)")

_ROMAN = "x{0,3}(?:ix|iv|v?i{1,3}|v)|x{1,3}"
_COUNT = rf"(?:(?P<arabic>[0-9]{{1,4}})|(?P<han>{_HAN}{{1,7}})"
_CLOSE, _STOP = r"(?P<close>[)\]】〗〕』》>]?)", "(?P<stop>[、.:·_~|-]?)"
# (1) 题, 1、题, 【1】, 一 题, 01, IV.
_LEADING = re.compile(
    rf"(?P<open>[(\[【〖〔《『<]?) ?{_COUNT}|(?P<roman>{_ROMAN})(?![a-z])){_CLOSE}{_STOP}(?P<rest>.*)", re.IGNORECASE
)
_UNIT = "".join(char for char in map(chr, range(0x4E00, 0xA000)) if char not in f"{NUMERAL_CHARS}第条條款项項")
# 书名(12), 分节阅读 1, Day 1: 题, 第一夜 题, 学而第一.
_BEHIND = re.compile(
    rf"(?P<prefix>.*?[^0-9{NUMERAL_CHARS}]){_COUNT}){_CLOSE}(?P<unit>[{_UNIT}]{{0,2}}){_STOP}"
    r"(?P<rest>$| .*|(?<=[、.:·_~|-]).*)"
)
_CUT_BY_SITE = re.compile("分[节節页頁章段][阅閱][读讀]|[页頁]$")
_ADDED = re.compile(  # text that sites add after a title
    r"[\[(【（]?(?:[本此][章卷节節])?(?:字[数數]|更新[时時][间間]|[发發]布[时時][间間])\s*[:：].*$|[(（]?本章完[)）]?\s*$"
)
_LISTED = re.compile(r"(?:[.·…—-] ?){4,}[0-9]{1,4}$")  # a line in a table of contents, with its page number
_PAIRS = tuple(zip("([【〖〔（《", ")]】〗〕）》", strict=True))


def heading_readings(line: str) -> list[HeadingReading]:
    """Return all readings of a line as a heading, or [] if the line is prose.

    >>> [(each.style, each.number) for each in heading_readings("第一卷·风起 第３章 渡口")]
    [('第N章', 3)]
    >>> [(each.style, each.number) for each in heading_readings("十二、渡口")], heading_readings("他在渡口等了三天。")
    ([('一、', 12)], [])
    """
    plain = " ".join(unicodedata.normalize("NFKC", line).replace("\ufeff", "").split())
    plain = _LISTED.sub("", _ADDED.sub("", plain)).rstrip(" [(【")
    if not plain or len(plain) > MAX_HEADING_CHARS or _ENDS_PROSE.search(plain):
        return []
    bare = _CLOSING.sub("", _OPENING.sub("", plain)) or plain
    if _UNNUMBERED.fullmatch(bare.strip(_BRACKETS)):
        return [HeadingReading("", None, Rank.UNNUMBERED), *_number_readings(plain)]
    division = _division(bare)
    if division is not None:
        return [division, *(_number_readings(plain) if division.rank is Rank.VOLUME else ())]
    return [*_number_readings(plain), *_mark_readings(plain)]


def shown_title(line: str) -> str:
    """Return the title in a heading, without decoration and additions by sites. Its characters are not normalised.

    >>> [shown_title(line) for line in ("　☆、灯", "[(第1章 灯（1）)]", "【第一章】灯", "== 灯 ==")]
    ['灯', '第1章 灯（1）', '【第一章】灯', '灯']
    """
    title = _ADDED.sub("", line)
    for _ in range(len("[(【《")):
        title = title.strip(" \t\r\u3000\ufeff\u00a0\u200b#*=")
        title = _strip_brackets(re.sub(rf"^[{_DECORATION}]+[、.]?\s*", "", title) or title)
    return re.sub(r"\s+", " ", title).strip()


def is_title(text: str) -> bool:
    """Return True if a line may be a title without a number."""
    return (
        len(text) <= MAX_TITLE_CHARS
        and not _IS_PROSE.search(text)
        and not text.endswith((":", "："))
        and any("\u3400" <= char <= "\u9fff" for char in text)
    )


def _strip_brackets(title: str) -> str:
    """Remove a pair of brackets around the whole title, or an unpaired bracket."""
    for opening, closing in _PAIRS:
        if title.startswith(opening) and title.find(closing) in (-1, len(title) - 1):
            return title[1:].removesuffix(closing)
        if title.endswith(closing) and opening not in title:
            return title[:-1]
    return title


def _division(bare: str) -> HeadingReading | None:
    """Read a line as a division such as 第N章, or return None.

    A division after the name of a volume or book is preferred, so the smallest division in the line counts.
    """
    before = _BEFORE.match(bare)
    found = _DIVISION.match(bare, before.end() if before else 0)
    if found is None:
        return _division_behind_name(bare)
    reading = _read_division(found, bare)
    while reading is not None and reading.rank is not Rank.SECTION:
        inner = _INNER.search(bare, found.end())
        gap = bare[found.end() : inner.start()] if inner is not None else ""
        within = _read_division(inner, bare) if inner is not None else None
        if inner is None or within is None or within.rank in (Rank.VOLUME, reading.rank):
            break
        is_parted = not gap.strip(_SEPARATORS) or gap[-1] in _SEPARATORS or reading.rank is Rank.VOLUME
        if not is_parted or len(gap) > MAX_PREFIX_CHARS or _GOES_ON.match(gap):
            break
        reading, found = within, inner
    return reading


def _division_behind_name(bare: str) -> HeadingReading | None:
    inner = _INNER.search(bare)
    prefix = bare[: inner.start()] if inner is not None else ""
    if (
        inner is None
        or not 0 < len(prefix) <= MAX_PREFIX_CHARS
        or prefix[-1] not in _SEPARATORS
        or _IS_PROSE.search(prefix)
    ):
        return None
    reading = _read_division(inner, bare)
    is_part = reading is not None and (reading.is_sure or reading.rank is not Rank.VOLUME)
    return replace(reading, is_sure=False) if reading is not None and is_part else None


def _read_division(found: re.Match[str], bare: str) -> HeadingReading | None:
    groups, rest = found.groupdict(), bare[found.end() :]
    is_parted = not rest or rest[0] in _SEPARATORS or rest[0] in "(《“「『【["
    if word := groups.get("word"):
        number = _english_number(groups["latin"].lower())
        name = {"c": "Chapter", "p": "Part", "v": "Volume", "b": "Book"}[word[0].lower()]
        rank = Rank.CHAPTER if name == "Chapter" else Rank.VOLUME
        return HeadingReading(f"{name} N", number, rank) if number is not None and is_parted else None
    if third := groups.get("third"):
        return HeadingReading(f"上{groups['third_unit']}", "上中下".index(third) + 1, Rank.VOLUME, is_parted)
    unit = groups.get("unit") or groups.get("bare_unit") or "卷"
    number = parse_number((groups.get("number") or groups.get("bare") or groups.get("volume") or "").replace(" ", ""))
    if number is None:
        return None
    rank = Rank.SECTION if unit in _SECTIONS else Rank.CHAPTER if unit in _CHAPTERS else Rank.VOLUME
    is_glued = unit in "章节節" and len(rest) <= MAX_PREFIX_CHARS and not _GOES_ON.match(rest)
    is_sure = not groups.get("bare") and (is_parted or is_glued)
    return HeadingReading("卷N" if groups.get("volume") else f"第N{unit}", number, rank, is_sure)


def _english_number(text: str) -> int | None:
    tens, _, ones = text.replace("-", " ").partition(" ")
    if tens in _TENS[2:]:
        return 10 * _TENS.index(tens) + (_ONES.index(ones) if ones else 0)
    words = (*_ONES, *_TEENS)
    return words.index(text) if text in words else parse_number(text)


def _number_readings(plain: str) -> Iterator[HeadingReading]:
    """Yield readings of a number with a mark, or of a number after a text that all headings of the style repeat."""
    bare = re.sub(rf"^[{_DECORATION}]+[、. ]*", "", plain)
    leading, behind = _LEADING.match(bare), _BEHIND.match(bare)
    if leading and _may_follow(leading["rest"]):
        (number, sample), rest = _read_number(leading), leading["rest"]
        mark = leading["close"] + leading["stop"]
        is_glued = bool(rest) and not mark and rest[0] != " "
        if number is not None and (not is_glued or (leading["arabic"] and rest[0].isalpha())):
            yield HeadingReading(
                f"{leading['open']}{sample}{mark}{'题' * is_glued}", number, Rank.NUMBER, is_sure=False
            )
    if behind and _may_follow(behind["rest"]):
        (number, sample), prefix = _read_number(behind), behind["prefix"]
        mark = behind["close"] + behind["unit"] + behind["stop"]
        is_name = any(map(str.isalpha, prefix)) and len(prefix) <= MAX_PREFIX_CHARS and not _IS_PROSE.search(prefix)
        is_name &= not behind["unit"] or prefix[-1] == "第"
        if number is not None and is_name:
            rank = Rank.PAGE if _CUT_BY_SITE.search(f"{prefix.strip()}{behind['unit']}") else Rank.NUMBER
            yield HeadingReading(f"{prefix}{sample}{mark}", number, rank, is_sure=False)
            if prefix[-1] in "第(" and not behind["rest"]:
                yield HeadingReading(f"题{prefix[-1]}{sample}{mark}", number, rank, is_sure=False)


def _may_follow(rest: str) -> bool:
    """Return True if the text after a number may be a title. A digit after it, as in 1.2, may not."""
    return len(rest) <= MAX_TITLE_CHARS and not rest[:1].isdecimal()


def _read_number(found: re.Match[str]) -> tuple[int | None, str]:
    """Return the number in a match, and the first number of its numeral system: 1, 一 or I."""
    groups = found.groupdict()
    systems = (("arabic", "1"), ("han", "一"), ("roman", "I"))
    text, sample = next((groups[name], first) for name, first in systems if groups.get(name))
    return parse_number(text), sample


def _mark_readings(plain: str) -> Iterator[HeadingReading]:
    """Yield readings of a mark without a number: ☆、题, 正文 题, 【题】."""
    if found := _SIGNED.fullmatch(plain):
        style, title = found["mark"] + found["stop"], _CLOSING.sub("", found["title"])
        rank = Rank.SIGN if found["mark"] in _SIGNS else Rank.TITLE
    elif found := _BODY.fullmatch(plain):
        style, title, rank = "正文", found["title"], Rank.SIGN
    elif found := _BRACKETED.fullmatch(plain):
        style, title, rank = f"{found['open']}题", found["title"], Rank.TITLE
    else:
        return
    if is_title(title):
        yield HeadingReading(style, None, rank)
