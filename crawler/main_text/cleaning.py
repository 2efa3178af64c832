"""Takes from the lines of a main container what is no part of the text: menus and the frames of posts."""

import re
from collections import Counter
from collections.abc import Sequence

from lxml.html import HtmlElement

from core.text import storable
from crawler.main_text.density import MAX_LINK_SHARE
from crawler.main_text.headline import one_line
from crawler.main_text.metadata import is_byline, is_stamp
from crawler.markup import Line

_NAVIGATION = re.compile(
    "上一[章页頁篇节節]|下一[章页頁篇节節]|返回(?:目录|目錄|书页|書頁|首页|首頁|列表|顶部)|加入(?:书签|書籤|书架|書架)|章节报错|章節報錯|投推荐票"
    "|责任编辑|責任編輯|扫一扫|扫描二维码|分享到|分享至|打印本页|关闭窗口|点击收藏|收藏本站|相关阅读|相關閱讀|相关新闻|延伸阅读|延伸閱讀"
    "|手机阅读|最新章节|免责声明|版权所有|版權所有|京公网安备|ICP备|Copyright|©"
)
_MAX_NAVIGATION_CHARS = 40  # a sentence of a novel may well speak of the next chapter
END_OF_SENTENCE = re.compile("[。！？；…」”』!?]")
# What repeats within one page in boxes that hold no sentence: names of ranks, counters, "posted at" with other digits.
MIN_REPEATS_OF_FRAME, MAX_CHARS_OF_FRAME = 2, 30
MIN_CELLS_OF_TABLE = 3
_NEVER_FRAMES = frozenset({"pre", "h2", "h3", "h4", "h5", "h6"})
_HEAD_LINES, _MAX_CHARS_OF_HEAD_LINE = 6, 80
_BREADCRUMB = re.compile(r"[>＞»›]\s*\S+\s*(?:[>＞»›]|$)|^(?:当前|您的|目前|您现在的|你的)?位置[:：]")
_BETWEEN_LINKS = re.compile(" ?[·•|｜／] ?| [-–—/] ")
_DIGITS = re.compile(r"\d+")


def cleaned(chosen: Sequence[Line]) -> list[Line]:
    """Without navigation: lines that are mostly links, and the frames of posts."""
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
    """Without the title, the path to the page, and the line of author and date that stand above the text."""
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
    """Only in kinds of boxes without any sentence: a refrain stands in the box of the other verses and stays."""
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
    """Lines of programs and of tables are short and repeat, too, and the years of a chronicle are headings."""
    is_short = len(line.text) <= MAX_CHARS_OF_FRAME and line.container.tag not in _NEVER_FRAMES
    return is_short and not _is_of_table(line.container)


def _is_of_table(box: HtmlElement) -> bool:
    """Tell a cell of a data table, or a box right in one, from the cell of a post, whose row has two cells."""
    cell = box if box.tag in ("td", "th") else box.getparent()
    row = cell.getparent() if cell is not None and cell.tag in ("td", "th") else None
    return row is not None and len(row) >= MIN_CELLS_OF_TABLE


def _box(line: Line) -> tuple[object, str]:
    return line.container.tag, storable(line.container.get("class") or "")


def _frame(line: Line) -> tuple[object, str, str]:
    return *_box(line), _DIGITS.sub("0", line.text)
