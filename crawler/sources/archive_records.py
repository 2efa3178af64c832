"""The HTTP responses in a WARC or WACZ file, one after the other, whatever is broken or hostile in it.

Gzip members are unpacked as they are read, never more of a body than a page may have; a file that swells beyond reason
ends with a sentence. Where a reading stopped is a `Position`; the next one goes on there.
"""

import gzip
import io
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from ipaddress import ip_address
from itertools import islice
from pathlib import Path
from typing import IO, Any

import brotli
from warcio.archiveiterator import ArchiveIterator
from warcio.bufferedreaders import BufferedReader, DecompressingBufferedReader
from warcio.exceptions import ArchiveLoadFailed

from core.captures import ArchivedRecord, Capture, CaptureSource, WireExchange
from core.errors import UnreadableFile
from core.ids import digest
from crawler.fetching.capture import with_secrets_starred, without_secrets

# Pages shrink to a fifth or a twentieth; deflate cannot do better than 1 to 1,032. A file of zeros stays above 1,000.
MAX_RATIO = 200
MIN_BYTES_TO_JUDGE = 64 * 1024 * 1024
MAX_LINE_BYTES = 64 * 1024  # of a header; servers send at most 8 to 32 KiB
MAX_HEADER_BYTES = 1024 * 1024
MAX_MEMBERS = 10_000  # archives in one WACZ
MAX_REMEMBERED = 200_000  # payload digests of one file, for revisit records: some 30 MB
CHUNK_BYTES = 64 * 1024
MAX_REQUEST_BYTES = 64 * 1024  # of a request record; heads have 300 bytes to 4 kB
_PAGE_TYPES = ("text/", "application/xhtml", "application/xml", "application/octet-stream")
_NOT_CHUNKED = "non-chunked gzip"
# How a record begins: of a WARC, and of an ARC, whose first names the file and whose others an address.
_FIRST_BYTES = (b"WARC/", b"filedesc:", b"http:", b"https:", b"dns:")
_HTTP = re.compile(rb"^HTTP/", re.MULTILINE)
_WARC_HEAD = re.compile(rb"\A.*?\r?\n\r?\n", re.DOTALL)
Wanted = Callable[[str], bool]  # whether the page at an address is taken in


@dataclass(frozen=True, slots=True)
class Position:
    """Where a record begins: which archive of the file, at which byte; of what is unpacked where `is_unpacked`."""

    member: int = 0
    offset: int = 0
    is_unpacked: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """max_body_bytes: a longer body is cut off there and counted."""

    max_body_bytes: int


@dataclass(frozen=True, slots=True)
class Captured:
    """One response. fetched_at: WARC-Date. record: what evidence calls it. position: of the record.

    concurrent_to: the record that it names as fetched with it. capture: what the archive says of how it was fetched,
    with the records themselves.
    """

    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    fetched_at: datetime
    record: str
    position: Position
    is_truncated: bool
    is_revisit: bool
    body: bytes
    capture: Capture
    concurrent_to: str = ""


@dataclass(frozen=True, slots=True)
class PassedBy:
    """A record that is no page, and why in a word."""

    reason: str
    position: Position


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request record. `name`, `answers`: ids of this record and of the response that it names."""

    url: str
    name: str
    answers: str
    record: ArchivedRecord

    def is_of(self, response: Captured) -> bool:
        """Whether this asked for that response: by the ids that either names, by the address where neither does."""
        if self.answers or response.concurrent_to:
            return self.answers == response.record or (bool(self.name) and response.concurrent_to == self.name)
        return self.url == response.url


@dataclass(slots=True)
class _Pairs:
    """Brings responses and requests together, which stand side by side in either order."""

    asked: _Asked | None = None  # the request just seen
    _held: Captured | None = None  # a response whose request may follow

    def take(self, told: "Captured | PassedBy") -> "Iterator[Captured | PassedBy]":
        """What is complete now that this record was seen."""
        yield from self.left()
        if isinstance(told, Captured):
            self._held, self.asked = _with_request(told, self.asked), None
        else:
            yield told

    def left(self) -> "Iterator[Captured]":
        """The response that was held back."""
        if self._held is not None:
            held, self._held = self._held, None
            yield _with_request(held, self.asked)


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
            begins = b"WARC/" if is_zip else _beginning(path)
        except (OSError, EOFError, zlib.error, zipfile.BadZipFile) as error:
            raise UnreadableFile(path, f"cannot be read ({getattr(error, 'strerror', None) or error})") from error
        if not begins.startswith(_FIRST_BYTES):
            raise UnreadableFile(path, "is no archive: neither WARC, ARC nor WET, gzipped or not, nor WACZ")
        self._members = _archives(path, self._zip)
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
                if _NOT_CHUNKED not in str(error) or first.is_unpacked:
                    raise UnreadableFile(self._path, f"is damaged or no archive ({_first_line(error)})") from error
                # One gzip stream around all records: it can only be read from its beginning.
                yield from islice(self._unpacked(number, wanted), given, None)
            except (zlib.error, zipfile.BadZipFile, EOFError, OSError) as error:
                raise UnreadableFile(self._path, f"breaks off or is damaged ({_first_line(error)})") from error

    def _unpacked(self, number: int, wanted: Wanted) -> Iterator[Captured | PassedBy]:
        try:
            yield from self._of_member(number, Position(number, 0, is_unpacked=True), wanted)
        except ArchiveLoadFailed as error:
            raise UnreadableFile(self._path, f"is damaged or no archive ({_first_line(error)})") from error

    def _of_member(self, number: int, start: Position, wanted: Wanted) -> Iterator[Captured | PassedBy]:
        with self._opened(number, is_unpacked=start.is_unpacked) as stream:
            stream.seek(start.offset)
            iterator, pairs = _Records(stream, self._limits.max_body_bytes), _Pairs()
            last = None
            try:
                for record in iterator:
                    position = Position(number, iterator.offset, start.is_unpacked)
                    iterator.bounds.is_header = False
                    if record.rec_type == "request":
                        pairs.asked = self._asked(record, iterator, position, wanted) or pairs.asked
                    yield from pairs.take(self._told(record, iterator, position, wanted))
                    iterator.bounds.is_header, iterator.bounds.header_bytes = True, 0
                    last = record
                iterator.check_end(last)
            except Exception as error:  # whatever breaks here, what came before is given
                if _NOT_CHUNKED not in str(error):  # then all is read once more, and whole
                    yield from pairs.left()
                raise
            yield from pairs.left()

    def _opened(self, number: int, *, is_unpacked: bool) -> IO[bytes]:
        name = self._members[number]
        stream = self._zip.open(name) if self._zip is not None else self._path.open("rb")
        return gzip.GzipFile(fileobj=stream) if is_unpacked else stream  # type: ignore[return-value]

    def _asked(self, record: Any, iterator: "_Records", position: Position, wanted: Wanted) -> _Asked | None:
        """A request record; None for one that nobody needs, or that sent more than a head."""
        url, length = _url(record), record.rec_headers.get_header("Content-Length") or ""
        if not length.isdecimal() or int(length) > MAX_REQUEST_BYTES or not url.startswith("http") or not wanted(url):
            return None
        original = iterator.original(record, self._path.name, self._member(position), position)
        if original is None or original.payload:
            return None
        named = _name_in(record, "WARC-Concurrent-To")
        return _Asked(url, _name(record), named, original)

    def _told(self, record: Any, iterator: "_Records", position: Position, wanted: Wanted) -> Captured | PassedBy:
        kind = record.rec_type
        if kind not in ("response", "revisit", "conversion"):
            return PassedBy("no_response", position)
        url = _url(record)
        moment = _moment(record.rec_headers.get_header("WARC-Date") or "")
        if not url.startswith(("http://", "https://")) or moment is None:
            return PassedBy("no_page", position)
        if not wanted(url):
            return PassedBy("not_watched", position)
        if kind == "revisit":
            return self._revisited(record, iterator, url, moment, position)
        return self._captured(record, iterator, url, moment, position)

    def _captured(
        self, record: Any, iterator: "_Records", url: str, moment: datetime, position: Position
    ) -> Captured | PassedBy:
        status, headers = _answer(record)
        if status != 200:
            return PassedBy("http_error", position)
        media_type = next((value for name, value in headers if name.lower() == "content-type"), "text/html")
        if not media_type.strip().lower().startswith(_PAGE_TYPES):
            return PassedBy("not_html", position)
        try:
            body, is_cut = _body(record, self._limits.max_body_bytes)
        except _Swells:
            raise
        except Exception:  # the many ways of brotli, chunks and deflate to be wrong: this record's fault alone
            return PassedBy("unreadable", position)
        digest = record.rec_headers.get_header("WARC-Payload-Digest") or ""
        if digest and len(self._seen) < MAX_REMEMBERED:
            self._seen.setdefault(digest, position)
        original = iterator.original(record, self._path.name, self._member(position), position)
        is_truncated = is_cut or iterator.breaks_off(record) or bool(record.rec_headers.get_header("WARC-Truncated"))
        capture = _capture(record, url, status, moment, (original,), is_truncated=is_truncated)
        concurrent = _name_in(record, "WARC-Concurrent-To")
        return Captured(
            url, status, headers, moment, _name(record), position, is_truncated,
            is_revisit=False, body=body, capture=capture, concurrent_to=concurrent,
        )  # fmt: skip

    def _member(self, position: Position) -> str:
        return self._members[position.member] if self._zip is not None else ""

    def _revisited(
        self, record: Any, iterator: "_Records", url: str, moment: datetime, position: Position
    ) -> Captured | PassedBy:
        """The page that stood there before, seen again: its body is that of an earlier record of this file."""
        at = self._seen.get(record.rec_headers.get_header("WARC-Payload-Digest") or "")
        if at is None:
            return PassedBy("revisit_of_another_file", position)
        own = iterator.original(record, self._path.name, self._member(position), position)
        with self._opened(at.member, is_unpacked=at.is_unpacked) as stream:
            stream.seek(at.offset)
            before = _Records(stream, self._limits.max_body_bytes)
            earlier = next(before)
            before.bounds.is_header = False
            status, headers = _answer(earlier)
            body, is_cut = _body(earlier, self._limits.max_body_bytes)
            original = before.original(earlier, self._path.name, self._member(at), at)
        capture = _capture(record, url, status, moment, (own, original), is_truncated=is_cut)
        concurrent = _name_in(record, "WARC-Concurrent-To")
        return Captured(
            url, status, headers, moment, _name(record), position, is_cut,
            is_revisit=True, body=body, capture=capture, concurrent_to=concurrent,
        )  # fmt: skip


class _Brotli:
    """What warcio asks of a decompressor; its own for brotli fails with brotli 1.2. Bounded, as all else is."""

    unused_data = b""
    _MOST = MAX_RATIO * CHUNK_BYTES  # out of one piece of the input, which is shorter

    def __init__(self) -> None:
        self._inner = brotli.Decompressor()

    def decompress(self, data: bytes) -> bytes:
        """Raises zlib.error for what is no brotli, or swells; warcio takes it for plain then, and nothing reads it."""
        try:
            unpacked: bytes = self._inner.process(data, output_buffer_limit=self._MOST)
        except brotli.error as error:
            raise zlib.error(str(error)) from error
        if not self._inner.can_accept_more_data():
            raise zlib.error(f"it swells to more than {MAX_RATIO} times its size when unpacked")
        return unpacked


BufferedReader.DECOMPRESSORS["br"] = _Brotli


class _Swells(ArchiveLoadFailed):  # type: ignore[misc]
    """More comes out of a file than can be meant honestly."""


@dataclass(slots=True)
class _Bounds:
    packed: int = 0
    unpacked: int = 0
    header_bytes: int = 0
    is_header: bool = True

    def note(self, packed: int, unpacked: int) -> None:
        self.packed += packed
        self.unpacked += unpacked
        if self.unpacked > MIN_BYTES_TO_JUDGE and self.unpacked > MAX_RATIO * max(1, self.packed):
            raise _Swells(f"it swells to more than {MAX_RATIO} times its size when unpacked")


class _BoundedReader(DecompressingBufferedReader):  # type: ignore[misc]
    """warcio's reader, which neither swells nor takes a line without an end, and names a damaged member.

    taken: the bytes of the record that is being read, as far as it was; None once they are too many to be kept.
    """

    def __init__(self, stream: IO[bytes], bounds: _Bounds, max_taken_bytes: int) -> None:
        super().__init__(stream, block_size=16_384)
        self._bounds, self._max_taken = bounds, max_taken_bytes
        self.taken: bytearray | None = None

    decompressor: Any

    def read(self, length: int | None = None) -> bytes:
        data: bytes = super().read(length)
        self._take(data)
        return data

    def _take(self, data: bytes) -> None:
        if self.taken is not None:
            self.taken += data
            if len(self.taken) > self._max_taken:
                self.taken = None

    def _decompress(self, data: bytes) -> bytes:
        packed = len(data)
        if self.decompressor and data:
            try:
                data = self.decompressor.decompress(data)
            except zlib.error:
                if self.num_block_read:
                    raise
                self.decompressor = None
        self._bounds.note(packed, len(data))
        return data

    def readline(self, length: int | None = None) -> bytes:
        line: bytes = super().readline(min(length or MAX_LINE_BYTES, MAX_LINE_BYTES))
        if self._bounds.is_header:
            self._bounds.header_bytes += len(line)
            if self._bounds.header_bytes > MAX_HEADER_BYTES:
                raise _Swells(f"a record has headers of more than {MAX_HEADER_BYTES:,} bytes")
        self._take(line)
        return line


class _Records(ArchiveIterator):  # type: ignore[misc]
    """warcio's iterator over a bounded reader, silent on stderr."""

    INC_RECORD = ""

    def __init__(self, stream: IO[bytes], max_body_bytes: int) -> None:
        super().__init__(stream, arc2warc=True)
        self.bounds = _Bounds()
        self.reader = _BoundedReader(self.fh, self.bounds, max_body_bytes + MAX_HEADER_BYTES)
        self._head = b""

    def _next_record(self, next_line: bytes | None) -> Any:
        self.reader.taken = bytearray(next_line or b"")
        record = super()._next_record(next_line)
        self._head = bytes(self.reader.taken or b"")
        return record

    def breaks_off(self, record: Any) -> bool:
        """Whether the file ends before a record that was read to its end."""
        return bool(getattr(record.raw_stream, "limit", 0))

    def check_end(self, last: Any) -> None:
        """Raises EOFError where the file ends inside its last record. last: None for a file without any."""
        if last is not None and self.breaks_off(last):
            raise EOFError("inside its last record")

    def original(self, record: Any, file: str, member: str, at: Position) -> ArchivedRecord | None:
        """The record that was read last, byte for byte; None for one that is too long to be kept or breaks off."""
        while record.raw_stream.read(CHUNK_BYTES):
            pass
        if self.reader.taken is None or getattr(record.raw_stream, "limit", None) != 0:
            return None
        payload = bytes(self.reader.taken[len(self._head) :])
        return ArchivedRecord(file, member, at.offset, at.is_unpacked, with_secrets_starred(self._head), payload)


def _beginning(path: Path) -> bytes:
    """The first bytes of a file, unpacked where it is gzipped, empty lines left out."""
    with path.open("rb") as file:
        is_packed = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        with gzip.GzipFile(fileobj=file) if is_packed else file as stream:
            return stream.read(64).lstrip()


def _capture(
    record: Any,
    url: str,
    status: int,
    moment: datetime,
    originals: tuple[ArchivedRecord | None, ...],
    *,
    is_truncated: bool,
) -> Capture:
    """What the archive says of how a page was fetched. originals: the response first."""
    own, *_ = originals
    begins = _HTTP.search(own.head) if own is not None else None
    head = own.head[begins.start() :] if own is not None and begins is not None else b""
    payload = own.payload if own is not None else b""
    exchange = WireExchange(
        url=url,
        status=status,
        request_head=b"",
        response_head=head,
        connected_at=None,
        sent_at=moment,
        answered_at=moment,
        ended_at=moment,
        server_address=_address(record.rec_headers.get_header("WARC-IP-Address") or ""),
        server_port=0,
        body_digest=digest(payload) if own is not None else "",
        body_bytes=len(payload),
        is_truncated=is_truncated,
    )
    kept = tuple(each for each in originals if each is not None)
    return Capture((exchange,), CaptureSource.ARCHIVE, records=kept)


def _with_request(response: Captured, asked: _Asked | None) -> Captured:
    """The response with the record of its request, where `asked` is that and it has none yet."""
    capture = response.capture
    if asked is None or not asked.is_of(response) or capture.exchanges[0].request_head:
        return response
    head = _WARC_HEAD.sub(b"", asked.record.head, count=1)
    exchange = replace(capture.exchanges[0], request_head=without_secrets(head))
    return replace(response, capture=replace(capture, exchanges=(exchange,), records=(*capture.records, asked.record)))


def _archives(path: Path, packed: zipfile.ZipFile | None) -> list[str]:
    if packed is None:
        return [path.name]
    names = [name for name in packed.namelist() if re.search(r"\.w?arc(?:\.gz)?$", name, re.IGNORECASE)]
    if not names:
        raise UnreadableFile(
            path, "is a zip file without an archive in it; a WACZ has WARC files in its folder archive"
        )
    if len(names) > MAX_MEMBERS:
        raise UnreadableFile(path, f"holds more than {MAX_MEMBERS:,} archives")
    # All together: members of a zip file may share their bytes. No more is read of one than it states.
    unpacked = sum(packed.getinfo(name).file_size for name in names)
    if unpacked > MIN_BYTES_TO_JUDGE and unpacked > MAX_RATIO * path.stat().st_size:
        raise UnreadableFile(path, f"it swells to more than {MAX_RATIO} times its size when unpacked")
    return names


def _answer(record: Any) -> tuple[int, tuple[tuple[str, str], ...]]:
    if record.rec_type == "conversion":  # plain text made of a page, as in Common Crawl's WET files
        return 200, (("Content-Type", "text/plain; charset=utf-8"),)
    if record.http_headers is None:
        return 0, ()
    code = str(record.http_headers.get_statuscode() or "")
    return int(code) if code.isdecimal() and len(code) == 3 else 0, tuple(
        (str(name), str(value)) for name, value in record.http_headers.headers
    )


def _body(record: Any, limit: int) -> tuple[bytes, bool]:
    """The body up to a limit, and whether it was longer."""
    stream, taken = record.content_stream(), io.BytesIO()
    while taken.tell() <= limit:
        piece = stream.read(min(CHUNK_BYTES, limit + 1 - taken.tell()))
        if not piece:
            break
        taken.write(piece)
    body = taken.getvalue()
    return body[:limit], len(body) > limit


def _url(record: Any) -> str:
    return (record.rec_headers.get_header("WARC-Target-URI") or "").strip("<> ")


def _name(record: Any) -> str:
    return _name_in(record, "WARC-Record-ID")


def _name_in(record: Any, header: str) -> str:
    """The id of a record that a header gives."""
    return (record.rec_headers.get_header(header) or "").strip("<> ")[:200]


def _address(stated: str) -> str:
    """An address that an archive states; "" for what is none."""
    try:
        return str(ip_address(stated.strip()))
    except ValueError:
        return ""


def _moment(stated: str) -> datetime | None:
    """WARC-Date: UTC, to the second or finer."""
    try:
        moment = datetime.fromisoformat(stated.strip())
    except ValueError:
        return None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0][:200] if lines else type(error).__name__
