"""Sitemaps: what they list, as addresses; never larger than a page may be, however small they came compressed."""

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from lxml import etree

_MAX_ENTRIES = 50_000  # the protocol's own limit for one file
_ROBOTS_LINE = re.compile(r"^\s*sitemap\s*:\s*(\S+)", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Sitemap:
    """The pages that a sitemap lists and the other sitemaps that it names."""

    pages: tuple[str, ...]
    sitemaps: tuple[str, ...]


def read_sitemap(body: bytes, max_bytes: int) -> Sitemap | None:
    """What a sitemap lists: XML, or one address a line, gzipped or not. None for what is none, or too large."""
    plain = _inflated(body, max_bytes)
    if plain is None:
        return None
    if not plain.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return _read_lines(plain)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True, huge_tree=False)
    try:
        root = etree.fromstring(plain, parser)
    except etree.XMLSyntaxError:
        return None
    if root is None or _name(root) not in ("urlset", "sitemapindex"):
        return None
    found = [(_name(node.getparent()), (node.text or "").strip()) for node in root.iter() if _name(node) == "loc"]
    return Sitemap(_first(found, "url"), _first(found, "sitemap"))


def named_in_robots(robots: str) -> list[str]:
    r"""The sitemaps that a robots.txt names.

    >>> named_in_robots("User-agent: *\nSitemap: http://a.example/s.xml")
    ['http://a.example/s.xml']
    """
    return _ROBOTS_LINE.findall(robots)[:50]


def _first(found: Sequence[tuple[str, str]], parent: str) -> tuple[str, ...]:
    return tuple(address for kind, address in found if kind == parent and address)[:_MAX_ENTRIES]


def _read_lines(plain: bytes) -> Sitemap | None:
    addresses = [line.strip() for line in plain.decode("utf-8", "replace").splitlines() if line.strip()]
    if not addresses or not all(address.startswith(("http://", "https://")) for address in addresses):
        return None
    return Sitemap(tuple(addresses[:_MAX_ENTRIES]), ())


def _inflated(body: bytes, max_bytes: int) -> bytes | None:
    if not body.startswith(b"\x1f\x8b"):
        return body if len(body) <= max_bytes else None
    inflater = zlib.decompressobj(wbits=31)
    try:
        plain = inflater.decompress(body, max_bytes)
    except zlib.error:
        return None
    return None if inflater.unconsumed_tail else plain


def _name(node: etree._Element | None) -> str:
    return etree.QName(node).localname if node is not None and isinstance(node.tag, str) else ""
