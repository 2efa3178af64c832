"""A text's author and time of publication, in the forms in which Chinese pages state them."""

import json
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta, timezone
from itertools import islice
from typing import Any

from htmldate import find_date
from lxml.html import HtmlElement

from crawler.main_text.headline import meta, one_line, site_name
from crawler.main_text.posters import POSTED, is_post
from crawler.markup import Line

MAX_NAME_CHARS = 30
_META = ("og:novel:author", "article:author", "author", "byline")
_LINES_ABOVE, _LINES_INSIDE, _LINES_AT_END, _LINES_BELOW = 12, 4, 3, 4
_MAX_LINE_CHARS = 80  # a line that states an author is short; the last line of a text may end in one
_MAX_LINKED_DATA_CHARS = 200_000
_NAME = r"[\u4e00-\u9fff·•A-Za-z][\u4e00-\u9fff·•A-Za-z0-9_.& ]{1,29}"
_HAN_NAME = r"[\u4e00-\u9fff]{2,4}(?:·[\u4e00-\u9fff]{1,8})?"
_NAMES = rf"{_HAN_NAME}(?:[ 　、]{{1,2}}{_HAN_NAME})*"
_BEHIND = r"(?=$|[\s)）】/／]|报道|報[道導]|文$|摄|攝|发自|發自)"
STATED_AUTHOR = re.compile(
    rf"(?<!原)(?:作\s*者|撰\s*文|撰\s*稿人?|著\s*者|执\s*笔人?|執\s*筆人?)\s*[:：/／|｜]\s*({_NAME})(?!\w*\s*=)"
    rf"|(?:^|[\s(（【])文\s*[/／|｜:：]\s*({_NAME})"
    rf"|(?<!小)(?:记\s*者|記\s*者|通讯员|通訊員)\s*(?:[:：/／|｜]\s*|\s+)?({_NAMES}){_BEHIND}"
    rf"|^\s*[□■◎○●◆]\s*({_HAN_NAME}(?: {_HAN_NAME})?)\s*$"
    rf"|^({_HAN_NAME})\s*[著◎]\s*$"
    rf"|^[\u4e00-\u9fff]{{2,6}}[／/]({_HAN_NAME})\s+20\d\d"
)
# （记者林舟）近日 and （中央社記者林舟台北21日電）: a place and a day may follow the name without a blank.
_PLACED = re.compile(
    rf"[(（〔【](?:[^()（）〔〕【】]{{0,10}})(?:记者|記者)\s*(?:({_HAN_NAME}?)[\u4e00-\u9fff]{{2,3}}\d{{1,2}}日|({_NAMES})(?=\s*[)）〕】／/]))"
)
_CHARS_OF_DATELINE, _MAX_LINES_TO_SEARCH = 60, 100
_REPORTED = re.compile(rf"[（(〔]({_HAN_NAME})[／/][\u4e00-\u9fff]{{2,6}}[报報][导導道][)）〕]")
_ON_THE_POST = re.compile("文章|更新|最后|最後|最近|编辑|編輯|修改|回复|回復|本帖|本贴|时间|時間")
_EDITOR = re.compile(rf"(?:责任编辑|責任編輯|责编|責編|编辑|編輯)\s*[:：]?\s*({_HAN_NAME})")
_OFFICE = re.compile(r"^(?:[\u4e00-\u9fff·]{0,10}(?:记者|記者|通讯员|通訊員))\s*")
_TOOK_PICTURES = re.compile(r"[摄攝]$|[/／]\s*(?:摄|攝|翻摄|翻攝)")
_END = re.compile(
    r"\s*(?:来源|來源|出自|报道|報道|報導|通讯员|通訊員|摄影|攝影|发布|發布|更新|时间|時間|编辑|編輯|译者|譯者|字数|字數|点击|點擊|分类|分類|类别|責任|责任|\d{4}(?:[-年/]|$)).*$|\s{2,}.*$"
)
_SIGNED = re.compile(
    rf"(?:^|[。！？”…」])\s*[（(]\s*(?:[\u4e00-\u9fff·]{{0,8}}(?:记者|記者))?\s*"
    rf"({_HAN_NAME}(?:[ 　、]{_HAN_NAME})*)\s*[)）]$"
)
_BULLETED = re.compile(r"^\s*[□■◎○●◆]")
_ALONE = re.compile(r"^[\u4e00-\u9fff]{2,4}$")
_SPACED = re.compile(r"^[\u4e00-\u9fff] +[\u4e00-\u9fff]$")
# The hundred most frequent surnames, both scripts; general knowledge. They cover some 85 % of people.
_SURNAMES = frozenset(
    "王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何高林罗羅郑鄭梁谢謝宋唐许許韩韓冯馮邓鄧曹彭曾肖蕭田董袁潘于蒋蔣蔡余杜叶葉程苏蘇魏吕呂"
    "丁任沈姚卢盧姜崔钟鍾谭譚陆陸汪范金石廖贾賈夏韦韋付傅方白邹鄒孟熊秦邱江尹薛闫阎閻段雷侯龙龍史陶黎贺賀顾顧毛郝龚龔邵万萬钱錢严嚴覃武戴莫孔向汤湯"
)
# Publishers and software: no authors.
_NOT_A_PERSON = re.compile(
    r"(?:网|網|网络|公司|集团|科技|编辑部|編輯部|频道|系统)$|^[\d\W]+$|^(?:admin|administrator|root|webmaster|user)$",
    re.IGNORECASE,
)


def author(tree: HtmlElement, page: Sequence[Line], main_lines: Sequence[Line]) -> str:
    """Return the author that the page states; "" if it states none."""
    editors = {match[1] for line in page if len(line.text) <= _MAX_LINE_CHARS for match in _EDITOR.finditer(line.text)}
    stated = (_accept_name(name, tree) for name in _names_in_head(tree))
    named = next((name for name in stated if name and not any(map(name.endswith, editors))), "")
    return named or _author_in_lines(page, main_lines)


def _names_in_head(tree: HtmlElement) -> Iterator[str]:
    yield meta(tree, _META) or ""
    for node in tree.iter("script"):
        if (node.get("type") or "").lower() == "application/ld+json" and node.text:
            yield _author_in_linked_data(node.text)


def _author_in_linked_data(text: str) -> str:
    try:
        record = json.loads(text) if len(text) <= _MAX_LINKED_DATA_CHARS else None
    except (ValueError, RecursionError):
        return ""
    graph = record.get("@graph") if isinstance(record, dict) else None
    records = next(each for each in (graph, record, [record]) if isinstance(each, list))
    texts = (each for each in records if isinstance(each, dict) and not is_post(each))
    return next(filter(None, (_schema_name(each.get("author")) for each in texts)), "")


def _schema_name(stated: Any) -> str:
    """Name in a schema.org author: a name, a Person, or a list of either."""
    if isinstance(stated, list):
        return " ".join(filter(None, map(_schema_name, stated[:5])))
    if isinstance(stated, dict):
        stated = "" if stated.get("@type") == "Organization" else stated.get("name")
    return stated if isinstance(stated, str) else ""


def _accept_name(stated: str, tree: HtmlElement) -> str:
    """Clean a stated name; "" if it is the site's or its software's."""
    name = _OFFICE.sub("", _END.sub("", one_line(stated))).strip()
    name = name.partition("／")[0]  # of a reporter and where he reported from
    if not name or len(name) > MAX_NAME_CHARS or "http" in name or "," in name or _NOT_A_PERSON.search(name):
        return ""
    title, site = one_line(tree.findtext(".//title") or ""), site_name(tree)
    return "" if name in site or title.endswith((f"_{name}", f"-{name}", f"|{name}", f"_{name}新闻")) else name


def _author_in_lines(page: Sequence[Line], main_lines: Sequence[Line]) -> str:
    first = next((number for number, line in enumerate(page) if main_lines and line is main_lines[0]), 0)
    last = next((number for number, line in enumerate(page) if main_lines and line is main_lines[-1]), first)
    above = page[max(0, first - _LINES_ABOVE) : first + _LINES_INSIDE]
    end = [*main_lines[-_LINES_AT_END:], *page[last + 1 : last + 1 + _LINES_BELOW]]
    for line in [*above, *end]:
        name = _stated_name(line)
        if name and (name[0] in _SURNAMES or not _BULLETED.match(line.text)):
            return name
    return (
        _dateline_reporter(main_lines)
        or _signature_name(main_lines)
        or _name_on_own_line(page[max(0, first - 2) : first + 2])
    )


def _stated_name(line: Line) -> str:
    """Return the first name that a short line states, pictures' makers passed over."""
    if len(line.text) > _MAX_LINE_CHARS:
        return ""
    for match in STATED_AUTHOR.finditer(line.text):
        found = next(filter(None, match.groups()))
        behind = line.text[match.end() : match.end() + 3]
        name = _clean_name(found)
        if (
            name
            and not _ON_THE_POST.search(name)
            and not _TOOK_PICTURES.search(found)
            and not re.match(r"\s*[/／]?\s*(?:翻)?[摄攝]", behind)
        ):
            return name
    return ""


def _dateline_reporter(main_lines: Sequence[Line]) -> str:
    """Return the reporter that the dateline at the beginning of a text names."""
    for line in main_lines[:_LINES_INSIDE]:
        match = _PLACED.search(line.text[:_CHARS_OF_DATELINE])
        if match:
            return match[1] or match[2]
    return ""


def _clean_name(found: str) -> str:
    name = _OFFICE.sub("", _END.sub("", found)).strip(" 　·.&")
    paper, _, person = name.partition(" ")
    if _ALONE.match(paper) and _ALONE.match(person) and paper[0] not in _SURNAMES and person[0] in _SURNAMES:
        name = person
    return name.replace(" ", "") if _SPACED.match(name) else name


def _signature_name(main_lines: Sequence[Line]) -> str:
    """Return the name in a signature after the last sentence: （袁源）."""
    reported = (_REPORTED.search(line.text) for line in main_lines[:_MAX_LINES_TO_SEARCH])
    match = _SIGNED.search(main_lines[-1].text) if main_lines else None
    signed = match[1] if match and any(name[0] in _SURNAMES for name in match[1].split()) else ""
    return signed or next((each[1] for each in reported if each), "")


def _name_on_own_line(lines: Sequence[Line]) -> str:
    """Return a name that stands on a line of its own between heading and text."""
    names = (
        line.text for line in lines if _ALONE.match(line.text) and line.text[0] in _SURNAMES and not line.link_chars
    )
    return next(names, "")


# Time of publication, and the lines that only state such things.

# htmldate takes out elements one by one, each time copying the text behind: saved pages have up to 8,000 (2026-11).
MAX_LINES_FOR_HTMLDATE, MAX_ELEMENTS_FOR_HTMLDATE = 20_000, 20_000
_TIME_META = (
    "article:published_time",
    "og:release_date",
    "datepublished",
    "pubdate",
    "publishdate",
    "publish_date",
    "weibo: article:create_at",
)
_DATE = re.compile(
    r"((?:19|20)\d\d)\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})\s*日?"
    r"(?:[T\s,，|]*(?:(?:星期|周|週)[一二三四五六日天]\s*)?(\d{1,2})\s*[:：时時点點]\s*(\d{1,2})(?:\s*[:：分]\s*(\d{1,2}))?(?:\.\d+)?\s*(Z|[+-]\d\d:?\d\d)?)?"
)
_DATE_WORDS = re.compile("发布|發布|發佈|发表|發表|时间|時間|日期|更新|来源|來源|作者|记者|記者")
_CHINA = timezone(timedelta(hours=8))  # the zone of pages that state none
MAX_CHARS_BESIDE_STAMP = 40  # Discuz has links and the poster's region in some 35 characters (2026-11)
_MAX_HEAD_LINE_CHARS = 80  # a line that states a date is short; one inside an article is a sentence


def publication_time(tree: HtmlElement, page: Sequence[Line], main_lines: Sequence[Line], url: str) -> datetime | None:
    """Return the time of publication that the page states, in UTC; a time without a zone is read as China's."""
    stated = parse_time(meta(tree, _TIME_META) or "") or _time_element_time(tree)
    if stated:
        return stated
    near = list(_lines_near_main(page, main_lines))
    worded = [line for line in near if _DATE_WORDS.search(line.text)]
    for line in [*worded, *near]:
        moment = parse_time(line.text)
        if moment:
            return moment
    is_small = next(islice(tree.iter(), MAX_ELEMENTS_FOR_HTMLDATE, None), None) is None
    return _htmldate_time(tree, url) if is_small and len(page) <= MAX_LINES_FOR_HTMLDATE else None


def parse_time(text: str) -> datetime | None:
    """Return the first date in `text`, in UTC.

    >>> parse_time("发布时间：2024年1月2日 10:20").isoformat()
    '2024-01-02T02:20:00+00:00'
    """
    match = _DATE.search(text)
    if not match:
        return None
    numbers = [int(part or 0) for part in match.groups()[:6]]
    try:
        local = datetime(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], tzinfo=_zone(match[7]))
        return local.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def is_byline(text: str) -> bool:
    """Return True if a line only states author, source or date."""
    rest = _DATE.sub("", STATED_AUTHOR.sub("", POSTED.sub("", text)))
    words = len(_DATE_WORDS.findall(text))
    date = _DATE.search(text)
    # A diary's 2026年3月1日 晴 states no hour; what a machine wrote does, and says where it was published.
    is_stamped = date is not None and date[4] is not None
    has_statement = bool(date or STATED_AUTHOR.search(text) or POSTED.search(text)) and (words > 0 or is_stamped)
    return has_statement and len(text) <= _MAX_HEAD_LINE_CHARS and len(rest) <= 8 + 8 * words and "。" not in text


def is_stamp(text: str) -> bool:
    """Return True if a line states to the minute when something was posted, and hardly anything else."""
    date = _DATE.search(text) if len(text) <= _MAX_HEAD_LINE_CHARS else None
    rest = len(text) - len(date[0]) if date else 0
    return date is not None and date[4] is not None and rest <= MAX_CHARS_BESIDE_STAMP


def _zone(stated: str | None) -> timezone:
    if not stated:
        return _CHINA
    if stated == "Z":
        return UTC
    sign = -1 if stated[0] == "-" else 1
    digits = stated[1:].replace(":", "")
    return timezone(sign * timedelta(hours=int(digits[:2]), minutes=int(digits[2:])))


def _time_element_time(tree: HtmlElement) -> datetime | None:
    moments = (parse_time(node.get("datetime") or "") for node in tree.iter("time"))
    return next((moment for moment in moments if moment), None)


def _htmldate_time(tree: HtmlElement, url: str) -> datetime | None:
    try:
        found = find_date(tree, extensive_search=False, original_date=True, url=url or None, outputformat="%Y-%m-%d")
    except (ValueError, TypeError, AttributeError, LookupError):
        return None
    return parse_time(found or "")


def _lines_near_main(page: Sequence[Line], main_lines: Sequence[Line]) -> Iterator[Line]:
    """Return short lines from just before the main text into its beginning, then those at its end."""
    first = next((number for number, line in enumerate(page) if main_lines and line is main_lines[0]), 0)
    near = [*page[max(0, first - 12) : first + 4], *main_lines[-3:]]
    return (line for line in near if len(line.text) <= _MAX_HEAD_LINE_CHARS)
