"""Fetches the resources that are needed to read a page, such as style sheets, fonts, images and data.

A site decides what is requested, so the number, the size and the hosts of its resources are limited. Each URL is
checked by crawler.fetching.addresses before the request, here and again in the fetch function.
"""

import base64
import binascii
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote, unquote_to_bytes, urljoin, urlsplit

from core.captures import CapturedResource
from core.errors import UnsafeUrl
from core.hosts import host_key
from crawler.fetching.addresses import AddressGuard


class ResourceKind(StrEnum):
    """The purpose of a resource."""

    STYLE = "style"
    FONT = "font"
    PICTURE = "picture"
    DATA = "data"  # JSON or HTML fragments that scripts on the page request


MAX_BYTES = {
    ResourceKind.STYLE: 1_000_000,
    ResourceKind.FONT: 12_000_000,
    ResourceKind.PICTURE: 6_000_000,  # a chapter as one image of 800 x 12,000 px has 4 MB (2026-11)
    ResourceKind.DATA: 2_000_000,
}
# Per page. Chapters that display rare characters as images have up to 300, mostly of the same 100 files.
MAX_COUNT = {ResourceKind.STYLE: 6, ResourceKind.FONT: 4, ResourceKind.PICTURE: 300, ResourceKind.DATA: 4}
MAX_BYTES_OF_PAGE = 24_000_000
# Without this limit, a page with 300 images that each take the permitted ten seconds would need an hour.
MAX_SECONDS_OF_PAGE = 120.0
MAX_FOREIGN_HOSTS = 3  # per page, for its style sheets, fonts and images
# For all pages of a site. Each host costs a look-up and a stored robots.txt, and subdomains cost an attacker nothing.
MAX_FOREIGN_HOSTS_OF_SITE = 60
MAX_CACHED_BYTES = 32_000_000  # per site
MAX_NOTED_BYTES = 32_000_000  # for pages that have been read but are not stored yet
_SIGNATURES = (
    (b"\x89PNG", "image/png"),
    (b"GIF8", "image/gif"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"BM", "image/bmp"),
    (b"wOF2", "font/woff2"),
    (b"wOFF", "font/woff"),
    (b"OTTO", "font/otf"),
    (b"ttcf", "font/collection"),
    (b"\x00\x01\x00\x00", "font/ttf"),
    (b"true", "font/ttf"),
)

Fetch = Callable[[str, ResourceKind], bytes | None]


class Resources(Protocol):
    """The source of a page's resources."""

    def get(self, url: str, kind: ResourceKind) -> bytes | None:
        """Return the bytes at `url` (absolute, or data:), or None if the resource cannot or must not be fetched."""
        ...


class NoResources:
    """Provides only the resources that are embedded in a page as data: URLs."""

    def get(self, url: str, kind: ResourceKind) -> bytes | None:
        return decode_data_url(url, kind)


NO_RESOURCES = NoResources()


class FolderResources:
    """Provides the files of a folder as resources, by the paths of their URLs. For saved pages and tests."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()

    def get(self, url: str, kind: ResourceKind) -> bytes | None:
        if url.startswith("data:"):
            return decode_data_url(url, kind)
        path = (self._folder / unquote(urlsplit(url).path).lstrip("/")).resolve()
        if not path.is_relative_to(self._folder) or not path.is_file() or path.stat().st_size > MAX_BYTES[kind]:
            return None
        return path.read_bytes()


class SiteResources:
    """The resources of a site's pages, cached for further pages of the site. Thread-safe."""

    def __init__(self, fetch: Fetch, guard: AddressGuard) -> None:
        self._fetch, self._guard = fetch, guard
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, bytes | None] = OrderedDict()
        self._bytes = 0
        self._fetched_at: dict[str, datetime] = {}
        self._used: OrderedDict[str, dict[str, CapturedResource]] = OrderedDict()  # by the URL of the page
        self._used_bytes = 0
        self._foreign_hosts: set[str] = set()

    def of_page(self, url: str) -> "PageResources":
        return PageResources(self, url)

    def get(self, url: str, kind: ResourceKind) -> bytes | None:
        with self._lock:
            if url in self._kept:
                self._kept.move_to_end(url)
                return self._kept[url]
        try:
            self._guard.check_url(url)
        except UnsafeUrl:
            return None
        data = self._fetch(url, kind)
        if data is not None and len(data) > MAX_BYTES[kind]:
            data = None
        self._cache_resource(url, data)
        return data

    def admits_host(self, host: str) -> bool:
        """Return True if resources may be fetched from a host other than the page's own."""
        with self._lock:
            if host not in self._foreign_hosts and len(self._foreign_hosts) >= MAX_FOREIGN_HOSTS_OF_SITE:
                return False
            self._foreign_hosts.add(host)
        return True

    def note_used(self, page: str, url: str, kind: ResourceKind, data: bytes) -> None:
        """Record that a page used a resource. `take_used` returns it."""
        with self._lock:
            of_page = self._used.setdefault(page, {})
            if url not in of_page:
                at = self._fetched_at.get(url) or datetime.now(UTC)
                of_page[url] = CapturedResource(url, detect_content_type(data, kind), at, data)
                self._used_bytes += len(data)
            while self._used_bytes > MAX_NOTED_BYTES and self._used:
                _, dropped = self._used.popitem(last=False)
                self._used_bytes -= sum(len(each.body) for each in dropped.values())

    def take_used(self, page: str) -> tuple[CapturedResource, ...]:
        """Return and remove the resources that a page used, in the order of their requests."""
        with self._lock:
            of_page = self._used.pop(page, {})
            self._used_bytes -= sum(len(each.body) for each in of_page.values())
        return tuple(of_page.values())

    def _cache_resource(self, url: str, data: bytes | None) -> None:
        """Cache the bytes of a resource. data: None if it could not be fetched, so that no further page requests it."""
        with self._lock:
            if url not in self._kept:
                self._kept[url] = data
                self._fetched_at[url] = datetime.now(UTC)
                self._bytes += len(data or b"") + len(url)
            while self._bytes > MAX_CACHED_BYTES and self._kept:
                gone, dropped = self._kept.popitem(last=False)
                self._bytes -= len(dropped or b"") + len(gone)
                self._fetched_at.pop(gone, None)


@dataclass(slots=True)
class PageResources:
    """Provides the resources of one page, within the limits for a page."""

    _site: SiteResources
    _url: str
    _counts: dict[ResourceKind, int] = field(default_factory=dict)
    _seen: set[str] = field(default_factory=set)
    _hosts: set[str] = field(default_factory=set)
    _bytes: int = 0
    _seconds: float = 0.0

    def get(self, url: str, kind: ResourceKind) -> bytes | None:
        if url.startswith("data:"):
            return decode_data_url(url, kind)
        if not self._is_admitted(url, kind):
            return None
        begun = time.monotonic()
        data = self._site.get(url, kind)
        self._seconds += time.monotonic() - begun
        self._bytes += len(data or b"")
        if data is not None:
            self._site.note_used(self._url, url, kind, data)
        return data

    def _is_admitted(self, url: str, kind: ResourceKind) -> bool:
        if self._seconds >= MAX_SECONDS_OF_PAGE:
            return False
        if url in self._seen:
            return True
        try:
            host, own = host_key(url)[0], host_key(self._url)[0]
        except ValueError:
            return False
        hosts = self._hosts | ({host} if host != own else set())
        count = self._counts.get(kind, 0)
        if count >= MAX_COUNT[kind] or self._bytes >= MAX_BYTES_OF_PAGE or len(hosts) > MAX_FOREIGN_HOSTS:
            return False
        if host != own and not self._site.admits_host(host):
            return False
        self._hosts, self._counts[kind] = hosts, count + 1
        self._seen.add(url)
        return True


def decode_data_url(url: str, kind: ResourceKind) -> bytes | None:
    """Decode a data: URL. Return None for any other URL, or if the data is invalid or exceeds the limit of its kind."""
    if not url.startswith("data:"):
        return None
    head, comma, body = url.partition(",")
    if not comma or len(body) > 2 * MAX_BYTES[kind]:
        return None
    if head.rstrip().lower().endswith(";base64"):
        return _decode_page_base64(unquote(body))
    return unquote_to_bytes(body)


def _decode_page_base64(text: str) -> bytes | None:
    """Decode Base64 as it occurs on pages: without padding, with blanks, in the URL alphabet.

    Return None if it is invalid.

    >>> _decode_page_base64("6L+9 5paH").decode()
    '追文'
    """
    plain = "".join(text.split()).replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


def detect_content_type(data: bytes, kind: ResourceKind) -> str:
    r"""Detect the media type of a resource by its first bytes, because servers send wrong types for fonts and images.

    >>> detect_content_type(b"GIF89a", ResourceKind.PICTURE), detect_content_type(b"p {}", ResourceKind.STYLE)
    ('image/gif', 'text/css')
    """
    if kind is ResourceKind.STYLE:
        return "text/css"
    if kind is ResourceKind.DATA:
        return "application/json" if data.lstrip()[:1] in (b"{", b"[", b'"') else "text/html"
    if data[8:12] == b"WEBP":
        return "image/webp"
    found = next((name for mark, name in _SIGNATURES if data.startswith(mark)), "")
    return found or ("image/svg+xml" if b"<svg" in data[:1_000] else "application/octet-stream")


def absolute_url(base: str, reference: str) -> str:
    """Resolve a reference on the page at URL `base`. Return "" if the result is not a valid URL.

    >>> absolute_url("https://a.example/b/c.html", "../f.woff")
    'https://a.example/f.woff'
    """
    reference = reference.strip()
    if reference.startswith("data:"):
        return reference
    try:
        return urljoin(base, reference)
    except ValueError:
        return ""
