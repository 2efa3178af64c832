"""Finds the time of publication of a text, and the lines that only state such metadata."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta, timezone
from itertools import islice

from htmldate import find_date
from lxml.html import HtmlElement

from crawler.main_text.metadata import POSTED, STATED_AUTHOR, main_text_index, meta, one_line
from crawler.markup import Line

# htmldate removes elements one by one, and copies the following text each time. Saved pages have up to 8,000 (2026-11).
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
END_OF_SENTENCE = re.compile("[。！？；…」”』!?]")
_HEAD_LINES = 6
_BREADCRUMB = re.compile(r"[>＞»›]\s*\S+\s*(?:[>＞»›]|$)|^(?:当前|您的|目前|您现在的|你的)?位置[:：]")
_CHINA = timezone(timedelta(hours=8))  # for pages that state no time zone
MAX_CHARS_BESIDE_STAMP = 40  # Discuz has links and the poster's region in some 35 characters (2026-11)
_MAX_HEAD_LINE_CHARS = 80  # a line that states a date is short; a longer line in an article is a sentence


def publication_time(tree: HtmlElement, page: Sequence[Line], main_lines: Sequence[Line], url: str) -> datetime | None:
    """Return the time of publication that the page states, in UTC, or None. A time without a zone is Chinese time."""
    stated = (meta(tree, _TIME_META) or "", *(node.get("datetime") or "" for node in tree.iter("time")))
    if moment := next(filter(None, map(find_datetime, stated)), None):
        return moment
    near = list(_lines_near_main(page, main_lines))
    worded = [line for line in near if _DATE_WORDS.search(line.text)]
    if moment := next(filter(None, (find_datetime(line.text) for line in [*worded, *near])), None):
        return moment
    is_small = next(islice(tree.iter(), MAX_ELEMENTS_FOR_HTMLDATE, None), None) is None
    return _htmldate_time(tree, url) if is_small and len(page) <= MAX_LINES_FOR_HTMLDATE else None


def find_datetime(text: str) -> datetime | None:
    """Return the first date and time in a text, in UTC, or None. A time without a zone is Chinese time.

    >>> find_datetime("发布时间：2024年1月2日 10:20").isoformat()
    '2024-01-02T02:20:00+00:00'
    """
    match = _DATE.search(text)
    if not match:
        return None
    numbers = [int(part or 0) for part in match.groups()[:6]]
    try:
        zone = datetime.strptime(match[7], "%z").tzinfo if match[7] else _CHINA
        local = datetime(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], tzinfo=zone)
        return local.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def is_byline(text: str) -> bool:
    """Return True if a line only states the author, source or date of a text."""
    rest = _DATE.sub("", STATED_AUTHOR.sub("", POSTED.sub("", text)))
    words = len(_DATE_WORDS.findall(text))
    date = _DATE.search(text)
    # The entry of a diary, 2026年3月1日 晴, states no hour. A generated line does, and states where it was published.
    is_stamped = date is not None and date[4] is not None
    has_statement = bool(date or STATED_AUTHOR.search(text) or POSTED.search(text)) and (words > 0 or is_stamped)
    return has_statement and len(text) <= _MAX_HEAD_LINE_CHARS and len(rest) <= 8 + 8 * words and "。" not in text


def is_stamp(text: str) -> bool:
    """Return True if a line states the minute at which something was posted, and little else."""
    date = _DATE.search(text) if len(text) <= _MAX_HEAD_LINE_CHARS else None
    rest = len(text) - len(date[0]) if date else 0
    return date is not None and date[4] is not None and rest <= MAX_CHARS_BESIDE_STAMP


def drop_head(chosen: Sequence[Line], title: str) -> list[Line]:
    """Return the lines of a text without the title, the breadcrumb, and the line of author and date above it."""
    last = 0
    for number, line in enumerate(chosen[:_HEAD_LINES], 1):
        if one_line(line.text) == title:
            last = number
        elif len(line.text) > _MAX_HEAD_LINE_CHARS:  # also protects patterns from lines that are designed to be slow
            break
        elif is_byline(line.text) or is_stamp(line.text) or _BREADCRUMB.search(line.text):
            last = number
        elif END_OF_SENTENCE.search(line.text):
            break
    return list(chosen[last:])


def _htmldate_time(tree: HtmlElement, url: str) -> datetime | None:
    try:
        found = find_date(tree, extensive_search=False, original_date=True, url=url or None, outputformat="%Y-%m-%d")
    except (ValueError, TypeError, AttributeError, LookupError):
        return None
    return find_datetime(found or "")


def _lines_near_main(page: Sequence[Line], main_lines: Sequence[Line]) -> Iterator[Line]:
    """Return the short lines near the beginning and the end of the main text, in page order."""
    first = main_text_index(page, main_lines)
    near = [*page[max(0, first - 12) : first + 4], *main_lines[-3:]]
    return (line for line in near if len(line.text) <= _MAX_HEAD_LINE_CHARS)
