"""The links of a page, sorted by what they lead to: the next part of a text, a chapter of its list, anything else."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from lxml.html import HtmlElement

from crawler.selectors import select

MAX_LINKS_OF_PAGE = 5_000  # a chapter list of a long novel has some 3,000
_NEXT = re.compile(
    r"^[\s\[【(（<《>»→]*(?:下\s*[一1]?\s*[页頁章]|下\s*[一1]\s*[节節回篇集话話]|后一[页章]|後一[頁章]|next(?:\s+(?:page|chapter))?)[\s\]】)）>》»→]*$",
    re.IGNORECASE,
)
_CHAPTER = re.compile(
    r"^\s*(?:第\s*[0-9零〇一二三四五六七八九十百千两兩]+\s*[章节節回卷集部篇话話]|楔子|序章|尾声|尾聲|番外|[0-9]{1,4}[.、\s])"
)


@dataclass(frozen=True, slots=True)
class Links:
    """Absolute http(s) addresses without fragments, each once, in order of the page; none in two of the three."""

    next_pages: tuple[str, ...]
    chapters: tuple[str, ...]
    others: tuple[str, ...]
    declared_canonical: str  # what <link rel=canonical> says, absolute; "" for none


def links(tree: HtmlElement, url: str, next_page_selector: str = "", chapter_list_selector: str = "") -> Links:
    """The links of a page that it lets crawlers follow; none at all where a robots meta tag says nofollow.

    Raises BadConfiguration for a selector that cannot be read.
    """
    base = _base(tree, url)
    declared = next(
        (_absolute(node.get("href"), base) for node in tree.iter("link") if _has_rel(node, "canonical")), ""
    )
    if _forbids_following(tree):
        return Links((), (), (), declared)
    following = dict.fromkeys(_next_pages(tree, base, next_page_selector))
    chapters = dict.fromkeys(_chapters(tree, base, chapter_list_selector))
    everything = dict.fromkeys(_addresses(tree.iter("a", "area"), base))
    return Links(
        tuple(following),
        tuple(link for link in chapters if link not in following),
        tuple(link for link in everything if link not in following and link not in chapters),
        declared,
    )


def _next_pages(tree: HtmlElement, base: str, selector: str) -> Iterator[str]:
    if selector:
        yield from _addresses(_anchors(select(tree, selector)), base)
        return
    for node in tree.iter("a", "link"):
        if _has_rel(node, "next") or (node.tag == "a" and _NEXT.match("".join(node.itertext()))):
            yield from _addresses([node], base)


def _chapters(tree: HtmlElement, base: str, selector: str) -> Iterator[str]:
    if selector:
        yield from _addresses(_anchors(select(tree, selector)), base)
        return
    yield from _addresses((node for node in tree.iter("a") if _CHAPTER.match("".join(node.itertext()))), base)


def _anchors(nodes: list[HtmlElement]) -> Iterator[HtmlElement]:
    for node in nodes:
        yield from node.iter("a", "link")


def _addresses(nodes: Iterator[HtmlElement] | list[HtmlElement], base: str) -> Iterator[str]:
    given = 0
    for node in nodes:
        if given >= MAX_LINKS_OF_PAGE:
            return
        address = "" if _has_rel(node, "nofollow") else _absolute(node.get("href"), base)
        if address:
            given += 1
            yield address


def _absolute(href: str | None, base: str) -> str:
    """The address a link leads to, "" for those that lead to no page."""
    try:
        address = urljoin(base, "".join((href or "").split())).partition("#")[0]
        parts = urlsplit(address)
        is_page = bool(href) and parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        return address if is_page else ""
    except ValueError:
        return ""


def _base(tree: HtmlElement, url: str) -> str:
    stated = next((node.get("href") for node in tree.iter("base") if node.get("href")), "")
    return _absolute(stated, url) or url


def _has_rel(node: HtmlElement, word: str) -> bool:
    return word in (node.get("rel") or "").lower().split()


def _forbids_following(tree: HtmlElement) -> bool:
    tags = (node for node in tree.iter("meta") if (node.get("name") or "").lower() == "robots")
    return any({"nofollow", "none"} & set(re.split(r"[\s,]+", (node.get("content") or "").lower())) for node in tags)
