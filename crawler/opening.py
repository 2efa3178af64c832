"""Opens a response: decodes its characters and parses its tree, or says why it has none."""

import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeVar

from lxml.html import HtmlElement

from core.pages import CrawlPlan
from core.states import Rejection
from core.wording import Message
from crawler.characters.decoding import Decoded, decode
from crawler.markup import UNSEEN, parse, parse_bounded
from crawler.plain_markup import ATTRIBUTES, RAW_ELEMENTS, plain_markup

# The steps of reading one page, each with a budget of its own: one that exceeds it is left out, and named.
#
# Whoever walks over what a page may have any number of calls `check` on the way. What never gets there (a parser, a
# pattern) is bounded by the reading process, which then reads the page by its plain markup (crawler.plain_markup).

T = TypeVar("T")


class Step(StrEnum):
    """A step of reading a page that may be left out; the value is its name in a page's source, in any language."""

    MARKUP = "html"  # the tree as it stands: the plain markup is read instead
    ATTRIBUTES = "attributes"  # those of an element beyond the first 200
    LINKS = "href"
    SCRIPTS = "script"
    STYLE = "style"
    STYLE_ATTRIBUTES = "style="
    HIDDEN = "display"
    CONTENT = "content"
    FONTS = "@font-face"
    PICTURES = "img"
    ORDER = "order"
    TEXT = "text"  # what stands between its characters, and where each stood in the source


# Of the processor, for one step. The slowest page of the corpora takes .4 s for all of them; the first glyph or picture
# that a process reads costs 1.8 s, for its recogniser is loaded (2026-11).
MAX_CPU_S = 0.8
_MAX_CPU_S_OF_EYES = {Step.FONTS: 3.0, Step.PICTURES: 3.0}
# By the clock, where other processes work for a step: 4,000 glyphs of Noto Serif take 6 s (2026-11).
MAX_SECONDS = 20.0


class TooCostly(Exception):
    """A step exceeds its budget. Never leaves crawler.reading."""

    def __init__(self, step: Step) -> None:
        self.step = step
        super().__init__(step)


class ReadingSteps:
    """The steps of reading a page that are left out, and the budget of the one under way."""

    def __init__(self) -> None:
        self.left_out: list[Step] = []
        self._step: Step | None = None
        self._cpu_until = self._until = 0.0

    def leave_out(self, step: Step) -> None:
        """Read the page without a step."""
        if step not in self.left_out:
            self.left_out.append(step)

    def run(self, step: Step, call: Callable[[], T], otherwise: T) -> T:
        """Return the result of the step; `otherwise` where it is left out."""
        if step in self.left_out:
            return otherwise
        with self._under_way(step):
            return call()

    def check(self) -> None:
        """Raise TooCostly where the step under way has used up its budget."""
        if self._step is not None and (time.thread_time() > self._cpu_until or time.monotonic() > self._until):
            raise TooCostly(self._step)

    @contextmanager
    def exclude_time(self) -> Iterator[None]:
        """Exclude the time of preparing something that all pages need from the budget."""
        cpu_s, seconds = time.thread_time(), time.monotonic()
        try:
            yield
        finally:
            self._cpu_until += time.thread_time() - cpu_s
            self._until += time.monotonic() - seconds

    @contextmanager
    def _under_way(self, step: Step) -> Iterator[None]:
        """Charge time to the step; a step inside another one is not charged to that one."""
        around = self._step, self._cpu_until, self._until
        cpu_s, seconds = time.thread_time(), time.monotonic()
        max_cpu_s = _MAX_CPU_S_OF_EYES.get(step, MAX_CPU_S)
        self._step, self._cpu_until, self._until = step, cpu_s + max_cpu_s, seconds + MAX_SECONDS
        try:
            yield
        finally:
            self._step, cpu_until, until = around
            self._cpu_until = cpu_until + time.thread_time() - cpu_s
            self._until = until + time.monotonic() - seconds


@dataclass(frozen=True, slots=True)
class PageRules:
    """The rules alone, for what belongs to no crawl; by itself it says that nothing is known of the site."""

    body_selector: str = ""
    title_selector: str = ""
    encoding: str = ""


@dataclass(frozen=True, slots=True)
class Rejected:
    """The reason why nothing was read, and the message for this page."""

    reason: Rejection
    message: Message


ReadingRules = CrawlPlan | PageRules
NO_RULES = PageRules()
# Whatever says so is not a text; what says anything else may be one: servers send what they do not know as they like.
_NO_TEXT_TYPES = re.compile(
    r"^(?:(?:image|audio|video|font|model|multipart)/.*|text/(?:css|(?:java|ecma)script|csv|calendar|vtt)"
    r"|application/(?:(?:x-)?(?:javascript|ecmascript)|wasm|(?:x-)?font.*|vnd\.ms-fontobject|(?:x-)?shockwave-flash"
    r"|vnd\.android\.package-archive|(?:x-)?ms(?:download|dos-program|i)|x-(?:executable|apple-diskimage|iso9660-image|bittorrent)))$"
)
_PAGE_TYPES = re.compile(r"^(?:|text/(?:html|plain|xml|vnd\.wap\.wml)|application/(?:xhtml\+xml|xml))$")
# Signs that begin them: a tag may be an element, which takes 20 us and 1 kB, an attribute takes 1 kB. The largest saved
# page has 15,397 and 8,507, a novel of two million characters on one page 100,000 tags (2026-11). Of a page with more
# the plain markup is read.
MAX_TAGS, MAX_ATTRIBUTES = 150_000, 300_000
MAX_ATTRIBUTES_OF_TAG = 200  # libxml2 compares each with all of its element; further ones are cut off
# How files begin that are no text, whatever they are served as: documents, pictures, fonts, sounds, programs.
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
# Browsers show what is served as one of these, however it begins.
_SHOWN_TYPES = frozenset({"text/html", "text/plain", "application/xhtml+xml"})
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_MARK_CHARS, _FIRST_CHARS = 40, 1_024  # the longest mark of a file; where a page has a tag
_TAG = re.compile(r"<(?:!doctype|[a-z][a-z0-9]{0,15})[\s/>]", re.IGNORECASE)


@dataclass(slots=True)
class OpenPage:
    """A response whose characters are known, before anything is taken out of it.

    tree: None for plain text, and once it is used up. notes: what of it could not be read here, for the operator;
    filled while it is read. steps: what of reading it is left out.
    """

    url: str
    decoded: Decoded
    tree: HtmlElement | None
    notes: list[Message] = field(default_factory=list)
    steps: ReadingSteps = field(default_factory=ReadingSteps)
    is_plain: bool = False  # the tree is that of the plain markup

    def parse_again(self, *, is_plain: bool = False) -> None:
        """Make the tree anew, after a step that was given up half-way. is_plain: that of the plain markup."""
        if is_plain:
            self.is_plain = True
            self.steps.leave_out(Step.MARKUP)
        self.tree = parse(plain_markup(self.decoded.text) if self.is_plain else self.decoded.text)


def open_page(
    body: bytes, headers: Mapping[str, str], url: str, rules: ReadingRules = NO_RULES, *, is_plain: bool = False
) -> OpenPage | Rejected:
    """Do the first half of `read_page`: characters and tree, whole, for callers that want the links as well.

    is_plain: only the plain markup is read (crawler.plain_markup).
    """
    named = {name.lower(): value for name, value in headers.items()}
    content_type = named.get("content-type", "")
    if is_no_text_type(content_type) and is_attachment(named.get("content-disposition", "")):
        content_type = ""  # some servers send whatever is to be kept as if it were a program
    decoded = decode_page(body, content_type, url, rules.encoding)
    if isinstance(decoded, Rejected):
        return decoded
    has_markup = not content_type.lower().startswith("text/plain") and _TAG.search(decoded.text) is not None
    page = OpenPage(url, decoded, None)
    if has_markup:
        _parse_whole(page, is_plain=is_plain)
    return page


def _parse_whole(page: OpenPage, *, is_plain: bool) -> None:
    """Make the tree of a page; of one that no tree of bounded size holds, that of its plain markup."""
    if not is_plain:
        markup, crowded = _CROWDED_TAG.subn(r"\1", page.decoded.text)
        if crowded:
            page.decoded = replace(page.decoded, text=markup)
            page.steps.leave_out(Step.ATTRIBUTES)
        is_plain = markup.count("<") > MAX_TAGS or markup.count("=") > MAX_ATTRIBUTES
    if not is_plain:
        markup, are_ended = with_ends(page.decoded.text)
        page.decoded = replace(page.decoded, text=markup)
        page.tree, is_whole = parse_bounded(markup)
        is_plain = not (is_whole and are_ended)
    if is_plain:
        page.parse_again(is_plain=True)


def _media_type(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def is_no_text_type(content_type: str) -> bool:
    """Return True if a response's content type has no text.

    >>> is_no_text_type("image/png"), is_no_text_type("application/x-unheard-of"), is_no_text_type("")
    (True, False, False)
    """
    return _NO_TEXT_TYPES.match(_media_type(content_type)) is not None


def is_page_type(content_type: str) -> bool:
    """Return True if a response's content type is a page's, or missing; anything else is a file for download."""
    return _PAGE_TYPES.match(_media_type(content_type)) is not None


def is_attachment(content_disposition: str) -> bool:
    """Return True if a response is an attachment, by its header."""
    return content_disposition.strip().lower().startswith("attachment")


def decode_page(body: bytes, content_type: str, url: str, hint: str = "") -> Decoded | Rejected:
    """Decode the characters of a response, or return why it has none."""
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
    """Return True for a page that only begins like a file."""
    return _TAG.search(text, 0, _FIRST_CHARS) is not None or _CONTROLS.search(text, _MARK_CHARS) is None


def is_shown_as_page(body: bytes, content_type: str) -> bool:
    """Return True for a response that begins like a file, is served as a page, and has a tag where a page has one."""
    return _media_type(content_type) in _SHOWN_TYPES and _TAG.search(body[:_FIRST_CHARS].decode("latin-1")) is not None


# Where elements end that show nothing of what is in them: there for a browser, much later for libxml2.
#
# To a browser with scripts <noscript> is a text that ends at the next </noscript>, whatever is in it. And browsers take
# </button> where libxml2 passes it over because a <div> is open inside.

MAX_LOOKED_AT = (
    1_000  # chosen: pages have up to a hundred; to look at one takes 30 us, what it holds is parsed once more
)
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
    """Return the markup, unclosed <noscript> elements emptied, and whether all other elements are closed.

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
    """Return True if libxml2 ends the element where the page does."""
    if "<" not in content:
        return True
    if name != "noscript" and f"<{name}" in content.lower():
        return True  # one inside of another one: its end is not this one
    last = parse(f"<div><{name}>{content}</{name}><p>.</p></div>")
    while last is not None and len(last):
        last = last[-1]
    return last is not None and last.text == "." and not any(node.tag in UNSEEN for node in last.iterancestors())
