"""FILE, URL or - -> what is read there: the same reading for `check` and `read`."""

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from core.errors import BadInput, UnreadableFile
from core.pages import Reading
from core.settings import Settings
from core.wording import Message
from crawler.formats.kinds import kind_of
from crawler.opening import Rejected
from webadmin.ui.console.words import worded

STANDARD_INPUT = "-"
_MARKUP = re.compile(rb"<(?:!doctype|html|head|body|div|article|meta)\b", re.IGNORECASE)
_INPUT = Message("cli.standard-input")
_BOOKS = frozenset({".epub", ".docx", ".pdf", ".jsonl"})


@dataclass(frozen=True, slots=True)
class Source:
    """Something that was read. `name` is a path, or a URL after its redirects."""

    name: str
    reading: Reading


def read_as_page(source: str, settings: Settings) -> Source:
    """What the crawler reads there. Raises BadInput or RetryLater."""
    if _is_url(source):
        from crawler.fetching.single_fetch import fetch

        page = fetch(source, settings.crawl)
        return Source(page.url, _read(page.body, page.headers, page.url, settings))
    name = worded(_INPUT) if source == STANDARD_INPUT else source
    return Source(name, _read(_bytes(source, settings), {}, name, settings))


def read_as_text(source: str, settings: Settings, *, is_chinese: bool = True) -> Source:
    """The text to compare: of a page by the crawler's reading, of a text or book as it would be added as a work.

    is_chinese: whether a text without a Chinese character is refused, since nothing could be found of it.
    """
    if _is_url(source):
        return read_as_page(source, settings)
    path = Path(source)
    if source != STANDARD_INPUT and (path.suffix.lower() in _BOOKS or path.is_dir()):
        return _book(path)
    name = worded(_INPUT) if source == STANDARD_INPUT else source
    data = _bytes(source, settings)
    if kind_of(data) or _MARKUP.search(data.replace(b"\x00", b"")[:4096]):
        return Source(name, _read(data, {}, name, settings))
    from crawler.formats.plain import decoded

    text = decoded(data, name, is_chinese=is_chinese).text
    return Source(name, Reading(title=path.stem if source != STANDARD_INPUT else "", text=text))


def _read(body: bytes, headers: Mapping[str, str], name: str, settings: Settings) -> Reading:
    from crawler.readers.pages import SinglePage
    from crawler.readers.reading_process import ReadingProcess
    from deploy.cli.referred import resources_of

    is_file = not _is_url(name) and Path(name).is_file()
    resources = resources_of(name, name if is_file else "", settings.crawl)
    with ReadingProcess(cache=settings.crawl.cache) as process:
        return _accepted(process.read(SinglePage(body, headers, name, is_seen=True), resources), name)


def _is_url(source: str) -> bool:
    return bool(re.match(r"[a-z][a-z0-9+.-]*://", source, re.IGNORECASE))


def _bytes(source: str, settings: Settings) -> bytes:
    from webadmin.works.services.intake.plain import read_bytes

    limit = settings.crawl.max_body_bytes
    if source != STANDARD_INPUT:
        return read_bytes(Path(source), limit)
    data = sys.stdin.buffer.read(limit + 1)
    if len(data) > limit:
        raise UnreadableFile(worded(_INPUT), "cli.too-large", limit=limit)
    if not data:
        raise UnreadableFile(worded(_INPUT), "cli.empty")
    return data


def _book(path: Path) -> Source:
    from webadmin.works.services.intake import BoundedReader, read_work

    with BoundedReader() as reader:
        works = read_work(path, reader.read_file)
    if len(works) != 1:
        raise BadInput("cli.several-works", path=path, count=len(works))
    text = "\n".join(chapter.text for chapter in works[0].chapters)
    return Source(str(path), Reading(title=works[0].title, text=text, author=works[0].author))


def _accepted(reading: Reading | Rejected, name: str) -> Reading:
    if isinstance(reading, Rejected):
        is_named = worded(reading.message).startswith(name)
        raise BadInput(reading.message if is_named else Message("cli.of-source", name=name, reason=reading.message))
    return reading
