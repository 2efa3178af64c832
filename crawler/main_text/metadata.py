"""Finds the title and the author of a text, as Chinese pages state them."""

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

from lxml.html import HtmlElement

from crawler.characters.repertoire import compile_for_both_scripts
from crawler.markup import HEADINGS, Line, element_text

# Finds the title of a page's text, without the names of the book, the section and the site around it.

MAX_TITLE_CHARS = 200
MIN_HEADING_CHARS = 2
_MAX_HEADINGS = 20
# The maximum distance between a heading and its text, for author, date, tools and a few images.
_MAX_LINES_ABOVE, _MAX_LINES_INSIDE = 15, 3
_TITLE_SEPARATORS = re.compile(
    r"\s*[_|｜»>]+\s*|\s+(?:[-–—]+|[·•]|::)\s+|--+|-(?=[\u4e00-\u9fff]{2,16}(?:网|網|站|中心|论坛|論壇|小说|小說|在线|政府|日报|日報|局)$)|——(?=[^—]{2,12}$)"
)
_HOME = re.compile(r"^(?:(?:https?:)?//[^/?#]+)?/?(?:index\.\w+|default\.\w+)?(?:[?#].*)?$", re.IGNORECASE)
_HEADINGS = ("h1", "h2", "h3")
# Separators between a page's heading and what its <title> adds. There are more than above, because the end of the
# heading is known.
_ADDED_AFTER = re.compile(r"\s*(?:[-–—_|｜»>·•]+|::)\s*")
# Site names on the labelled pages (November 2026) have 3 to 14 characters, or up to 23 with their sections.
_MAX_NAME_CHARS, _MAX_ADDED_CHARS = 20, 30
_LIKE_A_SITE = re.compile(
    r"(?:[网網站报報社吧]|中心|论坛|論壇|社区|社區|书城|書城|小说|小說|文学|文學|在线|在線|新闻|新聞|频道|頻道)$"
)
# Words in <title> after the title of a chapter or a long text that are no site name.
_NO_NAME = re.compile(r"第.{1,6}[页頁章节節回卷]|阅读|閱讀|最新|全文|下载|下載|^[\W\d]*$")
_HOST = re.compile(r"^[a-z0-9-]+(?:\.[a-z0-9-]+)+$", re.IGNORECASE)
_CHAPTER = re.compile(r"第.{1,9}[章节節回话話集]")


def title(tree: HtmlElement, selected: str = "", page: Sequence[Line] = (), main_lines: Sequence[Line] = ()) -> str:
    """Return the title of the text without the site's name, or "" if the page has none.

    The title is the nearest heading above the text that the page's <title> repeats, or else a line above the text that
    is part of the <title>, or else the first part of the <title>.

    selected: the text that the site's own rule matches; it takes precedence
    """
    if selected.strip():
        return one_line(selected)
    whole = one_line(tree.findtext(".//title") or "")
    stated = one_line(meta(tree, ("og:title",)) or "") or whole
    site = _key(meta(tree, ("og:site_name",)) or "")
    headings = [each for each in _headings(tree) if _key(each) != site]
    if not stated:
        return next(iter(headings), "")
    heading = _nearest_heading(headings, _key(whole or stated), page, main_lines)
    if heading:
        return heading
    parts = [part for part in _TITLE_SEPARATORS.split(stated) if part and _key(part) != site]
    shown = _title_part_above(parts, page, main_lines) or (
        _only_heading(tree, page, main_lines) if len(parts) == 1 else ""
    )
    return shown or (parts[0] if parts else stated)


def site_name(tree: HtmlElement) -> str:
    """Return the name of the site as the page states it, or "" if it states none.

    The name is taken from the metadata, or else from a link to the front page that the <title> repeats, or else from
    what the <title> adds to the page's heading, if that certainly does not belong to the heading.
    """
    stated = one_line(meta(tree, ("og:site_name", "application-name")) or "")
    if stated:
        return stated
    parts = [_key(part) for part in _TITLE_SEPARATORS.split(one_line(tree.findtext(".//title") or "")) if part]
    linked = (one_line("".join(node.itertext())) for node in islice(tree.iter("a"), _MAX_HEADINGS) if is_home(node))
    leading_home = next((name for name in linked if _key(name) in parts[1:] or _key(name) == "".join(parts[:1])), "")
    return leading_home or _site_name_in_title(tree)


def is_home(element: HtmlElement) -> bool:
    """Return True if the text of an element is only a link to the site's front page.

    Such text is the site's name, not a heading.
    """
    links = [node for node in element.iter("a") if _HOME.match((node.get("href") or "#").strip())]
    inside = sum(len("".join("".join(node.itertext()).split())) for node in links)
    return bool(links) and inside >= len("".join("".join(element.itertext()).split()))


def title_places(page: Sequence[Line], whole: str) -> list[int]:
    """Return the indexes of the lines outside links that repeat the page's <title> (`whole`) or a part of it.

    If some of them are headings, only these are returned.
    """
    parts = [_key(part) for part in _TITLE_SEPARATORS.split(one_line(whole)) if _key(part)]
    keys = [key for key in {_key(whole), *(parts[:-1] or parts)} if len(key) >= MIN_HEADING_CHARS]
    named = [
        place for place, line in enumerate(page) if 2 * line.link_chars <= len(line.text) and _is_named(line, keys)
    ]
    return [place for place in named if page[place].container.tag in HEADINGS] or named


def one_line(text: str) -> str:
    """Collapse the whitespace of a text, and cut it to the maximum length of a title."""
    return " ".join(text.split())[:MAX_TITLE_CHARS]


def meta(tree: HtmlElement, names: Sequence[str]) -> str | None:
    """Return the first of these <meta> properties that is not empty, or None."""
    stated: dict[str, str] = {}
    for node in tree.iter("meta"):
        name = (node.get("property") or node.get("name") or node.get("itemprop") or "").lower()
        if name and node.get("content"):
            stated.setdefault(name, node.get("content") or "")
    return next((stated[name] for name in names if stated.get(name, "").strip()), None)


def _is_named(line: Line, keys: Sequence[str]) -> bool:
    if not MIN_HEADING_CHARS <= len(line.text) <= MAX_TITLE_CHARS:
        return False
    key = _key(line.text)
    return any(
        (key in each and 2 * len(key) >= len(each)) or (each in key and 2 * len(each) >= len(key)) for each in keys
    )


def _site_name_in_title(tree: HtmlElement) -> str:
    """Return the name of the site after the page's heading in its <title>, or "" if it may belong to the heading."""
    whole, stated = one_line(tree.findtext(".//title") or ""), one_line(meta(tree, ("og:title",)) or "")
    firsts = [node for node in islice(tree.iter("h1"), _MAX_HEADINGS) if not is_home(node)]
    known = {_key(element_text(node)) for node in firsts} | {_key(stated)}
    place = next((each for each in _ADDED_AFTER.finditer(whole) if _key(whole[: each.start()]) in known - {""}), None)
    if place is None or len(added := whole[place.end() :]) > _MAX_ADDED_CHARS:
        return ""
    parts = [part for part in _TITLE_SEPARATORS.split(added) if part and not _HOST.match(part)]
    shown = {_key(each) for each in (stated, *_headings(tree), *_subtitles(firsts))}
    if not parts or {_key(whole), _key(added), _key(parts[-1])} & shown:
        return ""
    is_name = _is_name(parts, whole[: place.start()]) and not _is_author(parts[-1], tree)
    return parts[-1] if is_name else ""


def _is_name(parts: Sequence[str], heading: str) -> bool:
    """Return True if the last part of a <title> can be the site's name.

    A single part after a chapter may be a book title.
    """
    name = parts[-1]
    if not MIN_HEADING_CHARS <= len(name) <= _MAX_NAME_CHARS:
        return False
    is_doubtful = _NO_NAME.search(name) or (len(parts) == 1 and _CHAPTER.search(heading))
    return not is_doubtful or _LIKE_A_SITE.search(name) is not None


def _is_author(name: str, tree: HtmlElement) -> bool:
    """Return True if the page states that an author has this name, or a name that is part of it."""
    stated = one_line(meta(tree, ("author", "article:author", "og:novel:author")) or "")
    byline = re.compile(rf"(?:作者|文|撰)\s*[:：/／|｜]\s*{re.escape(name)}")
    is_stated = bool(stated) and stated in name and _LIKE_A_SITE.search(name) is None
    # `text_content` contains all that `element_text` returns, and takes a hundredth of the time, so search it first.
    return is_stated or (
        byline.search(tree.text_content()) is not None and byline.search(element_text(tree)) is not None
    )


def _subtitles(headings: Sequence[HtmlElement]) -> Iterator[str]:
    """Yield the lines directly after the headings, such as subtitles."""
    for node in headings:
        following = node.getnext()
        if following is not None and isinstance(following.tag, str):
            yield one_line(element_text(following))


def _headings(tree: HtmlElement) -> Iterator[str]:
    for tag in _HEADINGS:
        for node in islice(tree.iter(tag), _MAX_HEADINGS):
            text = one_line(element_text(node))
            if text and not is_home(node):
                yield text


def _nearest_heading(headings: Sequence[str], whole: str, page: Sequence[Line], main_lines: Sequence[Line]) -> str:
    fitting = [each for each in headings if len(each) >= MIN_HEADING_CHARS and _key(each) and _key(each) in whole]
    above = [one_line(line.text) for line in _lines_above(page, main_lines)]
    places = {each: number for number, each in enumerate(above) if each in fitting}
    if places:
        return max(places, key=lambda each: places[each])
    return max(fitting[:3], key=len, default="")


def _only_heading(tree: HtmlElement, page: Sequence[Line], main_lines: Sequence[Line]) -> str:
    """Return the text of the only h1 heading if it is above the text, or ""."""
    found = {one_line(element_text(node)) for node in islice(tree.iter("h1"), _MAX_HEADINGS) if not is_home(node)} - {
        ""
    }
    above = {one_line(line.text) for line in _lines_above(page, main_lines)}
    return next(iter(found)) if len(found) == 1 and found <= above else ""


def _title_part_above(parts: Sequence[str], page: Sequence[Line], main_lines: Sequence[Line]) -> str:
    """Return the longest part of the title that is a line above the text, or "".

    If there is none, the start or the end of a part counts. parts: the parts of the page's <title>.
    """
    keys = [_key(part) for part in parts]
    lines = [line for line in _lines_above(page, main_lines) if line.link_chars * 2 <= len(line.text)]
    shown = [one_line(line.text) for line in lines if len(_key(line.text)) >= MIN_HEADING_CHARS]
    exact = [each for each in shown if _key(each) in keys]
    starting = [each for each in shown if any(key.startswith(_key(each)) or key.endswith(_key(each)) for key in keys)]
    return max(exact or [each for each in starting if len(_key(each)) >= 2 * MIN_HEADING_CHARS], key=len, default="")


def _lines_above(page: Sequence[Line], main_lines: Sequence[Line]) -> Sequence[Line]:
    first = main_text_index(page, main_lines)
    return page[max(0, first - _MAX_LINES_ABOVE) : first + _MAX_LINES_INSIDE]


def main_text_index(page: Sequence[Line], main_lines: Sequence[Line]) -> int:
    """Return the index of the line with which the main text begins."""
    return next((number for number, line in enumerate(page) if main_lines and line is main_lines[0]), 0)


@lru_cache(maxsize=4_096)  # the lines of a page are compared several times
def _key(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()


MAX_NAME_CHARS = 30
_META = ("og:novel:author", "article:author", "author", "byline")
_LINES_ABOVE, _LINES_INSIDE, _LINES_AT_END, _LINES_BELOW = 12, 4, 3, 4
_MAX_LINE_CHARS = 80  # a line that states an author is short, as is a last line that ends in one
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
POSTER_NAME = r"[^\s:：，。、；|｜/()（）»]{2,20}"
# Statements of the poster in a line above a text, on any page.
POSTED = compile_for_both_scripts(
    rf"(?:发布者|发布人|发帖人|发帖者|发表者|上传者|上传人|投稿人|投稿者|转帖人|楼主|博主|UP主|提问者)\s*[:：]\s*({POSTER_NAME})"
    rf"|^(?:(?:本帖|本贴|本文|本主题|帖子)?由)?\s*({POSTER_NAME}?)\s*(?:于|在)\s*(?:19|20)\d\d[-/.年][\d\s:：/.月日-]{{4,20}}(?:在\S{{1,12}})?(?:发布|发表|上传|分享)"
    rf"|^(?:本帖由|本贴由)?\s*({POSTER_NAME})\s+(?:发表于|发布于|发表在|上传于)\s*[:：]?\s*\d"
    rf"|^({POSTER_NAME})\s+楼主(?=\s|$)|^楼主\s+({POSTER_NAME})(?=\s|$)"
    rf"|^(?:Posted by|by|由)\s+({POSTER_NAME})(?=\s*(?:»|,|on\b|$))"
)
_TYPES_OF_POSTS = ("DiscussionForumPosting", "SocialMediaPosting", "Question", "Answer", "Comment")
# （记者林舟）近日 and （中央社記者林舟台北21日電）: a place and a day may follow the name without a space.
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
# The hundred most frequent surnames in both scripts; general knowledge. They cover some 85 % of people.
_SURNAMES = frozenset(
    "王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何高林罗羅郑鄭梁谢謝宋唐许許韩韓冯馮邓鄧曹彭曾肖蕭田董袁潘于蒋蔣蔡余杜叶葉程苏蘇魏吕呂"
    "丁任沈姚卢盧姜崔钟鍾谭譚陆陸汪范金石廖贾賈夏韦韋付傅方白邹鄒孟熊秦邱江尹薛闫阎閻段雷侯龙龍史陶黎贺賀顾顧毛郝龚龔邵万萬钱錢严嚴覃武戴莫孔向汤湯"
)
# Publishers and software, which are no authors.
_NOT_A_PERSON = re.compile(
    r"(?:网|網|网络|公司|集团|科技|编辑部|編輯部|频道|系统)$|^[\d\W]+$|^(?:admin|administrator|root|webmaster|user)$",
    re.IGNORECASE,
)


def author(tree: HtmlElement, page: Sequence[Line], main_lines: Sequence[Line]) -> str:
    """Return the author that the page states, or "" if it states none."""
    editors = {match[1] for line in page if len(line.text) <= _MAX_LINE_CHARS for match in _EDITOR.finditer(line.text)}
    stated = (_accept_name(name, tree) for name in _names_in_head(tree))
    named = next((name for name in stated if name and not any(map(name.endswith, editors))), "")
    return named or _author_in_lines(page, main_lines)


def _names_in_head(tree: HtmlElement) -> Iterator[str]:
    yield meta(tree, _META) or ""
    for record in linked_data_records(tree):
        if not is_post(record):
            yield _schema_name(record.get("author"))


def linked_data_records(tree: HtmlElement) -> Iterator[dict[str, Any]]:
    """Yield the records in the linked data (schema.org) of a page."""
    for node in tree.iter("script"):
        text = node.text or ""
        if (node.get("type") or "").lower() != "application/ld+json" or len(text) > _MAX_LINKED_DATA_CHARS:
            continue
        try:
            stated = json.loads(text)
        except (ValueError, RecursionError):
            continue
        graph = stated.get("@graph", stated) if isinstance(stated, dict) else stated
        yield from (each for each in (graph if isinstance(graph, list) else [graph]) if isinstance(each, dict))


def is_post(record: dict[str, Any]) -> bool:
    """Return True if a linked data record describes a post. The "author" of such a record is the poster."""
    kinds = record.get("@type")
    return any(kind in _TYPES_OF_POSTS for kind in (kinds if isinstance(kinds, list) else [kinds]))


def _schema_name(stated: Any) -> str:
    """Return the name in an author of schema.org, or "" for an Organization. stated: a name, a Person, or a list."""
    if isinstance(stated, list):
        return " ".join(filter(None, map(_schema_name, stated[:5])))
    if isinstance(stated, dict):
        stated = "" if stated.get("@type") == "Organization" else stated.get("name")
    return stated if isinstance(stated, str) else ""


def _accept_name(stated: str, tree: HtmlElement) -> str:
    """Clean a stated name. Return "" if it is no name, or the name of the site or its software."""
    name = _OFFICE.sub("", _END.sub("", one_line(stated))).strip()
    name = name.partition("／")[0]  # the place of the report may follow the reporter
    if not name or len(name) > MAX_NAME_CHARS or "http" in name or "," in name or _NOT_A_PERSON.search(name):
        return ""
    title, site = one_line(tree.findtext(".//title") or ""), site_name(tree)
    return "" if name in site or title.endswith((f"_{name}", f"-{name}", f"|{name}", f"_{name}新闻")) else name


def _author_in_lines(page: Sequence[Line], main_lines: Sequence[Line]) -> str:
    first = main_text_index(page, main_lines)
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
    """Return the first author that a short line states, or "". Photographers are skipped."""
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
    """Return the reporter in the dateline at the beginning of a text, or ""."""
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
    """Return the name in a signature after the last sentence, such as （袁源）, or ""."""
    reported = (_REPORTED.search(line.text) for line in main_lines[:_MAX_LINES_TO_SEARCH])
    match = _SIGNED.search(main_lines[-1].text) if main_lines else None
    signed = match[1] if match and any(name[0] in _SURNAMES for name in match[1].split()) else ""
    return signed or next((each[1] for each in reported if each), "")


def _name_on_own_line(lines: Sequence[Line]) -> str:
    """Return the first name that is a line of its own, or ""."""
    names = (
        line.text for line in lines if _ALONE.match(line.text) and line.text[0] in _SURNAMES and not line.link_chars
    )
    return next(names, "")
