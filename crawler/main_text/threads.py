"""Recognises threads: the posts of a forum, or a question and its answers, which together form the text.

An article with comments below is built similarly, but the comments are not part of its text. A page is a thread only if
it declares that itself, or if several kinds of signals agree.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice

from lxml import etree
from lxml.html import HtmlElement

from core.pages import Poster
from crawler.characters.repertoire import compile_for_both_scripts, count_han
from crawler.main_text.metadata import POSTED, POSTER_NAME, is_post, linked_data_records, one_line
from crawler.main_text.remarks import END_OF_SENTENCE, FLOOR, OF_MEMBER, TIME, is_mark
from crawler.markup import Line, lines

MIN_POINTS = 2
MIN_TIMES_OF_SCRIPTLESS = 2  # a page whose scripts ran contains its posts twice
# Types of schema.org by which a page declares a thread. A Question without answers also occurs in lists of questions
# (FAQPage).
_DECLARED = re.compile(r"(?:QAPage|DiscussionForumPosting)\b")
# Software that is used only for forums, and software that is also used for portals with articles.
_FORUM_SOFTWARE = re.compile(
    "phpBB|XenForo|vBulletin|Discourse|Flarum|NodeBB|MyBB|Simple Machines|SMF|Homeland|Vanilla|Burning Board"
    "|Invision|HadSky|Xiuno|NodeClub|Carbon Forum|Question2Answer|Apache Answer|WeCenter|Tipask|StartBBS|HYBBS"
    "|BBS-GO|JEESNS|ThinkSNS|B3log|Sym\\b|Misago|Talkyard|Casnode",
    re.IGNORECASE,
)
_MIXED_SOFTWARE = re.compile(
    "Discuz|phpwind|DedeBBS|BBSXP|Dvbbs|LeadBBS|bbPress|BuddyPress|[a-z]BBS\\b|论坛(?:系统|程序|软件)|社区(?:系统|程序)|问答系统",
    re.IGNORECASE,
)
_ADDRESS = re.compile(
    r"://(?:bbs|forums?|club|ask|wenda|tieba|discuss|community)\."
    r"|/(?:thread-\d|threads?/|viewthread|viewtopic|showthread|showtopic|t/[\w-]*/?\d|topics?/[\w-]*\d|questions?/[\w-]*\d"
    r"|discussions?/[\w-]*\d|d/\d+|read(?:\.php)?[?-]tid|question-\d|ask/[\w-]*\d|wenda/|forum\.php\?mod=viewthread)",
    re.IGNORECASE,
)
# Portals with the same software have articles with comments below.
_ADDRESS_OF_ARTICLE = re.compile(r"/(?:article-\d|portal\.php|portal/|blog-\d|news/|archives/)", re.IGNORECASE)
# Labels that occur only around posts and answers, in lines that are not sentences.
_LABEL = compile_for_both_scripts(
    r"电梯直达|^回帖$|楼主[:：]|悬赏(?:分|金币|积分)?\s*[:：]\s*\d|结帖率|问题点数|病情描述|要回复问题请先|倒序浏览|只看该作者|只看楼主|只看TA|发表新帖|发新帖|快速回帖|帖子主题|直达楼层|跳转到指定楼层|\d+\s*回复贴|回帖亮了|亮回帖"
    r"|(?:查看|浏览|阅读|点击|访问)(?:数|次数)?\s*[:：]?\s*\d.{0,20}回(?:复|帖)(?:数)?\s*[:：]?\s*\d|(?:网友采纳|最佳|满意|推荐|优质|提问者采纳)(?:的)?(?:答案|回复|回答|解答)"
    r"|(?:被|已)采纳(?!率)|提问者(?:采纳|推荐)|(?:我要|我来|添加|撰写|写)回答|(?:邀请|其他|全部|所有|医生|专家|律师)(?:回答|解答)|提问者[:：]|提问(?:于|时间)"
    r"|(?:^|[\s|·•])(?:主题帖|好问题|关注问题|(?:共|全部|查看全部|已有)?\s*\d+\s*(?:个|条|位|人)?(?:网友|医生|律师)?(?:回答|答案|解答|回帖)|(?:回答|答案|解答|回帖)\s*[(（]\d+[)）])(?:$|[\s|·•])"
)
# Labels that also occur around comments.
_LABEL_OF_REMARKS_TOO = compile_for_both_scripts(
    r"(?:^|[\s|·•])(?:楼主|沙发|板凳|地板|地下室|\d+\s*楼|#\d+|\d+#|(?:共收到|共|全部)?\s*\d+\s*(?:条|个)?回复|回复\s*[(（]?\d+[)）]?|按投票排序|最新回复)(?:$|[\s|·•])"
    r"|最后(?:由.{1,24})?回复"
)
_REPLIES = compile_for_both_scripts(
    r"(?:^|[\s|·•])(?:(?:共收到|共|全部)?\s*\d+\s*(?:条|个)?(?:回复|回应)|(?:回复|回应)\s*[(（:：]?\d+[)）]?|(?:全部|所有)(?:回复|回应))(?:$|[\s|·•])"
)
# Names of comments below an article.
_REMARKS = compile_for_both_scripts("评论|留言|跟帖|书评|读后感|读者来信|大家说|网友热议")
_POWERED = re.compile(
    r"Powered by|Built with|Forum software|Simple Machines|驱动|构建|论坛(?:软件|程序)|©", re.IGNORECASE
)
_NAMES = re.compile(
    r"(?:^|[\s_-])(?:thread|topic|question|answers?|jieda|postlist|post-stream|viewthread|viewtopic|bbs|forum|lzl)(?:$|[\s_-])"
    r"|postmessage_|PostStream|QuestionHeader|QuestionAnswer|AnswerItem|DiscussionPage",
    re.IGNORECASE,
)
# Comments are replies, too, so this counts as one name, however many boxes have it.
_NAME_OF_REPLIES = re.compile(r"(?:^|[\s_-])repl(?:y|ies)(?:$|[\s_-])", re.IGNORECASE)
_NAMES_OF_REMARKS = re.compile("disqus|comment|remark|pinglun", re.IGNORECASE)
MIN_NAMES = 2
_names_of_boxes = etree.XPath(
    "//*[self::div or self::li or self::td or self::table or self::article or self::section or self::ul or self::ol"
    " or self::main or self::dl or self::h1 or self::h2]/@*[name()='class' or name()='id']"
)
_types = etree.XPath("//@itemtype")
# Every label contains one of these characters.
_OF_LABELS = compile_for_both_scripts("楼|帖|贴|答|采|问|悬|回|电|序|该|者|病|沙|板|地|评|言|#")
_MAX_CHARS_OF_LABEL, _MAX_CHARS_OF_IMPRINT = 60, 120
_DIGITS = re.compile(r"\d+")


@dataclass(slots=True)
class PageStatements:
    """The statements of a page about itself outside its text."""

    generator: str = ""
    addresses: list[str] = field(default_factory=list)
    linked_data: list[str] = field(default_factory=list)
    without_scripts: list[HtmlElement] = field(default_factory=list)

    @property
    def is_program(self) -> bool:
        """True if the page is a program that loads its posts and repeats them in <noscript>."""
        return any(node.get("id") == "flarum-content" for node in self.without_scripts)


def read_statements(tree: HtmlElement) -> PageStatements:
    """Collect the statements of a page in one pass."""
    found = PageStatements()
    for node in tree.iter("meta", "link", "script", "noscript"):
        if node.tag == "noscript":
            found.without_scripts.append(node)
        elif node.tag == "script":
            found.linked_data += [node.text or ""] if node.get("type") == "application/ld+json" else []
        elif (node.get("name") or "").lower() == "generator":
            found.generator = node.get("content") or ""
        elif node.get("rel") == "canonical" or node.get("property") == "og:url":
            found.addresses.append(node.get("href") or node.get("content") or "")
    return found


def is_thread(tree: HtmlElement, statements: PageStatements, page: Sequence[Line], url: str) -> bool:
    """Return True if a page is a thread, judging by its statements, software, URL, labels and names of boxes."""
    addresses = [url, *statements.addresses]
    is_article = any(map(_ADDRESS_OF_ARTICLE.search, addresses))
    points = MIN_POINTS if _declares_thread(tree, statements) else _points_of_software(statements, page, is_article)
    points += not is_article and any(map(_ADDRESS.search, addresses))
    short = (line.text for line in page if len(line.text) <= _MAX_CHARS_OF_LABEL)
    frames = [text for text in short if _OF_LABELS.search(text) and not END_OF_SENTENCE.search(text)]
    points += len({_DIGITS.sub("", found[0].strip()) for text in frames for found in _LABEL.finditer(text)})
    if points == MIN_POINTS - 1:
        # Names of boxes, and labels that also occur around comments, can only confirm a likely thread.
        return any(map(_LABEL_OF_REMARKS_TOO.search, frames)) or _has_names(tree)
    return points >= MIN_POINTS or (not is_article and _is_answered(frames) and _has_names(tree))


def scriptless_lines(statements: PageStatements, page: Sequence[Line]) -> list[Line]:
    """Return the lines that a forum provides without scripts if the page itself has hardly any words, or else []."""
    if not statements.is_program and "Discourse" not in statements.generator:
        return []
    boxes = (node for node in statements.without_scripts if next(node.iterancestors("head"), None) is None)
    found = [line for box in boxes for line in lines(box)]
    return found if _han(found) > MIN_TIMES_OF_SCRIPTLESS * _han(page) else []


def _han(page: Sequence[Line]) -> int:
    return count_han("".join(line.text for line in page))


def _is_answered(frames: Sequence[str]) -> bool:
    """Return True if the labels of a page count replies and do not mention comments."""
    return any(map(_REPLIES.search, frames)) and not any(map(_REMARKS.search, frames))


def _declares_thread(tree: HtmlElement, statements: PageStatements) -> bool:
    types = {str(each).rstrip("/").rsplit("/", 1)[-1] for each in _types(tree)}
    is_question = {"Question", "Answer"} <= types and "FAQPage" not in types
    return is_question or any(map(_DECLARED.search, (*types, *statements.linked_data)))


def _points_of_software(statements: PageStatements, page: Sequence[Line], is_article: bool) -> int:
    imprints = (line.text for line in page if len(line.text) <= _MAX_CHARS_OF_IMPRINT and _POWERED.search(line.text))
    named = " ".join([statements.generator, *imprints])
    if statements.is_program or _FORUM_SOFTWARE.search(named):
        return MIN_POINTS
    return int(bool(_MIXED_SOFTWARE.search(named)) and not is_article)


def _has_names(tree: HtmlElement) -> bool:
    names = {str(each) for each in _names_of_boxes(tree)}
    named = [name for name in names if _NAMES.search(name) and not _NAMES_OF_REMARKS.search(name)]
    return len(named) + any(map(_NAME_OF_REPLIES.search, names)) >= MIN_NAMES


# Finds the accounts that posted a page's text, as forum software names them next to a post.
#
# A poster is not the author to whom the text is attributed. Uncertain names are not returned, because a person who is
# named here may be held liable for the text.

MAX_NAME_CHARS, MAX_LINE_CHARS = 20, 80
_LINES_ABOVE, _LINES_INSIDE = 12, 2  # lines near the text of a page without threads that may state who posted it
_LINES_BELOW = 8  # lines after the last post that belong to it
# Limits of the search: posts on a page, lines above each post, elements in a line, texts in an element. Forums have 10
# to 100 posts per page; a page that is designed to be slow may have any number.
_MOST_POSTS, _MOST_LINES, _MOST_NODES, _MOST_PARTS = 300, 24, 60, 4
_STATED_IN_THREAD = re.compile(rf"^作者\s*[:：]\s*({POSTER_NAME})")
# Words in such lines that are no names.
_NO_NAME = compile_for_both_scripts(
    r"^(?:发表于|发布于|回复于|编辑于|更新于|最后.*|来自.*|IP.*|属地.*|.*楼$|楼主|层主|沙发|板凳|地板|地下室|只看.*|看该作者|显示.*|阅读模式|电梯直达"
    r"|倒序.*|Lv\S*|等级.*|级别.*|积分.*|威望.*|精华.*|置顶|回复|引用|举报|编辑|收藏|分享|点赞|赞|关注|加好友|发消息|发短信|串个门|打招呼|私信|主页|空间|个人.*|访问.*"
    r"|查看.*|浏览.*|帖子.*|主题.*|注册.*|在线.*|离线|.*管理员?|.*版主|.*会员|.*成员|.*用户|用户组|.*游客|匿名.*|UID.*|头像.*|发表|发帖|作者|时间|[\d\W_]+"
    r"|\d+\D{1,3}|今[天日]|昨[天日]|前[天日]|刚刚|上午|下午|晚上|星期.|周.|AM|PM|.*评论|.*回(?:复|帖|答)|.*广告|.*提问|第|当前.*|更多.*|下载.*|.*版|.*区|.*吧)[:：]?$"
)
_OPENING = compile_for_both_scripts(r"楼主|(?:^|\s)(?:1\s?楼|#\s?1|1\s?#)(?:\s|$)")  # marks the first post
# Classes that templates use only for the box of a name.
_CALLED = re.compile(
    r"(?:user|author|nick|member|poster|screen|display|d_)[_-]?name(?:$|\s)"
    r"|(?:^|[\s_-])(?:nick|uname|author|poster|creator|name)(?:$|\s)",
    re.IGNORECASE,
)
_RANK = compile_for_both_scripts("^楼主")  # may precede a name without a space
_SPLIT = re.compile(r"[\s|｜·•,，:：()（）\[\]»]+")


def posters(tree: HtmlElement, whole: Sequence[Line], main: Sequence[Line], *, is_a_thread: bool) -> tuple[Poster, ...]:
    """Return the posters of the main text, post by post; none if the page does not state them.

    whole: all lines of the page. main: the lines of the text. A post of a thread without a certain poster has an empty
    name.
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
    """Return the poster that is named above each post; none if the names may be below their posts.

    runs: the spans of main text in `whole`. first: the poster of the first post according to linked data
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
    """Return True if two lines are in the same box or in sibling boxes, as the paragraphs of a post are."""
    return one.container is other.container or one.container.getparent() is other.container.getparent()


def _runs(whole: Sequence[Line], main: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """Yield runs of consecutive lines of the main text as (start, end).

    A site's rule may have divided its lines differently.
    """
    places = {(id(line.container), line.text) for line in main}
    at = 0
    for is_main, run in groupby(whole, lambda line: (id(line.container), line.text) in places):
        size = sum(1 for _ in run)
        if is_main:
            yield at, at + size
        at += size


def _name_above_post(lines: Sequence[Line]) -> str:
    """Return the only name in the lines above a post, or "" if there is none or more than one."""
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
    """Yield the names that are the whole text of an element in a line. is_meant: selects the elements."""
    if len(line.text) <= MAX_LINE_CHARS:
        nodes = line.container.iter("a", "span", "b", "strong", "em", "cite", "i", "div", "p", "td", "h3", "h4")
        for node in islice(nodes, _MOST_NODES):
            parts = _parts(node) if is_meant(node) else []
            text = parts[0] if len(parts) == 1 else ""
            if _is_name(text) and text in one_line(line.text):
                yield text


def _parts(node: HtmlElement) -> list[str]:
    """Return the first texts in an element that are not empty."""
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
    """Return the name before the time in a line that contains little else, or ""."""
    time = TIME.search(line.text) if is_mark(line.text) else None
    if time is None or not time.start():
        return ""
    words = [word for word in _SPLIT.split(_RANK.sub("", FLOOR.sub(" ", line.text[: time.start()]))) if word]
    if len(words) != 1 or not _is_name(words[0]):
        return ""
    first = next(iter(_parts(line.container)), "")  # a rank may follow the name without a space
    return first if _is_name(first) and words[0].startswith(first) else words[0]


def _is_name(text: str) -> bool:
    name = one_line(text)
    return 2 <= len(name) <= MAX_NAME_CHARS and not _NO_NAME.search(name)


def _poster_in_linked_data(tree: HtmlElement) -> str:
    """Return the account that linked data (schema.org) states for the first post, or ""."""
    author = next(filter(is_post, linked_data_records(tree)), {}).get("author")
    name = author.get("name") if isinstance(author, dict) else author
    return one_line(name) if isinstance(name, str) and _is_name(name) else ""
