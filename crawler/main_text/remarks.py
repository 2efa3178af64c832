"""Finds lines of a page that are not its own text: comments of readers, rows of a thread index, other articles.

Comments and rows are in similar, repeated boxes, or follow lines that state who wrote when. The page's own text is
below its title and outside of them. If there is no such text, as in a thread, the posts are the text, and none of them
is a comment.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, islice, pairwise

from lxml.html import HtmlElement

from crawler.characters.repertoire import compile_for_both_scripts, count_han
from crawler.main_text.metadata import title_places
from crawler.markup import BLOCKS, Line

# Recognises lines around posts: they state who wrote when, or forum software writes them.

TIME = compile_for_both_scripts(
    r"\d{4}\s?[-/.年]\s?\d{1,2}\s?[-/.月]\s?\d{1,2}|\d{1,2}[-/月]\d{1,2}日?\s+\d{1,2}:\d{2}"
    r"|(?:昨天|前天|今天|今日)\s*\d{1,2}:\d{2}|^(?:刚刚|昨天|前天|\d{1,2}[-/月]\d{1,2}日?)$"
    r"|\d{4}\s?年\s?\d{1,2}\s?月|^\d{1,2}\s?月\s?(?:\d{4}|\d{1,2}\s?日?)?$|^\d+\s?(?:秒|分钟|小时|天|周|个?月|年)$"
    r"|\d{1,2}[-/]\d{1,2}[-/]\d{4}|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? \d{1,2}\b"
    r"|\d+\s?(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|[smhdwy]) ago\b|\byesterday\b"
    r"|(?:\d+|[一二三四五六七八九十半几])\s?(?:秒钟?|分钟|小时|天|周|星期|个?月|年)(?:以|之)?前"
    r"|(?:发表|回复|回答|发布|编辑|创建|提问|更新|修改)于"
)
FLOOR = compile_for_both_scripts(
    r"(?:^|\s)(?:#\s?\d{1,5}|\d{1,5}\s?(?:#|楼|樓|F|L)|第\s?[\d一二三四五六七八九十百]{1,5}\s?楼)(?:\s|$|回复)"
    r"|^(?:楼主|沙发|板凳|地板|地下室)$|[一二三四五六七八九十]楼$"
)
# Every time and every floor number contains one of these.
_OF_MARKS = compile_for_both_scripts(r"\d|刚|昨|前|于|楼|沙|板|地|yesterday")
END_OF_SENTENCE = re.compile("[。！？；…!?]")
MAX_CHARS_OF_MARK, MAX_CHARS_BESIDE_MARK = 90, 60
# Notices that software inserts into posts and below them.
_OF_SOFTWARE = compile_for_both_scripts(
    r"^(?:本(?:帖|贴|主题|帖子|楼层?).{0,40}(?:编辑|审核|置顶|修改|通过|删除|折叠|高亮).{0,20}"
    r"|(?:最后|最近)?(?:编辑|修改)于.{0,40}|已编辑|下载附件|保存到相册|\(?[\d.]+ ?[KM]B,? ?下载次数.{0,20}"
    r"|登录/注册后可看大图|点击(?:展开|查看)全文|展开(?:全文|阅读全文)?|收起(?:回复)?|(?:该|此)楼层.{0,40}"
    r"|(?:(?:回复|举报|点赞|赞同|反对|收藏|分享|引用|评论|添加评论|感谢|喜欢|没有帮助|有用|无用|支持|邀请回答|好问题|只看该作者|赞|踩|采纳)"
    r"[\s\d()（）·|:：]*)+)$"
)
_COUNTER = compile_for_both_scripts(
    r"\d[\d,.]*\s?[万kK]?\s?(?:次|个|人|条)?\s?(?:浏览|点击|阅读|查看|围观|回复|回帖|帖子|收藏|关注|发布者|参与|赞|评论|喜欢|分享|粉丝)"
    r"|(?:浏览|点击|阅读|查看|人气|回复|回帖|帖子|收藏|关注|评论|积分|精华|威望)(?:数|量|次数)?\s?[:：]?\s?\d"
)
MIN_COUNTERS = 2
OF_MEMBER = re.compile(
    r"/(?:u|users?|people|members?|profiles?|space|home|author)/|[?&/-]u?(?:uid|userid|space-)[=-]?|profile|space-u",
    re.IGNORECASE,
)
_MEMBER = re.compile(r"user|author|member|poster|nick", re.IGNORECASE)
MAX_CHARS_OF_MEMBER = 30
_ELSEWHERE_TAGS = frozenset({"nav", "aside", "footer", "form"})
_ELSEWHERE = re.compile(
    r"footer|sidebar|side-bar|cookie|consent|breadcrumb|related|recommend|copyright|toolbar|share|menu|xiangguan|tuijian"
    r"|hotnews|rank|signature|(?:^|[\s_-])sig(?:n|$|[\s_-])|qianming"
    r"|(?:^|[\s_-])(?:ad|ads|advert\w*|gg|guanggao|adsbygoogle|promo\w*)(?:$|[\s_-])",
    re.IGNORECASE,
)
_ANSWER = re.compile(r"answer|repl(?:y|ies)|huida|huifu|comment|post|floor|topic", re.IGNORECASE)
_LEVELS_TO_NAME = 6


@lru_cache(maxsize=4_096)  # the lines of a page are examined several times
def is_mark(text: str) -> bool:
    """Return True if a line states the time of a post, or its number in the thread, and little else."""
    if len(text) > MAX_CHARS_OF_MARK or not _OF_MARKS.search(text) or END_OF_SENTENCE.search(text):
        return False
    found = TIME.search(text) or FLOOR.search(text)
    return found is not None and len(text) - len(found[0]) <= MAX_CHARS_BESIDE_MARK


def is_member(line: Line) -> bool:
    """Return True if a line is only the name of a member: in a box named so, or a link to that member's posts."""
    if len(line.text) > MAX_CHARS_OF_MEMBER or END_OF_SENTENCE.search(line.text):
        return False
    if _MEMBER.search(line.container.get("class") or ""):
        return True
    links = line.container.iter("a") if len(line.text) == line.link_chars else ()
    return any(OF_MEMBER.search(link.get("href") or "") for link in links)


def is_of_software(text: str) -> bool:
    """Return True if a line is a button, a row of counters, or a notice that forum software inserts."""
    if len(text) > MAX_CHARS_OF_MARK or END_OF_SENTENCE.search(text):
        return False
    return _OF_SOFTWARE.match(text) is not None or len(_COUNTER.findall(text)) >= MIN_COUNTERS


def is_elsewhere(element: HtmlElement) -> bool:
    """Return True if a box is, or is inside, a menu, a signature or an advertisement."""
    return any(node.tag in _ELSEWHERE_TAGS or _ELSEWHERE.search(_name(node)) for node in _enclosing_blocks(element))


def is_answer(element: HtmlElement) -> bool:
    """Return True if a box or one of its ancestors is named as an answer, a reply or similar."""
    return any(_ANSWER.search(_name(node)) for node in _enclosing_blocks(element))


def blocks(element: HtmlElement) -> Iterator[HtmlElement]:
    """Yield the block elements around a line from inside out, except html and body."""
    node: HtmlElement | None = element
    while node is not None and node.tag not in ("html", "body"):
        if node.tag in BLOCKS:
            yield node
        node = node.getparent()


def _enclosing_blocks(element: HtmlElement) -> Iterator[HtmlElement]:
    return islice(blocks(element), _LEVELS_TO_NAME)


def _name(element: HtmlElement) -> str:
    return f"{element.get('class', '')} {element.get('id', '')}"


# Labels above comments, in lines of their own.
_LABEL = compile_for_both_scripts(
    r"^[^\w]*(?:(?:全部|所有|最新|热门|最热|精彩|精选|网友|读者|用户|游客|文章|相关|本文|查看|已有|共有?|发表|我要)的?\s*){0,3}"
    r"(?:\d+\s*(?:条|个|篇|則|则)?的?\s*)?(?:评论|留言|跟帖|跟贴|回应|迴響|书评|点评|讨论|热议|回复)(?:区|列表|内容)?"
    r"\s*[:：(（]?\s*\d*\s*(?:条|个|篇|則|则)?\s*[)）:：]?$"
)
_MAX_CHARS_OF_LABEL = 24
_MAX_LINES_BELOW_LABEL = 6
# Words in lines that name a speaker, and on buttons below comments.
_SPEECH = compile_for_both_scripts(
    r"说(?:道)?\s*[:：]|写道|(?:发表|回复|评论)于|\d+\s?(?:楼|#)|#\s?\d+|网友|游客|\d\s?次?点击|\d\s?(?:字|字节)[)）]"
    r"|(?:^|[\s|·•\]\[])(?:回复|回应|引用|举报|支持|反对|赞同?|顶|踩|沙发|板凳)(?:$|\W|\d)"
)
_CLOCK = compile_for_both_scripts(r"\d[:：]\d\d|前(?:$|\s)|#|楼")
_BESIDE_TIME = re.compile(r"[^\W\d_年月日时時分秒上下午前今昨天小周星期]{2,}")
_OF_CODE = frozenset({"pre", "code"})  # their lines have numbers, and comments in code begin with #
_NAMED = re.compile(
    r"comment|(?:^|[\s_-])cmt|remark|repl(?:y|ies)|pinglun|liuyan|huifu|gentie|guest|message|discuss", re.IGNORECASE
)
MIN_UNITS, MIN_UNITS_UNDER_LABEL = 3, 2
# The share of boxes that must contain a link, a button or a name, because the rows of a live report also have times.
# With .6 and .8, the labelled pages are read in the same way; with .4, two of the 58 lose their text (2026-11).
MIN_SHARE_OF_SPEECH = 0.8
MAX_KINDS, MAX_LEVELS, MAX_LABELS, MAX_TITLES = 20, 12, 10, 10
MIN_HAN_OF_OWN_TEXT = 16
_MAX_CHARS_OF_NAME = 16
_DIGITS = re.compile(r"\d+")


def own_lines(page: Sequence[Line], title: str) -> tuple[list[Line], list[int]]:
    """Return the lines of a page without comments, index rows and other articles, and the indexes of the title in them.

    Boxes, labels and times identify comments, which are not removed if there is no other text below the title.

    title: the whole <title> of the page, with the site's name
    """
    titles = title_places(page, title)
    own, titles = _drop_others(page, titles, title, _Remarks(page, titles[:MAX_TITLES]).find_places())
    return _drop_others(own, titles, title, _neighbours(own, titles))


def _drop_others(page: Sequence[Line], titles: list[int], title: str, others: set[int]) -> tuple[list[Line], list[int]]:
    if not others:
        return list(page), titles
    own = [line for place, line in enumerate(page) if place not in others]
    return own, title_places(own, title)


@dataclass(slots=True)
class _Remarks:
    page: Sequence[Line]
    titles: list[int]
    labels: list[int] = field(default_factory=list)

    def find_places(self) -> set[int]:
        self.labels = [place for place, line in enumerate(self.page) if is_label(line)]
        kinds: dict[tuple[object, ...], list[int]] = defaultdict(list)
        for place, line in enumerate(self.page):
            if line.container.tag not in _OF_CODE and (is_mark(line.text) or is_member(line)):
                kinds[_kind(line.container), _kind(line.container.getparent())].append(place)
        groups = sorted((marks for marks in kinds.values() if len(marks) > 1), key=len, reverse=True)[:MAX_KINDS]
        dropped: set[int] = set()
        for marks in groups:
            for region in self._regions(marks, MAX_LEVELS):
                dropped.update(region)
        for label in [place for place in self.labels if place not in dropped][:MAX_LABELS]:
            dropped.update(self._remarks_below(label))
        return dropped if dropped and self._leaves_text(dropped) else set()

    def _leaves_text(self, dropped: set[int]) -> bool:
        """Return True if text that is not dropped remains below the title."""
        start = self.titles[0] if self.titles else 0
        own = (line for place, line in enumerate(self.page[start:], start) if place not in dropped)
        said = (
            line.text for line in own if 2 * line.link_chars <= len(line.text) and END_OF_SENTENCE.search(line.text)
        )
        return any(count_han(text) >= MIN_HAN_OF_OWN_TEXT for text in said)

    def _regions(self, marks: list[int], levels: int) -> Iterator[range]:
        """Yield the regions of comments or rows that marks of one kind divide, by the boxes around the marks.

        levels: the number of levels of nested boxes that are searched
        """
        holder = _around([self.page[place].container for place in marks])
        if holder is None or len(marks) < MIN_UNITS_UNDER_LABEL or levels == 0:
            return
        units: dict[HtmlElement | None, list[int]] = defaultdict(list)
        for place in marks:
            units[_child(holder, self.page[place].container)].append(place)
        if None in units or not self._hold_words(holder, list(units.values())):
            yield from self._remarks_without_boxes(holder, marks)
        elif len(units) >= MIN_UNITS_UNDER_LABEL and units.keys().isdisjoint(self._title_boxes(holder)):
            yield from self._remarks_in_boxes(holder, units)
        else:
            for inside in units.values():
                yield from self._regions(inside, levels - 1)

    def _remarks_in_boxes(self, holder: HtmlElement, units: dict[HtmlElement | None, list[int]]) -> Iterator[range]:
        places = [self._span(holder, unit, marks) for unit, marks in units.items()]
        first, last = min(each.start for each in places), max(each.stop for each in places)
        label = self._label_above(first)
        spoken = sum(
            _is_named(unit) or (any(map(self._is_timed, marks)) and self._has_speaker(span))
            for (unit, marks), span in zip(units.items(), places, strict=True)
        )
        is_enough = len(units) >= MIN_UNITS and spoken >= MIN_SHARE_OF_SPEECH * len(units)
        if (is_enough and self.titles) or label is not None:
            yield range(first if label is None else label, last)

    def _remarks_without_boxes(self, holder: HtmlElement, marks: list[int]) -> Iterator[range]:
        """Yield the region of comments without boxes, each of which begins with a line of author and time."""
        label = self._label_above(marks[0])
        spoken = [place for place in marks if self._is_timed(place) and self._has_speaker(range(place, place + 1))]
        is_enough = len(spoken) >= max(MIN_UNITS, MIN_SHARE_OF_SPEECH * len(marks))
        first = spoken[0] if label is None and spoken else marks[0] if label is None else label
        if ((is_enough and self.titles) or label is not None) and not any(place > first for place in self.titles[:1]):
            yield range(first, self._end(holder, marks[-1]))

    def _hold_words(self, holder: HtmlElement, units: list[list[int]]) -> bool:
        """Return True if the boxes of at least half of the units contain words or links besides the marks."""
        holding = sum(
            len(self._span(holder, _child(holder, self.page[marks[0]].container), marks)) > len(marks)
            or self.page[marks[0]].link_chars > 0
            for marks in units
        )
        return 2 * holding >= len(units)

    def _span(self, holder: HtmlElement, unit: HtmlElement | None, marks: list[int]) -> range:
        """Return the indexes of the lines in one box below `holder`. marks: the marks in this box."""
        first, last = marks[0], marks[-1]
        while first > 0 and _child(holder, self.page[first - 1].container) is unit:
            first -= 1
        while last + 1 < len(self.page) and _child(holder, self.page[last + 1].container) is unit:
            last += 1
        return range(first, last + 1)

    def _has_speaker(self, span: range) -> bool:
        """Return True if a line of a span is a link, a button, or only a name."""
        return any(self._is_of_speaker(self.page[place]) for place in span)

    def _is_of_speaker(self, line: Line) -> bool:
        if len(line.text) > MAX_CHARS_OF_MARK or END_OF_SENTENCE.search(line.text):
            return False
        names = _BESIDE_TIME.search(line.text) is not None and (
            is_mark(line.text) or len(line.text) <= _MAX_CHARS_OF_NAME
        )
        return names or line.link_chars > 0 or _SPEECH.search(line.text) is not None

    def _is_timed(self, place: int) -> bool:
        """Return True if a mark states more than a day. Chronicles and lists of works state only days."""
        return _CLOCK.search(self.page[place].text) is not None

    def _title_boxes(self, holder: HtmlElement) -> set[HtmlElement]:
        """Return the children of `holder` that contain the title."""
        boxes = (_child(holder, self.page[place].container) for place in self.titles)
        return {box for box in boxes if box is not None}

    def _label_above(self, first: int) -> int | None:
        place = bisect_left(self.labels, first - _MAX_LINES_BELOW_LABEL)
        return self.labels[place] if place < len(self.labels) and self.labels[place] < first else None

    def _end(self, holder: HtmlElement, place: int) -> int:
        while place + 1 < len(self.page) and is_inside(holder, self.page[place + 1].container):
            place += 1
        return place + 1

    def _remarks_below(self, label: int) -> range:
        """Return the lines below a label of comments if they begin with names, or an empty range.

        Such comments state no times.
        """
        for box in islice(blocks(self.page[label].container), MAX_LEVELS):
            last = self._end(box, label)
            if last - label <= MIN_UNITS:
                continue
            below = self.page[label + 1 : last]
            named = sum(bool(line.link_chars) or "：" in line.text[:_MAX_CHARS_OF_NAME] for line in below)
            is_own = any(label < place < last for place in self.titles)
            return range(label, last if not is_own and named >= MIN_SHARE_OF_SPEECH * len(below) else label)
        return range(0)


def _is_named(box: HtmlElement | None) -> bool:
    return box is not None and _NAMED.search(f"{box.get('class', '')} {box.get('id', '')}") is not None


def is_label(line: Line) -> bool:
    return len(line.text) <= _MAX_CHARS_OF_LABEL and _LABEL.match(line.text) is not None


def _kind(element: HtmlElement | None) -> tuple[object, str]:
    return ("", "") if element is None else (element.tag, _DIGITS.sub("", element.get("class") or ""))


# Finds other whole articles on a page: those in a column of several articles, or those loaded below. The <title> of the
# page names one article. Similar boxes with their own headings are the text of other pages.

MIN_NEIGHBOURS = 2  # a single neighbour may be the second half of the article in another box
MIN_HAN_OF_ARTICLE = 60  # a paragraph of two sentences
MAX_CHARS_OF_HEADING = 60
_LINES_ABOVE_HEADING, _MAX_LEVELS, _MAX_BROTHERS = 1, 12, 500
_HEADINGS = frozenset({"h1", "h2", "h3", "h4"})


def _neighbours(page: Sequence[Line], titles: Sequence[int]) -> set[int]:
    """Return the indexes of the lines of other articles, or none if the page's title names no article on it."""
    if not titles:
        return set()
    return _neighbours_in_boxes(page, titles[0]) or _neighbours_in_sequence(page, titles[0])


def _neighbours_in_boxes(page: Sequence[Line], place: int) -> set[int]:
    """Return the indexes of the lines of articles in sibling boxes of the same kind."""
    for box in islice(blocks(page[place].container), _MAX_LEVELS):
        above = place - 1 - _LINES_ABOVE_HEADING
        if above >= 0 and is_inside(box, page[above].container):
            break
        span = _span(page, place, box)
        siblings = chain(*(islice(box.itersiblings(preceding=before), _MAX_BROTHERS) for before in (False, True)))
        brothers = [node for node in siblings if _shape(node) == _shape(box)]
        if len(brothers) < MIN_NEIGHBOURS or not _is_article(page, span, place):
            continue
        others = [each for each in _spans(page, brothers) if _is_headed_alike(page, each, place)]
        if len(others) >= MIN_NEIGHBOURS:
            return {number for each in others for number in each}
    return set()


def _neighbours_in_sequence(page: Sequence[Line], place: int) -> set[int]:
    """Return the indexes of the lines of other articles in the same box as the page's own article.

    There are such articles only if one with a similar heading precedes the page's own.
    """
    heading = page[place].container
    if heading.tag not in _HEADINGS or heading.getparent() is None:
        return set()
    alike = [
        number
        for number, line in enumerate(page)
        if line.container.getparent() is heading.getparent() and _shape(line.container) == _shape(heading)
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
    """Return True if a span begins with a heading similar to the page's own, and an article follows."""
    for place in span[: _LINES_ABOVE_HEADING + 1]:
        line = page[place]
        is_heading = len(line.text) <= MAX_CHARS_OF_HEADING and not END_OF_SENTENCE.search(line.text)
        if is_heading and _shape(line.container) == _shape(page[heading].container):
            return _is_article(page, span, place)
    return False


def _spans(page: Sequence[Line], boxes: Sequence[HtmlElement]) -> Iterator[range]:
    """Yield the indexes of the lines of each of these sibling boxes."""
    parent, wanted = boxes[0].getparent(), set(boxes)
    start, current = 0, None
    for place, line in enumerate(page):
        box = _child(parent, line.container)
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


def _shape(element: HtmlElement) -> tuple[object, str]:
    return element.tag, element.get("class") or ""


def _around(boxes: Sequence[HtmlElement]) -> HtmlElement | None:
    """Return the smallest box that contains all `boxes`, or None if there is none."""
    path = list(_upwards(boxes[0]))
    for box in boxes[1:]:
        above = set(_upwards(box))
        path = path[next((place for place, node in enumerate(path) if node in above), len(path)) :]
    return path[0] if path else None


def _upwards(box: HtmlElement) -> Iterator[HtmlElement]:
    """Yield a box and its ancestors, from inside out."""
    yield box
    yield from box.iterancestors()


def _child(parent: HtmlElement, box: HtmlElement) -> HtmlElement | None:
    """Return the child of `parent` that is or contains a box, or None if the box is not inside `parent`."""
    node: HtmlElement | None = box
    while node is not None and node is not parent:
        above = node.getparent()
        if above is parent:
            return node
        node = above
    return None


def is_inside(parent: HtmlElement, box: HtmlElement) -> bool:
    """Return True if `parent` is the box or an ancestor of it."""
    return parent is box or parent in box.iterancestors(parent.tag)
