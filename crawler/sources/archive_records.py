"""The HTTP responses in a WARC or WACZ file, one after the other, whatever is broken or hostile in it.

Gzip members are unpacked as they are read, never more of a body than a page may have; a file that swells beyond reason
ends with a sentence. Where a reading stopped is a `Position`; the next one goes on there.
"""

import gzip
import re
import zipfile
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import IO, Any

from warcio.exceptions import ArchiveLoadFailed

from core.errors import UnreadableFile, ZhuiwenError
from crawler.sources.archive_fields import answer_of, body_of, moment_of, name_in, name_of, url_of
from crawler.sources.archive_requests import Asked, Pairs, capture_of
from crawler.sources.archive_shapes import Captured, Limits, PassedBy, Position
from crawler.sources.archive_streams import (
    FIRST_BYTES,
    MAX_RATIO,
    MIN_BYTES_TO_JUDGE,
    NotChunked,
    Records,
    Swells,
    beginning,
)

MAX_MEMBERS = 10_000  # archives in one WACZ
MAX_REMEMBERED = 200_000  # payload digests of one file, for revisit records: some 30 MB
MAX_REQUEST_BYTES = 64 * 1024  # of a request record; heads have 300 bytes to 4 kB
_PAGE_TYPES = ("text/", "application/xhtml", "application/xml", "application/octet-stream")
Wanted = Callable[[str], bool]  # whether the page at an address is taken in


class ArchiveFile:
    """A WARC (also ARC), gzipped or not, or a WACZ with several of them."""

    def __init__(self, path: Path, limits: Limits) -> None:
        self._path, self._limits = path, limits
        self._zip: zipfile.ZipFile | None = None
        try:
            self._size = path.stat().st_size
            with path.open("rb") as head:
                is_zip = head.read(4) == b"PK\x03\x04"
            self._zip = zipfile.ZipFile(path) if is_zip else None
            begins = b"WARC/" if is_zip else beginning(path)
            self._members = _archives(path, self._zip)
        except ZhuiwenError:
            self.close()
            raise
        except Exception as error:  # of the many ways in which a zip file or its first member can be wrong
            self.close()
            raise UnreadableFile(path, "file.cannot-be-read", error=_first_line(error)) from error
        if not begins.startswith(FIRST_BYTES):
            raise UnreadableFile(path, "archive.none")
        self._seen: dict[str, Position] = {}

    @property
    def size_bytes(self) -> int:
        return self._size

    def close(self) -> None:
        if self._zip is not None:
            self._zip.close()

    def records(self, wanted: Wanted, start: Position) -> Iterator[Captured | PassedBy]:
        """What the file holds from `start` on. wanted: asked with the address before a body is read.

        Raises UnreadableFile for what is no archive, breaks off, or swells; what came before was given.
        """
        for number in range(start.member, len(self._members)):
            first = start if number == start.member else Position(number)
            given = 0
            try:
                for record in self._of_member(number, first, wanted):
                    yield record
                    given += 1
            except ArchiveLoadFailed as error:
                if not isinstance(error, NotChunked) or first.is_unpacked:
                    raise UnreadableFile(self._path, "archive.damaged", reason=_first_line(error)) from error
                # One gzip stream around all records: it can only be read from its beginning.
                yield from islice(self._unpacked(number, wanted), given, None)
            except ZhuiwenError:
                raise
            except Exception as error:  # what warcio stumbles over: half of it no error of its own
                raise UnreadableFile(self._path, "archive.breaks-off", reason=_first_line(error)) from error

    def _unpacked(self, number: int, wanted: Wanted) -> Iterator[Captured | PassedBy]:
        try:
            yield from self._of_member(number, Position(number, 0, is_unpacked=True), wanted)
        except ZhuiwenError:
            raise
        except Exception as error:
            raise UnreadableFile(self._path, "archive.damaged", reason=_first_line(error)) from error

    def _of_member(self, number: int, start: Position, wanted: Wanted) -> Iterator[Captured | PassedBy]:
        with self._opened(number, is_unpacked=start.is_unpacked) as stream:
            stream.seek(start.offset)
            iterator, pairs = Records(stream, self._limits.max_body_bytes), Pairs()
            last = None
            try:
                for record in iterator:
                    position = Position(number, iterator.offset, start.is_unpacked)
                    iterator.bounds.is_header = False
                    if record.rec_type == "request":
                        pairs.asked = self._asked(record, iterator, position, wanted) or pairs.asked
                    yield from pairs.take(self._read_record(record, iterator, position, wanted))
                    iterator.bounds.is_header, iterator.bounds.header_bytes = True, 0
                    last = record
                iterator.check_end(last)
            except Exception as error:  # whatever breaks here, what came before is given
                if not isinstance(error, NotChunked):  # then all is read once more, and whole
                    yield from pairs.left()
                raise
            yield from pairs.left()

    def _opened(self, number: int, *, is_unpacked: bool) -> IO[bytes]:
        name = self._members[number]
        stream = self._zip.open(name) if self._zip is not None else self._path.open("rb")
        return gzip.GzipFile(fileobj=stream) if is_unpacked else stream  # type: ignore[return-value]

    def _asked(self, record: Any, iterator: Records, position: Position, wanted: Wanted) -> Asked | None:
        """A request record; None for one that nobody needs, or that sent more than a head."""
        url, length = url_of(record), record.rec_headers.get_header("Content-Length") or ""
        if not length.isdecimal() or int(length) > MAX_REQUEST_BYTES or not url.startswith("http") or not wanted(url):
            return None
        original = iterator.original(record, self._path.name, self._member(position), position)
        if original is None or original.payload:
            return None
        named = name_in(record, "WARC-Concurrent-To")
        return Asked(url, name_of(record), named, original)

    def _read_record(self, record: Any, iterator: Records, position: Position, wanted: Wanted) -> Captured | PassedBy:
        kind = record.rec_type
        if kind not in ("response", "revisit", "conversion"):
            return PassedBy("no_response", position)
        url = url_of(record)
        moment = moment_of(record.rec_headers.get_header("WARC-Date") or "")
        if not url.startswith(("http://", "https://")) or moment is None:
            return PassedBy("no_page", position)
        if not wanted(url):
            return PassedBy("not_watched", position)
        if kind == "revisit":
            return self._revisited(record, iterator, url, moment, position)
        return self._captured(record, iterator, url, moment, position)

    def _captured(
        self, record: Any, iterator: Records, url: str, moment: datetime, position: Position
    ) -> Captured | PassedBy:
        status, headers = answer_of(record)
        if status != 200:
            return PassedBy("http_error", position)
        media_type = next((value for name, value in headers if name.lower() == "content-type"), "text/html")
        if not media_type.strip().lower().startswith(_PAGE_TYPES):
            return PassedBy("not_html", position)
        try:
            body, is_cut = body_of(record, self._limits.max_body_bytes)
        except Swells:
            raise
        except Exception:  # the many ways of brotli, chunks and deflate to be wrong: this record's fault alone
            return PassedBy("unreadable", position)
        digest = record.rec_headers.get_header("WARC-Payload-Digest") or ""
        if digest and len(self._seen) < MAX_REMEMBERED:
            self._seen.setdefault(digest, position)
        original = iterator.original(record, self._path.name, self._member(position), position)
        is_truncated = is_cut or iterator.breaks_off(record) or bool(record.rec_headers.get_header("WARC-Truncated"))
        capture = capture_of(record, url, status, moment, (original,), is_truncated=is_truncated)
        concurrent = name_in(record, "WARC-Concurrent-To")
        return Captured(
            url, status, headers, moment, name_of(record), position, is_truncated,
            is_revisit=False, body=body, capture=capture, concurrent_to=concurrent,
        )  # fmt: skip

    def _member(self, position: Position) -> str:
        return self._members[position.member] if self._zip is not None else ""

    def _revisited(
        self, record: Any, iterator: Records, url: str, moment: datetime, position: Position
    ) -> Captured | PassedBy:
        """The page that stood there before, seen again: its body is that of an earlier record of this file."""
        at = self._seen.get(record.rec_headers.get_header("WARC-Payload-Digest") or "")
        if at is None:
            return PassedBy("revisit_of_another_file", position)
        own = iterator.original(record, self._path.name, self._member(position), position)
        with self._opened(at.member, is_unpacked=at.is_unpacked) as stream:
            stream.seek(at.offset)
            before = Records(stream, self._limits.max_body_bytes)
            earlier = next(before)
            before.bounds.is_header = False
            status, headers = answer_of(earlier)
            body, is_cut = body_of(earlier, self._limits.max_body_bytes)
            original = before.original(earlier, self._path.name, self._member(at), at)
        capture = capture_of(record, url, status, moment, (own, original), is_truncated=is_cut)
        concurrent = name_in(record, "WARC-Concurrent-To")
        return Captured(
            url, status, headers, moment, name_of(record), position, is_cut,
            is_revisit=True, body=body, capture=capture, concurrent_to=concurrent,
        )  # fmt: skip


def _archives(path: Path, packed: zipfile.ZipFile | None) -> list[str]:
    if packed is None:
        return [path.name]
    names = [name for name in packed.namelist() if re.search(r"\.w?arc(?:\.gz)?$", name, re.IGNORECASE)]
    if not names:
        raise UnreadableFile(path, "archive.empty-zip")
    if len(names) > MAX_MEMBERS:
        raise UnreadableFile(path, "archive.too-many", most=MAX_MEMBERS)
    # All together: members of a zip file may share their bytes. No more is read of one than it states.
    unpacked = sum(packed.getinfo(name).file_size for name in names)
    if unpacked > MIN_BYTES_TO_JUDGE and unpacked > MAX_RATIO * path.stat().st_size:
        raise UnreadableFile(path, "archive.swells", ratio=MAX_RATIO)
    return names


def _first_line(error: Exception) -> str:
    said = (error.strerror if isinstance(error, OSError) else None) or str(error)
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return "".join(char if char.isprintable() else "?" for char in lines[0][:200]) if lines else type(error).__name__
