"""Reads feeds: RSS 0.9 to 2.0 and Atom with feedparser, even if broken and in any encoding, and JSON Feed.

Nothing is fetched here.
"""

import io
import json
import re
from calendar import timegm
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from typing import Any

import feedparser
from lxml.html import HtmlElement

from core.text import storable
from crawler.characters.decoding import Decoded, decode
from crawler.links import absolute_url
from crawler.main_text.publication import find_datetime
from crawler.markup import parse
from crawler.sources.sitemaps import MAX_TITLE_CHARS, ListedPage

MAX_AUTHOR_CHARS = 200
MAX_ENTRIES = 5_000  # some feeds contain the whole archive of a blog; feed readers accept some hundreds
# The start of a feed. The text before it is skipped: the declared encoding, which is already known, and a DOCTYPE with
# entities, which are not expanded. feedparser knows the usual entities.
_ROOT = re.compile(r"<(?:[A-Za-z][\w.-]{0,30}:)?(?:rss|feed|rdf|channel)\b", re.IGNORECASE)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json"})
# Matches every version: 1.1 extends 1, and an incompatible version would have another name.
_JSON_FEED = "jsonfeed.org/version/"


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """An entry of a feed.

    content: the whole text as HTML (content:encoded, atom:content), or "" if the feed lacks it.
    """

    listed: ListedPage
    content: str = ""


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed, with its entries in order. next_page: the URL of the next part of the feed (RFC 5005), or ""."""

    title: str
    entries: tuple[FeedEntry, ...]
    next_page: str = ""


def parse_feed_or_urls(body: bytes, content_type: str, url: str, hint: str = "") -> Feed | tuple[str, ...]:
    """Return the content of a feed, or the URLs of the feeds that a page names.

    The parameters are those of `read_feed`.
    """
    feed = read_feed(body, content_type, url, hint)
    return feed if feed is not None and (feed.entries or feed.title) else named_feeds(body, url)


def read_feed(body: bytes, content_type: str, url: str, hint: str = "") -> Feed | None:
    """Return the content of a feed, or None if the body is no feed. Entries without the URL of a page are dropped.

    content_type: the header. url: the URL of the feed, to resolve relative URLs. hint: the charset stated by the
    operator.
    """
    charset = _CHARSET.search(content_type)
    decoded = decode(body, charset[1] if charset else "", hint)
    if not isinstance(decoded, Decoded):
        return None
    if decoded.text.lstrip("\ufeff \t\r\n").startswith("{"):
        return _read_json_feed(decoded.text.lstrip("\ufeff"), url)
    root = _ROOT.search(decoded.text)
    if root is None:
        return None
    plain = decoded.text[root.start() :]
    parsed = _parse_feed(plain, url)
    if not parsed.get("version") and not parsed.get("entries"):
        return None
    entries = (_feed_entry(entry, url) for entry in parsed["entries"][:MAX_ENTRIES])
    links = parsed["feed"].get("links", ())
    return Feed(
        title=str(parsed["feed"].get("title", "")),
        entries=tuple(entry for entry in entries if entry is not None),
        next_page=next((absolute_url(link.get("href"), url) for link in links if link.get("rel") == "next"), ""),
    )


def _read_json_feed(text: str, url: str) -> Feed | None:
    """Read JSON Feed 1.0 or 1.1. Return None for other JSON or invalid data."""
    try:
        stated = json.loads(text, strict=False)  # also accepts line breaks in strings, which are common
    except (ValueError, RecursionError):
        return None
    if not isinstance(stated, dict) or _JSON_FEED not in str(stated.get("version")):
        return None
    items = stated.get("items")
    listed = [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    authors = _json_authors(stated)
    entries = (_json_entry(item, url, authors) for item in listed[:MAX_ENTRIES])
    return Feed(
        title=_plain_words(stated.get("title")),
        entries=tuple(entry for entry in entries if entry is not None),
        next_page=absolute_url(_text_or_empty(stated.get("next_url")), url),
    )


def _json_entry(item: Mapping[str, Any], url: str, feed_authors: str) -> FeedEntry | None:
    """Return the entry of an item, or None if the item has neither a URL nor a URL as its id."""
    stated_id = _text_or_empty(item.get("id"))
    own = _text_or_empty(item.get("url")) or (stated_id if stated_id.startswith(("http://", "https://")) else "")
    address = absolute_url(own, url)
    if not address:
        return None
    modified = find_datetime(_text_or_empty(item.get("date_modified")))
    listed = ListedPage(
        url=address,
        title=_plain_words(item.get("title"))[:MAX_TITLE_CHARS],
        published=find_datetime(_text_or_empty(item.get("date_published"))) or modified,
        modified=modified,
        author=(_json_authors(item) or feed_authors)[:MAX_AUTHOR_CHARS],
    )
    plain = storable(_text_or_empty(item.get("content_text"))).splitlines()
    as_markup = "".join(f"<p>{escape(line)}</p>" for line in plain if line.strip())
    return FeedEntry(listed, storable(_text_or_empty(item.get("content_html"))) or as_markup)


def _json_authors(stated: Mapping[str, Any]) -> str:
    """Return the names in `authors` (JSON Feed 1.1) or `author` (1.0), joined by "、"."""
    several = stated.get("authors")
    given = several if isinstance(several, list) else [stated.get("author")]
    names = [_plain_words(author.get("name")) for author in given if isinstance(author, dict)]
    return "、".join(name for name in names if name)


def _text_or_empty(value: object) -> str:
    return value if isinstance(value, str) else ""


def _plain_words(value: object) -> str:
    return " ".join(storable(_text_or_empty(value)).split())


def named_feeds(body: bytes, url: str) -> tuple[str, ...]:
    """Return the URLs of the feeds that a web page names in <link rel=alternate>."""
    decoded = decode(body)
    tree = parse(decoded.text) if isinstance(decoded, Decoded) else None
    return tuple(dict.fromkeys(_alternate_feed_urls(tree, url))) if tree is not None else ()


def _parse_feed(plain: str, url: str) -> Mapping[str, Any]:
    """Parse a feed with feedparser. Return an empty mapping if it fails, as at an invalid character reference."""
    try:
        # As a file in memory, because feedparser could take a string for a URL or a file name.
        parsed: Mapping[str, Any] = feedparser.parse(
            io.BytesIO(plain.encode("utf-8", "replace")),
            response_headers={"content-type": "application/xml; charset=utf-8", "content-location": url},
            # Contents are read later like any page, and their URLs are resolved then.
            sanitize_html=False,
            resolve_relative_uris=False,
        )
    except MemoryError:
        raise
    except Exception:
        return {}
    return parsed


def _alternate_feed_urls(tree: HtmlElement, url: str) -> Iterator[str]:
    for node in tree.iter("link"):
        is_alternate = "alternate" in (node.get("rel") or "").lower().split()
        kind = (node.get("type") or "").partition(";")[0].strip().lower()
        # JSON Feed 1.0 used this type, but other JSON interfaces of sites use it, too.
        is_json = kind == "application/json" and "feed" in (node.get("href") or "").lower()
        if is_alternate and (kind in _FEED_TYPES or is_json):
            address = absolute_url(node.get("href"), url)
            if address:
                yield address


def _feed_entry(entry: Mapping[str, Any], url: str) -> FeedEntry | None:
    address = absolute_url(str(entry.get("link") or ""), url)
    if not address:
        return None
    listed = ListedPage(
        url=address,
        title=" ".join(str(entry.get("title") or "").split())[:MAX_TITLE_CHARS],
        published=_entry_moment(entry, "published") or _entry_moment(entry, "updated"),
        modified=_entry_moment(entry, "updated")
        if "updated_parsed" in set(entry)
        else None,  # feedparser would return `published` instead
        author=" ".join(str(entry.get("author") or "").split())[:MAX_AUTHOR_CHARS],
    )
    contents = [str(content.get("value") or "") for content in entry.get("content", ())]
    return FeedEntry(listed, max([*contents, ""], key=len))


def _entry_moment(entry: Mapping[str, Any], name: str) -> datetime | None:
    """Return a time in UTC. A time without a zone is Chinese time, whereas feedparser assumes UTC."""
    stated = find_datetime(str(entry.get(name) or ""))
    if stated is not None:
        return stated
    parsed = entry.get(f"{name}_parsed")
    try:
        return datetime.fromtimestamp(timegm(parsed), UTC) if parsed else None
    except (ValueError, TypeError, OverflowError, OSError):
        return None
