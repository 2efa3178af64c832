"""Assigns the lines of a page outside its main text to zones: comments, teasers, or the site's frame.

No line is dropped, and the main text is not decided here. Boxes that contain lines of the main text are neither
comments nor teasers, whatever their names are.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate, islice

from lxml.html import HtmlElement

from core.zones import SurroundingLine, Zone
from crawler.characters.repertoire import compile_for_both_scripts, count_han
from crawler.main_text.density import MAX_LINK_SHARE, MIN_CHARS_OF_HEADING, teasers
from crawler.markup import Line

_REMARKS = re.compile(
    r"comment|remark|pinglun|liuyan|huifu|gentie|disqus|guestbook|(?:^|[\s_-])repl(?:y|ies)", re.IGNORECASE
)
_ANNOUNCING = re.compile(
    r"related|recommend|relate|tuijian|xiangguan|hotnews|(?:^|[\s_-])(?:hot|rank\w*|list|links?|prev|next|pager|more|side\w*)(?:$|[\s_-])",
    re.IGNORECASE,
)
# A heading above comments, with or without their number.
_HEADING_OF_REMARKS = compile_for_both_scripts(
    r"^(?:全部|所有|最新|热门|精彩|网友|读者|用户|发表|文章|本文)?(?:评论|留言|跟帖|回复|书评|来信|热议)(?:区|列表|\s*[(（]?\s*\d+\s*(?:条|个)?\s*[)）]?)?[:：]?$"
    r"|^\d+\s*(?:条|个)?(?:评论|留言|跟帖|回复)$|^共有?\s*\d+\s*(?:条|个)(?:评论|留言|跟帖|回复)"
)
_MAX_CHARS_OF_HEADING = 20
_MAX_LEVELS, _MAX_LEVELS_OF_TEASER = 8, 3
# The maximum length of a box that announces one page: a title and the beginning of a text. The longest on saved pages
# has 190.
MAX_CHARS_OF_TEASER = 300


def classify_other_lines(page: Sequence[Line], main: Sequence[Line]) -> list[SurroundingLine]:
    """Return the lines of a page that are not in `main`, in order, each with its zone."""
    if not page:
        return []
    own = {id(line) for line in main}
    zones = _Zones(page, [line.container for line in main])
    surroundings, before = [], 0
    for place, line in enumerate(page):
        if id(line) in own:
            before += 1
        else:
            surroundings.append(SurroundingLine(zones.classify(place), line.text, before))
    return surroundings


def control_lines(tree: HtmlElement, after: int) -> list[SurroundingLine]:
    """Return the texts of buttons, select options and text fields, which are not lines of the page.

    after: the number of main lines before them, as in SurroundingLine
    """
    found = []
    for node in tree.iter("textarea", "button", "option"):
        if next(node.iterancestors("template", "noscript"), None) is not None:
            continue
        texts = (" ".join(text.split()) for text in "".join(node.itertext()).splitlines())
        found += [SurroundingLine(Zone.FRAME, text, after) for text in texts if text]
    return found


def zone_around(names: tuple[str, str], parent: HtmlElement | None) -> Zone:
    """Return the zone of a box that opens on a click: COMMENT if it or an ancestor is named so, or else FRAME.

    names: the class and id of the box
    """
    boxes = [] if parent is None else [parent, *islice(parent.iterancestors(), _MAX_LEVELS)]
    named = (_zone_named(*names), *(_zone_named(box.get("class", ""), box.get("id", "")) for box in boxes))
    return Zone.COMMENT if Zone.COMMENT in named else Zone.FRAME


class _Zones:
    """The zones of the lines on one page.

    main: the boxes that contain lines of the main text
    """

    def __init__(self, page: Sequence[Line], main: Iterable[HtmlElement]) -> None:
        self._page = page
        self._around = {node for box in set(main) for node in (box, *box.iterancestors())}
        self._streams = teasers(page[0].container.getroottree().getroot())
        self._spans = _spans(page)
        self._remarks = self._below_headings()
        # The number of characters, and of lines with a title that links to another page, before each line.
        self._chars = list(accumulate((len(line.text) for line in page), initial=0))
        self._leads_away = [
            line.link_chars >= MIN_CHARS_OF_HEADING and count_han(line.text) >= MIN_CHARS_OF_HEADING for line in page
        ]
        self._titles = list(accumulate(self._leads_away, initial=0))
        self._named: dict[HtmlElement, Zone | None] = {}
        self._teasers: dict[HtmlElement, bool] = {}

    def classify(self, place: int) -> Zone:
        """Return the zone of a line outside the main text."""
        line = self._page[place]
        named = self._zone_by_name(line.container)
        if named is Zone.COMMENT or place in self._remarks:
            return Zone.COMMENT
        is_title = line.link_chars > MAX_LINK_SHARE * len(line.text) and self._leads_away[place]
        if is_title or self._announces(line.container):
            return Zone.TEASER
        return Zone.TEASER if named is Zone.TEASER and count_han(line.text) >= MIN_CHARS_OF_HEADING else Zone.FRAME

    def _boxes(self, container: HtmlElement) -> Iterable[HtmlElement]:
        """Yield the boxes around a line, from inside out, that contain no main text."""
        node: HtmlElement | None = container
        for _ in range(_MAX_LEVELS):
            if node is None or node in self._around or node.tag in ("html", "body"):
                return
            yield node
            node = node.getparent()

    def _zone_by_name(self, container: HtmlElement) -> Zone | None:
        if container not in self._named:
            self._named[container] = self._find_zone_by_name(container)
        return self._named[container]

    def _find_zone_by_name(self, container: HtmlElement) -> Zone | None:
        found = None
        for box in self._boxes(container):
            if box in self._streams:
                return Zone.TEASER
            named = _zone_named(box.get("class", ""), box.get("id", ""))
            if named is Zone.COMMENT:
                return Zone.COMMENT
            found = found or named
        return found

    def _announces(self, container: HtmlElement) -> bool:
        """Return True if a small box around a line has a title that links to another page."""
        if container not in self._teasers:
            boxes = islice(self._boxes(container), _MAX_LEVELS_OF_TEASER)
            self._teasers[container] = any(self._is_teaser(*self._spans[box]) for box in boxes)
        return self._teasers[container]

    def _is_teaser(self, first: int, last: int) -> bool:
        chars, titles = self._chars[last + 1] - self._chars[first], self._titles[last + 1] - self._titles[first]
        return titles > 0 and chars <= MAX_CHARS_OF_TEASER

    def _below_headings(self) -> set[int]:
        """Return the indexes of lines below headings of comments, in the heading's box or similar boxes after it."""
        found: set[int] = set()
        for place, line in enumerate(self._page):
            is_heading = len(line.text) <= _MAX_CHARS_OF_HEADING and _HEADING_OF_REMARKS.search(line.text)
            if not is_heading or place in found or line.container in self._around:
                continue
            begun = [box for box in self._boxes(line.container) if self._spans[box][0] == place]
            end = self._spans[begun[-1]][1] if begun else place
            if begun and end == place:
                end = self._last_line_of_similar_siblings(begun[-1], place)
            found.update(range(place, end + 1))
        return found

    def _last_line_of_similar_siblings(self, heading: HtmlElement, place: int) -> int:
        """Return the last line of the similar boxes directly after a heading; the heading's own line if there are none.

        Similar boxes share their tag and class.
        """
        first, end = heading.getnext(), place
        for box in heading.itersiblings():
            if (
                box not in self._spans
                or box in self._around
                or (box.tag, box.get("class")) != (first.tag, first.get("class"))
            ):
                break
            end = self._spans[box][1]
        return end


@lru_cache(maxsize=4_096)
def _zone_named(of_class: str, of_id: str) -> Zone | None:
    names = f"{of_class} {of_id}"
    if _REMARKS.search(names):
        return Zone.COMMENT
    return Zone.TEASER if _ANNOUNCING.search(names) else None


def _spans(page: Sequence[Line]) -> dict[HtmlElement, tuple[int, int]]:
    """Return the indexes of the first and the last line in each box around a line."""
    spans: dict[HtmlElement, tuple[int, int]] = {}
    for place, line in enumerate(page):
        for box in islice((line.container, *line.container.iterancestors()), _MAX_LEVELS):
            spans[box] = (spans[box][0] if box in spans else place, place)
    return spans
