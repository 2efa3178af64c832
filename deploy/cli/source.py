"""Reads a file, a URL or the standard input for `check` and `read`."""

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from core.errors import BadInput, UnreadableFile, ZhuiwenError
from core.pages import Reading
from core.settings import CrawlSettings, Settings
from core.wording import Message
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
from crawler.formats.archive import detect_kind
from crawler.opening import Rejected
from webadmin.ui.console.words import translate_for_console

STANDARD_INPUT = "-"
_MARKUP = re.compile(rb"<(?:!doctype|html|head|body|div|article|meta)\b", re.IGNORECASE)
_INPUT = Message("cli.standard-input")
_BOOKS = frozenset({".epub", ".docx", ".pdf", ".jsonl"})


@dataclass(frozen=True, slots=True)
class PageSource:
    """The reading of a source. name: its path, or its URL after redirects."""

    name: str
    reading: Reading


def read_as_page(source: str, settings: Settings) -> PageSource:
    """Read a file, a URL or "-" (stdin) as a page, as the crawler does.

    Raises BadInput if it cannot be read or has no text, and RetryLater if the site does not respond.
    """
    if _is_url(source):
        from crawler.fetching.exchange import fetch

        page = fetch(source, settings.crawl)
        return PageSource(page.url, _read_body(page.body, page.headers, page.url, settings))
    name = translate_for_console(_INPUT) if source == STANDARD_INPUT else source
    return PageSource(name, _read_body(_read_bytes(source, settings), {}, name, settings))


def read_as_text(source: str, settings: Settings) -> PageSource:
    """Read a file, a folder, a URL or "-" (stdin) as a text to compare.

    HTML is read as by the crawler; plain texts and books are read as when a work is added. Raises BadInput if the
    source cannot be read, and RetryLater if the site does not respond.
    """
    if _is_url(source):
        return read_as_page(source, settings)
    path = Path(source)
    if source != STANDARD_INPUT and (path.suffix.lower() in _BOOKS or path.is_dir()):
        return _read_book(path)
    name = translate_for_console(_INPUT) if source == STANDARD_INPUT else source
    data = _read_bytes(source, settings)
    if detect_kind(data) or _MARKUP.search(data.replace(b"\x00", b"")[:4096]):
        return PageSource(name, _read_body(data, {}, name, settings))
    from crawler.formats.plain import decode_text

    text = decode_text(data, name).text
    return PageSource(name, Reading(title=path.stem if source != STANDARD_INPUT else "", text=text))


def _read_body(body: bytes, headers: Mapping[str, str], name: str, settings: Settings) -> Reading:
    from crawler.readers.pages import SinglePage
    from crawler.readers.reading_process import ReadingProcess

    is_file = not _is_url(name) and Path(name).is_file()
    resources = page_resources(name, name if is_file else "", settings.crawl)
    with ReadingProcess(cache=settings.crawl.cache) as process:
        return _require_reading(process.run_task(SinglePage(body, headers, name, is_seen=True), resources), name)


def _is_url(source: str) -> bool:
    return bool(re.match(r"[a-z][a-z0-9+.-]*://", source, re.IGNORECASE))


def _read_bytes(source: str, settings: Settings) -> bytes:
    from webadmin.works.services.intake.plain import read_bytes

    limit = settings.crawl.max_body_bytes
    if source != STANDARD_INPUT:
        return read_bytes(Path(source), limit)
    data = sys.stdin.buffer.read(limit + 1)
    if len(data) > limit:
        raise UnreadableFile(translate_for_console(_INPUT), "cli.too-large", limit=limit)
    if not data:
        raise UnreadableFile(translate_for_console(_INPUT), "cli.empty")
    return data


def _read_book(path: Path) -> PageSource:
    from webadmin.works.services.intake.bounded import BoundedReader
    from webadmin.works.services.intake.files import read_work

    with BoundedReader() as reader:
        works = read_work(path, reader.read_file)
    if len(works) != 1:
        raise BadInput("cli.several-works", path=path, count=len(works))
    text = "\n".join(chapter.text for chapter in works[0].chapters)
    return PageSource(str(path), Reading(title=works[0].title, text=text, author=works[0].author))


def _require_reading(reading: Reading | Rejected, name: str) -> Reading:
    if isinstance(reading, Rejected):
        is_named = translate_for_console(reading.message).startswith(name)
        raise BadInput(reading.message if is_named else Message("cli.of-source", name=name, reason=reading.message))
    return reading


TIMEOUT_S = 10.0  # for one resource; the page can be read without it


def page_resources(url: str, source: str, settings: CrawlSettings) -> Resources:
    """Return the resources that a page may load. url: its URL or path. source: the path of a saved page, or ""."""
    if urlsplit(url).scheme in ("http", "https"):
        return SiteResources(_make_fetch(settings), AddressGuard(settings.allow_private_hosts)).of_page(url)
    return _InFolder(Path(source).parent) if source else NO_RESOURCES


class _InFolder:
    """The resources of a saved page, from its folder and the folders below it. Others are not loaded."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._files = folder, FolderResources(folder)

    def get(self, url: str, kind: ResourceKind) -> bytes | None:
        if "://" in url[:12] or url.startswith("//"):
            return None
        # A page is read under its path, and its relative URLs are resolved against it.
        relative = url.removeprefix(f"{self._folder.as_posix()}/") if not url.startswith("data:") else url
        return self._files.get(relative, kind)


def _make_fetch(settings: CrawlSettings) -> Fetch:
    from crawler.fetching.exchange import fetch

    def fetch_resource(url: str, kind: ResourceKind) -> bytes | None:
        limits = replace(settings, timeout_s=min(TIMEOUT_S, settings.timeout_s), max_body_bytes=MAX_BYTES[kind])
        try:
            return fetch(url, limits).body
        except ZhuiwenError:
            return None

    return fetch_resource
