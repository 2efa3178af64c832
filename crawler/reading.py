"""What the crawler reads in a response: the one function that the crawl, `zhuiwen check` and `zhuiwen read` share."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from lxml.html import HtmlElement

from core.pages import Reading
from core.states import Rejection
from core.text import storable
from crawler.characters.decoding import Decoded, decode
from crawler.characters.repertoire import count_han
from crawler.disguises.strewn import cleaned, merged
from crawler.disguises.undoing import NO_SIGHT, Sight, Undoing, undo
from crawler.main_text.extraction import MIN_HAN_TO_KEEP, Extraction, Sieve, everything, extract
from crawler.markup import parse


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
    """Why nothing was read, and one sentence that says it of this page."""

    reason: Rejection
    sentence: str


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
    body: bytes, headers: Mapping[str, str], url: str, rules: ReadingRules = NO_RULES, sight: Sight = NO_SIGHT
) -> Reading | Rejected:
    """What stands on a page: text, title, author, time, encoding, and the disguises of markup that were undone.

    headers: names in any case; only Content-Type is looked at. sight: what is looked with beside the bytes. Raises
    BadConfiguration for a selector of `rules` that cannot be read, and nothing for anything that a page may contain.
    """
    page = open_page(body, headers, url, rules)
    return page if isinstance(page, Rejected) else read_opened(page, rules, sight=sight)


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
    page: OpenPage, rules: ReadingRules = NO_RULES, sieve: Sieve = everything, sight: Sight = NO_SIGHT
) -> Reading | Rejected:
    """The second half of `read_page`; the page's tree is used up. sieve: takes out what is the site's template."""
    if page.tree is None:
        return _read_plain(page.decoded, page.url)
    undoing = undo(page.tree, page.url, sight)
    extraction = extract(page.tree, page.url, rules.body_selector, rules.title_selector, sieve)
    if extraction is None:
        return _no_text(page.url)
    return _cleaned(_reading(extraction, page, undoing), page.url)


def decode_page(body: bytes, content_type: str, url: str, hint: str = "") -> Decoded | Rejected:
    """The characters of a response, or why it has none."""
    media_type = content_type.partition(";")[0].strip().lower()
    if (media_type and not _TEXT_TYPES.match(media_type)) or body.startswith(_BINARY_MARKS):
        kind = "its content is binary" if body.startswith(_BINARY_MARKS) else f"its content type is {media_type}"
        return Rejected(Rejection.NOT_HTML, f"{url} is no web page: {kind}")
    charset = _CHARSET.search(content_type)
    decoded = decode(body, charset[1] if charset else "", hint)
    if isinstance(decoded, Decoded):
        return decoded
    return Rejected(decoded, f"{url} is in no encoding that gives text; if you know it, set the site's encoding")


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
    return Rejected(Rejection.NO_MAIN_TEXT, f"{url} has no main text of {MIN_HAN_TO_KEEP} Chinese characters or more")


def _cleaned(reading: Reading, url: str) -> Reading:
    """A reading without what was strewn into its text; what its markup hid was undone before."""
    clean = cleaned(reading.text, url)
    if clean.text == reading.text or count_han(clean.text) < MIN_HAN_TO_KEEP:
        return reading
    disguises = merged([*reading.disguises, *clean.disguises])
    return replace(reading, text=clean.text, raw_text=reading.raw_text or reading.text, disguises=disguises)


def _reading(extraction: Extraction, page: OpenPage, undoing: Undoing) -> Reading:
    decoded, tree = page.decoded, page.tree
    disguises = undoing.found(tree, extraction.text) if tree is not None else ()
    raw_text = undoing.raw_text(tree, extraction.text, decoded.text) if tree is not None and disguises else ""
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
        disguises=tuple(replace(one, example=storable(one.example)) for one in disguises),
        site_name=storable(extraction.site_name),
        chapter_number=extraction.chapter_number,
        raw_text="" if raw_text == extraction.text else storable(raw_text),
        left_out=tuple(storable(line) for line in extraction.left_out),
        repairs=decoded.repairs,
    )
