"""Finds the parts of a page that may describe the site, without comments, scripts and hidden elements."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from lxml.html import HtmlElement

# Half of 70 saved pages (webpages_dev, November 2026) have a footer of up to 181 characters; the longest has 3,839. On
# two pages, the element named as the footer contained the whole page, 18,000 characters and more. Of such an element,
# the end counts.
MAX_FOOTER_CHARS, MAX_PAGE_CHARS = 4_000, 60_000
MAX_TAIL_CHARS = 2_000  # if no element is named as the footer, the end of the page describes the site
MAX_LINKS = 2_000
_SILENT = frozenset({"script", "style", "noscript", "template", "iframe", "svg", "select", "textarea", "head"})
# Inline elements. All others separate words; an inline element may be in the middle of an address.
_INLINE = frozenset({"b", "i", "em", "strong", "font", "small", "u", "span", "wbr", "img", "code"})
# Discuz! names the footer `ft`.
_FOOTER = re.compile(
    r"(?:^|[\s_-])(?:foot(?:er)?|copy(?:right)?|site-?info|bottom|banquan|dibu|beian|ft(?:$|[\s_-]))", re.IGNORECASE
)
_REMARKS = (
    r"comment|remark|pinglun|liuyan|huifu|gentie|disqus|guestbook|message-?(?:board|list)|(?:^|[\s_-])repl(?:y|ies)"
)
# On pages about the site, only comments are by visitors, because blogs name every page a post. On other pages, posts
# are excluded too, because a signature follows each post.
_A_VISITORS = {
    True: re.compile(_REMARKS, re.IGNORECASE),
    False: re.compile(
        _REMARKS + r"|(?:^|[\s_-])(?:post|thread|floor|answer|user|author|member)(?:$|[\s_-])", re.IGNORECASE
    ),
}
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LinkOfPage:
    """A link of a page: its target and its text."""

    href: str
    words: str


@dataclass(slots=True)
class Regions:
    """The parts of a page that may describe the site, cut to their limits. forms: the forms outside comments."""

    footer: str = ""
    page: str = ""
    links: list[LinkOfPage] = field(default_factory=list)
    forms: list[HtmlElement] = field(default_factory=list)

    @property
    def tail(self) -> str:
        """The end of the page's text, at most MAX_TAIL_CHARS characters."""
        return self.page[-MAX_TAIL_CHARS:]


def regions(tree: HtmlElement, *, is_about_page: bool) -> Regions:
    """Return the parts of a page that may describe the site. The tree is not changed.

    is_about_page: the page is about the site, so that only comments are excluded.
    """
    found, walk = Regions(), _RegionWalk(is_about_page=is_about_page)
    for node in walk.iterate(tree):
        if node.tag == "a" and len(found.links) < MAX_LINKS:
            found.links.append(LinkOfPage(node.get("href") or "", _class_words(node)))
        elif node.tag == "form":
            found.forms.append(node)
    found.footer = "".join(walk.footer)[-MAX_FOOTER_CHARS:]
    text = "".join(walk.page)
    # A page names the site at its beginning and describes it at its end; the middle is content.
    found.page = (
        text if len(text) <= MAX_PAGE_CHARS else f"{text[: MAX_PAGE_CHARS // 2]}\n{text[-MAX_PAGE_CHARS // 2 :]}"
    )
    return found


class _RegionWalk:
    """Traverses a tree in document order.

    It does not recurse, because hostile pages nest elements a thousand levels deep.
    """

    def __init__(self, *, is_about_page: bool) -> None:
        self._a_visitors = _A_VISITORS[is_about_page]
        self.page: list[str] = []
        self.footer: list[str] = []

    def iterate(self, tree: HtmlElement) -> Iterator[HtmlElement]:
        """Yield each element that may describe the site, and collect the texts in `page` and `footer`."""
        stack: list[tuple[HtmlElement | str, _Region]] = [(tree, _Region.ANYWHERE)]
        while stack:
            at, place = stack.pop()
            if isinstance(at, str):
                self._take_text(at, place)
                continue
            if at.tail and at is not tree:
                stack.append((at.tail, place))
            if not isinstance(at.tag, str) or at.tag in _SILENT or not self._is_site_text(at):
                continue
            inside = _node_region(at, place)
            yield at
            parting = _separator_text(at)
            self._take_text(parting, inside)
            stack.append((parting, inside))
            shielded = at.get("data-cfemail")
            if shielded:
                self._take_text(decode_cfemail(shielded), inside)
                continue
            stack.extend((child, inside) for child in reversed(at))
            if at.text:
                stack.append((at.text, inside))

    def _take_text(self, text: str, place: "_Region") -> None:
        self.page.append(text)
        if place is _Region.FOOTER:
            self.footer.append(text)

    def _is_site_text(self, node: HtmlElement) -> bool:
        """Return True if an element is visible and not written by a visitor."""
        if node.get("hidden") is not None or _HIDDEN.search((node.get("style") or "")[:500]):
            return False
        return not _matches_name(node, self._a_visitors)


def decode_cfemail(digits: str) -> str:
    """Decode an address that Cloudflare obfuscates (data-cfemail): each byte XOR the first. Return "" if it is invalid.

    >>> decode_cfemail("422923243702276c2c27")
    'kafu@e.ne'
    """
    try:
        key, *rest = bytes.fromhex(digits[:400])
    except ValueError:
        return ""
    return bytes(each ^ key for each in rest).decode("utf-8", "replace")


class _Region(Enum):
    ANYWHERE = 1
    ARTICLE = 2  # written by the author, including its footer
    FOOTER = 3


def _node_region(node: HtmlElement, around: _Region) -> _Region:
    if around is not _Region.ANYWHERE:
        return around
    if node.tag == "article":
        return _Region.ARTICLE
    return _Region.FOOTER if node.tag == "footer" or _matches_name(node, _FOOTER) else _Region.ANYWHERE


def _matches_name(node: HtmlElement, names: re.Pattern[str]) -> bool:
    return node.tag not in {"html", "body"} and any(
        names.search((node.get(attribute) or "")[:200]) for attribute in ("class", "id")
    )


def _separator_text(node: HtmlElement) -> str:
    """Return the text that separates an element from its neighbours; "" if it may replace the "@" of an address."""
    if node.tag not in _INLINE:
        return "\n"
    return " " if re.search(r"[A-Za-z0-9]", (node.text or "")[:200]) else ""


def _class_words(node: HtmlElement) -> str:
    pieces, size = [], 0
    for piece in node.itertext():
        pieces.append(piece)
        size += len(piece)
        if size > 200:
            break
    return " ".join("".join(pieces).split())[:80] or " ".join((node.get("title") or "").split())[:80]
