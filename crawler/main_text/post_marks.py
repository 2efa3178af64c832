"""Lines around posts: they say who wrote when, or are written by the software of a forum."""

import re
from collections.abc import Iterator
from itertools import islice

from lxml.html import HtmlElement

from crawler.main_text.both_scripts import in_both_scripts
from crawler.markup import BLOCKS, Line

TIME = in_both_scripts(
    r"\d{4}\s?[-/.年]\s?\d{1,2}\s?[-/.月]\s?\d{1,2}|\d{1,2}[-/月]\d{1,2}日?\s+\d{1,2}:\d{2}"
    r"|(?:昨天|前天|今天|今日)\s*\d{1,2}:\d{2}|^(?:刚刚|昨天|前天|\d{1,2}[-/月]\d{1,2}日?)$"
    r"|\d{4}\s?年\s?\d{1,2}\s?月|^\d{1,2}\s?月\s?(?:\d{4}|\d{1,2}\s?日?)?$|^\d+\s?(?:秒|分钟|小时|天|周|个?月|年)$"
    r"|\d{1,2}[-/]\d{1,2}[-/]\d{4}|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? \d{1,2}\b"
    r"|\d+\s?(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|[smhdwy]) ago\b|\byesterday\b"
    r"|(?:\d+|[一二三四五六七八九十半几])\s?(?:秒钟?|分钟|小时|天|周|星期|个?月|年)(?:以|之)?前"
    r"|(?:发表|回复|回答|发布|编辑|创建|提问|更新|修改)于"
)
FLOOR = in_both_scripts(
    r"(?:^|\s)(?:#\s?\d{1,5}|\d{1,5}\s?(?:#|楼|樓|F|L)|第\s?[\d一二三四五六七八九十百]{1,5}\s?楼)(?:\s|$|回复)"
    r"|^(?:楼主|沙发|板凳|地板|地下室)$|[一二三四五六七八九十]楼$"
)
_OF_MARKS = in_both_scripts(r"\d|刚|昨|前|于|楼|沙|板|地|yesterday")  # every time and every floor has one of these
END_OF_SENTENCE = re.compile("[。！？；…!?]")
MAX_CHARS_OF_MARK, MAX_CHARS_BESIDE_MARK = 90, 60
# Notices that software writes into posts and below them.
_OF_SOFTWARE = in_both_scripts(
    r"^(?:本(?:帖|贴|主题|帖子|楼层?).{0,40}(?:编辑|审核|置顶|修改|通过|删除|折叠|高亮).{0,20}"
    r"|(?:最后|最近)?(?:编辑|修改)于.{0,40}|已编辑|下载附件|保存到相册|\(?[\d.]+ ?[KM]B,? ?下载次数.{0,20}"
    r"|登录/注册后可看大图|点击(?:展开|查看)全文|展开(?:全文|阅读全文)?|收起(?:回复)?|(?:该|此)楼层.{0,40}"
    r"|(?:(?:回复|举报|点赞|赞同|反对|收藏|分享|引用|评论|添加评论|感谢|喜欢|没有帮助|有用|无用|支持|邀请回答|好问题|只看该作者|赞|踩|采纳)"
    r"[\s\d()（）·|:：]*)+)$"
)
_COUNTER = in_both_scripts(
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


def is_mark(text: str) -> bool:
    """Return True if a line says when something was written, or its number in the thread, and hardly anything else."""
    if len(text) > MAX_CHARS_OF_MARK or not _OF_MARKS.search(text) or END_OF_SENTENCE.search(text):
        return False
    found = TIME.search(text) or FLOOR.search(text)
    return found is not None and len(text) - len(found[0]) <= MAX_CHARS_BESIDE_MARK


def is_member(line: Line) -> bool:
    """Return True if a line is a member's name alone: in a box called so, or a link to what else that member wrote."""
    if len(line.text) > MAX_CHARS_OF_MEMBER or END_OF_SENTENCE.search(line.text):
        return False
    if _MEMBER.search(line.container.get("class") or ""):
        return True
    links = line.container.iter("a") if len(line.text) == line.link_chars else ()
    return any(OF_MEMBER.search(link.get("href") or "") for link in links)


def is_of_software(text: str) -> bool:
    """Return True if a line is a button, a row of counters, or a notice that a forum itself writes."""
    if len(text) > MAX_CHARS_OF_MARK or END_OF_SENTENCE.search(text):
        return False
    return _OF_SOFTWARE.match(text) is not None or len(_COUNTER.findall(text)) >= MIN_COUNTERS


def is_elsewhere(element: HtmlElement) -> bool:
    """Return True if a box is a menu, a signature, an advertisement, or stands in one."""
    return any(node.tag in _ELSEWHERE_TAGS or _ELSEWHERE.search(_name(node)) for node in _enclosing_blocks(element))


def is_answer(element: HtmlElement) -> bool:
    """Return True if a box or one around it is called an answer, a reply or the like."""
    return any(_ANSWER.search(_name(node)) for node in _enclosing_blocks(element))


def blocks(element: HtmlElement) -> Iterator[HtmlElement]:
    """Yield the boxes around a line from inside out, those of the whole page left out."""
    node: HtmlElement | None = element
    while node is not None and node.tag not in ("html", "body"):
        if node.tag in BLOCKS:
            yield node
        node = node.getparent()


def _enclosing_blocks(element: HtmlElement) -> Iterator[HtmlElement]:
    return islice(blocks(element), _LEVELS_TO_NAME)


def _name(element: HtmlElement) -> str:
    return f"{element.get('class', '')} {element.get('id', '')}"
