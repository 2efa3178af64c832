"""Finds the links on a page and sorts them by target: the next part of a text, a chapter, anything else."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import islice
from urllib.parse import quote, urljoin, urlsplit

from lxml import etree
from lxml.html import HtmlElement

from core.pages import NetDiskLink
from core.text import storable
from crawler.markup import parse
from crawler.selectors import select
from crawler.urls import is_book, script_route

MAX_LINKS_OF_PAGE = 5_000  # the chapter list of a long novel has some 3,000
_MAX_WORDS = 20  # text nodes of a clickable element: a button has one, and a clickable page has all
_NEXT = re.compile(
    r"^[\s\[【(（<《>»→]*(?:下\s*[一1]?\s*[页頁章]|下\s*[一1]\s*[节節回篇集话話]|后一[页章]|後一[頁章]|next(?:\s+(?:page|chapter))?)[\s\]】)）>》»→]*$",
    re.IGNORECASE,
)
_MAY_BE_BOOK = re.compile(r"\.(?:txt|zip|epub|docx|pdf)\b", re.IGNORECASE)
_CHAPTER = re.compile(
    r"^\s*(?:第\s*[0-9零〇一二三四五六七八九十百千两兩]+\s*[章节節回卷集部篇话話]|楔子|序章|尾声|尾聲|番外|[0-9]{1,4}[.、\s])"
)


class LinkPlace(StrEnum):
    """The part of a page in which a URL is found."""

    LINK = "link"  # a, area, link
    ATTRIBUTE = "attribute"  # data-href and similar attributes, or the action of an element on a click
    CHOICE = "choice"  # an option of a select element
    FRAME = "frame"  # a frame, or a form without fields
    SCRIPT = "script"  # an inline script, or JSON embedded in the page
    DATA = "data"  # JSON that the page requests


@dataclass(frozen=True, slots=True)
class Links:
    """The absolute http(s) URLs on a page without fragments, in page order.

    Each is in only one of the first three fields. downloads: the URLs that the page offers as files. places: where the
    URLs that are in no ordinary link were found.
    """

    next_pages: tuple[str, ...]
    chapters: tuple[str, ...]
    others: tuple[str, ...]
    declared_canonical: str  # the absolute URL in <link rel=canonical>, or ""
    downloads: tuple[str, ...] = ()
    places: Mapping[str, LinkPlace] = field(default_factory=dict)

    def place(self, url: str) -> LinkPlace:
        return self.places.get(url, LinkPlace.LINK)

    def with_data(self, data: Iterable[str], url: str) -> "Links":
        """Return these links with the URLs in data that the page at `url` requests.

        data: JSON texts or HTML fragments.
        """
        known = {*self.next_pages, *self.chapters, *self.others}
        new: dict[str, LinkPlace] = {}
        for each in data:
            tree = parse(each) if each.lstrip().startswith("<") else None
            stated = script_addresses([each]) if tree is None else [node.get("href") for node in tree.iter("a")]
            new |= {
                address: LinkPlace.DATA
                for one in stated
                if (address := absolute_url(one, url)) and address not in known
            }
        return replace(self, others=(*self.others, *new)[:MAX_LINKS_OF_PAGE], places={**self.places, **new})


def links(
    tree: HtmlElement,
    url: str,
    next_page_selector: str = "",
    chapter_list_selector: str = "",
    encoding: str = "utf-8",
    *,
    is_rendered: bool = False,
) -> Links:
    """Return the links on a page that crawlers may follow; none if a robots meta tag says nofollow.

    next_page_selector, chapter_list_selector: the site's rules, or "". encoding: the page's encoding. is_rendered:
    scripts generated the page, so that routes in fragments count as URLs.

    Raises BadConfiguration if a selector is invalid.
    """
    page = _PageAddresses(tree, base_url(tree, url), encoding, is_rendered=is_rendered)
    declared = next((page.address(node.get("href")) for node in tree.iter("link") if _has_rel(node, "canonical")), "")
    if forbids_following(tree):
        return Links((), (), (), declared)
    following = dict.fromkeys(_next_pages(page, next_page_selector))
    chapters = dict.fromkeys(_chapter_links(page, chapter_list_selector))
    everything = dict.fromkeys(page.ordinary_addresses(tree.iter("a", "area"))) | dict.fromkeys(page.elsewhere())
    return Links(
        tuple(following),
        tuple(link for link in chapters if link not in following),
        tuple(link for link in everything if link not in following and link not in chapters),
        declared,
        tuple(dict.fromkeys(_download_links(page))),
        page.places,
    )


def _download_links(page: "_PageAddresses") -> Iterator[str]:
    for node in page.tree.iter("a", "area"):
        is_offered = node.get("download") is not None
        if is_offered or _MAY_BE_BOOK.search(node.get("href") or ""):
            yield from (address for address in page.ordinary_addresses([node]) if is_offered or is_book(address))


class _PageAddresses:
    """Collects the URLs on a page, and where each of them was found."""

    def __init__(self, tree: HtmlElement, base: str, encoding: str, *, is_rendered: bool) -> None:
        self.tree, self._base, self._encoding, self._is_rendered = tree, base, encoding, is_rendered
        self.places: dict[str, LinkPlace] = {}
        self._ordinary: set[str] = set()
        self._addresses: dict[str, str] = {}  # each link is examined as a next page, a chapter, and any other link
        self.clicked = clicked_elements(tree)[:MAX_LINKS_OF_PAGE]

    def address(self, href: str | None) -> str:
        """Resolve a URL on the page. Return "" if it does not lead to a page."""
        if not href:
            return ""
        known = self._addresses.get(href)
        if known is None:
            known = self._addresses[href] = absolute_url(
                href, self._base, self._encoding, keeps_routes=self._is_rendered
            )
        return known

    def ordinary_addresses(self, nodes: Iterable[HtmlElement]) -> Iterator[str]:
        """Yield the targets of the ordinary links that may be followed."""
        given = 0
        for node in nodes:
            if given >= MAX_LINKS_OF_PAGE:
                return
            address = "" if _has_rel(node, "nofollow") else self.address(node.get("href"))
            if address:
                given += 1
                self._ordinary.add(address)
                self.places.pop(address, None)
                yield address

    def other_addresses(self, addresses: Iterable[str], place: LinkPlace) -> Iterator[str]:
        """Yield the resolved URLs, and record `place` for those that are in no ordinary link."""
        for stated in addresses:
            address = self.address(stated)
            if not address or len(self.places) >= MAX_LINKS_OF_PAGE:
                continue
            if address not in self._ordinary:
                self.places.setdefault(address, place)
            yield address

    def elsewhere(self) -> Iterator[str]:
        """Yield the URLs that are in no ordinary link."""
        for node, found in self.clicked:
            if not _has_rel(node, "nofollow"):
                yield from self.other_addresses(found, LinkPlace.ATTRIBUTE)
        yield from self.other_addresses(map(option_address, self.tree.iter("option")), LinkPlace.CHOICE)
        yield from self.other_addresses(frame_addresses(self.tree), LinkPlace.FRAME)
        inline = (script.text for script in self.tree.iter("script") if script.text and not script.get("src"))
        yield from self.other_addresses(script_addresses(inline), LinkPlace.SCRIPT)


def _next_pages(page: _PageAddresses, selector: str) -> Iterator[str]:
    if selector:
        yield from page.ordinary_addresses(_link_elements(select(page.tree, selector)))
        return
    for node in page.tree.iter("a", "link"):
        if _has_rel(node, "next") or (node.tag == "a" and _NEXT.match("".join(node.itertext()))):
            yield from page.ordinary_addresses([node])
    for node, found in page.clicked:
        if _NEXT.match(_element_text(node)):
            yield from page.other_addresses(found, LinkPlace.ATTRIBUTE)


def _chapter_links(page: _PageAddresses, selector: str) -> Iterator[str]:
    if selector:
        yield from page.ordinary_addresses(_link_elements(select(page.tree, selector)))
        return
    yield from page.ordinary_addresses(node for node in page.tree.iter("a") if _CHAPTER.match("".join(node.itertext())))
    for node, found in page.clicked:
        if _CHAPTER.match(_element_text(node)):
            yield from page.other_addresses(found, LinkPlace.ATTRIBUTE)
    choices = (option for option in page.tree.iter("option") if _CHAPTER.match(_element_text(option)))
    yield from page.other_addresses(map(option_address, choices), LinkPlace.CHOICE)


def _link_elements(nodes: list[HtmlElement]) -> Iterator[HtmlElement]:
    for node in nodes:
        yield from node.iter("a", "link")


def _element_text(node: HtmlElement) -> str:
    """Return the text of a clickable element."""
    return "".join(islice(node.itertext(), _MAX_WORDS)) or node.get("value") or ""


def _has_rel(node: HtmlElement, word: str) -> bool:
    return word in (node.get("rel") or "").lower().split()


def forbids_following(tree: HtmlElement) -> bool:
    """Return True if a robots meta tag of a page forbids following its links."""
    tags = (node for node in tree.iter("meta") if (node.get("name") or "").lower() == "robots")
    return any({"nofollow", "none"} & set(re.split(r"[\s,]+", (node.get("content") or "").lower())) for node in tags)


# Resolves URLs as browsers do: absolute, without a fragment, in the bytes that a browser would send.

_UNICODE = frozenset({"utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "ascii", ""})


def absolute_url(href: str | None, base: str, encoding: str = "utf-8", *, keeps_routes: bool = False) -> str:
    """Resolve a link on a page at URL `base`. Return "" if it does not lead to a page.

    As in the URL standard, non-ASCII characters are encoded in the page's encoding in a query, and in UTF-8 in a path.
    keeps_routes: True to keep a fragment that scripts interpret as a path.

    >>> absolute_url("/read?name=第1章", "http://a.example/", "gb18030")
    'http://a.example/read?name=%B5%DA1%D5%C2'
    """
    try:
        joined = urljoin(base, "".join((href or "").split()))
        address = joined.partition("#")[0]
        parts = urlsplit(address)
        is_page = bool(href) and parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        return ""
    return _encode_query(encoding, address) + (script_route(joined) if keeps_routes else "") if is_page else ""


def base_url(tree: HtmlElement, url: str) -> str:
    """Return the base URL for the relative links on a page. url: the URL of the page."""
    stated = next((node.get("href") for node in tree.iter("base") if node.get("href")), "")
    return absolute_url(stated, url) or url


def _encode_query(encoding: str, address: str) -> str:
    head, mark, query = address.partition("?")
    if query.isascii() or encoding in _UNICODE:
        return address
    sent = (char if char.isascii() else quote(char.encode(encoding, "xmlcharrefreplace"), safe="") for char in query)
    return head + mark + "".join(sent)


# Finds URLs outside of href: in other attributes, frames, select elements and inline scripts.
#
# Only complete URLs count; none is assembled from parts. All are checked like any other link.

MAX_SCRIPT_CHARS = 300_000  # per page; chapter lists in scripts have some 60 characters for each chapter
MAX_LITERALS = 5_000  # the same as the maximum of links
_MAX_ADDRESS_CHARS = 300
# A literal that may be a URL: it contains no blanks and begins like a URL.
_LITERAL = re.compile(
    rf"""(["'`])(?=https?:|[\\/.?]|[\w%-]+[./])([^\s"'`<>{{}}|^$]{{2,{_MAX_ADDRESS_CHARS}}}+)\1""", re.ASCII
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_CONTROLS = {"n": "\n", "r": "\n", "t": " ", "b": "", "f": "", "v": "", "\n": ""}
_FILE = r"[\w%-][\w%./-]*\.(?:s?html?|php|aspx?|jsp)(?:\?[^\s<>\"'`{}|\\^]*)?"
_ADDRESS = re.compile(
    rf"(?:https?:)?//[^\s<>\"'`{{}}|\\^]+|\.{{0,2}}/[^\s<>\"'`{{}}|\\^]*|{_FILE}|\?[\w%-]+=[^\s<>\"'`{{}}|\\^]+"
)
_ASSIGNED = re.compile(
    r"""(?:location(?:\.href)?\s*=\s*|location\.(?:assign|replace)\s*\(\s*|window\.open\s*\(\s*|(?:push|router\.push)\s*\(\s*)$"""
)
_LINK_IN_MARKUP = re.compile(
    rf"""\bhref\s*=\s*(?:\\?(["'])([^"'\\\s<>]{{1,{_MAX_ADDRESS_CHARS}}}+)\\?\1|([^"'\\\s<>]{{1,{_MAX_ADDRESS_CHARS}}}+)>)""",
    re.IGNORECASE,
)
# Code before URLs that scripts request, and before URLs of images.
_ASKED = re.compile(
    r"""(?:fetch|\$\.(?:get|post|ajax|getJSON)|axios(?:\.\w+)?|open)\s*\(\s*(?:["'](?:GET|POST)["']\s*,\s*)?$"""
    r"""|\w*(?:pic|cover|img|image|avatar|thumb|icon|logo|poster)\w*["']?\s*[:=]\s*$"""
    r"""|(?:\burl|\w*ajax\w*["']?|\w*api\w*["']?)\s*:\s*$|import\s*\(?\s*$|from\s*$|require\s*\(\s*$""",
    re.IGNORECASE,
)
_NO_PAGE = re.compile(
    r"(?:^|/)(?:api|ajax|graphql|rpc|collect|track\w*|beacon|stats?|count\w*|analytics|logs?|ads?|push|static|assets?|dist|cdn-cgi"
    r"|_next|_nuxt|wp-json|wp-admin|wp-content|wp-includes|plugins?|themes?|images?|img|fonts?|css|js|scripts?|oauth\w*|auth|user|users"
    r"|comments?|favicon\w*)(?=$|[/?.])",
    re.IGNORECASE,
)
_FILE_END = re.compile(r"\.(?:s?html?|php|aspx?|jsp)(?:$|\?)|\?[\w%-]+=")
_IS_PAGE = re.compile(r"\d|\.(?:s?html?|php|aspx?|jsp)(?:$|\?)|%[0-9a-fA-F]{2}|[\u4e00-\u9fff]")
_ATTRIBUTES = ("data-href", "data-url", "data-link", "formaction")
_HANDLERS = ("onclick",)
_SCRIPTED = "javascript:"
_HANDLED = etree.XPath(
    "//*[" + " or ".join(f"@{name}" for name in (*_ATTRIBUTES, *_HANDLERS)) + " or starts-with(@href, 'javascript:')]"
)


def clicked_elements(tree: HtmlElement) -> list[tuple[HtmlElement, list[str]]]:
    """Return the elements that link through attributes other than href, each with its unresolved URLs."""
    return [(node, found) for node in _HANDLED(tree) if (found := attribute_addresses(node))]


def attribute_addresses(node: HtmlElement) -> list[str]:
    """Return the unresolved URLs in the attributes of an element other than href, including its event handlers."""
    found = [value for name in _ATTRIBUTES if (value := node.get(name)) and _ADDRESS.fullmatch(value.strip())]
    href = node.get("href") or ""
    if href.startswith(_SCRIPTED):
        found += _handler_addresses(href)
    for name in _HANDLERS:
        if handler := node.get(name):
            found += _handler_addresses(handler)
    return found


def frame_addresses(tree: HtmlElement) -> Iterator[str]:
    """Yield the unresolved URLs of frames, and of forms without fields."""
    for node in tree.iter("iframe", "frame", "embed", "object"):
        yield node.get("src") or node.get("data-src") or node.get("data") or ""
    for form in tree.iter("form"):
        if (form.get("method") or "get").lower() == "get" and not any(
            field.get("name") for field in form.iter("input", "select", "textarea", "button")
        ):
            yield form.get("action") or ""


def option_address(option: HtmlElement) -> str:
    """Return the unresolved URL in an option element, or "" if its value is not a URL."""
    value = (option.get("value") or "").strip()
    return value if _ADDRESS.fullmatch(value) else ""


def script_addresses(sources: Iterable[str]) -> list[str]:
    """Return the complete URLs of pages in inline scripts or in JSON, each once, in order.

    A URL counts if the script navigates to it, if it contains a digit, the file extension of a page or Chinese, or if
    another one is in the same folder. Otherwise it is a setting: scripts contain many of them, and pages are linked
    elsewhere, too.
    """
    found: dict[str, bool] = {}
    left = MAX_SCRIPT_CHARS
    for source in sources:
        for address, is_assigned in _script_urls(source[: max(0, left)]):
            found[address] = found.get(address, False) or is_assigned
            if len(found) >= MAX_LITERALS:
                break
        left -= len(source)
    folders = Counter(_url_folder(address) for address in found)
    return [address for address, is_assigned in found.items() if is_assigned or _may_be_page(address, folders)]


def decode_literal(literal: str) -> str:
    r"""Decode the escape sequences in a string literal of a script.

    >>> decode_literal(r"\/read\/1.html\u0026p=2")
    '/read/1.html&p=2'
    """
    if "\\" not in literal:
        return literal
    meant = _ESCAPE.sub(_unescape_sign, literal)
    return meant if meant.isascii() else meant.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unescape_sign(sign: re.Match[str]) -> str:
    return chr(int(sign[1] or sign[2], 16)) if sign[1] or sign[2] else _CONTROLS.get(sign[3], sign[3])


def _handler_addresses(code: str) -> list[str]:
    return [address for address, _ in _script_urls(code[:2_000])]


def _script_urls(source: str) -> Iterator[tuple[str, bool]]:
    """Yield the URLs among the literals of a script, each with True if the script navigates to it."""
    for match in _LITERAL.finditer(source):
        literal = decode_literal(match[2])
        before, after = (
            source[max(0, match.start() - 40) : match.start()].rstrip(),
            source[match.end() : match.end() + 8].lstrip(),
        )
        if before.endswith("+") or after.startswith("+") or _NO_PAGE.search(literal):
            continue
        is_assigned = bool(_ASSIGNED.search(before))
        if not is_assigned and _ASKED.search(before):
            continue
        if (is_assigned or _ADDRESS.fullmatch(literal)) and literal.strip("/."):
            yield literal, is_assigned
    for match in _LINK_IN_MARKUP.finditer(source):
        address = match[2] or match[3]
        if _ADDRESS.fullmatch(address) and not _NO_PAGE.search(address):
            yield address, True


def _may_be_page(address: str, folders: Counter[str]) -> bool:
    if address.startswith("."):  # modules of scripts refer to each other like this
        return bool(_FILE_END.search(address))
    return bool(_IS_PAGE.search(address)) or folders[_url_folder(address)] > 1


def _url_folder(address: str) -> str:
    return address.partition("?")[0].rpartition("/")[0]


# Finds links to files on cloud drives (网盘). They are listed with their page and never fetched.
#
# Whole books are shared this way. Domains: from util/regex_util.go in https://github.com/fish2018/pansou (9a3c66d, read
# 2026-11), which collects such links; 蓝奏云, 微云, 城通, 奶牛快传, 坚果云 and foreign drives were added by hand. If a
# domain is missing, only a line in the list is missing.

MAX_LINKS, MAX_LABEL_CHARS, MAX_URL_CHARS = 50, 80, 2_000
# Domains by the name of the drive. Subdomains are included (www.123pan.com, wwi.lanzoux.com).
_DISKS = {
    "百度网盘": ("pan.baidu.com", "yun.baidu.com"),
    "夸克网盘": ("pan.quark.cn",),
    "UC网盘": ("drive.uc.cn",),
    "阿里云盘": ("aliyundrive.com", "alipan.com"),
    "123云盘": ("123pan.com", "123pan.cn", "123592.com", "123684.com", "123685.com", "123865.com", "123912.com"),
    "腾讯微云": ("share.weiyun.com",),
    "迅雷云盘": ("pan.xunlei.com",),
    "天翼云盘": ("cloud.189.cn",),
    "移动云盘": ("caiyun.139.com", "yun.139.com", "caiyun.feixin.10086.cn"),
    "115网盘": ("115.com", "115cdn.com", "anxia.com"),
    "光鸭云盘": ("guangyapan.com",),
    "PikPak": ("mypikpak.com",),
    "城通网盘": ("ctfile.com", "ct.ghpym.com", "545c.com", "089u.com"),
    "奶牛快传": ("cowtransfer.com",),
    "坚果云": ("jianguoyun.com",),
    "MEGA": ("mega.nz", "mega.co.nz"),
    "Google Drive": ("drive.google.com",),
    "OneDrive": ("1drv.ms", "onedrive.live.com"),
    "Dropbox": ("dropbox.com",),
    "MediaFire": ("mediafire.com",),
}
_BY_DOMAIN = {domain: disk for disk, domains in _DISKS.items() for domain in domains}
# 蓝奏云 changes its domain every few months but not the prefix: lanzoui.com, lanzoux.com, lanzouw.com, lanzout.com.
_LANZOU = re.compile(r"(?:^|\.)lanzou[a-z]?\.com$|(?:^|\.)lanosso\.com$")
_NAMES = ("lanzou", "lanosso", *_BY_DOMAIN)
_MAY_BE_DISK = re.compile("|".join(map(re.escape, _NAMES)), re.IGNORECASE)
_IN_TEXT = re.compile(r"https?://[A-Za-z0-9.-]+/[\w\-./?=&%#!~]+", re.ASCII)


def net_disk_links(tree: HtmlElement, url: str, texts: Iterable[str]) -> tuple[NetDiskLink, ...]:
    """Return the links to cloud drives on a page, each once.

    Those in its links come first, then those written in its lines (`texts`). url: the URL of the page.
    """
    found: dict[str, NetDiskLink] = {}
    for address, label in _labelled_urls(tree, url, texts):
        disk = net_disk(address)
        if disk and address not in found and len(address) <= MAX_URL_CHARS:
            found[address] = NetDiskLink(storable(address), disk, storable(label))
            if len(found) == MAX_LINKS:
                break
    return tuple(found.values())


def net_disk(url: str) -> str:
    """Return the name of the cloud drive that hosts the file at a URL, or "" for any other URL.

    >>> net_disk("https://www.123pan.com/s/ab-cd"), net_disk("https://wwi.lanzoux.com/i1"), net_disk("https://pan.baidu.com/")
    ('123云盘', '蓝奏云', '')
    """
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").lower()
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not (parts.path.strip("/") or parts.fragment):
        return ""
    if _LANZOU.search(host):
        return "蓝奏云"
    labels = host.split(".")
    domains = (".".join(labels[at:]) for at in range(len(labels)))
    return next((_BY_DOMAIN[domain] for domain in domains if domain in _BY_DOMAIN), "")


def _labelled_urls(tree: HtmlElement, url: str, texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield (URL, label) for links to cloud drives, then for all URLs that are written as text."""
    hrefs = "".join("\0".join(tree.xpath("//a/@href | //area/@href")).split()).lower()
    may_be_linked = any(name in hrefs for name in _NAMES)
    for node in tree.iter("a", "area") if may_be_linked else ():
        href = "".join((node.get("href") or "").split())
        if _MAY_BE_DISK.search(href):
            with suppress(ValueError):
                yield urljoin(url, href), " ".join("".join(node.itertext()).split())[:MAX_LABEL_CHARS]
    for text in texts:
        label = " ".join(text[: 2 * MAX_LABEL_CHARS].split())[:MAX_LABEL_CHARS]
        for written in _IN_TEXT.finditer(text) if "://" in text else ():
            yield written[0], label
