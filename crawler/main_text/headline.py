"""The heading of a page's text, apart from the names of the book, the section and the site around it."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

from lxml.html import HtmlElement

from crawler.markup import HEADINGS, Line, element_text

MAX_TITLE_CHARS = 200
MIN_HEADING_CHARS = 2
_MAX_HEADINGS = 20
# Largest distance of a heading above its text: between them are author, date, tools and a picture or two.
_MAX_LINES_ABOVE, _MAX_LINES_INSIDE = 15, 3
_TITLE_SEPARATORS = re.compile(
    r"\s*[_|｜»>]+\s*|\s+(?:[-–—]+|[·•]|::)\s+|--+|-(?=[\u4e00-\u9fff]{2,16}(?:网|網|站|中心|论坛|論壇|小说|小說|在线|政府|日报|日報|局)$)|——(?=[^—]{2,12}$)"
)
_HOME = re.compile(r"^(?:(?:https?:)?//[^/?#]+)?/?(?:index\.\w+|default\.\w+)?(?:[?#].*)?$", re.IGNORECASE)
_HEADINGS = ("h1", "h2", "h3")
# Between a page's heading and what its <title> adds: more than above, since where the heading ends is known here.
_ADDED_AFTER = re.compile(r"\s*(?:[-–—_|｜»>·•]+|::)\s*")
# Sites' names on the labelled pages (November 2026) have 3 to 14 characters, with their sections up to 23.
_MAX_NAME_CHARS, _MAX_ADDED_CHARS = 20, 30
_LIKE_A_SITE = re.compile(
    r"(?:[网網站报報社吧]|中心|论坛|論壇|社区|社區|书城|書城|小说|小說|文学|文學|在线|在線|新闻|新聞|频道|頻道)$"
)
# Additions to the titles of chapters and of long texts that name no site.
_NO_NAME = re.compile(r"第.{1,6}[页頁章节節回卷]|阅读|閱讀|最新|全文|下载|下載|^[\W\d]*$")
_HOST = re.compile(r"^[a-z0-9-]+(?:\.[a-z0-9-]+)+$", re.IGNORECASE)
_CHAPTER = re.compile(r"第.{1,9}[章节節回话話集]")


def title(tree: HtmlElement, selected: str = "", page: Sequence[Line] = (), main_lines: Sequence[Line] = ()) -> str:
    """Return the heading of the text itself, the site's name off; "" if the page has none.

    A heading that the page's <title> repeats and that stands nearest above the text, else such a line without a
    heading's markup, else the title's first part. selected: what the site's own rule found, which wins.
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
    """Name of the site as the page states it, "" if it says nothing; or the heading that leads to the front page.

    Else the part that its <title> adds to the page's own heading, where that is surely no part of the heading.
    """
    stated = one_line(meta(tree, ("og:site_name", "application-name")) or "")
    if stated:
        return stated
    parts = [_key(part) for part in _TITLE_SEPARATORS.split(one_line(tree.findtext(".//title") or "")) if part]
    linked = (one_line("".join(node.itertext())) for node in islice(tree.iter("a"), _MAX_HEADINGS) if is_home(node))
    leading_home = next((name for name in linked if _key(name) in parts[1:] or _key(name) == "".join(parts[:1])), "")
    return leading_home or _site_name_in_title(tree)


def is_home(element: HtmlElement) -> bool:
    """Return True if all that `element` shows is a link to the site's front page: the site's name, no heading."""
    links = [node for node in element.iter("a") if _HOME.match((node.get("href") or "#").strip())]
    inside = sum(len("".join("".join(node.itertext()).split())) for node in links)
    return bool(links) and inside >= len("".join("".join(element.itertext()).split()))


def title_places(page: Sequence[Line], whole: str) -> list[int]:
    """Return the places of lines outside links that repeat the page's <title> or part of it, of headings if any do."""
    parts = [_key(part) for part in _TITLE_SEPARATORS.split(one_line(whole)) if _key(part)]
    keys = [key for key in {_key(whole), *(parts[:-1] or parts)} if len(key) >= MIN_HEADING_CHARS]
    named = [
        place for place, line in enumerate(page) if 2 * line.link_chars <= len(line.text) and _is_named(line, keys)
    ]
    return [place for place in named if page[place].container.tag in HEADINGS] or named


def one_line(text: str) -> str:
    """Collapse the blanks of `text` and cut it to the length of a long title."""
    return " ".join(text.split())[:MAX_TITLE_CHARS]


def meta(tree: HtmlElement, names: Sequence[str]) -> str | None:
    """Return the first of these <meta> properties that says something."""
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
    """Return the site's name behind the page's own heading in its <title>; "" if it may be part of the heading."""
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
    """Return True if the last part can be a site's name; alone behind a chapter's heading it may be the book's."""
    name = parts[-1]
    if not MIN_HEADING_CHARS <= len(name) <= _MAX_NAME_CHARS:
        return False
    is_doubtful = _NO_NAME.search(name) or (len(parts) == 1 and _CHAPTER.search(heading))
    return not is_doubtful or _LIKE_A_SITE.search(name) is not None


def _is_author(name: str, tree: HtmlElement) -> bool:
    """Return True if the page says that somebody of that name, or whom the name contains, wrote it."""
    stated = one_line(meta(tree, ("author", "article:author", "og:novel:author")) or "")
    byline = re.compile(rf"(?:作者|文|撰)\s*[:：/／|｜]\s*{re.escape(name)}")
    is_stated = bool(stated) and stated in name and _LIKE_A_SITE.search(name) is None
    # The visible text is a part of all text, which takes a hundredth of the time.
    return is_stated or (
        byline.search(tree.text_content()) is not None and byline.search(element_text(tree)) is not None
    )


def _subtitles(headings: Sequence[HtmlElement]) -> Iterator[str]:
    """Yield the lines right after the headings: their subtitles, where they have any."""
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
    """Return the page's one first heading above the text, where its <title> names nothing but the site."""
    found = {one_line(element_text(node)) for node in islice(tree.iter("h1"), _MAX_HEADINGS) if not is_home(node)} - {
        ""
    }
    above = {one_line(line.text) for line in _lines_above(page, main_lines)}
    return next(iter(found)) if len(found) == 1 and found <= above else ""


def _title_part_above(parts: Sequence[str], page: Sequence[Line], main_lines: Sequence[Line]) -> str:
    """Return the longest part of the title, or start or end of one, that is a line of its own above the text."""
    keys = [_key(part) for part in parts]
    lines = [line for line in _lines_above(page, main_lines) if line.link_chars * 2 <= len(line.text)]
    shown = [one_line(line.text) for line in lines if len(_key(line.text)) >= MIN_HEADING_CHARS]
    exact = [each for each in shown if _key(each) in keys]
    starting = [each for each in shown if any(key.startswith(_key(each)) or key.endswith(_key(each)) for key in keys)]
    return max(exact or [each for each in starting if len(_key(each)) >= 2 * MIN_HEADING_CHARS], key=len, default="")


def _lines_above(page: Sequence[Line], main_lines: Sequence[Line]) -> Sequence[Line]:
    first = next((number for number, line in enumerate(page) if main_lines and line is main_lines[0]), 0)
    return page[max(0, first - _MAX_LINES_ABOVE) : first + _MAX_LINES_INSIDE]


@lru_cache(maxsize=4_096)  # the lines of a page are compared several times
def _key(text: str) -> str:
    return "".join(char for char in text if char.isalnum()).lower()
