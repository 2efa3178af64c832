"""Reads the catalogue of a novel: finds the links to its chapters on a page, and their reading order."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, pairwise
from operator import itemgetter
from statistics import median
from urllib.parse import parse_qsl, urlsplit

from lxml.html import HtmlElement

from core.pages import CrawlPlan
from crawler.links import absolute_url, attribute_addresses, base_url
from crawler.selectors import select
from crawler.sources.novel_pages import ChapterTitle, Following, chapter_title, is_chapter_title

MAX_CHAPTERS = 20_000  # the longest web novels have some 10,000
MIN_CHAPTERS = 2  # a single link to a chapter is "begin to read", and a list has at least two
_BLOCK_TAGS = frozenset({"dt", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "dl", "table", "select"})
_NAVIGATION = re.compile(
    r"^(?:[\s\[【(（<《>»→←]*)(?:上|下|前|后|後|首|尾|末)?\s*[一1]?\s*(?:[页頁章]|目[录錄]|书[页架签]|書[頁架籤]|返回.*|开始阅读|立即阅读"
    r"|加入.*|收藏.*|推荐.*|投.*票|最新.*章.*|查看.*|更多.*|全部.*|展开.*|下载.*|登录|注册|首页|首頁)(?:[\s\]】)）>》»→]*)$"
)
_NEXT_PAGE = re.compile(
    r"^[\s\[【(（<《>»→]*(?:下\s*[一1]?\s*[页頁]|后一[页頁]|後一頁|next(?:\s+page)?|>{1,2}|»)[\s\]】)）>》»→]*$",
    re.IGNORECASE,
)
_PAGE_OPTION = re.compile(
    r"第?\s*[0-9]{1,5}\s*(?:[-~—－至到]+\s*第?\s*[0-9]{1,5}\s*)?[页頁章]|[0-9]+\s*[-~—－]+\s*[0-9]+"
)
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class ChapterLink:
    """A link to a chapter in a catalogue. url: absolute, without a fragment."""

    url: str
    title: ChapterTitle


Block = tuple[ChapterLink, ...]


def chapter_blocks(tree: HtmlElement, url: str, selector: str = "", encoding: str = "utf-8") -> tuple[Block, ...]:
    """Return the chapters that a page lists, grouped by heading or list, in page order.

    selector: the operator's, CSS or XPath, for the elements that contain the links; "" to find what looks like a list
    of chapters: links with chapter titles, and other links whose URLs have the same pattern. encoding: that of the
    page. Raises BadConfiguration if the selector is invalid.
    """
    links = list(_chapter_links(tree, url, selector, encoding))
    if selector:
        return tuple(_group_links(links))
    named = [link for link, _ in links if is_chapter_title(link.title.text)]
    if len({link.url for link in named}) < MIN_CHAPTERS:
        return ()
    shape, count = Counter(_url_shape(link.url) for link in named).most_common(1)[0]
    wanted = {shape} if count * 2 > len(named) else {_url_shape(link.url) for link in named}
    named_urls = {link.url for link in named}
    kept = [
        (link, block)
        for link, block in links
        if _url_shape(link.url) in wanted and (link.url in named_urls or not _NAVIGATION.match(link.title.text))
    ]
    return tuple(_group_links(kept))


def further_pages(tree: HtmlElement, url: str, encoding: str = "utf-8") -> tuple[str, ...]:
    """Return the URLs of the further pages of a catalogue, from a "next page" link and from a list of its pages."""
    base = base_url(tree, url)
    found: list[str] = []
    for node in tree.iter("a", "option"):
        words = "".join(node.itertext()).strip()
        is_page = _NEXT_PAGE.match(words) if node.tag == "a" else _PAGE_OPTION.search(words)
        address = absolute_url(node.get("href") or node.get("value"), base, encoding)
        if is_page and address and not is_chapter_title(words):
            found.append(address)
    own = url.partition("#")[0]
    return tuple(address for address in dict.fromkeys(found) if address != own)


def list_chapter_links(blocks: Sequence[Block]) -> tuple[ChapterLink, ...]:
    """Return each chapter once, from the first to the last.

    A block whose chapters are all in other blocks, such as "newest chapters", is dropped. A descending block is
    reversed. Blocks whose numbers do not overlap are sorted by their numbers.
    """
    kept = [_sort_block(block) for block in _without_repeats(blocks)]
    if _is_numbered_throughout(kept):
        kept = sorted(kept, key=_median_number)
    elif len(kept) > 1 and all(_counts_down(block) for block in _without_repeats(blocks) if len(block) > 1):
        kept.reverse()
    unique: dict[str, ChapterLink] = {}
    for block in kept:
        for link in block:
            unique.setdefault(link.url, link)
    return tuple(unique.values())[:MAX_CHAPTERS]


def _chapter_links(tree: HtmlElement, url: str, selector: str, encoding: str) -> Iterator[tuple[ChapterLink, int]]:
    base = base_url(tree, url)
    chosen = {id(node) for found in select(tree, selector) for node in found.iter("a")} if selector else None
    block = given = 0
    for node in tree.iter():
        if node.tag in _BLOCK_TAGS:
            block += 1
        if node.tag != "a" or (chosen is not None and id(node) not in chosen):
            continue
        address, words = absolute_url(node.get("href"), base, encoding), " ".join("".join(node.itertext()).split())
        if address and words and given < 2 * MAX_CHAPTERS:
            given += 1
            yield ChapterLink(address, chapter_title(words)), block


def _group_links(links: Iterable[tuple[ChapterLink, int]]) -> Iterator[Block]:
    """Group adjacent links in one block.

    Adjacent blocks of one link, such as headings around every link, are joined.
    """
    blocks = (tuple(link for link, _ in group) for _, group in groupby(links, key=itemgetter(1)))
    for is_single, adjacent in groupby(blocks, key=lambda block: len(block) == 1):
        if is_single:
            yield tuple(chain.from_iterable(adjacent))
        else:
            yield from adjacent


def _without_repeats(blocks: Sequence[Block]) -> list[Block]:
    kept = dict(enumerate(blocks))
    for number in sorted(kept, key=lambda number: (len(blocks[number]), number)):
        others = {link.url for other, block in kept.items() if other != number for link in block}
        if all(link.url in others for link in kept[number]):
            del kept[number]
    return list(kept.values())


def _sort_block(block: Block) -> Block:
    return block[::-1] if _counts_down(block) else block


def _counts_down(block: Block) -> bool:
    numbers = _block_numbers(block)
    down = sum(later < earlier for earlier, later in pairwise(numbers))
    return down > sum(later > earlier for earlier, later in pairwise(numbers))


def _is_numbered_throughout(blocks: Sequence[Block]) -> bool:
    """Return True if no two blocks have overlapping numbers. Volumes whose numbers begin again at 1 do overlap."""
    spans = [numbers for block in blocks if (numbers := _block_numbers(block))]
    ordered = sorted((min(numbers), max(numbers)) for numbers in spans)
    return len(spans) > 1 and all(earlier[1] < later[0] for earlier, later in pairwise(ordered))


def _block_numbers(block: Block) -> list[int]:
    return [link.title.number for link in block if link.title.number is not None]


def _median_number(block: Block) -> float:
    """Return the median chapter number in a block; -1.0 for a prologue without a number, which comes first."""
    numbers = _block_numbers(block)
    return float(median(numbers)) if numbers else -1.0


def _url_shape(url: str) -> tuple[object, ...]:
    """Return the pattern of a chapter's URL: its folder, last path segment and one parameter, with # for digits."""
    parts = urlsplit(url)
    folder, _, last = parts.path.rpartition("/")
    query = parse_qsl(parts.query, keep_blank_values=True)
    varying = max((number for number, (_, value) in enumerate(query) if _DIGITS.search(value)), default=-1)
    shown = tuple(
        (name, _DIGITS.sub("#", value) if number == varying else value) for number, (name, value) in enumerate(query)
    )
    return parts.netloc, folder, re.sub(r"[0-9a-f]*\d[0-9a-f]*", "#", last), shown


# Reads the outline of a novel's page: the chapters that it lists, and the links that may continue it.

MAX_LINKS = 5_000
_MAX_WORDS_CHARS = 40


@dataclass(frozen=True, slots=True)
class Outline:
    """The links of one page. following: the links that may continue it, those of the operator's rule first."""

    blocks: tuple[Block, ...]
    further_pages: tuple[str, ...]
    following: tuple[Following, ...]


def outline(tree: HtmlElement, url: str, plan: CrawlPlan, encoding: str = "utf-8") -> Outline:
    """Return the outline of a page. Raises BadConfiguration if a selector of the plan is invalid.

    encoding: the encoding of the page
    """
    marked = select(tree, plan.next_page_selector) if plan.next_page_selector else []
    ours = {id(node) for found in marked for node in found.iter("a", "link")}
    links = list(_following_pages(tree, url, ours, encoding))
    return Outline(
        blocks=chapter_blocks(tree, url, plan.chapter_list_selector, encoding),
        further_pages=further_pages(tree, url, encoding),
        following=tuple(sorted(links, key=lambda link: not link.is_marked)),
    )


def _following_pages(tree: HtmlElement, url: str, ours: set[int], encoding: str) -> Iterator[Following]:
    base = base_url(tree, url)
    for node, _ in zip(tree.iter("a", "link", "button", "input"), range(MAX_LINKS), strict=False):
        rel = (node.get("rel") or "").lower().split()
        is_marked = id(node) in ours or "next" in rel
        words = " ".join(("".join(node.itertext()) or node.get("value") or "").split())[:_MAX_WORDS_CHARS]
        for href in (*attribute_addresses(node), node.get("href")):
            address = absolute_url(href, base, encoding)
            if address and (node.tag != "link" or "next" in rel):
                yield Following(address, words, is_marked)
