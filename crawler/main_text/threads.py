"""Recognition of threads: posts of a forum, or a question and its answers, whose text is all of them together.

An article with remarks below looks alike in its parts, and its remarks are no part of it: a page is a thread only where
it says so itself, or where signals of several kinds meet.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from lxml import etree
from lxml.html import HtmlElement

from crawler.characters.repertoire import count_han
from crawler.main_text.both_scripts import in_both_scripts
from crawler.main_text.post_marks import END_OF_SENTENCE
from crawler.markup import Line, lines

MIN_POINTS = 2
MIN_TIMES_OF_SCRIPTLESS = 2  # a page whose scripts ran has its posts twice
# Stated by the page: schema.org's types of a thread. A Question alone also stands in lists of questions (FAQPage).
_DECLARED = re.compile(r"(?:QAPage|DiscussionForumPosting)\b")
# Software that makes forums and nothing else, and software that also makes portals of articles.
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
# Portals of the same software have articles, with remarks below.
_ADDRESS_OF_ARTICLE = re.compile(r"/(?:article-\d|portal\.php|portal/|blog-\d|news/|archives/)", re.IGNORECASE)
# Labels around posts and answers alone, in lines that are no sentences.
_LABEL = in_both_scripts(
    r"电梯直达|^回帖$|楼主[:：]|悬赏(?:分|金币|积分)?\s*[:：]\s*\d|结帖率|问题点数|病情描述|要回复问题请先|倒序浏览|只看该作者|只看楼主|只看TA|发表新帖|发新帖|快速回帖|帖子主题|直达楼层|跳转到指定楼层|\d+\s*回复贴|回帖亮了|亮回帖"
    r"|(?:查看|浏览|阅读|点击|访问)(?:数|次数)?\s*[:：]?\s*\d.{0,20}回(?:复|帖)(?:数)?\s*[:：]?\s*\d|(?:网友采纳|最佳|满意|推荐|优质|提问者采纳)(?:的)?(?:答案|回复|回答|解答)"
    r"|(?:被|已)采纳(?!率)|提问者(?:采纳|推荐)|(?:我要|我来|添加|撰写|写)回答|(?:邀请|其他|全部|所有|医生|专家|律师)(?:回答|解答)|提问者[:：]|提问(?:于|时间)"
    r"|(?:^|[\s|·•])(?:主题帖|好问题|关注问题|(?:共|全部|查看全部|已有)?\s*\d+\s*(?:个|条|位|人)?(?:网友|医生|律师)?(?:回答|答案|解答|回帖)|(?:回答|答案|解答|回帖)\s*[(（]\d+[)）])(?:$|[\s|·•])"
)
# These stand around remarks as well.
_LABEL_OF_REMARKS_TOO = in_both_scripts(
    r"(?:^|[\s|·•])(?:楼主|沙发|板凳|地板|地下室|\d+\s*楼|#\d+|\d+#|(?:共收到|共|全部)?\s*\d+\s*(?:条|个)?回复|回复\s*[(（]?\d+[)）]?|按投票排序|最新回复)(?:$|[\s|·•])"
    r"|最后(?:由.{1,24})?回复"
)
_REPLIES = in_both_scripts(
    r"(?:^|[\s|·•])(?:(?:共收到|共|全部)?\s*\d+\s*(?:条|个)?(?:回复|回应)|(?:回复|回应)\s*[(（:：]?\d+[)）]?|(?:全部|所有)(?:回复|回应))(?:$|[\s|·•])"
)
# Names of remarks below an article.
_REMARKS = in_both_scripts("评论|留言|跟帖|书评|读后感|读者来信|大家说|网友热议")
_POWERED = re.compile(
    r"Powered by|Built with|Forum software|Simple Machines|驱动|构建|论坛(?:软件|程序)|©", re.IGNORECASE
)
_NAMES = re.compile(
    r"(?:^|[\s_-])(?:thread|topic|question|answers?|jieda|postlist|post-stream|viewthread|viewtopic|bbs|forum|lzl)(?:$|[\s_-])"
    r"|postmessage_|PostStream|QuestionHeader|QuestionAnswer|AnswerItem|DiscussionPage",
    re.IGNORECASE,
)
# Remarks are replies too: however many boxes are called so, they count as one name.
_NAME_OF_REPLIES = re.compile(r"(?:^|[\s_-])repl(?:y|ies)(?:$|[\s_-])", re.IGNORECASE)
_NAMES_OF_REMARKS = re.compile("disqus|comment|remark|pinglun", re.IGNORECASE)
MIN_NAMES = 2
_names_of_boxes = etree.XPath(
    "//*[self::div or self::li or self::td or self::table or self::article or self::section or self::ul or self::ol"
    " or self::main or self::dl or self::h1 or self::h2]/@*[name()='class' or name()='id']"
)
_types = etree.XPath("//@itemtype")
# Every label holds one of these.
_OF_LABELS = in_both_scripts("楼|帖|贴|答|采|问|悬|回|电|序|该|者|病|沙|板|地|评|言|#")
_MAX_CHARS_OF_LABEL, _MAX_CHARS_OF_IMPRINT = 60, 120
_DIGITS = re.compile(r"\d+")


@dataclass(slots=True)
class PageStatements:
    """Statements of a page about itself, apart from its text."""

    generator: str = ""
    addresses: list[str] = field(default_factory=list)
    linked_data: list[str] = field(default_factory=list)
    without_scripts: list[HtmlElement] = field(default_factory=list)

    @property
    def is_program(self) -> bool:
        """True if the page is a program that loads its posts, which stand in <noscript> where scripts do not run."""
        return any(node.get("id") == "flarum-content" for node in self.without_scripts)


def read_statements(tree: HtmlElement) -> PageStatements:
    """Collect a page's statements in one pass."""
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
    """Return True if a page's statements, software, address, labels and names of boxes make it a thread."""
    addresses = [url, *statements.addresses]
    is_article = any(map(_ADDRESS_OF_ARTICLE.search, addresses))
    points = MIN_POINTS if _is_declared(tree, statements) else _points_of_software(statements, page, is_article)
    points += not is_article and any(map(_ADDRESS.search, addresses))
    short = (line.text for line in page if len(line.text) <= _MAX_CHARS_OF_LABEL)
    frames = [text for text in short if _OF_LABELS.search(text) and not END_OF_SENTENCE.search(text)]
    points += len({_DIGITS.sub("", found[0].strip()) for text in frames for found in _LABEL.finditer(text)})
    if points == MIN_POINTS - 1:
        # Labels that stand around remarks, too, and names of boxes only confirm a likely thread.
        return any(map(_LABEL_OF_REMARKS_TOO.search, frames)) or _has_names(tree)
    return points >= MIN_POINTS or (not is_article and _is_answered(frames) and _has_names(tree))


def scriptless_lines(statements: PageStatements, page: Sequence[Line]) -> list[Line]:
    """Return the lines that a forum shows without scripts, if it is a program whose page has hardly any words."""
    if not statements.is_program and "Discourse" not in statements.generator:
        return []
    boxes = (node for node in statements.without_scripts if next(node.iterancestors("head"), None) is None)
    found = [line for box in boxes for line in lines(box)]
    return found if _han(found) > MIN_TIMES_OF_SCRIPTLESS * _han(page) else []


def _han(page: Sequence[Line]) -> int:
    return count_han("".join(line.text for line in page))


def _is_answered(frames: Sequence[str]) -> bool:
    """Return True if a page counts replies and names no remarks."""
    return any(map(_REPLIES.search, frames)) and not any(map(_REMARKS.search, frames))


def _is_declared(tree: HtmlElement, statements: PageStatements) -> bool:
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
