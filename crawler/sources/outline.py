"""The outline of a novel's page: the chapters that it lists, and the links on which it may go on."""

from collections.abc import Iterator
from dataclasses import dataclass

from lxml.html import HtmlElement

from core.pages import CrawlPlan
from crawler.links import absolute, attribute_addresses, base_url
from crawler.selectors import select
from crawler.sources.catalogue import Block, chapter_blocks, further_pages
from crawler.sources.novel_pages import Following

MAX_LINKS = 5_000
_MAX_WORDS_CHARS = 40


@dataclass(frozen=True, slots=True)
class Outline:
    """The links of one page. following: all of them, those of the operator's rule first."""

    blocks: tuple[Block, ...]
    further_pages: tuple[str, ...]
    following: tuple[Following, ...]


def outline(tree: HtmlElement, url: str, plan: CrawlPlan, encoding: str = "utf-8") -> Outline:
    """encoding: of the page. Raises BadConfiguration for a selector of the plan that cannot be read."""
    marked = select(tree, plan.next_page_selector) if plan.next_page_selector else []
    ours = {id(node) for found in marked for node in found.iter("a", "link")}
    links = list(_following(tree, url, ours, encoding))
    return Outline(
        blocks=chapter_blocks(tree, url, plan.chapter_list_selector, encoding),
        further_pages=further_pages(tree, url, encoding),
        following=tuple(sorted(links, key=lambda link: not link.is_marked)),
    )


def _following(tree: HtmlElement, url: str, ours: set[int], encoding: str) -> Iterator[Following]:
    base = base_url(tree, url)
    for node, _ in zip(tree.iter("a", "link", "button", "input"), range(MAX_LINKS), strict=False):
        rel = (node.get("rel") or "").lower().split()
        is_marked = id(node) in ours or "next" in rel
        words = " ".join(("".join(node.itertext()) or node.get("value") or "").split())[:_MAX_WORDS_CHARS]
        for href in (*attribute_addresses(node), node.get("href")):
            address = absolute(href, base, encoding)
            if address and (node.tag != "link" or "next" in rel):
                yield Following(address, words, is_marked)
