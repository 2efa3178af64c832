"""What a page that `read` and `check` look at refers to: from the web for an address, from its folder for a file."""

from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from core.errors import ZhuiwenError
from core.settings import CrawlSettings
from crawler.fetching.addresses import AddressGuard
from crawler.fetching.resources import (
    MAX_BYTES,
    NO_RESOURCES,
    Fetch,
    FolderResources,
    ResourceKind,
    Resources,
    SiteResources,
)

TIMEOUT_S = 10.0  # for one; the page can be read without


def resources_of(url: str, source: str, settings: CrawlSettings) -> Resources:
    """What the page at `url` may ask for. source: the path of a saved page, or "" for one that came from nowhere."""
    if urlsplit(url).scheme in ("http", "https"):
        return SiteResources(_fetch(settings), AddressGuard(settings.allow_private_hosts)).of_page(url)
    return _InFolder(Path(source).parent) if source else NO_RESOURCES


class _InFolder:
    """What lies beside or below a saved page; whatever it names on the web stays unread."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._files = folder, FolderResources(folder)

    def get(self, url: str, kind: ResourceKind) -> bytes | None:
        if "://" in url[:12] or url.startswith("//"):
            return None
        # A page is read under its own path, and what it names relative to that.
        relative = url.removeprefix(f"{self._folder.as_posix()}/") if not url.startswith("data:") else url
        return self._files.get(relative, kind)


def _fetch(settings: CrawlSettings) -> Fetch:
    from crawler.fetching.single_fetch import fetch

    def fetched(url: str, kind: ResourceKind) -> bytes | None:
        limits = replace(settings, timeout_s=min(TIMEOUT_S, settings.timeout_s), max_body_bytes=MAX_BYTES[kind])
        try:
            return fetch(url, limits).body
        except ZhuiwenError:
            return None

    return fetched
