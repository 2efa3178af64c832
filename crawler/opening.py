"""Opens a response: decodes its characters and parses its tree, or returns the reason why that is impossible."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from lxml.html import HtmlElement

from core.pages import CrawlPlan
from core.states import Rejection
from core.wording import Message
from crawler.characters.decoding import Decoded, decode
from crawler.markup import UNSEEN, parse, parse_bounded
from crawler.plain_markup import ATTRIBUTES, RAW_ELEMENTS, plain_markup


class SkippedPart(StrEnum):
    """A part of a page that is too large or too slow to be read.

    The value is the name of the part in the page's source, in any language.
    """

    MARKUP = "html"  # the original tree; the plain markup is read instead
    ATTRIBUTES = "attributes"  # the attributes of an element after the first 200
    SCRIPTS = "script"
    STYLE = "style"
    STYLE_ATTRIBUTES = "style="


@dataclass(frozen=True, slots=True)
class PageRules:
    """The reading rules for a page that belongs to no crawl. By default, nothing is known about its site."""

    body_selector: str = ""
    title_selector: str = ""
    encoding: str = ""


@dataclass(frozen=True, slots=True)
class Rejected:
    """The reason why a page was not read, and the message about it."""

    reason: Rejection
    message: Message


ReadingRules = CrawlPlan | PageRules
NO_RULES = PageRules()
# Responses with these types are not text. Other types may be, because servers send unknown files with any type.
_NO_TEXT_TYPES = re.compile(
    r"^(?:(?:image|audio|video|font|model|multipart)/.*|text/(?:css|(?:java|ecma)script|csv|calendar|vtt)"
    r"|application/(?:(?:x-)?(?:javascript|ecmascript)|wasm|(?:x-)?font.*|vnd\.ms-fontobject|(?:x-)?shockwave-flash"
    r"|vnd\.android\.package-archive|(?:x-)?ms(?:download|dos-program|i)|x-(?:executable|apple-diskimage|iso9660-image|bittorrent)))$"
)
_PAGE_TYPES = re.compile(r"^(?:|text/(?:html|plain|xml|vnd\.wap\.wml)|application/(?:xhtml\+xml|xml))$")
# Numbers of characters that begin tags and attributes. A tag may be an element, which takes 20 us and 1 kB, and an
# attribute takes 1 kB. The largest saved page has 15,397 and 8,507, a novel of two million characters on one page
# 100,000 tags (2026-11). Of a page with more, only the plain markup is read.
MAX_TAGS, MAX_ATTRIBUTES = 150_000, 300_000
MAX_ATTRIBUTES_OF_TAG = 200  # libxml2 compares each with all others of its element; further attributes are cut off
# The first bytes of files that are not text, whatever their type is: documents, images, fonts, sounds, programs.
_BINARY = re.compile(
    rb"%PDF|PK\x03\x04|\x1f\x8b|Rar!|7z\xbc\xaf|\xd0\xcf\x11\xe0|\x7fELF|MZ\x90\x00|\xca\xfe\xba\xbe|\x00asm"
    rb"|\x89PNG|GIF8|\xff\xd8\xff|RIFF|BM.{4}\x00{4}|II\*\x00|MM\x00\*|\x00\x00[\x01\x02]\x00|8BPS\x00"
    rb"|wOF[F2]|OTTO\x00|ttcf\x00|true\x00|\x00\x01\x00\x00\x00|.{8}[\x01\x02]\x00\x02\x00.{22}LP|\x80\x01.{2}\x00\x00%!"
    rb"|ID3[\x02-\x04]|OggS\x00|fLaC\x00|\x1aE\xdf\xa3|\x00\x00\x00.ftyp"
    rb"|[CF]WS[\x01-\x32].{3}\x00|ZWS[\x01-\x32].{8}\x5d\x00",
    re.DOTALL,
)
_CROWDED_ATTRIBUTE = r"""[\s/]++[^\s/<>=]++(?:\s*+=\s*+(?:"[^"<]*+"|'[^'<]*+'|[^\s<>"'][^\s<>]*+)?+)?+"""
_CROWDED_TAG = re.compile(
    rf"(<[a-z][^\s/<>]*+(?:{_CROWDED_ATTRIBUTE}){{{MAX_ATTRIBUTES_OF_TAG}}})(?:{_CROWDED_ATTRIBUTE})++", re.IGNORECASE
)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
# Browsers display responses with these types as pages, however they begin.
_SHOWN_TYPES = frozenset({"text/html", "text/plain", "application/xhtml+xml"})
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_MARK_CHARS, _FIRST_CHARS = 40, 1_024  # the longest file signature; the start of a page, which contains a tag
_TAG = re.compile(r"<(?:!doctype|[a-z][a-z0-9]{0,15})[\s/>]", re.IGNORECASE)


@dataclass(slots=True)
class OpenPage:
    """A decoded response, before anything is removed from it.

    tree: None for plain text, and after the tree has been used
    notes: messages for the operator about parts that could not be read, added during reading
    skipped: the parts that are too large to be read
    """

    url: str
    decoded: Decoded
    tree: HtmlElement | None
    notes: list[Message] = field(default_factory=list)
    skipped: list[SkippedPart] = field(default_factory=list)
    is_plain: bool = False  # the tree is parsed from the plain markup


def open_page(
    body: bytes, headers: Mapping[str, str], url: str, rules: ReadingRules = NO_RULES, *, is_plain: bool = False
) -> OpenPage | Rejected:
    """Decode and parse a response, the first half of `read_page`; return why it was rejected if that is impossible.

    For callers that also need the links. is_plain: True to read only the plain markup (crawler.plain_markup)
    """
    named = {name.lower(): value for name, value in headers.items()}
    content_type = named.get("content-type", "")
    if is_no_text_type(content_type) and is_attachment(named.get("content-disposition", "")):
        content_type = ""  # some servers send every attachment with the type of a program
    decoded = decode_page(body, content_type, url, rules.encoding)
    if isinstance(decoded, Rejected):
        return decoded
    has_markup = not content_type.lower().startswith("text/plain") and _TAG.search(decoded.text) is not None
    page = OpenPage(url, decoded, None)
    if has_markup:
        _parse_whole(page, is_plain=is_plain)
    return page


def _parse_whole(page: OpenPage, *, is_plain: bool) -> None:
    """Parse the tree of a page. If no tree of limited size can contain the page, parse its plain markup."""
    if not is_plain:
        markup, crowded = _CROWDED_TAG.subn(r"\1", page.decoded.text)
        if crowded:
            page.decoded = replace(page.decoded, text=markup)
            page.skipped.append(SkippedPart.ATTRIBUTES)
        is_plain = markup.count("<") > MAX_TAGS or markup.count("=") > MAX_ATTRIBUTES
    if not is_plain:
        markup, are_ended = with_ends(page.decoded.text)
        page.decoded = replace(page.decoded, text=markup)
        page.tree, is_whole = parse_bounded(markup)
        is_plain = not (is_whole and are_ended)
    if is_plain:
        page.is_plain = True
        page.skipped.append(SkippedPart.MARKUP)
        page.tree = parse(plain_markup(page.decoded.text))


def _media_type(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def is_no_text_type(content_type: str) -> bool:
    """Return True if a content type is not that of text.

    >>> is_no_text_type("image/png"), is_no_text_type("application/x-unheard-of"), is_no_text_type("")
    (True, False, False)
    """
    return _NO_TEXT_TYPES.match(_media_type(content_type)) is not None


def is_page_type(content_type: str) -> bool:
    """Return True if a content type is missing or that of a page. Other responses are files for download."""
    return _PAGE_TYPES.match(_media_type(content_type)) is not None


def is_attachment(content_disposition: str) -> bool:
    """Return True if a Content-Disposition header declares an attachment."""
    return content_disposition.strip().lower().startswith("attachment")


def decode_page(body: bytes, content_type: str, url: str, hint: str = "") -> Decoded | Rejected:
    """Decode the characters of a response, or return why it was rejected. hint: the charset stated by the operator."""
    media_type = _media_type(content_type)
    has_mark = _BINARY.match(body) is not None
    if has_mark and media_type not in _SHOWN_TYPES:
        return Rejected(Rejection.NOT_HTML, Message("page.binary", url=url))
    if is_no_text_type(media_type):
        return Rejected(Rejection.NOT_HTML, Message("page.content-type", url=url, kind=media_type))
    charset = _CHARSET.search(content_type)
    decoded = decode(body, charset[1] if charset else "", hint)
    if has_mark and not (isinstance(decoded, Decoded) and _is_text(decoded.text)):
        return Rejected(Rejection.NOT_HTML, Message("page.binary", url=url))
    if isinstance(decoded, Decoded):
        return decoded
    return Rejected(decoded, Message("page.encoding", url=url))


def _is_text(text: str) -> bool:
    """Return True if a response that begins like a file is text nevertheless."""
    return _TAG.search(text, 0, _FIRST_CHARS) is not None or _CONTROLS.search(text, _MARK_CHARS) is None


def is_shown_as_page(body: bytes, content_type: str) -> bool:
    """Return True if a response that begins like a file is served as a page and has a tag near its start."""
    return _media_type(content_type) in _SHOWN_TYPES and _TAG.search(body[:_FIRST_CHARS].decode("latin-1")) is not None


# Finds the ends of elements with invisible content, which libxml2 may find much later than browsers do.
#
# In browsers with scripts, the content of <noscript> is text that ends at the next </noscript>. Browsers also accept a
# </button> that libxml2 ignores because a <div> is open inside.

MAX_LOOKED_AT = 1_000  # chosen: pages have up to a hundred; examining one takes 30 us, and its content is parsed again
_RAW = "|".join(
    rf"{name}(?=[\s/>]){ATTRIBUTES}(?:>.*?(?:</{name}(?=[\s/>])|\Z)|\Z)" for name in RAW_ELEMENTS if name != "noscript"
)
_ENDED = r"(?:noscript|button|object|select|template)(?=[\s/>])"
_ELEMENT = re.compile(
    rf"(?:[^<]++|<!--(?:-?>|.*?(?:--!?>|\Z))|<(?!{_ENDED})(?:{_RAW}|/?[a-z][^\s/>]*+{ATTRIBUTES}(?:>|\Z)|))*+"
    rf"(?:<(?P<name>{_ENDED}){ATTRIBUTES}(?:>(?P<content>.*?)(?=</(?P=name)[\s/>]|\Z)|\Z)|\Z)",
    re.DOTALL | re.IGNORECASE | re.VERBOSE,
)
_ANY = re.compile(f"<{_ENDED}", re.IGNORECASE)


def with_ends(markup: str) -> tuple[str, bool]:
    """Return the markup with <noscript> elements that do not end emptied, and True if all other elements end.

    >>> with_ends("<noscript><!--</noscript>渡口<noscript><p>石阶</noscript>")
    ('<noscript></noscript>渡口<noscript><p>石阶</noscript>', True)
    >>> with_ends("<button><div></div></button>渡口"), with_ends("<button><div></button>渡口")
    (('<button><div></div></button>渡口', True), ('<button><div></button>渡口', False))
    """
    if _ANY.search(markup) is None:
        return markup, True
    looked_at: dict[tuple[str, str], bool] = {}
    parts, at, are_ended = [], 0, True
    for match in _ELEMENT.finditer(markup):
        if match["content"] is None:
            break
        name, content = match["name"].lower(), match["content"]
        if (name, content) not in looked_at:
            looked_at[name, content] = len(looked_at) < MAX_LOOKED_AT and _is_ended(name, content)
        if looked_at[name, content]:
            continue
        if name == "noscript":
            parts.append(markup[at : match.start("content")])
            at = match.end("content")
        else:
            are_ended = False
    return "".join([*parts, markup[at:]]), are_ended


def _is_ended(name: str, content: str) -> bool:
    """Return True if libxml2 ends an element at its end tag in the page."""
    if "<" not in content:
        return True
    if name != "noscript" and f"<{name}" in content.lower():
        return True  # a nested element with the same name has an end tag of its own
    last = parse(f"<div><{name}>{content}</{name}><p>.</p></div>")
    while last is not None and len(last):
        last = last[-1]
    return last is not None and last.text == "." and not any(node.tag in UNSEEN for node in last.iterancestors())
