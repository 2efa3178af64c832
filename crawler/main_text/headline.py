"""The heading of a page's text, told from the name of the book, the section and the site around it."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from lxml.html import HtmlElement

from crawler.markup import Line, text_of

MAX_TITLE_CHARS = 200
MIN_HEADING_CHARS = 2
_MAX_HEADINGS = 20
# How far above the text its heading stands: between them are author, date, tools and a picture or two.
_MAX_LINES_ABOVE, _MAX_LINES_INSIDE = 15, 3
_TITLE_SEPARATORS = re.compile(
    r"\s*[_|｜»>]+\s*|\s+(?:[-–—]+|[·•]|::)\s+|--+|-(?=[\u4e00-\u9fff]{2,16}(?:网|網|站|中心|论坛|論壇|小说|小說|在线|政府|日报|日報|局)$)|——(?=[^—]{2,12}$)"
)
_HOME = re.compile(r"^(?:(?:https?:)?//[^/?#]+)?/?(?:index\.\w+|default\.\w+)?(?:[?#].*)?$", re.IGNORECASE)
_HEADINGS = ("h1", "h2", "h3")


def title(tree: HtmlElement, selected: str = "", page: Sequence[Line] = (), main_lines: Sequence[Line] = ()) -> str:
    """The heading of the text itself, the site's name off; "" where the page has none.

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
    heading = _nearest(headings, _key(whole or stated), page, main_lines)
    if heading:
        return heading
    parts = [part for part in _TITLE_SEPARATORS.split(stated) if part and _key(part) != site]
    shown = _shown(parts, page, main_lines) or (_only(tree, page, main_lines) if len(parts) == 1 else "")
    return shown or (parts[0] if parts else stated)


def site_name(tree: HtmlElement) -> str:
    """What the page calls its site, "" where it says nothing: stated, or the heading that leads to the front page."""
    stated = one_line(meta(tree, ("og:site_name", "application-name")) or "")
    if stated:
        return stated
    parts = [_key(part) for part in _TITLE_SEPARATORS.split(one_line(tree.findtext(".//title") or "")) if part]
    linked = (one_line("".join(node.itertext())) for node in islice(tree.iter("a"), _MAX_HEADINGS) if is_home(node))
    return next((name for name in linked if _key(name) in parts[1:] or _key(name) == "".join(parts[:1])), "")


def is_home(element: HtmlElement) -> bool:
    """Whether all that `element` shows is a link to the site's front page: the site's name, no heading."""
    links = [node for node in element.iter("a") if _HOME.match((node.get("href") or "#").strip())]
    inside = sum(len("".join("".join(node.itertext()).split())) for node in links)
    return bool(links) and inside >= len("".join("".join(element.itertext()).split()))


def one_line(text: str) -> str:
    """`text` with its blanks collapsed, cut to the length of a long title."""
    return " ".join(text.split())[:MAX_TITLE_CHARS]


def meta(tree: HtmlElement, names: Sequence[str]) -> str | None:
    """The first of these <meta> properties that says something."""
    stated: dict[str, str] = {}
    for node in tree.iter("meta"):
        name = (node.get("property") or node.get("name") or node.get("itemprop") or "").lower()
        if name and node.get("content"):
            stated.setdefault(name, node.get("content") or "")
    return next((stated[name] for name in names if stated.get(name, "").strip()), None)


def _headings(tree: HtmlElement) -> Iterator[str]:
    for tag in _HEADINGS:
        for node in islice(tree.iter(tag), _MAX_HEADINGS):
            text = one_line(text_of(node))
            if text and not is_home(node):
                yield text


def _nearest(headings: Sequence[str], whole: str, page: Sequence[Line], main_lines: Sequence[Line]) -> str:
    fitting = [each for each in headings if len(each) >= MIN_HEADING_CHARS and _key(each) and _key(each) in whole]
    above = [one_line(line.text) for line in _above(page, main_lines)]
    places = {each: number for number, each in enumerate(above) if each in fitting}
    if places:
        return max(places, key=lambda each: places[each])
    return max(fitting[:3], key=len, default="")


def _only(tree: HtmlElement, page: Sequence[Line], main_lines: Sequence[Line]) -> str:
    """The page's one first heading above the text, where its <title> names nothing but the site."""
    found = {one_line(text_of(node)) for node in islice(tree.iter("h1"), _MAX_HEADINGS) if not is_home(node)} - {""}
    above = {one_line(line.text) for line in _above(page, main_lines)}
    return next(iter(found)) if len(found) == 1 and found <= above else ""


def _shown(parts: Sequence[str], page: Sequence[Line], main_lines: Sequence[Line]) -> str:
    """The longest part of the title, or beginning or end of one, that stands above the text as a line of its own."""
    keys = [_key(part) for part in parts]
    lines = [line for line in _above(page, main_lines) if line.link_chars * 2 <= len(line.text)]
    shown = [one_line(line.text) for line in lines if len(_key(line.text)) >= MIN_HEADING_CHARS]
    exact = [each for each in shown if _key(each) in keys]
    starting = [each for each in shown if any(key.startswith(_key(each)) or key.endswith(_key(each)) for key in keys)]
    return max(exact or [each for each in starting if len(_key(each)) >= 2 * MIN_HEADING_CHARS], key=len, default="")


def _above(page: Sequence[Line], main_lines: Sequence[Line]) -> Sequence[Line]:
    first = next((number for number, line in enumerate(page) if main_lines and line is main_lines[0]), 0)
    return page[max(0, first - _MAX_LINES_ABOVE) : first + _MAX_LINES_INSIDE]


def _key(text: str) -> str:
    return "".join(char for char in text if char.isalnum()).lower()
