"""Edges of a text: adds words that stand outside the box that holds most of it, drops menus and frames of posts."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

from lxml.html import HtmlElement

from crawler.characters.repertoire import count_han
from crawler.main_text.density import MAX_LINK_SHARE, is_in_menu, is_small_print, weight
from crawler.main_text.headline import one_line
from crawler.main_text.metadata import is_byline, is_stamp
from crawler.main_text.post_marks import is_elsewhere
from crawler.main_text.remarks import is_label
from crawler.markup import BLOCKS, HEADINGS, Line, is_inside

# Share that a box around a nameless main one may add: at .25 a message's first six lines are lost, .6 and 1 read all
# open pages and the 58 alike (2026-11).
MAX_SHARE_OF_EDGES = 0.6
MAX_LEVELS, MAX_LINES_OF_LEAD, MIN_HAN_OF_LEAD = 6, 12, 16
_NO_EDGES = frozenset({"html", "body", "table", "tbody", "tr"})
_MARK = re.compile("[，。！？；]")


def widen_main_box(page: Sequence[Line], main: HtmlElement | None, titles: Sequence[int]) -> HtmlElement | None:
    """Return a box around a nameless main one instead, where it adds little and that little is text.

    A box that the page's title stands in also holds what stands around texts. titles: places in `page`.
    """
    if main is None:
        return None
    best = main
    for box in islice(main.iterancestors(*BLOCKS), MAX_LEVELS):
        is_closed = best.get("class") or best.get("id") or box.tag in _NO_EDGES
        if is_closed or any(is_inside(box, page[place].container) for place in titles):
            break
        inner, outer = lines_in_box(page, best), lines_in_box(page, box)
        within = {id(line) for line in inner}
        added = [line for line in outer if id(line) not in within]
        if _chars(added) > MAX_SHARE_OF_EDGES * _chars(inner) or not _are_words(added):
            break
        best = box
    return best


def lead_lines(page: Sequence[Line], main: Sequence[Line], titles: Sequence[int]) -> list[Line]:
    """Return the sentences between an article's heading and its box: its lead. titles: places in `page`."""
    first = next((place for place, line in enumerate(page) if main and line is main[0]), 0)
    heading = max((place for place in titles if place < first), default=first)
    if first - heading > MAX_LINES_OF_LEAD:
        return []
    return [line for line in page[heading + 1 : first] if _is_sentence(line) and not _is_menu(line)]


def lines_in_box(page: Sequence[Line], box: HtmlElement | None) -> list[Line]:
    """Return the lines that stand in a box."""
    within = set(box.iter()) if box is not None else set()
    return [line for line in page if line.container in within]


def _is_sentence(line: Line) -> bool:
    is_long = count_han(line.text) >= MIN_HAN_OF_LEAD
    return is_long and not line.link_chars and _MARK.search(line.text) is not None and not is_byline(line.text)


def _are_words(added: Sequence[Line]) -> bool:
    linked = sum(line.link_chars for line in added)
    return linked <= MAX_LINK_SHARE * _chars(added) and not any(map(_is_menu, added))


def _is_menu(line: Line) -> bool:
    return is_elsewhere(line.container) or is_small_print(line.text)


def _chars(chosen: Sequence[Line]) -> int:
    return sum(len(line.text) for line in chosen)


# A box with so many headed sections of running text is a document of them, if the main one holds fewer and the others
# weigh something beside it: what stands under headings in a side column does not. Of links a line of prose has no more
# than this: one of an index of other pages does (2026-11, 17 layouts of manuals of our own, read alike with .2 to .4 of
# links and .2 to .5 of weight).
MIN_SECTIONS = 3
MAX_LINK_SHARE_OF_PROSE = 0.3
MIN_SHARE_ADDED = 0.5
_MAX_LEVELS = 12
_MIN_WEIGHT = 15.0  # of a line that is a sentence (crawler.main_text.density)
_TAGS = HEADINGS - {"h1"}
_PARTS = frozenset({"p", "li", "dt", "dd", "pre"})  # whose own names say what they are, not where they stand


def widen_to_sections(page: Sequence[Line], main: HtmlElement | None) -> HtmlElement | None:
    """Return the box of all sections instead of a main one that holds some; `main` where there is no such document."""
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
    return weight(line) >= _MIN_WEIGHT and line.link_chars <= MAX_LINK_SHARE_OF_PROSE * len(line.text)


def _is_document(added: Sequence[Line]) -> bool:
    """Return True if lines may be a part of the text: no menu, no remarks."""
    boxes = (line.container.getparent() if line.container.tag in _PARTS else line.container for line in added)
    return not any(is_in_menu(box) or is_elsewhere(box) for box in boxes) and not any(map(is_label, added))


# Drops from the lines of a main container what is no part of the text: menus and the frames of posts.

_NAVIGATION = re.compile(
    "上一[章页頁篇节節]|下一[章页頁篇节節]|返回(?:目录|目錄|书页|書頁|首页|首頁|列表|顶部)|加入(?:书签|書籤|书架|書架)|章节报错|章節報錯|投推荐票"
    "|责任编辑|責任編輯|扫一扫|扫描二维码|分享到|分享至|打印本页|关闭窗口|点击收藏|收藏本站|相关阅读|相關閱讀|相关新闻|延伸阅读|延伸閱讀"
    "|手机阅读|最新章节|免责声明|版权所有|版權所有|京公网安备|ICP备|Copyright|©"
)
_MAX_NAVIGATION_CHARS = 40  # a sentence of a novel may well speak of the next chapter
END_OF_SENTENCE = re.compile("[。！？；…」”』!?]")
# Repeated lines of one page in boxes that hold no sentence: names of ranks, counters, "posted at" with other digits.
MIN_REPEATS_OF_FRAME, MAX_CHARS_OF_FRAME = 2, 30
MIN_CELLS_OF_TABLE = 3
_NEVER_FRAMES = frozenset({"pre", "h2", "h3", "h4", "h5", "h6"})
_HEAD_LINES, _MAX_CHARS_OF_HEAD_LINE = 6, 80
_BREADCRUMB = re.compile(r"[>＞»›]\s*\S+\s*(?:[>＞»›]|$)|^(?:当前|您的|目前|您现在的|你的)?位置[:：]")
_BETWEEN_LINKS = re.compile(" ?[·•|｜／] ?| [-–—/] ")
_DIGITS = re.compile(r"\d+")


def drop_navigation(chosen: Sequence[Line]) -> list[Line]:
    """Drop navigation: lines that are mostly links, and the frames of posts."""
    kept = [
        line
        for line in chosen
        if line.link_chars <= MAX_LINK_SHARE * _chars_but_between_links(line)
        and not (len(line.text) <= _MAX_NAVIGATION_CHARS and _NAVIGATION.search(line.text))
    ]
    return _without_frames(kept)


def _chars_but_between_links(line: Line) -> int:
    return len(_BETWEEN_LINKS.sub("", line.text) if line.link_chars else line.text)


def without_head(chosen: Sequence[Line], title: str) -> list[Line]:
    """Drop the title, the path to the page, and the line of author and date above the text."""
    last = 0
    for number, line in enumerate(chosen[:_HEAD_LINES], 1):
        if one_line(line.text) == title:
            last = number
        elif len(line.text) > _MAX_CHARS_OF_HEAD_LINE:  # nor is a pattern run over a line that is made to be slow
            break
        elif is_byline(line.text) or is_stamp(line.text) or _BREADCRUMB.search(line.text):
            last = number
        elif END_OF_SENTENCE.search(line.text):
            break
    return list(chosen[last:])


def _without_frames(chosen: Sequence[Line]) -> list[Line]:
    """Drop repeated lines in kinds of boxes without any sentence: a refrain stands in the box of the other verses."""
    speaking = {_box(line) for line in chosen if END_OF_SENTENCE.search(line.text)}
    if not speaking:
        return list(chosen)
    counts = Counter(_frame(line) for line in chosen)
    return [
        line
        for line in chosen
        if _box(line) in speaking or not _may_be_frame(line) or counts[_frame(line)] < MIN_REPEATS_OF_FRAME
    ]


def _may_be_frame(line: Line) -> bool:
    """Return False for headings, such as years in a chronicle, and lines of programs and tables, which repeat too."""
    is_short = len(line.text) <= MAX_CHARS_OF_FRAME and line.container.tag not in _NEVER_FRAMES
    return is_short and not _is_of_table(line.container)


def _is_of_table(box: HtmlElement) -> bool:
    """Return True for a cell of a data table, or a box right in one; the row of a post has two cells."""
    cell = box if box.tag in ("td", "th") else box.getparent()
    row = cell.getparent() if cell is not None and cell.tag in ("td", "th") else None
    return row is not None and len(row) >= MIN_CELLS_OF_TABLE


def _box(line: Line) -> tuple[object, str]:
    return line.container.tag, line.container.get("class") or ""


def _frame(line: Line) -> tuple[object, str, str]:
    return *_box(line), _DIGITS.sub("0", line.text)
