"""What the crawler reads in a response: the one function that the crawl, `zhuiwen check` and `zhuiwen read` share."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from lxml.html import HtmlElement

from core.pages import Reading
from core.states import Rejection
from core.text import storable
from core.wording import Message
from crawler.characters.decoding import Decoded, decode
from crawler.characters.repertoire import count_han
from crawler.main_text.extraction import MIN_HAN_TO_KEEP, Extraction, Sieve, everything, extract
from crawler.markup import parse
from crawler.obfuscation.deobfuscation import MARKUP_ALONE, Deobfuscation, RenderContext, deobfuscate
from crawler.obfuscation.text_repairs import cleaned, merged


class ReadingRules(Protocol):
    """What a site says of its pages; core.pages.CrawlPlan is one."""

    @property
    def body_selector(self) -> str: ...

    @property
    def title_selector(self) -> str: ...

    @property
    def encoding(self) -> str: ...


@dataclass(frozen=True, slots=True)
class NoRules:
    """Nothing is known of the site."""

    body_selector: str = ""
    title_selector: str = ""
    encoding: str = ""


@dataclass(frozen=True, slots=True)
class Rejected:
    """Why nothing was read, and what is said of this page."""

    reason: Rejection
    message: Message


NO_RULES = NoRules()
_TEXT_TYPES = re.compile(r"^(?:text/(?:html|plain|xml|vnd\.wap\.wml)|application/(?:xhtml\+xml|xml|octet-stream))$")
_BINARY_MARKS = (
    b"%PDF",
    b"\x89PNG",
    b"PK\x03\x04",
    b"GIF8",
    b"\xff\xd8\xff",
    b"\x1f\x8b",
    b"Rar!",
    b"RIFF",
    b"7z\xbc\xaf",
    b"\xd0\xcf\x11\xe0",
    b"\x7fELF",
)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_TAG = re.compile(r"<(?:!doctype|[a-z][a-z0-9]{0,15})[\s/>]", re.IGNORECASE)


@dataclass(slots=True)
class OpenPage:
    """A response whose characters are known, before anything is taken out of it."""

    url: str
    decoded: Decoded
    tree: HtmlElement | None  # None for plain text


def read_page(
    body: bytes,
    headers: Mapping[str, str],
    url: str,
    rules: ReadingRules = NO_RULES,
    context: RenderContext = MARKUP_ALONE,
) -> Reading | Rejected:
    """What stands on a page: text, title, author, time, encoding, and the obfuscations of markup that were undone.

    headers: names in any case; only Content-Type is looked at. context: what there is beside the bytes. Raises
    BadConfiguration for a selector of `rules` that cannot be read, and nothing for anything that a page may contain.
    """
    page = open_page(body, headers, url, rules)
    return page if isinstance(page, Rejected) else read_opened(page, rules, context=context)


def open_page(body: bytes, headers: Mapping[str, str], url: str, rules: ReadingRules = NO_RULES) -> OpenPage | Rejected:
    """The first half of `read_page`: characters and tree, whole, for whoever wants the links as well."""
    content_type = next((value for name, value in headers.items() if name.lower() == "content-type"), "")
    decoded = decode_page(body, content_type, url, rules.encoding)
    if isinstance(decoded, Rejected):
        return decoded
    is_plain = content_type.lower().startswith("text/plain") or not _TAG.search(decoded.text)
    tree = None if is_plain else parse(decoded.text)
    return OpenPage(url, decoded, tree)


def read_opened(
    page: OpenPage, rules: ReadingRules = NO_RULES, sieve: Sieve = everything, context: RenderContext = MARKUP_ALONE
) -> Reading | Rejected:
    """The second half of `read_page`; the page's tree is used up. sieve: takes out what is the site's template."""
    if page.tree is None:
        return _read_plain(page.decoded, page.url)
    deobfuscation = deobfuscate(page.tree, page.url, context)
    extraction = extract(page.tree, page.url, rules.body_selector, rules.title_selector, sieve)
    if extraction is None:
        return _no_text(page.url)
    return _cleaned(_reading(extraction, page, deobfuscation), page.url)


def decode_page(body: bytes, content_type: str, url: str, hint: str = "") -> Decoded | Rejected:
    """The characters of a response, or why it has none."""
    media_type = content_type.partition(";")[0].strip().lower()
    if (media_type and not _TEXT_TYPES.match(media_type)) or body.startswith(_BINARY_MARKS):
        if body.startswith(_BINARY_MARKS):
            return Rejected(Rejection.NOT_HTML, Message("page.binary", url=url))
        return Rejected(Rejection.NOT_HTML, Message("page.content-type", url=url, kind=media_type))
    charset = _CHARSET.search(content_type)
    decoded = decode(body, charset[1] if charset else "", hint)
    if isinstance(decoded, Decoded):
        return decoded
    return Rejected(decoded, Message("page.encoding", url=url))


def _read_plain(decoded: Decoded, url: str) -> Reading | Rejected:
    kept = [line.strip(" \t\r\u3000\u00a0\ufeff") for line in storable(decoded.text).splitlines()]
    text = "\n".join(line for line in kept if line)
    if count_han(text) < MIN_HAN_TO_KEEP:
        return _no_text(url)
    reading = Reading(
        title="",
        text=text,
        encoding=decoded.encoding,
        is_encoding_doubtful=decoded.is_doubtful,
        extractor="plain",
        repairs=decoded.repairs,
    )
    return _cleaned(reading, url)


def _no_text(url: str) -> Rejected:
    return Rejected(Rejection.NO_MAIN_TEXT, Message("page.no-text", url=url, chars=MIN_HAN_TO_KEEP))


def _cleaned(reading: Reading, url: str) -> Reading:
    """A reading without what was strewn into its text; what its markup hid was undone before."""
    clean = cleaned(reading.text, url)
    if clean.text == reading.text or count_han(clean.text) < MIN_HAN_TO_KEEP:
        return reading
    obfuscations = merged([*reading.obfuscations, *clean.obfuscations])
    return replace(reading, text=clean.text, raw_text=reading.raw_text or reading.text, obfuscations=obfuscations)


def _reading(extraction: Extraction, page: OpenPage, deobfuscation: Deobfuscation) -> Reading:
    decoded, tree = page.decoded, page.tree
    obfuscations = deobfuscation.found(tree, extraction.text) if tree is not None else ()
    raw_text = deobfuscation.raw_text(tree, extraction.text, decoded.text) if tree is not None and obfuscations else ""
    # The markup was clean; character references (&#1;) bring in what cannot be stored all the same.
    return Reading(
        title=storable(extraction.title),
        text=storable(extraction.text),
        author=storable(extraction.author),
        published=extraction.published,
        encoding=decoded.encoding,
        is_encoding_doubtful=decoded.is_doubtful,
        extractor=extraction.extractor,
        confidence=extraction.confidence,
        obfuscations=tuple(replace(one, example=storable(one.example)) for one in obfuscations),
        site_name=storable(extraction.site_name),
        chapter_number=extraction.chapter_number,
        raw_text="" if raw_text == extraction.text else storable(raw_text),
        left_out=tuple(storable(line) for line in extraction.left_out),
        repairs=decoded.repairs,
    )
