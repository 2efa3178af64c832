"""Title, author and time of publication, from where Chinese pages state them."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta, timezone
from itertools import islice

from htmldate import find_date
from lxml.html import HtmlElement

from crawler.markup import Line, text_of

MAX_TITLE_CHARS = 200
_MAX_HEADINGS = 20
MAX_LINES_FOR_HTMLDATE = 20_000
_TITLE_SEPARATORS = re.compile(
    r"\s*[_|｜»>]+\s*|\s+[-–—]+\s+|-{1,2}(?=[\u4e00-\u9fff]{2,12}(?:网|網|站|中心|论坛|論壇|小说|小說|在线)$)|——"
)
_AUTHOR_META = ("og:novel:author", "article:author", "author", "byline", "mediaid")
_NAME = r"[\u4e00-\u9fff·•A-Za-z][\u4e00-\u9fff·•A-Za-z0-9_. ]{1,19}"
_AUTHOR = re.compile(
    rf"(?<!原)(?:作\s*者|撰\s*文)\s*[:：/／|]\s*({_NAME})|(?:^|[\s(（【])文\s*[/／|:：]\s*({_NAME})"
    r"|(?:记\s*者|記\s*者)\s*[:：/／|]?\s*([\u4e00-\u9fff]{2,4}(?: [\u4e00-\u9fff]{2,4})*)(?=$|[\s)）】,，])"
)
_AUTHOR_END = re.compile(
    r"\s*(?:来源|來源|发布|發布|更新|时间|時間|编辑|編輯|字数|字數|点击|點擊|分类|分類|类别|\d{4}[-年/]).*$|\s{2,}.*$"
)
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
    r"(?:[T\s,，|]*(\d{1,2})\s*[:：时時]\s*(\d{1,2})(?:\s*[:：分]\s*(\d{1,2}))?(?:\.\d+)?\s*(Z|[+-]\d\d:?\d\d)?)?"
)
_DATE_WORDS = re.compile("发布|發布|發佈|发表|發表|时间|時間|日期|更新|来源|來源|作者|记者|記者")
_CHINA = timezone(timedelta(hours=8))  # what a page means that states no zone
_MAX_HEAD_LINE_CHARS = 80  # a line that states a date is short; one inside an article is a sentence


def title(tree: HtmlElement, selected: str = "") -> str:
    """The heading of the text itself, the site's name off; "" where the page has none.

    selected: what the site's own rule found, which wins.
    """
    if selected.strip():
        return _one_line(selected)
    stated = _one_line(_meta(tree, ("og:title",)) or "") or _one_line(tree.findtext(".//title") or "")
    headings = [
        _one_line(text_of(node)) for tag in ("h1", "h2", "h3") for node in islice(tree.iter(tag), _MAX_HEADINGS)
    ]
    whole = _one_line(tree.findtext(".//title") or "") or stated
    fitting = [heading for heading in headings if len(heading) >= 2 and _key(heading) in _key(whole)]
    if fitting:
        return max(fitting[:3], key=len)
    if not stated:
        return next((heading for heading in headings if heading), "")
    site = _key(_meta(tree, ("og:site_name",)) or "")
    parts = [part for part in _TITLE_SEPARATORS.split(stated) if part and _key(part) != site]
    return parts[0] if parts else stated


def author(tree: HtmlElement, page: Sequence[Line], main_lines: Sequence[Line]) -> str:
    """Who the page says wrote it; "" when it says nothing."""
    named = _one_line(_meta(tree, _AUTHOR_META) or "")
    if named and len(named) <= 20 and "http" not in named:
        return named
    for line in _around(page, main_lines):
        match = _AUTHOR.search(line.text)
        if match:
            return _AUTHOR_END.sub("", next(filter(None, match.groups()))).strip(" 　·.")
    return ""


def published(tree: HtmlElement, page: Sequence[Line], main_lines: Sequence[Line], url: str) -> datetime | None:
    """When the page says it was published, in UTC; a time without a zone is read as China's."""
    stated = parse_time(_meta(tree, _TIME_META) or "") or _from_time_element(tree)
    if stated:
        return stated
    near = list(_around(page, main_lines))
    worded = [line for line in near if _DATE_WORDS.search(line.text)]
    for line in [*worded, *near]:
        moment = parse_time(line.text)
        if moment:
            return moment
    return _by_htmldate(tree, url) if len(page) <= MAX_LINES_FOR_HTMLDATE else None


def parse_time(text: str) -> datetime | None:
    """The first date in `text`, in UTC.

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
    """Whether a line only states author, source or date."""
    rest = _DATE.sub("", _AUTHOR.sub("", text))
    words = len(_DATE_WORDS.findall(text))
    has_statement = bool(_DATE.search(text) or _AUTHOR.search(text)) and words > 0
    return has_statement and len(text) <= _MAX_HEAD_LINE_CHARS and len(rest) <= 8 + 8 * words and "。" not in text


def _zone(stated: str | None) -> timezone:
    if not stated:
        return _CHINA
    if stated == "Z":
        return UTC
    sign = -1 if stated[0] == "-" else 1
    digits = stated[1:].replace(":", "")
    return timezone(sign * timedelta(hours=int(digits[:2]), minutes=int(digits[2:])))


def _from_time_element(tree: HtmlElement) -> datetime | None:
    moments = (parse_time(node.get("datetime") or "") for node in tree.iter("time"))
    return next((moment for moment in moments if moment), None)


def _by_htmldate(tree: HtmlElement, url: str) -> datetime | None:
    try:
        found = find_date(tree, extensive_search=False, original_date=True, url=url or None, outputformat="%Y-%m-%d")
    except (ValueError, TypeError, AttributeError, LookupError):
        return None
    return parse_time(found or "")


def _around(page: Sequence[Line], main_lines: Sequence[Line]) -> Iterator[Line]:
    """Short lines from a little before the main text into its beginning, then those of its end."""
    first = next((number for number, line in enumerate(page) if main_lines and line is main_lines[0]), 0)
    near = [*page[max(0, first - 12) : first + 4], *main_lines[-3:]]
    return (line for line in near if len(line.text) <= _MAX_HEAD_LINE_CHARS)


def _meta(tree: HtmlElement, names: Sequence[str]) -> str | None:
    stated: dict[str, str] = {}
    for node in tree.iter("meta"):
        name = (node.get("property") or node.get("name") or node.get("itemprop") or "").lower()
        if name and node.get("content"):
            stated.setdefault(name, node.get("content") or "")
    return next((stated[name] for name in names if stated.get(name, "").strip()), None)


def _one_line(text: str) -> str:
    return " ".join(text.split())[:MAX_TITLE_CHARS]


def _key(text: str) -> str:
    return "".join(char for char in text if char.isalnum()).lower()
