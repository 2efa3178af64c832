"""How much of what stands beside a text an extractor takes along: remarks, teasers, all else that the page shows."""

from collections import Counter
from collections.abc import Mapping

from lxml import etree, html

from core.zones import Zone
from laboratory.extraction.saved_pages import SavedPage
from laboratory.extraction.text_scores import grams

BESIDE = "all beside"  # all characters of the page that are not its text, whether anybody labelled them or not
TAKEN = (Zone.MAIN, Zone.COMMENT, Zone.TEASER, BESIDE)
_NOT_SHOWN = ("script", "style", "noscript", "template", "head")


def labelled(page: SavedPage) -> dict[str, Counter[str]]:
    """The character pairs of each part of a page. Those of the text alone are no pairs of what stands beside it."""
    main = grams(page.text)
    parts = {zone: grams(text) for zone, text in page.zones.items()}
    return {Zone.MAIN: main, **parts, BESIDE: grams(_shown(page.markup)) - main}


def taken(found: str, parts: Mapping[str, Counter[str]]) -> dict[str, float]:
    """Of each part the share that a reading holds: of the text its recall, of others what is no pair of the text.

    >>> taken("石阶石桥", {"main": grams("石阶"), "comment": grams("石桥边")})
    {'main': 1.0, 'comment': 0.5}
    """
    held = grams(found)
    beside = held - parts[Zone.MAIN]
    return {
        zone: ((held if zone == Zone.MAIN else beside) & part).total() / part.total()
        for zone, part in parts.items()
        if part
    }


def _shown(markup: str) -> str:
    if not markup.strip():
        return ""
    tree = html.fromstring(markup.encode(), parser=html.HTMLParser(encoding="utf-8", huge_tree=True))
    etree.strip_elements(tree, *_NOT_SHOWN, etree.Comment, with_tail=False)
    return "".join(tree.itertext())
