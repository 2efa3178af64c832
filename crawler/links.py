"""The links of a page, sorted by what they lead to: the next part of a text, a chapter of its list, anything else."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import islice

from lxml.html import HtmlElement

from crawler.markup import parse
from crawler.page_addresses import absolute, base_of
from crawler.script_addresses import clicked_elements, frame_addresses, option_address, script_addresses
from crawler.selectors import select
from crawler.urls import is_book

MAX_LINKS_OF_PAGE = 5_000  # a chapter list of a long novel has some 3,000
_MAX_WORDS = 20  # pieces of text in an element that is clicked: a button has one, a page that is clicked anywhere all
_NEXT = re.compile(
    r"^[\s\[【(（<《>»→]*(?:下\s*[一1]?\s*[页頁章]|下\s*[一1]\s*[节節回篇集话話]|后一[页章]|後一[頁章]|next(?:\s+(?:page|chapter))?)[\s\]】)）>》»→]*$",
    re.IGNORECASE,
)
_MAY_BE_BOOK = re.compile(r"\.(?:txt|zip|epub|docx|pdf)\b", re.IGNORECASE)
_CHAPTER = re.compile(
    r"^\s*(?:第\s*[0-9零〇一二三四五六七八九十百千两兩]+\s*[章节節回卷集部篇话話]|楔子|序章|尾声|尾聲|番外|[0-9]{1,4}[.、\s])"
)


class LinkPlace(StrEnum):
    """Where a page has an address."""

    LINK = "link"  # a, area, link
    ATTRIBUTE = "attribute"  # data-href and such, what an element does when it is clicked
    CHOICE = "choice"  # a list to choose from
    FRAME = "frame"  # a frame, or a form without fields
    SCRIPT = "script"  # an inline script, or JSON that the page carries
    DATA = "data"  # JSON that the page asks for


@dataclass(frozen=True, slots=True)
class Links:
    """Absolute http(s) addresses without fragments, each once, in order of the page; none in two of the first three.

    downloads: those of them all that the page offers as files. places: where those stand that are no ordinary links.
    """

    next_pages: tuple[str, ...]
    chapters: tuple[str, ...]
    others: tuple[str, ...]
    declared_canonical: str  # what <link rel=canonical> says, absolute; "" for none
    downloads: tuple[str, ...] = ()
    places: Mapping[str, LinkPlace] = field(default_factory=dict)

    def place(self, url: str) -> LinkPlace:
        return self.places.get(url, LinkPlace.LINK)

    def with_data(self, data: Iterable[str], url: str) -> "Links":
        """With the addresses in what the page at `url` asks for: JSON, or pieces of markup."""
        known = {*self.next_pages, *self.chapters, *self.others}
        new: dict[str, LinkPlace] = {}
        for each in data:
            tree = parse(each) if each.lstrip().startswith("<") else None
            stated = script_addresses([each]) if tree is None else [node.get("href") for node in tree.iter("a")]
            new |= {
                address: LinkPlace.DATA for one in stated if (address := absolute(one, url)) and address not in known
            }
        return replace(self, others=(*self.others, *new)[:MAX_LINKS_OF_PAGE], places={**self.places, **new})


def links(
    tree: HtmlElement,
    url: str,
    next_page_selector: str = "",
    chapter_list_selector: str = "",
    encoding: str = "utf-8",
    *,
    is_rendered: bool = False,
) -> Links:
    """The links of a page that it lets crawlers follow; none at all where a robots meta tag says nofollow.

    encoding: of the page. is_rendered: scripts have made it: routes that only they know are addresses, too.
    Raises BadConfiguration for a selector that cannot be read.
    """
    page = _Page(tree, base_of(tree, url), encoding, is_rendered=is_rendered)
    declared = next((page.address(node.get("href")) for node in tree.iter("link") if _has_rel(node, "canonical")), "")
    if forbids_following(tree):
        return Links((), (), (), declared)
    following = dict.fromkeys(_next_pages(page, next_page_selector))
    chapters = dict.fromkeys(_chapters(page, chapter_list_selector))
    everything = dict.fromkeys(page.linked(tree.iter("a", "area"))) | dict.fromkeys(page.elsewhere())
    return Links(
        tuple(following),
        tuple(link for link in chapters if link not in following),
        tuple(link for link in everything if link not in following and link not in chapters),
        declared,
        tuple(dict.fromkeys(_downloads(page))),
        page.places,
    )


def _downloads(page: "_Page") -> Iterator[str]:
    for node in page.tree.iter("a", "area"):
        is_offered = node.get("download") is not None
        if is_offered or _MAY_BE_BOOK.search(node.get("href") or ""):
            yield from (address for address in page.linked([node]) if is_offered or is_book(address))


class _Page:
    """The addresses of one page, and where each was found."""

    def __init__(self, tree: HtmlElement, base: str, encoding: str, *, is_rendered: bool) -> None:
        self.tree, self._base, self._encoding, self._is_rendered = tree, base, encoding, is_rendered
        self.places: dict[str, LinkPlace] = {}
        self._ordinary: set[str] = set()
        self._addresses: dict[str, str] = {}  # a link is looked at as a next page, as a chapter, and as any link
        self.clicked = clicked_elements(tree)[:MAX_LINKS_OF_PAGE]

    def address(self, href: str | None) -> str:
        """What an address on the page means; "" for none that leads to a page."""
        if not href:
            return ""
        known = self._addresses.get(href)
        if known is None:
            known = self._addresses[href] = absolute(href, self._base, self._encoding, keeps_routes=self._is_rendered)
        return known

    def linked(self, nodes: Iterable[HtmlElement]) -> Iterator[str]:
        """Where ordinary links lead that may be followed."""
        given = 0
        for node in nodes:
            if given >= MAX_LINKS_OF_PAGE:
                return
            address = "" if _has_rel(node, "nofollow") else self.address(node.get("href"))
            if address:
                given += 1
                self._ordinary.add(address)
                self.places.pop(address, None)
                yield address

    def stated(self, addresses: Iterable[str], place: LinkPlace) -> Iterator[str]:
        """The same for what stands elsewhere."""
        for stated in addresses:
            address = self.address(stated)
            if not address or len(self.places) >= MAX_LINKS_OF_PAGE:
                continue
            if address not in self._ordinary:
                self.places.setdefault(address, place)
            yield address

    def elsewhere(self) -> Iterator[str]:
        """All addresses that are no ordinary links."""
        for node, found in self.clicked:
            if not _has_rel(node, "nofollow"):
                yield from self.stated(found, LinkPlace.ATTRIBUTE)
        yield from self.stated(map(option_address, self.tree.iter("option")), LinkPlace.CHOICE)
        yield from self.stated(frame_addresses(self.tree), LinkPlace.FRAME)
        inline = (script.text for script in self.tree.iter("script") if script.text and not script.get("src"))
        yield from self.stated(script_addresses(inline), LinkPlace.SCRIPT)


def _next_pages(page: _Page, selector: str) -> Iterator[str]:
    if selector:
        yield from page.linked(_anchors(select(page.tree, selector)))
        return
    for node in page.tree.iter("a", "link"):
        if _has_rel(node, "next") or (node.tag == "a" and _NEXT.match("".join(node.itertext()))):
            yield from page.linked([node])
    for node, found in page.clicked:
        if _NEXT.match(_words(node)):
            yield from page.stated(found, LinkPlace.ATTRIBUTE)


def _chapters(page: _Page, selector: str) -> Iterator[str]:
    if selector:
        yield from page.linked(_anchors(select(page.tree, selector)))
        return
    yield from page.linked(node for node in page.tree.iter("a") if _CHAPTER.match("".join(node.itertext())))
    for node, found in page.clicked:
        if _CHAPTER.match(_words(node)):
            yield from page.stated(found, LinkPlace.ATTRIBUTE)
    choices = (option for option in page.tree.iter("option") if _CHAPTER.match(_words(option)))
    yield from page.stated(map(option_address, choices), LinkPlace.CHOICE)


def _anchors(nodes: list[HtmlElement]) -> Iterator[HtmlElement]:
    for node in nodes:
        yield from node.iter("a", "link")


def _words(node: HtmlElement) -> str:
    """What stands on an element that can be clicked."""
    return "".join(islice(node.itertext(), _MAX_WORDS)) or node.get("value") or ""


def _has_rel(node: HtmlElement, word: str) -> bool:
    return word in (node.get("rel") or "").lower().split()


def forbids_following(tree: HtmlElement) -> bool:
    """Whether a page says that none of its links is to be followed."""
    tags = (node for node in tree.iter("meta") if (node.get("name") or "").lower() == "robots")
    return any({"nofollow", "none"} & set(re.split(r"[\s,]+", (node.get("content") or "").lower())) for node in tags)
