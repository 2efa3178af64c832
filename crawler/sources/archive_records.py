"""Reads the HTTP responses in a WARC or WACZ file one by one, and tolerates broken and hostile content.

Gzip members are decompressed while they are read, and a body is read only up to the limit for pages. A file with an
excessive compression ratio is refused with a message. A `RecordPosition` states where to resume.
"""

import io
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from pathlib import Path
from typing import IO, Any

from warcio.exceptions import ArchiveLoadFailed

from core.captures import ArchivedRecord, Capture, CaptureSource, WireExchange
from core.errors import UnreadableFile, ZhuiwenError
from core.ids import digest
from core.states import ArchiveReason, Rejection
from crawler.fetching.withheld_secrets import without_secrets
from crawler.sources.archive_streams import (
    CHUNK_BYTES,
    FIRST_BYTES,
    MAX_RATIO,
    MIN_BYTES_TO_JUDGE,
    Captured,
    NotChunked,
    PassedBy,
    RecordPosition,
    Records,
    Swells,
    beginning,
)

MAX_MEMBERS = 10_000  # archives in one WACZ file
MAX_REMEMBERED = 400_000  # per file, for revisit records: three keys per response, some 80 MB
RECORDS_BETWEEN_SIGNS = 1_000
MAX_REQUEST_BYTES = 64 * 1024  # of a request record; heads have 300 bytes to 4 kB
_PAGE_TYPES = ("text/", "application/xhtml", "application/xml", "application/octet-stream")
Wanted = Callable[[str], bool]  # returns True if the page at a URL is to be imported


Given = Captured | PassedBy | None  # None only shows that the reader is alive


class ArchiveFile:
    """A WARC (or ARC) file, gzipped or not, or a WACZ file that contains several.

    max_body_bytes: longer bodies are truncated and counted. Raises UnreadableFile if the file cannot be opened.
    """

    def __init__(self, path: Path, max_body_bytes: int) -> None:
        self._path, self._max_body_bytes = path, max_body_bytes
        self._zip: zipfile.ZipFile | None = None
        try:
            self._size = path.stat().st_size
            with path.open("rb") as head:
                is_zip = head.read(4) == b"PK\x03\x04"
            self._zip = zipfile.ZipFile(path) if is_zip else None
            begins = b"WARC/" if is_zip else beginning(path)
            self._members = _archive_members(path, self._zip)
        except ZhuiwenError:
            self.close()
            raise
        except Exception as error:  # a zip file or its first member can be damaged in many ways
            self.close()
            raise UnreadableFile(path, "file.cannot-be-read", error=_first_line(error)) from error
        if not begins.startswith(FIRST_BYTES):
            raise UnreadableFile(path, "archive.none")
        self._seen: dict[str, RecordPosition] = {}  # responses, by the keys that a revisit record uses

    @property
    def size_bytes(self) -> int:
        return self._size

    def close(self) -> None:
        if self._zip is not None:
            self._zip.close()

    def records(self, wanted: Wanted, start: RecordPosition) -> Iterator[Given]:
        """Yield the records of the file from `start` on.

        wanted: called with the URL of a page before its body is read. Raises UnreadableFile if the file is not an
        archive, is truncated, or has an excessive compression ratio; the records before the error are yielded.
        """
        for number in range(len(self._members)):
            try:
                yield from self._member_records(number, start, wanted)
            except NotChunked as error:
                raise UnreadableFile(self._path, "archive.one-stream") from error
            except ArchiveLoadFailed as error:
                raise UnreadableFile(self._path, "archive.damaged", reason=_first_line(error)) from error
            except ZhuiwenError:
                raise
            except Exception as error:  # warcio fails in many ways, often with exceptions of other libraries
                raise UnreadableFile(self._path, "archive.breaks-off", reason=_first_line(error)) from error

    def _member_records(self, number: int, start: RecordPosition, wanted: Wanted) -> Iterator[Given]:
        with self._open_member(number) as stream:
            iterator, pairs = Records(stream, self._max_body_bytes), RecordPairs()
            last = None
            try:
                for count, record in enumerate(iterator):
                    position = RecordPosition(number, iterator.offset)
                    if position < start:  # a revisit record may repeat it
                        self._remember_response(record, position)
                        iterator.bounds.header_bytes = 0
                        if count % RECORDS_BETWEEN_SIGNS == 0:
                            yield None
                        continue
                    iterator.bounds.is_header = False
                    if record.rec_type == "request":
                        pairs.asked = self._request_record(record, iterator, position, wanted) or pairs.asked
                    yield from pairs.take(self._read_record(record, iterator, position, wanted))
                    iterator.bounds.is_header, iterator.bounds.header_bytes = True, 0
                    last = record
                iterator.check_end(last)
            except Exception:  # the response that is held back is yielded before the error
                yield from pairs.flush()
                raise
            yield from pairs.flush()

    def _open_member(self, number: int) -> IO[bytes]:
        return self._zip.open(self._members[number]) if self._zip is not None else self._path.open("rb")

    def _request_record(
        self, record: Any, iterator: Records, position: RecordPosition, wanted: Wanted
    ) -> "RequestRecord | None":
        """Return a request record, or None if its page is not wanted or it has more than a head."""
        url, length = record_url(record), record.rec_headers.get_header("Content-Length") or ""
        if not length.isdecimal() or int(length) > MAX_REQUEST_BYTES or not url.startswith("http") or not wanted(url):
            return None
        original = iterator.original(record, self._path.name, self._member_name(position), position)
        if original is None or original.payload:
            return None
        named = header_id(record, "WARC-Concurrent-To")
        return RequestRecord(url, record_id(record), named, original)

    def _read_record(
        self, record: Any, iterator: Records, position: RecordPosition, wanted: Wanted
    ) -> Captured | PassedBy:
        kind = record.rec_type
        if kind not in ("response", "revisit", "conversion"):
            return PassedBy(ArchiveReason.NO_RESPONSE, position)
        if kind == "response":
            self._remember_response(record, position)
        url = record_url(record)
        if not url.startswith(("http://", "https://")):
            return PassedBy(ArchiveReason.NO_PAGE, position)
        if not wanted(url):
            return PassedBy(ArchiveReason.NOT_WATCHED, position)
        moment, is_dated_by_server = record_moment(record)
        if moment is None:
            return PassedBy(ArchiveReason.NO_DATE, position)
        original: ArchivedRecord | None
        if kind == "revisit":
            own = iterator.original(record, self._path.name, self._member_name(position), position)
            page, original = self._page_again(record)
            originals: tuple[ArchivedRecord | None, ...] = (own, original)
        else:
            page, original = self._read_page(record, iterator, position)
            originals = (original,)
        if not isinstance(page, _RecordedAnswer):
            return PassedBy(page, position)
        capture = make_capture(record, url, page.status, moment, originals, is_truncated=page.is_truncated)
        return Captured(
            url, page.status, page.headers, moment, record_id(record), position, page.is_truncated,
            is_revisit=kind == "revisit", body=page.body, capture=capture,
            concurrent_to=header_id(record, "WARC-Concurrent-To"), is_dated_by_server=is_dated_by_server,
        )  # fmt: skip

    def _read_page(
        self, record: Any, iterator: Records, position: RecordPosition
    ) -> tuple["_RecordedAnswer | ArchiveReason | Rejection", ArchivedRecord | None]:
        """Return the page in a response record, or the reason why there is none, with the original record or None."""
        status, headers = split_answer(record)
        if status != 200:
            return Rejection.HTTP_ERROR, None
        media_type = next((value for name, value in headers if name.lower() == "content-type"), "text/html")
        if not media_type.strip().lower().startswith(_PAGE_TYPES):
            return Rejection.NOT_HTML, None
        try:
            body, is_cut = read_body(record, self._max_body_bytes)
        except Swells:
            raise
        except Exception:  # brotli, chunks and deflate can be broken in many ways; only this record is lost
            return Rejection.UNREADABLE, None
        original = iterator.original(record, self._path.name, self._member_name(position), position)
        is_truncated = is_cut or iterator.breaks_off(record) or bool(record.rec_headers.get_header("WARC-Truncated"))
        return _RecordedAnswer(status, headers, body, is_truncated), original

    def _page_again(self, record: Any) -> tuple["_RecordedAnswer | ArchiveReason | Rejection", ArchivedRecord | None]:
        """Return the page in the earlier record that a revisit record repeats, or the reason why there is none."""
        at = next((self._seen[key] for key in original_keys(record) if key in self._seen), None)
        if at is None:
            return ArchiveReason.REVISIT_OF_ANOTHER_FILE, None
        with self._open_member(at.member) as stream:
            stream.seek(at.offset)
            before = Records(stream, self._max_body_bytes)
            earlier = next(before)
            before.bounds.is_header = False
            stated, found = (header_id(each, "WARC-Payload-Digest") for each in (record, earlier))
            if stated and found and stated != found:
                return ArchiveReason.REVISIT_OF_ANOTHER_FILE, None
            return self._read_page(earlier, before, at)

    def _remember_response(self, record: Any, position: RecordPosition) -> None:
        """Store the position of a response that a revisit record may repeat."""
        if record.rec_type == "response" and len(self._seen) < MAX_REMEMBERED:
            for key in own_keys(record):
                self._seen.setdefault(key, position)

    def _member_name(self, position: RecordPosition) -> str:
        return self._members[position.member] if self._zip is not None else ""


@dataclass(frozen=True, slots=True)
class _RecordedAnswer:
    """The HTTP response in a record."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    is_truncated: bool


def _archive_members(path: Path, packed: zipfile.ZipFile | None) -> list[str]:
    if packed is None:
        return [path.name]
    names = [name for name in packed.namelist() if re.search(r"\.w?arc(?:\.gz)?$", name, re.IGNORECASE)]
    if not names:
        raise UnreadableFile(path, "archive.empty-zip")
    if len(names) > MAX_MEMBERS:
        raise UnreadableFile(path, "archive.too-many", most=MAX_MEMBERS)
    # The sum, because members of a zip file may share their bytes. No more of a member is read than it declares.
    unpacked = sum(packed.getinfo(name).file_size for name in names)
    if unpacked > MIN_BYTES_TO_JUDGE and unpacked > MAX_RATIO * path.stat().st_size:
        raise UnreadableFile(path, "archive.swells", ratio=MAX_RATIO)
    return names


def _first_line(error: Exception) -> str:
    said = (error.strerror if isinstance(error, OSError) else None) or str(error)
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return "".join(char if char.isprintable() else "?" for char in lines[0][:200]) if lines else type(error).__name__


_HTTP = re.compile(rb"^HTTP/", re.MULTILINE)
_WARC_HEAD = re.compile(rb"\A.*?\r?\n\r?\n", re.DOTALL)


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """A request record.

    name, answers: the id of this record, and the id of the response record that it names
    """

    url: str
    name: str
    answers: str
    record: ArchivedRecord

    def matches(self, response: Captured) -> bool:
        """Return True if a response belongs to this request, by their ids or, if neither names the other, by URL."""
        if self.answers or response.concurrent_to:
            return self.answers == response.record or (bool(self.name) and response.concurrent_to == self.name)
        return self.url == response.url


@dataclass(slots=True)
class RecordPairs:
    """Pairs responses with requests. A response and its request are adjacent, in either order."""

    asked: RequestRecord | None = None  # the last request record
    _held: Captured | None = None  # a response record whose request may follow

    def take(self, told: "Captured | PassedBy") -> "Iterator[Captured | PassedBy]":
        """Yield the records that are complete once this record has been read."""
        yield from self.flush()
        if isinstance(told, Captured):
            self._held, self.asked = _add_request(told, self.asked), None
        else:
            yield told

    def flush(self) -> "Iterator[Captured]":
        """Yield the response that was held back, with its request if that was found."""
        if self._held is not None:
            held, self._held = self._held, None
            yield _add_request(held, self.asked)


def make_capture(
    record: Any,
    url: str,
    status: int,
    moment: datetime,
    originals: tuple[ArchivedRecord | None, ...],
    *,
    is_truncated: bool,
) -> Capture:
    """Make the capture of a page from the records of an archive. originals: the response record first."""
    own, *_ = originals
    begins = _HTTP.search(own.head) if own is not None else None
    head = own.head[begins.start() :] if own is not None and begins is not None else b""
    payload = own.payload if own is not None else b""
    exchange = WireExchange(
        url=url,
        status=status,
        sent_at=moment,
        answered_at=moment,
        ended_at=moment,
        response_head=head,
        server_address=stated_address(record.rec_headers.get_header("WARC-IP-Address") or ""),
        body_digest=digest(payload) if own is not None else "",
        body_bytes=len(payload),
        is_truncated=is_truncated,
    )
    kept = tuple(each for each in originals if each is not None)
    return Capture((exchange,), CaptureSource.ARCHIVE, records=kept)


def _add_request(response: Captured, asked: RequestRecord | None) -> Captured:
    """Add a request record to a response if it belongs to the response and the response has no request yet."""
    capture = response.capture
    if asked is None or not asked.matches(response) or capture.exchanges[0].request_head:
        return response
    head = _WARC_HEAD.sub(b"", asked.record.head, count=1)
    exchange = replace(capture.exchanges[0], request_head=without_secrets(head))
    return replace(response, capture=replace(capture, exchanges=(exchange,), records=(*capture.records, asked.record)))


# Reads the fields of a record: URL, status, time, body.


def split_answer(record: Any) -> tuple[int, tuple[tuple[str, str], ...]]:
    if record.rec_type == "conversion":  # plain text extracted from a page, as in Common Crawl's WET files
        return 200, (("Content-Type", "text/plain; charset=utf-8"),)
    if record.http_headers is None:
        return 0, ()
    code = str(record.http_headers.get_statuscode() or "")
    return int(code) if code.isdecimal() and len(code) == 3 else 0, tuple(
        (str(name), str(value)) for name, value in record.http_headers.headers
    )


def read_body(record: Any, limit: int) -> tuple[bytes, bool]:
    """Return the body of a record up to `limit` bytes, and True if it is longer."""
    stream, taken = record.content_stream(), io.BytesIO()
    while taken.tell() <= limit:
        piece = stream.read(min(CHUNK_BYTES, limit + 1 - taken.tell()))
        if not piece:
            break
        taken.write(piece)
    body = taken.getvalue()
    return body[:limit], len(body) > limit


def record_url(record: Any) -> str:
    return (record.rec_headers.get_header("WARC-Target-URI") or "").strip("<> ")


def record_id(record: Any) -> str:
    return header_id(record, "WARC-Record-ID")


def header_id(record: Any, header: str) -> str:
    """Return the record id in a header, or ""."""
    return (record.rec_headers.get_header(header) or "").strip("<> ")[:200]


def stated_address(stated: str) -> str:
    """Return the IP address that an archive states, or "" if it is invalid."""
    try:
        return str(ip_address(stated.strip()))
    except ValueError:
        return ""


def record_moment(record: Any) -> tuple[datetime | None, bool]:
    """Return when a page was fetched, and True if that is the server's Date because WARC-Date is missing or invalid.

    The crawl of ClueWeb09 wrote the day of the year in place of the day of the month: 2008-10-294.
    """
    stated = _parse_moment(record.rec_headers.get_header("WARC-Date") or "", datetime.fromisoformat)
    if stated is not None or record.http_headers is None:
        return stated, False
    return _parse_moment(record.http_headers.get_header("Date") or "", parsedate_to_datetime), True


def own_keys(record: Any) -> list[str]:
    """Return the keys by which a revisit record may refer to a response: its id, URL and time, and body digest."""
    return _revisit_keys(record, "WARC-Record-ID", record_url(record), "WARC-Date")


def original_keys(record: Any) -> list[str]:
    """Return the keys by which a revisit record refers to the response that it repeats, the most reliable first."""
    target = (record.rec_headers.get_header("WARC-Refers-To-Target-URI") or "").strip("<> ")
    return _revisit_keys(record, "WARC-Refers-To", target, "WARC-Refers-To-Date")


def _revisit_keys(record: Any, name: str, url: str, date: str) -> list[str]:
    moment = record.rec_headers.get_header(date) or ""
    keys = [
        header_id(record, name),
        f"{url} {moment}" if url and moment else "",
        header_id(record, "WARC-Payload-Digest"),
    ]
    return [key for key in keys if key]


def _parse_moment(stated: str, parse: Callable[[str], datetime]) -> datetime | None:
    """Parse a time, and return it in UTC, or None if it is invalid. A WARC-Date without a zone is in UTC, too."""
    try:
        moment = parse(stated.strip())
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
