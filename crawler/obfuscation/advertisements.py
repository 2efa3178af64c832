"""Removes advertisements that a site inserts into the sentences of a copy.

Advertisements change with each load, so patterns recognise them. A passage is removed if it names the site (a URL in
any spelling) or invites the reader to come back. Only its brackets or its sentence are removed with it.
"""

import re

from core.obfuscations import Obfuscation, ObfuscationFound
from core.text import join_ranges
from crawler.characters.repertoire import count_han
from crawler.obfuscation.repairs import EXAMPLE_CHARS, Repair

MAX_PIECE_CHARS = 60  # an advertisement is a clause; longer passages would be text
MAX_SIGNS = 50_000  # they take 1 s; a novel of two million characters with one match in each paragraph has as many
MAX_SHARE = 0.4  # of a text; a page with a higher share is about web sites, not a copy with advertisements

_DOT = r"(?:[^\S\n]?[.．。·•点點丶][^\S\n]?|[^\S\n]?(?:dot|DOT)[^\S\n]?)"
_LETTER = "[0-9A-Za-z\uff10-\uff19\uff21-\uff3a\uff41-\uff5aⓐ-ⓩ\U0001d400-\U0001d7ff]"
_WIDE_LETTERS = {
    char: f"[{char}{char.upper()}{chr(ord(char) + 0xFEE0)}{chr(ord(char.upper()) + 0xFEE0)}]"
    for char in "abcdefghijklmnopqrstuvwxyz"
}
_ENDINGS = (
    "com", "net", "org", "info", "top", "xyz", "vip", "biz", "cn", "cc", "me", "la", "tw", "tv", "co", "io", "so",
)  # fmt: skip
_ENDING = "(?:" + "|".join(r"[^\S\n]?".join(_WIDE_LETTERS[char] for char in name) for name in _ENDINGS) + ")"
# www.example.com, 3w点example点com, ｗｗｗ．ｅｘａｍｐｌｅ．ｃｏｍ, w w w . e x . c c.
_ADDRESS = (
    rf"(?:(?:https?|ｈｔｔｐ)[^\S\n]?[:：][^\S\n]?//?[^\S\n]?)?(?:(?:{_LETTER}[^\S\n]?){{1,20}}{_DOT}){{1,4}}"
    rf"{_ENDING}(?!{_LETTER})"
)
_ADDRESSES = re.compile(_ADDRESS)
_LETTERS = re.compile(_LETTER)
# Spaces between single letters or around a dot. A word before a URL or after a sentence is not part of it.
_SPREAD = re.compile(r"(?<![0-9A-Za-z])[0-9A-Za-z]\s[0-9A-Za-z](?![0-9A-Za-z])|\s\.\s")
_SITE_WORDS = re.compile(
    "首发|首發|小说|小說|章节|章節|记住|記住|无弹窗|無彈窗|手机(?:版|用户|阅读|站)|免费(?:阅读|看)|看书|看書|读书|讀書|书友|書友|本站"
    "|域名|手打|无广告|無廣告|笔趣|筆趣|网址|網址|天才"
)
_SITE = "(?:小说|小說|看书|看書|读书|讀書|文学|文學|中文|书|書)?(?:网|網|站|吧|阁|閣|屋|楼|樓|城|坊|斋|齋|轩|軒)"


def _alternatives(openings: str, rest: str) -> str:
    """Return a pattern equal to (?:openings)rest. It is grouped by first characters, to which `re` can skip."""
    by_first: dict[str, list[str]] = {}
    for opening in openings.split("|"):
        by_first.setdefault(opening[0], []).append(opening[1:])
    return "|".join(f"{first}(?:{'|'.join(tails)}){rest}" for first, tails in by_first.items())


# Statements that only a site makes about itself. Each is a whole clause, or the start of one.
_SIGNS = re.compile(
    "|".join(
        _alternatives(openings, rest)
        for openings, rest in [
            (
                "一秒|一秒钟|天才一秒|请|請|牢",
                "(?:钟)?(?:就)?(?:记住|記住|收藏)(?:本站|我们|我們|本书|網址|网址|域名|【|《|地址|[\\w.]{0,12}网)",
            ),
            ("本站|本书|本書|本文|本章|章节|章節|最新章节|最新章節|全文", "(?:域名|网址|網址|地址)"),
            (
                "最新|更新|手打|全文|正版|无错|無錯",
                f"(?:最快|首发|首發|章节|章節|更新|阅读|閱讀)[^，。！？\n]{{0,10}}(?:就在|尽在|盡在|请到|請到|请上|請上|来|到|关注|關注|访问|訪問|：|:)[^，。！？\n]{{0,14}}{_SITE}",
            ),
            (
                "请到|請到|请上|請上|欢迎到|歡迎到|欢迎访问|歡迎訪問|欢迎来到|上|到|就去|请登录|請登錄",
                f"[^，。！？\n]{{1,12}}{_SITE}(?:阅读|閱讀|观看|觀看|查看|收藏)",
            ),
            ("手机", "(?:用户|版|阅读|端)(?:请|可|到|访问|登录|阅读)[^，。！？\n]{0,16}(?:阅读|访问|浏览|网址|m\\.)"),
            ("手機", "(?:用戶|版|閱讀|端)(?:請|可|到|訪問|登錄|閱讀)[^，。！？\n]{0,16}(?:閱讀|訪問|瀏覽|網址|m\\.)"),
            (
                "本章|本节|本章节",
                "(?:未完|没完|尚未完结)[，,、]?(?:请|請)?(?:点击|點擊|翻)(?:下一[页頁章]|继续)(?:继续)?(?:阅读|閱讀|后面|精彩)?[^，。！？\n]{0,10}",
            ),
            (
                "更新最快|无弹窗|無彈窗|无广告|無廣告|免费阅读|免費閱讀|全文免费|首发域名|首發域名|本站首发|本站首發|独家首发|全网首发|最快更新",
                "",
            ),
            (
                "加入书签|加入書籤|求收藏|收藏本站|推荐票|喜欢本书请|喜歡本書請|手打更新|防盗章节|盗版必究|正版阅读请|支持正版请",
                "[^，。！？\n]{0,20}",
            ),
            (
                "本书|本書|本文|本章|小说|小說",
                "(?:由|在)[^，。！？\n]{1,12}(?:首发|首發|整理|提供|更新|上传|上傳|独家|獨家)",
            ),
            (
                "本书|本書|本文|本章|小说|小說",
                f"(?:由|来自|來自|转自|轉自|首发于|首發於|首发自|出自)[^，。！？\n]{{1,12}}{_SITE}(?:首发|首發|整理|提供|更新|免费|上传|转载)?",
            ),
            (
                "由|来自|來自|转自|轉自|出自",
                f"[^，。！？\n]{{1,8}}(?:小说|小說|看书|看書|读书|讀書|文学|文學|中文){_SITE}(?:首发|首發|整理|提供|更新|免费|上传|转载)",
            ),
        ]
    )
)
_BRACKETS = {
    "【": "】",
    "（": "）",
    "(": ")",
    "[": "]",
    "［": "］",
    "〔": "〕",
    "『": "』",
    "{": "}",
    "〖": "〗",
    "<": ">",
    "＜": "＞",
}
_BOXES = "【〖[［『{"  # text encloses a URL in round brackets, if at all
_EDGES = "。！？!?；;\n…”」』“「『，,"
_CLOSING_MARKS = "。！？!?；;，,"
MAX_HAN_BESIDE = 14  # in a clause that names a site: the name and words such as 最新章节请到 or 阅读


def without_advertisements(text: str, host: str = "") -> tuple[str, ObfuscationFound | None]:
    """Return a text without its advertisements, and a record of them; the unchanged text and None if there are none.

    host: the host of the page. Its own URL inside the text is always an advertisement.

    >>> without_advertisements("他停下脚步【看书网www.example.com首发】，望向远处。")[0]
    '他停下脚步，望向远处。'
    """
    most = max(MAX_PIECE_CHARS, MAX_SHARE * len(text))
    pieces = _find_advertisements(text, host, most)
    ranges = join_ranges(pieces or ())
    if not ranges or sum(end - start for start, end in ranges) > most:
        return text, None
    parts, at = [], 0
    for start, end in ranges:
        parts.append(text[at:start])
        at = end
    cleaned = "".join([*parts, text[at:]])
    lines = [line for line in cleaned.split("\n") if line.strip()]
    first = text[ranges[0][0] : ranges[0][1]].strip()
    return "\n".join(lines), ObfuscationFound(Obfuscation.SITE_ADVERTISEMENT, len(ranges), first[:EXAMPLE_CHARS])


def _find_advertisements(text: str, host: str, most: float) -> list[tuple[int, int]] | None:
    """Return the ranges of all advertisements; None if they exceed `most` characters or MAX_SIGNS matches."""
    found: list[tuple[int, int]] = []
    plain: list[tuple[int, int]] = []
    for pattern in (_SIGNS, _ADDRESSES) if _LETTERS.search(text) else (_SIGNS,):
        chars = 0
        for number, match in enumerate(pattern.finditer(text)):
            if chars > most or number >= MAX_SIGNS:
                return None
            if pattern is _ADDRESSES and not _is_address(match[0]):
                continue
            start, end = match.span()
            piece = _bracket_range(text, start, end) or _clause_range(text, start, end)
            is_meant = pattern is _SIGNS or _is_meant(match[0], text[piece[0] : piece[1]], host)
            (found if is_meant else plain).append(piece)
            chars += (end - start) * is_meant
    # A URL that adjoins an advertisement belongs to it.
    edges = {edge for piece in found for edge in piece}
    return [*found, *(piece for piece in plain if edges & {piece[0], piece[1]})]


def _is_meant(address: str, piece: str, host: str) -> bool:
    """Return True if a URL invites the reader to come back, and is not a subject of the text.

    piece: the passage around it.
    """
    # A mark may follow the bracket; [1] begins a note.
    is_enclosed = piece[:1] in _BOXES and _BRACKETS[piece[:1]] in piece[-2:]
    is_boxed = is_enclosed and count_han(piece) <= MAX_HAN_BESIDE
    return is_boxed or bool(_SITE_WORDS.search(piece)) or _is_spelt_oddly(address) or _is_own(address, host)


def _is_address(shown: str) -> bool:
    """Return True if a match has a name before its ending, unlike "3.5 cm" and "b, cn"."""
    letters = re.sub(r"[^0-9A-Za-z\uff00-\uffef]", "", shown)
    return len(letters) >= 5 and not letters.isdigit()


def _is_spelt_oddly(shown: str) -> bool:
    """Return True if a URL is spelt so that programs do not recognise it, although a reader can type it."""
    return bool(re.search("[^\\s\x21-\x7e]", shown) or _SPREAD.search(shown))


def _is_own(shown: str, host: str) -> bool:
    name = host.lower().removeprefix("www.").rpartition(":")[0] or host.lower().removeprefix("www.")
    return "." in name and name in shown.lower()


def _bracket_range(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the range of the brackets around a match on the same line, or None if there are none nearby."""
    for at in range(start, max(-1, start - MAX_PIECE_CHARS), -1):
        closing = _BRACKETS.get(text[at : at + 1])
        if text[at : at + 1] == "\n":
            return None
        if closing is None:
            continue
        stop = text.find(closing, end - 1, end + MAX_PIECE_CHARS)
        if stop >= 0 and "\n" not in text[at:stop] and stop + 1 - at <= MAX_PIECE_CHARS + 2:
            return at, stop + 1
    return None


def _clause_range(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the range of the clause around a match if it contains little more than a name, or else the match."""
    begin = max(text.rfind(edge, max(0, start - MAX_PIECE_CHARS), start) for edge in _EDGES) + 1
    if begin == 0 and start > MAX_PIECE_CHARS:
        begin = start
    stops = [stop for edge in _EDGES if (stop := text.find(edge, end, end + MAX_PIECE_CHARS)) >= 0]
    stop = min(stops, default=min(len(text), end))
    rest = count_han(_SIGNS.sub("", text[begin:start])) + count_han(_SIGNS.sub("", text[end:stop]))
    if rest > MAX_HAN_BESIDE:
        return start, end
    return begin, stop + (text[stop : stop + 1] in _CLOSING_MARKS and stop < len(text))


REPAIR = Repair(in_text=without_advertisements, signs=re.compile(f"{_LETTER}|{_SIGNS.pattern}"), is_repeated=True)
