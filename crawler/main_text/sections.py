"""Documents in headed sections, as manuals are: the densest box is one of several and the others are text as well."""

from collections.abc import Iterable, Sequence
from itertools import islice

from lxml.html import HtmlElement

from crawler.main_text.density import is_in_menu, weight
from crawler.main_text.post_marks import is_elsewhere
from crawler.main_text.remarks import is_label
from crawler.markup import BLOCKS, HEADINGS, Line

# A box with so many headed sections of running text is a document of them, if the main one holds fewer and the others
# weigh something beside it: what stands under headings in a side column does not. Of links a line of prose has no more
# than this: one of an index of other pages does (2026-11, 17 layouts of manuals of our own, read alike with .2 to .4 of
# links and .2 to .5 of weight).
MIN_SECTIONS = 3
MAX_LINK_SHARE = 0.3
MIN_SHARE_ADDED = 0.5
_MAX_LEVELS = 12
_MIN_WEIGHT = 15.0  # of a line that is a sentence (crawler.main_text.density)
_TAGS = HEADINGS - {"h1"}
_PARTS = frozenset({"p", "li", "dt", "dd", "pre"})  # whose own names say what they are, not where they stand


def sectioned(page: Sequence[Line], main: HtmlElement | None) -> HtmlElement | None:
    """The box of all sections instead of a main one that holds some; `main` where there is no such document."""
    if main is None:
        return None
    at_home = {box for box in {line.container for line in page} if box.tag in _TAGS and _leads_nowhere(box)}
    headings = [place for place, line in enumerate(page) if line.container in at_home]
    if len(headings) < MIN_SECTIONS:
        return main
    spoken = {
        place
        for place, end in zip(headings, [*headings[1:], len(page)], strict=True)
        if any(map(_is_prose, page[place + 1 : end]))
    }
    inside = set(main.iter())
    within = {place for place, line in enumerate(page) if line.container in inside}
    if len(spoken & within) >= MIN_SECTIONS:
        return main
    best, own = main, _weight(page, within)
    for box in islice(main.iterancestors(*BLOCKS), _MAX_LEVELS):
        inside = set(box.iter())
        added = [place for place, line in enumerate(page) if place not in within and line.container in inside]
        if not _is_document([page[place] for place in added]):
            break
        within.update(added)
        has_more = not spoken.isdisjoint(added) and len(spoken & within) >= MIN_SECTIONS
        if has_more and _weight(page, within) >= (1 + MIN_SHARE_ADDED) * own:
            best = box
    return best


def _weight(page: Sequence[Line], places: Iterable[int]) -> float:
    return sum(weight(page[place]) for place in places)


def _leads_nowhere(heading: HtmlElement) -> bool:
    addresses = (link.get("href") for link in heading.iter("a"))
    return all(not address or address.startswith("#") for address in addresses)


def _is_prose(line: Line) -> bool:
    return weight(line) >= _MIN_WEIGHT and line.link_chars <= MAX_LINK_SHARE * len(line.text)


def _is_document(added: Sequence[Line]) -> bool:
    """Whether lines may be a part of the text: no menu, no remarks."""
    boxes = (line.container.getparent() if line.container.tag in _PARTS else line.container for line in added)
    return not any(is_in_menu(box) or is_elsewhere(box) for box in boxes) and not any(map(is_label, added))
