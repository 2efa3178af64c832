"""Main text by density: where on a page running sentences stand close together, links apart."""

import re
from collections import defaultdict
from collections.abc import Sequence

from lxml.html import HtmlElement

from crawler.markup import Line
from crawler.repertoire import HAN

_SENTENCE_MARK = re.compile("[，。！？；：、…”」』,.!?;]")
_MENU_TAGS = frozenset({"nav", "aside", "footer"})
_MENU_NAMES = re.compile(
    r"comment|footer|sidebar|side-bar|breadcrumb|related|recommend|copyright|toolbar|share|menu|pinglun|xiangguan|tuijian|hotnews|rank",
    re.I,
)
MAX_LINK_SHARE = 0.5  # of a line's characters; above it the line is navigation


def weight(line: Line) -> float:
    """How much a line speaks for running text: its characters outside links, marks counted threefold; 0 for labels."""
    own = line.own_chars
    if line.link_chars > MAX_LINK_SHARE * len(line.text) or not HAN.search(line.text):
        return 0.0
    marks = len(_SENTENCE_MARK.findall(line.text))
    if not marks and own < 15:
        return 0.0
    return own + 3.0 * marks


def main_container(page: Sequence[Line]) -> HtmlElement | None:
    """The element that running text stands in, None for a page without any sentence."""
    scores: dict[HtmlElement, float] = defaultdict(float)
    for line in page:
        worth = weight(line) * _name_factor(line.container)
        share, node = 1.0, line.container
        for _ in range(3 if worth else 0):
            if node is None or node.tag in ("html", "body") and share < 1.0:
                break
            scores[node] += worth * share
            share, node = share / 2, node.getparent()
    if not scores:
        return None
    best = max(scores, key=lambda element: scores[element])
    return _widened(best, scores)


def _widened(best: HtmlElement, scores: dict[HtmlElement, float]) -> HtmlElement:
    """The parent instead, where brothers of the best element carry as much text of the same kind between them."""
    parent = best.getparent()
    if parent is None or parent.tag in ("html", "body"):
        return best
    brothers = sum(scores.get(child, 0.0) for child in parent if child is not best and child.tag == best.tag)
    return parent if brothers > 0.5 * scores[best] and best.tag not in ("td", "tr") else best


def _name_factor(element: HtmlElement) -> float:
    """A fifth for text inside menus, comments and the like, by tag and by the names that authors give them."""
    node: HtmlElement | None = element
    for _ in range(6):
        if node is None or node.tag == "body":
            return 1.0
        if node.tag in _MENU_TAGS or _MENU_NAMES.search(f"{node.get('class', '')} {node.get('id', '')}"):
            return 0.2
        node = node.getparent()
    return 1.0
