"""The skeleton of a page: its elements with their classes and ids, without its words. Pages of one template agree."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from lxml.html import HtmlElement

MAX_ELEMENTS = 5_000
_DIGITS = re.compile(r"\d+")
_OF_TEXT = frozenset({"p", "br", "b", "i", "em", "strong", "span", "font"})  # as many as the text has: no template


def skeleton(tree: HtmlElement) -> frozenset[str]:
    """Return one entry for each element with a class or an id: its tag, its names and those of its parent.

    Numbers in names are all the same, since a page may have its own number as an id.
    """
    found: set[str] = set()
    for at, node in enumerate(tree.iter()):
        if at >= MAX_ELEMENTS:
            break
        if isinstance(node.tag, str) and node.tag not in _OF_TEXT:
            called = _element_name(node)
            parent = node.getparent()
            if called:
                found.add(f"{_element_name(parent) if parent is not None else ''}>{node.tag}{called}")
    return frozenset(found)


def template(skeletons: Sequence[frozenset[str]]) -> frozenset[str]:
    """Return the entries that at least half of the skeletons have in common."""
    counts = Counter(entry for each in skeletons for entry in each)
    return frozenset(entry for entry, count in counts.items() if count * 2 >= len(skeletons))


def agreement(one: Iterable[str], other: Iterable[str]) -> float:
    """Return the Jaccard similarity of two templates in [0, 1]; 0.0 if one is empty."""
    first, second = frozenset(one), frozenset(other)
    return len(first & second) / len(first | second) if first and second else 0.0


def _element_name(node: HtmlElement) -> str:
    names = sorted((node.get("class") or "").split())
    called = [f".{name}" for name in names] + ([f"#{node.get('id')}"] if node.get("id") else [])
    return _DIGITS.sub("0", "".join(called))
