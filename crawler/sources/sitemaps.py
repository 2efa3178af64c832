"""Reads sitemaps. Their decompressed size is limited in the same way as that of pages."""

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from lxml import etree
from protego import Protego

from core.pages import Reading
from crawler.fetching.bodies import declares_entities
from crawler.main_text.publication import find_datetime
from crawler.sources.url_list import BadAddress, read_url_list

# What a sitemap or a feed states about a page, before the page is fetched.

MAX_TITLE_CHARS = 500  # of a listed page; a crawl stores the entries of a hundred lists


@dataclass(frozen=True, slots=True)
class ListedPage:
    """An entry of a list. modified: when the page last changed according to the site, or None."""

    url: str
    title: str = ""
    published: datetime | None = None
    modified: datetime | None = None
    author: str = ""


def sort_newest_first(entries: "tuple[ListedPage, ...]") -> "tuple[ListedPage, ...]":
    """Sort entries by their stated time, newest first. Entries without a time come last, in their order."""
    return tuple(sorted(entries, key=_entry_age))


def complete_reading(reading: Reading, listed: ListedPage | None) -> Reading:
    """Return a reading with the title, time and author that a list states if the page itself states none."""
    if listed is None:
        return reading
    return replace(
        reading,
        title=reading.title or listed.title,
        published=reading.published or listed.published,
        author=reading.author or listed.author,
    )


def _entry_age(entry: ListedPage) -> float:
    moment = entry.modified or entry.published
    return -moment.timestamp() if moment is not None else -datetime(1970, 1, 1, tzinfo=UTC).timestamp()


_MAX_ENTRIES = 50_000  # the protocol's own limit for a file
# Only blanks, because matching line breaks as well would take quadratic time on a sequence of empty lines.
_ROBOTS_LINE = re.compile(r"^[ \t]*(?:site-?map|sitemaps)[ \t]*[: \t][ \t]*(\S+)", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Sitemap:
    """The pages and the further sitemaps that a sitemap lists, the newest first.

    entries: the pages with their time of change (lastmod) and, for news, their time of publication and title.
    skipped_lines: the number of lines in a plain-text sitemap that are not URLs
    """

    entries: tuple[ListedPage, ...]
    sitemaps: tuple[str, ...]
    skipped_lines: int = 0

    @property
    def pages(self) -> tuple[str, ...]:
        return tuple(entry.url for entry in self.entries)


def read_sitemap(body: bytes, max_bytes: int) -> Sitemap | None:
    """Return the content of a sitemap: XML, or one URL per line, gzipped or not.

    Return None if the body is no sitemap, is larger than `max_bytes`, or declares entities.
    """
    plain = _decompress(body, max_bytes)
    if plain is None or declares_entities(plain):
        return None
    if not plain.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return _read_lines(plain)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True, huge_tree=False)
    try:
        root = etree.fromstring(plain, parser)
    except etree.XMLSyntaxError:
        return None
    if root is None or _tag_name(root) not in ("urlset", "sitemapindex"):
        return None
    pages, sitemaps = _sitemap_entries(root, "url"), _sitemap_entries(root, "sitemap")
    return Sitemap(sort_newest_first(pages), tuple(entry.url for entry in sort_newest_first(sitemaps)))


def named_in_robots(robots: str) -> list[str]:
    r"""Return the URLs of the sitemaps that a robots.txt names.

    >>> named_in_robots("User-agent: *\nSitemap: http://a.example/s.xml")
    ['http://a.example/s.xml']
    """
    return _ROBOTS_LINE.findall(robots)[:50]


def _sitemap_entries(root: etree._Element, kind: str) -> tuple[ListedPage, ...]:
    found = (_read_entry(node) for node in root.iter() if _tag_name(node) == kind)
    return tuple(entry for entry, _ in zip(filter(None, found), range(_MAX_ENTRIES), strict=False))


def _read_entry(node: etree._Element) -> ListedPage | None:
    """Return the entry of a <url> or <sitemap>, or None if it has no URL. URLs of images in it do not count."""
    said = {_tag_name(child): (child.text or "").strip() for child in node}
    news = {
        _tag_name(child): (child.text or "").strip() for part in node if _tag_name(part) == "news" for child in part
    }
    if not said.get("loc"):
        return None
    return ListedPage(
        url=said["loc"],
        title=" ".join(news.get("title", "").split())[:MAX_TITLE_CHARS],
        published=find_datetime(news.get("publication_date", "")),
        modified=find_datetime(said.get("lastmod", "")),
    )


def _read_lines(plain: bytes) -> Sitemap | None:
    found = read_url_list(plain.decode("utf-8", "replace"))
    if not found.urls:
        return None
    skipped = sum(line.fault is not BadAddress.TOO_MANY for line in found.bad)
    return Sitemap(tuple(map(ListedPage, found.urls)), (), skipped)


def _decompress(body: bytes, max_bytes: int) -> bytes | None:
    if not body.startswith(b"\x1f\x8b"):
        return body if len(body) <= max_bytes else None
    inflater = zlib.decompressobj(wbits=31)
    try:
        plain = inflater.decompress(body, max_bytes)
    except zlib.error:
        return None
    return None if inflater.unconsumed_tail else plain


def _tag_name(node: etree._Element | None) -> str:
    """Return the name of a tag without its namespace. libxml2 makes an undeclared prefix part of the name."""
    if node is None or not isinstance(node.tag, str):
        return ""
    return node.tag.rpartition("}")[2].rpartition(":")[2]


# Reads robots.txt with protego in the reading process, because many agents with many rules can exhaust the memory.

MAX_ROBOTS_BYTES = 500 * 1024  # the minimum that RFC 9309, 2.5, requires; Google reads no more
# The directives that protego knows, including the misspellings that it accepts.
_AGENT = re.compile(r"\s*user[- ]?agent\s*[:\s]\s*(?P<value>[^#]*)", re.IGNORECASE)
_RULE = re.compile(
    r"\s*(?:allow|dis{1,2}al{1,2}ow|diasllow|disallaw|site-?map|sitemaps|host|crawl[- ]delay|request[- ]rate"
    r"|visit[- ]time)\s*[:\s]",
    re.IGNORECASE,
)


def read_robots(body: bytes) -> Protego:
    """Return the rules of a robots.txt. What exceeds MAX_ROBOTS_BYTES is ignored."""
    text = body[:MAX_ROBOTS_BYTES].decode("utf-8-sig", "ignore")
    return Protego.parse("\n".join(_known_lines(text)))


def _known_lines(text: str) -> Iterator[str]:
    """Yield the lines that protego knows.

    It would end a group at any other line, which RFC 9309, 2.2.4, requires to be ignored. The name of an agent is one
    word (2.2.1); the rest is dropped, unless it is a whole User-Agent header.
    """
    for line in text.splitlines():
        agent = _AGENT.match(line)
        if agent is not None:
            value = agent["value"]
            yield "User-agent: " + (value if "(" in value else "".join(value.split()[:1]))
        elif _RULE.match(line):
            yield line
