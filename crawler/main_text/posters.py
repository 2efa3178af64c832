"""Accounts that posted a page's text, as its software names them beside a post.

A poster is not an author: an author is whom the text is said to be by. A name that is not certain is not given: whoever
is named here may be held liable for the text.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, islice

from lxml.html import HtmlElement

from core.pages import Poster
from crawler.main_text.both_scripts import in_both_scripts
from crawler.main_text.headline import one_line
from crawler.main_text.post_marks import FLOOR, OF_MEMBER, TIME, is_mark
from crawler.markup import Line

MAX_NAME_CHARS, MAX_LINE_CHARS = 20, 80
_LINES_ABOVE, _LINES_INSIDE = 12, 2  # of a page that is not a thread: where it says who posted it
_LINES_BELOW = 8  # the last post, that are its own
# Bounds of the search: posts of a page, lines above each, elements of a line, texts in an element. Boards have 10 to
# 100 posts a page; a page made to be slow has any number.
_MOST_POSTS, _MOST_LINES, _MOST_NODES, _MOST_PARTS = 300, 24, 60, 4
_NAME = r"[^\s:：，。、；|｜/()（）»]{2,20}"
# In the line above a text, on whatever page.
POSTED = in_both_scripts(
    rf"(?:发布者|发布人|发帖人|发帖者|发表者|上传者|上传人|投稿人|投稿者|转帖人|楼主|博主|UP主|提问者)\s*[:：]\s*({_NAME})"
    rf"|^(?:(?:本帖|本贴|本文|本主题|帖子)?由)?\s*({_NAME}?)\s*(?:于|在)\s*(?:19|20)\d\d[-/.年][\d\s:：/.月日-]{{4,20}}(?:在\S{{1,12}})?(?:发布|发表|上传|分享)"
    rf"|^(?:本帖由|本贴由)?\s*({_NAME})\s+(?:发表于|发布于|发表在|上传于)\s*[:：]?\s*\d"
    rf"|^({_NAME})\s+楼主(?=\s|$)|^楼主\s+({_NAME})(?=\s|$)"
    rf"|^(?:Posted by|by|由)\s+({_NAME})(?=\s*(?:»|,|on\b|$))"
)
_STATED_IN_THREAD = re.compile(rf"^作者\s*[:：]\s*({_NAME})")
# Words beside a name in such lines that are no names.
_NO_NAME = in_both_scripts(
    r"^(?:发表于|发布于|回复于|编辑于|更新于|最后.*|来自.*|IP.*|属地.*|.*楼$|楼主|层主|沙发|板凳|地板|地下室|只看.*|看该作者|显示.*|阅读模式|电梯直达"
    r"|倒序.*|Lv\S*|等级.*|级别.*|积分.*|威望.*|精华.*|置顶|回复|引用|举报|编辑|收藏|分享|点赞|赞|关注|加好友|发消息|发短信|串个门|打招呼|私信|主页|空间|个人.*|访问.*"
    r"|查看.*|浏览.*|帖子.*|主题.*|注册.*|在线.*|离线|.*管理员?|.*版主|.*会员|.*成员|.*用户|用户组|.*游客|匿名.*|UID.*|头像.*|发表|发帖|作者|时间|[\d\W_]+"
    r"|\d+\D{1,3}|今[天日]|昨[天日]|前[天日]|刚刚|上午|下午|晚上|星期.|周.|AM|PM|.*评论|.*回(?:复|帖|答)|.*广告|.*提问|第|当前.*|更多.*|下载.*|.*版|.*区|.*吧)[:：]?$"
)
_OPENING = in_both_scripts(r"楼主|(?:^|\s)(?:1\s?楼|#\s?1|1\s?#)(?:\s|$)")  # of the first post
# Classes that templates give to the box of a name, and to nothing else.
_CALLED = re.compile(
    r"(?:user|author|nick|member|poster|screen|display|d_)[_-]?name(?:$|\s)"
    r"|(?:^|[\s_-])(?:nick|uname|author|poster|creator|name)(?:$|\s)",
    re.IGNORECASE,
)
_RANK = in_both_scripts("^楼主")  # before a name without a space
_SPLIT = re.compile(r"[\s|｜·•,，:：()（）\[\]»]+")
_TYPES = ("DiscussionForumPosting", "SocialMediaPosting", "Question", "Answer", "Comment")
_MAX_LINKED_DATA_CHARS = 200_000


def posters(tree: HtmlElement, whole: Sequence[Line], main: Sequence[Line], *, is_a_thread: bool) -> tuple[Poster, ...]:
    """Return the posters of the main text, post by post; none if the page does not say.

    main: lines of `whole`. A post of a thread whose poster is not certain has no name.
    """
    runs = list(_runs(whole, main))
    if not runs:
        return ()
    first = _poster_in_linked_data(tree)
    if not is_a_thread:
        start = runs[0][0]
        near = [*whole[max(0, start - _LINES_ABOVE) : start], *main[:_LINES_INSIDE]]
        name = next(filter(None, map(_poster_in_line, near)), "") or first
        return (Poster(name, 0),) if name else ()
    return _post_by_post(whole, runs, first)


def _post_by_post(whole: Sequence[Line], runs: Sequence[tuple[int, int]], first: str) -> tuple[Poster, ...]:
    """Name the poster above each post; none if a name may as well stand below its post.

    first: whom linked data names for the first post.
    """
    ends = [0, *(stop for _, stop in runs)]
    between = [whole[end:start] for end, (start, _) in zip(ends, [*runs, (ends[-1] + _LINES_BELOW, 0)], strict=True)]
    names = [_name_above_post(lines) for lines in between[:_MOST_POSTS]]
    names += [""] * (len(between) - len(names))
    if not names[0] and names[-1]:
        return ()
    found, after = list[Poster](), 0
    for number, (start, stop) in enumerate(runs):
        name = names[number] or ("" if number else first)
        parted = number > 0 and not _is_one_box(whole[runs[number - 1][1] - 1], whole[start])
        is_next = name or parted or any(is_mark(line.text) for line in between[number])
        if is_next and name != (found[-1].name if found else ""):
            found.append(Poster(name, after))
        after += stop - start
    return tuple(found)


def _is_one_box(one: Line, other: Line) -> bool:
    """Return True if two lines stand in one box or beside each other in one, as paragraphs of a post do."""
    return one.container is other.container or one.container.getparent() is other.container.getparent()


def _runs(whole: Sequence[Line], main: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """Yield runs of consecutive lines of the main text; a site's own rule may divide them anew."""
    places = {(id(line.container), line.text) for line in main}
    at = 0
    for is_main, lines in groupby(whole, lambda line: (id(line.container), line.text) in places):
        size = sum(1 for _ in lines)
        if is_main:
            yield at, at + size
        at += size


def _name_above_post(lines: Sequence[Line]) -> str:
    """Return the one name that the lines above a post have; "" for none or several."""
    linked, called = set[str](), set[str]()
    lines = lines[-_MOST_LINES:]
    for line in lines:
        linked |= set(_names_in_line(line, lambda node: node.tag == "a" and OF_MEMBER.search(node.get("href") or "")))
        called |= set(
            _names_in_line(line, lambda node: _CALLED.search(node.get("class") or node.get("itemprop") or ""))
        )
    said = {name for line in lines if (name := _poster_in_line(line, is_thread=True))}
    before_times = {name for line in lines if (name := _name_before_time(line))}
    for names in (said, linked & called, linked, called, before_times):
        if len(names) == 1:
            return names.pop()
    return ""


def _names_in_line(line: Line, is_meant: Callable[[HtmlElement], object]) -> Iterator[str]:
    """Yield names that are the whole text of an element in a line."""
    if len(line.text) <= MAX_LINE_CHARS:
        nodes = line.container.iter("a", "span", "b", "strong", "em", "cite", "i", "div", "p", "td", "h3", "h4")
        for node in islice(nodes, _MOST_NODES):
            parts = _parts(node) if is_meant(node) else []
            text = parts[0] if len(parts) == 1 else ""
            if _is_name(text) and text in one_line(line.text):
                yield text


def _parts(node: HtmlElement) -> list[str]:
    """Return the first texts in an element."""
    return [part for text in islice(node.itertext(), _MOST_PARTS) if (part := one_line(text))]


def _poster_in_line(line: Line, *, is_thread: bool = False) -> str:
    if len(line.text) > MAX_LINE_CHARS:
        return ""
    match = POSTED.search(line.text) or (_STATED_IN_THREAD.search(line.text) if is_thread else None)
    name = next(filter(None, match.groups()), "") if match else ""
    if name and _is_name(name):
        return name
    return _name_before_time(line) if _OPENING.search(line.text) else ""


def _name_before_time(line: Line) -> str:
    """Return the first word of a line that has a time and little else, if it may be a name."""
    time = TIME.search(line.text) if is_mark(line.text) else None
    if time is None or not time.start():
        return ""
    words = [word for word in _SPLIT.split(_RANK.sub("", FLOOR.sub(" ", line.text[: time.start()]))) if word]
    if len(words) != 1 or not _is_name(words[0]):
        return ""
    first = next(iter(_parts(line.container)), "")  # a rank may stand behind the name, without a space
    return first if _is_name(first) and words[0].startswith(first) else words[0]


def _is_name(text: str) -> bool:
    name = one_line(text)
    return 2 <= len(name) <= MAX_NAME_CHARS and not _NO_NAME.search(name)


def _poster_in_linked_data(tree: HtmlElement) -> str:
    """Return the account that linked data names for a post (schema.org)."""
    for node in tree.iter("script"):
        text = node.text or ""
        if (node.get("type") or "").lower() == "application/ld+json" and len(text) <= _MAX_LINKED_DATA_CHARS:
            try:
                record = json.loads(text)
            except (ValueError, RecursionError):
                continue
            name = _poster_in_record(record)
            if name and _is_name(name):
                return name
    return ""


def _poster_in_record(record: object) -> str:
    graph = record.get("@graph", record) if isinstance(record, dict) else record
    for each in graph if isinstance(graph, list) else [graph]:
        if isinstance(each, dict) and is_post(each):
            author = each.get("author")
            name = author.get("name") if isinstance(author, dict) else author
            return one_line(name) if isinstance(name, str) else ""
    return ""


def is_post(record: dict[str, object]) -> bool:
    """Return True if a record of linked data is of a post, whose "author" is its poster."""
    kinds = record.get("@type")
    return any(kind in _TYPES for kind in (kinds if isinstance(kinds, list) else [kinds]))
