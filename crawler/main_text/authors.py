"""Who a page says wrote its text, from the forms in which Chinese pages state it."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from lxml.html import HtmlElement

from crawler.main_text.headline import meta, one_line, site_name
from crawler.main_text.posters import is_post
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
STATED = re.compile(
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
# Who publishes, or what the site runs on: no author.
_NOT_A_PERSON = re.compile(
    r"(?:网|網|网络|公司|集团|科技|编辑部|編輯部|频道|系统)$|^[\d\W]+$|^(?:admin|administrator|root|webmaster|user)$",
    re.IGNORECASE,
)


def author(tree: HtmlElement, page: Sequence[Line], main_lines: Sequence[Line]) -> str:
    """Who the page says wrote it; "" when it says nothing."""
    editors = {match[1] for line in page if len(line.text) <= _MAX_LINE_CHARS for match in _EDITOR.finditer(line.text)}
    stated = (_acceptable(name, tree) for name in _of_head(tree))
    named = next((name for name in stated if name and not any(map(name.endswith, editors))), "")
    return named or _of_lines(page, main_lines)


def _of_head(tree: HtmlElement) -> Iterator[str]:
    yield meta(tree, _META) or ""
    for node in tree.iter("script"):
        if (node.get("type") or "").lower() == "application/ld+json" and node.text:
            yield _of_linked_data(node.text)


def _of_linked_data(text: str) -> str:
    try:
        record = json.loads(text) if len(text) <= _MAX_LINKED_DATA_CHARS else None
    except (ValueError, RecursionError):
        return ""
    graph = record.get("@graph") if isinstance(record, dict) else None
    records = next(each for each in (graph, record, [record]) if isinstance(each, list))
    texts = (each for each in records if isinstance(each, dict) and not is_post(each))
    return next(filter(None, (_name_of(each.get("author")) for each in texts)), "")


def _name_of(stated: Any) -> str:
    """schema.org: a name, a Person, or a list of either."""
    if isinstance(stated, list):
        return " ".join(filter(None, map(_name_of, stated[:5])))
    if isinstance(stated, dict):
        stated = "" if stated.get("@type") == "Organization" else stated.get("name")
    return stated if isinstance(stated, str) else ""


def _acceptable(stated: str, tree: HtmlElement) -> str:
    """A stated name unless it is the site's or its software's."""
    name = _OFFICE.sub("", _END.sub("", one_line(stated))).strip()
    name = name.partition("／")[0]  # of a reporter and where he reported from
    if not name or len(name) > MAX_NAME_CHARS or "http" in name or "," in name or _NOT_A_PERSON.search(name):
        return ""
    title, site = one_line(tree.findtext(".//title") or ""), site_name(tree)
    return "" if name in site or title.endswith((f"_{name}", f"-{name}", f"|{name}", f"_{name}新闻")) else name


def _of_lines(page: Sequence[Line], main_lines: Sequence[Line]) -> str:
    first = next((number for number, line in enumerate(page) if main_lines and line is main_lines[0]), 0)
    last = next((number for number, line in enumerate(page) if main_lines and line is main_lines[-1]), first)
    above = page[max(0, first - _LINES_ABOVE) : first + _LINES_INSIDE]
    end = [*main_lines[-_LINES_AT_END:], *page[last + 1 : last + 1 + _LINES_BELOW]]
    for line in [*above, *end]:
        name = _stated_in(line)
        if name and (name[0] in _SURNAMES or not _BULLETED.match(line.text)):
            return name
    return _placed(main_lines) or _signed(main_lines) or _alone(page[max(0, first - 2) : first + 2])


def _stated_in(line: Line) -> str:
    """The first name that a short line states, pictures' makers passed over."""
    if len(line.text) > _MAX_LINE_CHARS:
        return ""
    for match in STATED.finditer(line.text):
        found = next(filter(None, match.groups()))
        behind = line.text[match.end() : match.end() + 3]
        name = _tidied(found)
        if (
            name
            and not _ON_THE_POST.search(name)
            and not _TOOK_PICTURES.search(found)
            and not re.match(r"\s*[/／]?\s*(?:翻)?[摄攝]", behind)
        ):
            return name
    return ""


def _placed(main_lines: Sequence[Line]) -> str:
    """The reporter that the dateline at the beginning of a text names."""
    for line in main_lines[:_LINES_INSIDE]:
        match = _PLACED.search(line.text[:_CHARS_OF_DATELINE])
        if match:
            return match[1] or match[2]
    return ""


def _tidied(found: str) -> str:
    name = _OFFICE.sub("", _END.sub("", found)).strip(" 　·.&")
    paper, _, person = name.partition(" ")
    if _ALONE.match(paper) and _ALONE.match(person) and paper[0] not in _SURNAMES and person[0] in _SURNAMES:
        name = person
    return name.replace(" ", "") if _SPACED.match(name) else name


def _signed(main_lines: Sequence[Line]) -> str:
    """（袁源） behind the last sentence."""
    reported = (_REPORTED.search(line.text) for line in main_lines[:_MAX_LINES_TO_SEARCH])
    match = _SIGNED.search(main_lines[-1].text) if main_lines else None
    signed = match[1] if match and any(name[0] in _SURNAMES for name in match[1].split()) else ""
    return signed or next((each[1] for each in reported if each), "")


def _alone(lines: Sequence[Line]) -> str:
    """A name that stands on a line of its own between heading and text."""
    names = (
        line.text for line in lines if _ALONE.match(line.text) and line.text[0] in _SURNAMES and not line.link_chars
    )
    return next(names, "")
