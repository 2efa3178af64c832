"""Boxes that each announce another page: a heading that leads there, and the beginning of its text."""

from collections import Counter
from itertools import islice

from lxml.html import HtmlElement

from crawler.markup import BLOCKS

_HEADINGS = ("h2", "h3", "h4", "h5")
# As many boxes alike, each with such a heading, are a stream; two may be the parts before and after this one.
MIN_TEASERS = 3
MIN_CHARS_OF_HEADING = 6  # shorter ones name sections
MAX_CHARS_ABOVE_HEADING = 40  # a section, a name and a date; chosen, not measured
_MAX_HEADINGS, _MAX_LEVELS = 500, 8


def teasers(root: HtmlElement) -> set[HtmlElement]:
    """The boxes of all streams of teasers below `root`."""
    headings = [node for tag in _HEADINGS for node in islice(root.iter(tag), _MAX_HEADINGS) if _leads_away(node)]
    if len(headings) < MIN_TEASERS:
        return set()
    above = {heading: _blocks_above(heading) for heading in headings}
    counts = Counter(block for blocks in above.values() for block in blocks)
    boxes: set[HtmlElement] = set()
    for heading, blocks in above.items():
        path = [heading, *blocks]
        stream = next((place for place, block in enumerate(path) if counts[block] >= MIN_TEASERS), 0)
        # A heading right in the stream has no box of its own to hold text.
        if stream > 1 and _begins_with(path[stream - 1], heading):
            boxes.add(path[stream - 1])
    return boxes


def _blocks_above(heading: HtmlElement) -> list[HtmlElement]:
    blocks = (node for node in heading.iterancestors() if node.tag in BLOCKS and node.tag not in ("html", "body"))
    return list(islice(blocks, _MAX_LEVELS))


def _begins_with(box: HtmlElement, heading: HtmlElement) -> bool:
    """Whether at most a date and a section stand above a heading: a box that has a text first announces nothing."""
    shown = 0
    for node in box.iter():
        if node is heading:
            return True
        if isinstance(node.tag, str) and node.tag not in ("script", "style"):
            shown += len((node.text or "").strip())
        if shown > MAX_CHARS_ABOVE_HEADING:
            return False
    return True


def _leads_away(heading: HtmlElement) -> bool:
    """Whether a heading is a link, all of it, to another page."""
    links = [node for node in (heading, *heading.iterancestors(), *heading.iter("a")) if node.tag == "a"][:1]
    shown = len("".join("".join(heading.itertext()).split()))
    linked = sum(len("".join("".join(node.itertext()).split())) for node in links)
    href = (links[0].get("href") or "").strip() if links else ""
    return bool(href) and not href.startswith(("#", "javascript:")) and linked >= shown >= MIN_CHARS_OF_HEADING
