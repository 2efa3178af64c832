"""Recognises pages about the site itself, and links to its pages for complaints and contact."""

import re
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

from lxml.html import HtmlElement

from core.contacts import MAX_VALUE_CHARS, Contact, ContactKind
from core.hidden_characters import has_hidden
from core.hosts import host_key
from crawler.contacts.regions import LinkOfPage
from crawler.links import absolute_url
from crawler.site_identifiers import registrable

MAX_PAGES_LINKED = 6  # per kind and linking page
MAX_SEGMENTS = 3
_COMPLAINT_STEMS = (
    "complain(?:t|ts)?|dmca|takedown|abuse|tousu|jubao|qinquan|banquan(?:shengming)?|ipr|infringement|copyright(?:s)?"
    "|ts|report-?abuse|qqts|bqsm"
)
_CONTACT_STEMS = (
    "about(?:[-_]?us)?|contacts?(?:[-_]?us)?|lianxi(?:women)?|guanyu(?:women)?|lxwm|gywm|feedback|legal|imprint|impressum"
    "|disclaimer|shengming|mianze(?:shengming)?|aboutme"
)
_COMPLAINT_STEM = re.compile(rf"(?:{_COMPLAINT_STEMS})(?:\.\w{{2,5}})?", re.IGNORECASE)
_CONTACT_STEM = re.compile(rf"(?:{_CONTACT_STEMS})(?:\.\w{{2,5}})?", re.IGNORECASE)
# Pages of one user or one topic are not about the site.
_OF_SOMEBODY = re.compile(
    r"(?:users?|u|people|person|authors?|members?|space|profile|home|blog|tags?|topics?|search|news|archives?|@.*|~.*)"
    r"(?:\.\w{2,5})?",
    re.IGNORECASE,
)
_COMPLAINT_WORDS = (
    r"(?:版权|版權|侵权|侵權|著作权|内容|用户|知识产权|网上|我要|在线|违法|不良信息|违法和不良信息|违法不良信息|侵权盗版){0,3}"
    r"(?:投诉|投訴|举报|舉報|维权)(?:中心|指引|通道|入口|页面|须知|说明|邮箱|方式|与举报|举报|和举报|/举报)?"
    r"|(?:版权|版權|侵权|侵權)(?:声明|聲明|保护|保護|指引|通知|处理|问题|说明)(?:及投诉|与投诉)?"
    r"|dmca(?:\s+(?:notice|policy|takedown|complaint|copyright))?|report\s+(?:abuse|copyright\s+infringement)"
    r"|copyright\s+(?:complaints?|policy|infringement|claims?|notice)|take-?down(?:\s+(?:notice|request))?"
    r"|(?:file\s+a\s+)?complaints?|abuse"
)
_CONTACT_WORDS = (
    r"(?:联系|聯繫|聯絡|联络)(?:我们|我們|方式|本站|站长|客服|管理员)?|(?:关于|關於)(?:我们|我們|本站)|(?:意见|意見)反(?:馈|饋)"
    r"|免责声明|免責聲明|法律声明|法律聲明|contact(?:\s+us)?|about(?:\s+us)?|feedback|legal(?:\s+notice)?|disclaimer"
)
_COMPLAINT_LABEL = re.compile(rf"[\W_]*(?:{_COMPLAINT_WORDS})[\W_]*", re.IGNORECASE)
_CONTACT_LABEL = re.compile(rf"[\W_]*(?:{_CONTACT_WORDS})[\W_]*", re.IGNORECASE)
_SEPARATORS = re.compile(r"\s+[-–—|·]\s+|[_|｜–—]|\s?-\s?")
_OF_THE_STATE = re.compile(
    r"(?:^|\.)(?:gov\.cn|12377\.cn|12321\.cn|12318\.cn|cyberpolice\.cn|shjbzx\.cn|miit\.gov\.cn)$"
)
_ABOUT_RIGHTS = re.compile(r"侵权|侵權|版权|版權|投诉|投訴|dmca|copyright|take-?down", re.IGNORECASE)
_ADDRESS_OF_ARTICLE = re.compile(r"\d{3,}")


def is_about_page(url: str, title: str = "") -> bool:
    """Return True if a page is about the site, judging by its URL or the first part of its title.

    >>> is_about_page("https://a.example/about.html"), is_about_page("https://a.example/copyright/20261.html")
    (True, False)
    >>> is_about_page("https://a.example/p/7", "侵权投诉指引_甲网"), is_about_page("https://a.example/u/9/about")
    (True, False)
    """
    return about_page_kind(url, title) is not None


def about_page_kind(url: str, title: str = "") -> ContactKind | None:
    """Return COMPLAINT_PAGE or CONTACT_PAGE for a page about the site, or None for any other page."""
    name = _SEPARATORS.split(title.strip()[:200], maxsplit=1)[0]
    if len(name) <= 30 and _COMPLAINT_LABEL.fullmatch(name):
        return ContactKind.COMPLAINT_PAGE
    segments = _path_segments(url)
    if any(map(_OF_SOMEBODY.fullmatch, segments)):
        return None
    if len(name) <= 30 and _CONTACT_LABEL.fullmatch(name):
        return ContactKind.CONTACT_PAGE
    last = segments[-1] if segments and len(segments) <= MAX_SEGMENTS else ""
    if _COMPLAINT_STEM.fullmatch(last):
        return ContactKind.COMPLAINT_PAGE
    return ContactKind.CONTACT_PAGE if _CONTACT_STEM.fullmatch(last) else None


def linked_pages(links: list[LinkOfPage], base: str, url: str) -> Iterator[Contact]:
    """Yield the pages for complaints and for contact to which the links of a page lead.

    base: the URL that relative links refer to. url: the URL of the page. A link to another site counts only if it is
    about rights, because forms for reporting unlawful content belong to authorities.
    """
    own, counts = registrable(_url_host(url)), dict.fromkeys((ContactKind.COMPLAINT_PAGE, ContactKind.CONTACT_PAGE), 0)
    for link in links:
        kind = _kind_of_label(link.words)
        address = absolute_url(link.href, base) if kind is not None else ""
        if kind is None or not _is_clear(address) or counts[kind] >= MAX_PAGES_LINKED:
            continue
        host = _url_host(address)
        is_own = registrable(host) == own
        if _OF_THE_STATE.search(host) or not (is_own or _ABOUT_RIGHTS.search(link.words)):
            continue
        if _ADDRESS_OF_ARTICLE.search(urlsplit(address).query):  # a link such as "report this chapter"
            continue
        counts[kind] += 1
        yield Contact(kind, address, link.words[:60])


def has_form(forms: list[HtmlElement]) -> bool:
    """Return True if one of these forms is for messages to the site. Login and search forms do not count."""
    for form in forms[:20]:
        kinds = [(field.get("type") or "text").lower() for field in form.iter("input")][:200]
        if "password" in kinds:
            continue
        written = sum(kind in {"text", "email", "tel", "url", "file"} for kind in kinds)
        if next(form.iter("textarea"), None) is not None or written >= 3:
            return True
    return False


def _is_clear(address: str) -> bool:
    """Return True if a URL can be displayed and opened unchanged."""
    return bool(address) and len(address) <= MAX_VALUE_CHARS and not has_hidden(address)


def _kind_of_label(words: str) -> ContactKind | None:
    if len(words) > 30:
        return None
    if _COMPLAINT_LABEL.fullmatch(words):
        return ContactKind.COMPLAINT_PAGE
    return ContactKind.CONTACT_PAGE if _CONTACT_LABEL.fullmatch(words) else None


def _path_segments(url: str) -> list[str]:
    try:
        return [unquote(each) for each in urlsplit(url).path.split("/") if each][:20]
    except ValueError:
        return []


def _url_host(url: str) -> str:
    try:
        return host_key(url)[0]
    except ValueError:
        return ""
