"""Whole articles that stand on a page beside its own: a column with several of them, or the next ones loaded below.

The page's <title> names one. What is built like it, under headings of their own, is another page's text.
"""

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from lxml.html import HtmlElement

from crawler.characters.repertoire import count_han
from crawler.main_text.headline import title_places
from crawler.main_text.post_marks import END_OF_SENTENCE, blocks
from crawler.markup import Line, child, is_inside

MIN_NEIGHBOURS = 2  # of one alone nobody can say whether it is the second half of an article in two boxes
MIN_HAN_OF_ARTICLE = 60  # a paragraph of two sentences
MAX_CHARS_OF_HEADING = 60
_LINES_ABOVE_HEADING, _MAX_LEVELS, _MAX_BROTHERS = 1, 12, 500
_HEADINGS = frozenset({"h1", "h2", "h3", "h4"})


def neighbours(page: Sequence[Line], title: str) -> frozenset[int]:
    """The places in `page` of the lines of other articles, none where the page's title stands above all text.

    title: of the page, the site's name and all.
    """
    for place in title_places(page, title)[:1]:
        return frozenset(_in_boxes(page, place) or _in_sequence(page, place))
    return frozenset()


def _in_boxes(page: Sequence[Line], place: int) -> set[int]:
    """Of articles each in a box of the same kind, below one box."""
    for box in islice(blocks(page[place].container), _MAX_LEVELS):
        above = place - 1 - _LINES_ABOVE_HEADING
        if above >= 0 and is_inside(box, page[above].container):
            break
        span = _span(page, place, box)
        brothers = [node for node in islice(box.itersiblings(), _MAX_BROTHERS) if _kind(node) == _kind(box)]
        brothers += [
            node for node in islice(box.itersiblings(preceding=True), _MAX_BROTHERS) if _kind(node) == _kind(box)
        ]
        if len(brothers) < MIN_NEIGHBOURS or not _is_article(page, span, place):
            continue
        others = [each for each in _spans(page, brothers) if _is_headed_alike(page, each, place)]
        if len(others) >= MIN_NEIGHBOURS:
            return {number for each in others for number in each}
    return set()


def _in_sequence(page: Sequence[Line], place: int) -> set[int]:
    """Of articles one after another in one box: a heading of the same kind and a text stand before the page's own."""
    heading = page[place].container
    if heading.tag not in _HEADINGS or heading.getparent() is None:
        return set()
    alike = [
        number
        for number, line in enumerate(page)
        if line.container.getparent() is heading.getparent() and _kind(line.container) == _kind(heading)
    ]
    end = _span(page, place, heading.getparent()).stop
    parts = [range(first, last) for first, last in pairwise([*alike, end])]
    own = next(part for part in parts if part.start == place)
    is_named_later = any(_is_article(page, part, part.start) for part in parts[: parts.index(own)])
    others = parts if is_named_later and _is_article(page, own, place) else []
    return {number for part in others if part is not own for number in part}


def _is_article(page: Sequence[Line], span: range, heading: int) -> bool:
    said = (page[place].text for place in span if place != heading and END_OF_SENTENCE.search(page[place].text))
    return sum(map(count_han, said)) >= MIN_HAN_OF_ARTICLE


def _is_headed_alike(page: Sequence[Line], span: range, heading: int) -> bool:
    """Whether a box begins with a heading of its own like the one of the page, and an article follows."""
    for place in span[: _LINES_ABOVE_HEADING + 1]:
        line = page[place]
        is_heading = len(line.text) <= MAX_CHARS_OF_HEADING and not END_OF_SENTENCE.search(line.text)
        if is_heading and _kind(line.container) == _kind(page[heading].container):
            return _is_article(page, span, place)
    return False


def _spans(page: Sequence[Line], boxes: Sequence[HtmlElement]) -> Iterator[range]:
    """The places of the lines of boxes that stand side by side."""
    parent, wanted = boxes[0].getparent(), set(boxes)
    start, current = 0, None
    for place, line in enumerate(page):
        box = child(parent, line.container)
        if box is not current:
            if current in wanted:
                yield range(start, place)
            start, current = place, box
    if current in wanted:
        yield range(start, len(page))


def _span(page: Sequence[Line], place: int, box: HtmlElement) -> range:
    first = last = place
    while first > 0 and is_inside(box, page[first - 1].container):
        first -= 1
    while last + 1 < len(page) and is_inside(box, page[last + 1].container):
        last += 1
    return range(first, last + 1)


def _kind(element: HtmlElement) -> tuple[object, str]:
    return element.tag, element.get("class") or ""
