"""What the crawl of a novel needs of a page besides its text: the chapters that it lists and where it may go on."""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urljoin

from lxml.html import HtmlElement

from core.pages import CrawlPlan
from crawler.selectors import select
from crawler.sources.catalogue import Block, chapter_blocks, further_pages
from crawler.sources.novel_pages import Following

MAX_LINKS = 5_000
_MAX_WORDS_CHARS = 40


@dataclass(frozen=True, slots=True)
class Outline:
    """Of one page. following: its links, those of the operator's rule first."""

    blocks: tuple[Block, ...]
    further_pages: tuple[str, ...]
    following: tuple[Following, ...]


def outline(tree: HtmlElement, url: str, plan: CrawlPlan) -> Outline:
    """Raises BadConfiguration for a selector of the plan that cannot be read."""
    marked = select(tree, plan.next_page_selector) if plan.next_page_selector else []
    ours = {id(node) for found in marked for node in found.iter("a", "link")}
    links = list(_following(tree, url, ours))
    return Outline(
        blocks=chapter_blocks(tree, url, plan.chapter_list_selector),
        further_pages=further_pages(tree, url),
        following=tuple(sorted(links, key=lambda link: not link.is_marked)),
    )


def _following(tree: HtmlElement, url: str, ours: set[int]) -> Iterator[Following]:
    base = next((urljoin(url, node.get("href")) for node in tree.iter("base") if node.get("href")), url)
    for node, _ in zip(tree.iter("a", "link"), range(MAX_LINKS), strict=False):
        try:
            address = urljoin(base, "".join((node.get("href") or "").split())).partition("#")[0]
        except ValueError:
            continue
        rel = (node.get("rel") or "").lower().split()
        if address.startswith(("http://", "https://")) and (node.tag == "a" or "next" in rel):
            words = " ".join("".join(node.itertext()).split())[:_MAX_WORDS_CHARS]
            yield Following(address, words, id(node) in ours or "next" in rel)
