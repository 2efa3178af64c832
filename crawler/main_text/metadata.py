"""Time of publication, from where Chinese pages state it, and the lines that only state such things."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta, timezone
from itertools import islice

from htmldate import find_date
from lxml.html import HtmlElement

from crawler.main_text.authors import STATED
from crawler.main_text.headline import meta
from crawler.main_text.posters import POSTED
from crawler.markup import Line

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
_CHINA = timezone(timedelta(hours=8))  # what a page means that states no zone
MAX_CHARS_BESIDE_STAMP = 40  # Discuz says in some 35 who else may be looked at and from where (2026-11)
_MAX_HEAD_LINE_CHARS = 80  # a line that states a date is short; one inside an article is a sentence


def published(tree: HtmlElement, page: Sequence[Line], main_lines: Sequence[Line], url: str) -> datetime | None:
    """When the page says it was published, in UTC; a time without a zone is read as China's."""
    stated = parse_time(meta(tree, _TIME_META) or "") or _from_time_element(tree)
    if stated:
        return stated
    near = list(_around(page, main_lines))
    worded = [line for line in near if _DATE_WORDS.search(line.text)]
    for line in [*worded, *near]:
        moment = parse_time(line.text)
        if moment:
            return moment
    is_small = next(islice(tree.iter(), MAX_ELEMENTS_FOR_HTMLDATE, None), None) is None
    return _by_htmldate(tree, url) if is_small and len(page) <= MAX_LINES_FOR_HTMLDATE else None


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
    rest = _DATE.sub("", STATED.sub("", POSTED.sub("", text)))
    words = len(_DATE_WORDS.findall(text))
    date = _DATE.search(text)
    # A diary's 2026年3月1日 晴 states no hour; what a machine wrote does, and says where it was published.
    is_stamped = date is not None and date[4] is not None
    has_statement = bool(date or STATED.search(text) or POSTED.search(text)) and (words > 0 or is_stamped)
    return has_statement and len(text) <= _MAX_HEAD_LINE_CHARS and len(rest) <= 8 + 8 * words and "。" not in text


def is_stamp(text: str) -> bool:
    """Whether a line states, to the minute, when something was posted, and hardly anything else."""
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
