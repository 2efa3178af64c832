"""Reduces the markup of a page to the parts that contain its text, in time linear in its length, however it is built.

Tags that form lines, links and the metadata of the head are preserved, each with a few attributes. Comments, styles,
scripts and all other tags are removed. The result is parsed and read like any page, and cannot be slow.
"""

import re
from collections import Counter
from itertools import islice

from crawler.markup import BLOCKS

# Chosen: ordinary pages are up to 60 levels deep, and the largest saved page has 15,397 tags (2026-11).
MAX_DEPTH, MAX_ELEMENTS = 100, 20_000
MAX_TAGS = 300_000  # a page with more is split into lines without elements, because examining a tag takes 2 us
MAX_CHARS_OF_NODE = 1_000_000  # libxml2 drops a text node of more than ten million
_MAX_OF_HEAD, _MAX_CHARS_OF_TITLE, _MAX_CHARS_OF_ATTRIBUTES, _MAX_CHARS_OF_VALUE = 200, 1_000, 5_000, 2_000
_LINES = BLOCKS - {"html", "body"}
_HEAD = frozenset({"base", "link", "meta"})
_KEPT, _EMPTY = _LINES | _HEAD | {"a", "br"}, frozenset({"br", "hr"})
_ENDED_BY_LINES = frozenset({"a", "p"})
_ENDED_BY_ITS_LIKE = frozenset({"a", "dd", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "li", "td", "th", "tr"})
# As in browsers, quotes count only after an equals sign, and a quote where a name begins is part of the name. All
# quantifiers are possessive, so nothing is tried twice.
ATTRIBUTES = r"""(?:[\s/]++|[^\s/>][^\s/>=]*+
    (?:\s*+=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^\s>"'][^\s>]*+)?+)?+)*+"""
# Browsers do not parse the content of these elements as markup.
_NOT_SHOWN = "script|style|title|noscript|iframe|noembed|noframes"
_SHOWN = "textarea|xmp"  # likewise, but the content is visible
RAW_ELEMENTS = (*_NOT_SHOWN.split("|"), *_SHOWN.split("|"))


def _token_pattern(raw: str = f"{_NOT_SHOWN}|{_SHOWN}", end_of_comment: str = "--!?>") -> str:
    """Return a verbose pattern for all tokens of markup except text.

    raw: names of the elements that are matched with their content. end_of_comment: where a comment ends
    """
    return rf"""<(?:!--(?:-?>|.*?(?:{end_of_comment}|\Z))
    |(?P<raw>{raw})(?=[\s/>]){ATTRIBUTES}
     (?:>(?P<inside>.*?)(?:</(?P=raw)(?=[\s/>])[^>]*+(?:>|\Z)|\Z)|\Z)
    |(?P<end>/?)(?P<name>[a-z][^\s/>]*+)(?P<attributes>{ATTRIBUTES})(?P<closed>>|\Z)
    |[!?/][^>]*+(?:>|\Z))"""


_FLAGS = re.DOTALL | re.IGNORECASE | re.VERBOSE
_TOKEN = re.compile(_token_pattern(), _FLAGS)
# Inside <svg> and <math>, raw elements are ordinary elements, except in the elements of _HTML_IN_FOREIGN.
_FOREIGN = frozenset({"svg", "math"})
_HTML_IN_FOREIGN = frozenset({"foreignobject", "desc", "title", "annotation-xml", "mi", "mo", "mn", "ms", "mtext"})
_TOKEN_OF_FOREIGN = re.compile(_token_pattern(raw="(?!)"), _FLAGS)
# Without elements, nesting is unknown: a script among the lines is better than lines that are lost in a script.
_TOKEN_ALONE = re.compile(_token_pattern(_NOT_SHOWN, rf"--!?>|(?=</(?:{_SHOWN})[\s/>])"), _FLAGS)
_TOKEN_ALONE_OF_FOREIGN = re.compile(
    _token_pattern("noscript|iframe|noembed|noframes", rf"--!?>|(?=</(?:{_SHOWN})[\s/>])"), _FLAGS
)
_ANY_FOREIGN = re.compile("<(?:svg|math)", re.IGNORECASE)
_LINE_TAG = re.compile(rf"</?(?:{'|'.join(sorted(_LINES | {'br', 'title'}))})(?=[\s/>])", re.IGNORECASE)
_TITLE = re.compile(rf"<title>([^<]{{1,{_MAX_CHARS_OF_TITLE}}}+)", re.IGNORECASE)
_LINK = re.compile(rf"<a(\s[^<>]{{1,{_MAX_CHARS_OF_VALUE}}}+)", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"""(?<![^\s"'/])(class|content|href|id|itemprop|name|property|rel)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>"']++))""",
    re.IGNORECASE,
)


def plain_markup(markup: str) -> str:
    """Return markup with the same text and lines, at most MAX_ELEMENTS elements, and a depth of at most MAX_DEPTH.

    >>> plain_markup("<div style=x>渡<b>口<!-- x --></b><p>石<script>1 < 2</script>阶</div> a < b")
    '<div>渡口<p>石阶</p></div> a &lt; b'
    """
    return _lines_alone(markup) if markup.count("<") > MAX_TAGS else _MarkupWriter().reduce(markup)


class _MarkupWriter:
    """Writes the preserved tags with their end tags, and the text between them."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._open: list[str] = []
        self._foreign: list[str] = []
        self._times_open: Counter[str] = Counter()
        self._elements = self._of_head = self._chars_of_node = 0
        self._is_flat = False  # True when the limit of elements is reached: what follows becomes lines of one <pre>

    def reduce(self, markup: str) -> str:
        """Return the reduced markup."""
        at = 0
        while found := (_TOKEN_OF_FOREIGN if self._is_foreign() else _TOKEN).search(markup, at):
            self._add_text(markup, at, found.start())
            at = found.end()
            name = (found["name"] or found["raw"] or "").lower()
            if name in _SHOWN.split("|"):
                self._add_text(markup, *found.span("inside"))
            elif name == "title" and found["raw"]:
                self._add_title(found["inside"] or "")
            elif found["name"]:
                self._track_foreign(name, found)
                if name in _KEPT:
                    self._end_element(name) if found["end"] else self._begin_element(name, found["attributes"])
        self._add_text(markup, at, len(markup))
        self._close_elements(0)
        return "".join(self._parts)

    def _is_foreign(self) -> bool:
        return bool(self._foreign) and self._foreign[-1] in _FOREIGN

    def _track_foreign(self, name: str, found: re.Match[str]) -> None:
        """Track open <svg> and <math> elements, and HTML inside them. A tag that forms lines closes all of them."""
        if found["end"]:
            if name in self._foreign:
                del self._foreign[len(self._foreign) - 1 - self._foreign[::-1].index(name) :]
        elif name in _FOREIGN or (self._is_foreign() and name in _HTML_IN_FOREIGN):
            if not found["attributes"].endswith("/") and len(self._foreign) < MAX_DEPTH:
                self._foreign.append(name)
        elif name in _LINES and self._is_foreign():
            self._foreign.clear()

    def _add_text(self, markup: str, start: int, end: int) -> None:
        while self._chars_of_node + end - start > MAX_CHARS_OF_NODE:
            middle = start + MAX_CHARS_OF_NODE - self._chars_of_node
            self._parts.append(_escape_text(markup[start:middle]))
            self._break_node()
            start = middle
        if end > start:
            self._parts.append(_escape_text(markup[start:end]))
            self._chars_of_node += end - start

    def _add_title(self, text: str) -> None:
        if self._times_open["title"]:
            return
        self._times_open["title"] = 1
        self._add_element(f"<title>{_escape_text(text[:_MAX_CHARS_OF_TITLE])}</title>")

    def _begin_element(self, name: str, attributes: str) -> None:
        if name in _HEAD:
            self._of_head += 1
            if self._of_head <= _MAX_OF_HEAD:
                self._add_element(f"<{name}{_filter_attributes(attributes)}>")
            return
        while self._open and _closes_element(name, self._open[-1]):
            self._close_elements(len(self._open) - 1)
        if name in _EMPTY or len(self._open) >= MAX_DEPTH or self._is_flat:
            self._break_line()
        elif name != "a" or "href" in attributes.lower():
            self._add_element(f"<{name}{_filter_attributes(attributes)}>")
            self._open.append(name)
            self._times_open[name] += 1

    def _end_element(self, name: str) -> None:
        if self._times_open[name]:
            self._close_elements(len(self._open) - 1 - self._open[::-1].index(name))
        elif name in _LINES:
            self._break_line()

    def _close_elements(self, depth: int) -> None:
        """Close the elements that are nested deeper than `depth`."""
        while len(self._open) > depth:
            name = self._open.pop()
            self._times_open[name] -= 1
            self._parts.append(f"</{name}>")
            self._chars_of_node = 0

    def _break_line(self) -> None:
        if self._is_flat:
            self._parts.append("\n")
            self._chars_of_node += 1
        else:
            self._add_element("<br>")

    def _break_node(self) -> None:
        self._parts.append("</pre><pre>" if self._is_flat else "<br>")
        self._chars_of_node = 0

    def _add_element(self, tag: str) -> None:
        self._parts.append(tag)
        self._chars_of_node = 0
        self._elements += 1
        if self._elements >= MAX_ELEMENTS and not self._is_flat:
            self._close_elements(0)
            self._is_flat = True
            self._parts.append("<pre>")


def _closes_element(name: str, last: str) -> bool:
    """Return True if a start tag `name` closes the open element `last`."""
    return (name in _LINES and last in _ENDED_BY_LINES) or (name == last and name in _ENDED_BY_ITS_LIKE)


def _escape_text(text: str) -> str:
    return text.replace("<", "&lt;") if "<" in text else text


def _filter_attributes(attributes: str) -> str:
    """Return the attributes with the target of a link, the name of a box or the metadata of the head, as markup."""
    if "=" not in attributes:
        return ""
    few: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(attributes[:_MAX_CHARS_OF_ATTRIBUTES]):
        value = match[2] or match[3] or match[4] or ""
        if len(value) <= _MAX_CHARS_OF_VALUE:
            few.setdefault(match[1].lower(), value.replace('"', "&quot;"))
    return "".join(f' {name}="{value}"' for name, value in few.items())


def _lines_alone(markup: str) -> str:
    """Return the lines of a page, and the links that a crawl may follow, without inline markup."""
    title = _TITLE.search(markup)
    links = (f"<a{_filter_attributes(match[1])}></a>" for match in islice(_LINK.finditer(markup), MAX_ELEMENTS))
    head = (f"<title>{_escape_text(title[1])}</title>" if title else "") + "".join(links)
    token_alone = _TOKEN_ALONE_OF_FOREIGN if _ANY_FOREIGN.search(markup) else _TOKEN_ALONE
    text = _escape_text(token_alone.sub("", _LINE_TAG.sub("\n<x", markup)))
    pieces = (text[start : start + MAX_CHARS_OF_NODE] for start in range(0, len(text), MAX_CHARS_OF_NODE))
    return head + "".join(f"<pre>{piece}</pre>" for piece in pieces)
