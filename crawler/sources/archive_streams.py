"""Streams of an archive, which are decompressed while they are read. They are limited and buffer the current record."""

import gzip
import zlib
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO, Any

import brotli
from warcio.archiveiterator import ArchiveIterator
from warcio.bufferedreaders import BufferedReader, DecompressingBufferedReader
from warcio.exceptions import ArchiveLoadFailed

from core.captures import ArchivedRecord, Capture
from core.states import ArchiveReason, Rejection
from core.wording import Message
from crawler.fetching.withheld_secrets import with_secrets_starred

# The records that the reader of an archive yields, and its position.


@dataclass(frozen=True, slots=True, order=True)
class RecordPosition:
    """The start of a record: the number of the archive in the file, and the byte in the archive."""

    member: int = 0
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Captured:
    """A response in an archive.

    fetched_at: WARC-Date. record: the name of the record in evidence. position: that of the record. concurrent_to: the
    record that it names as fetched together with it, or "". capture: what the archive states on the fetch, with the
    records themselves. is_dated_by_server: True if fetched_at is the HTTP Date, because the archive has no date.
    """

    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    fetched_at: datetime
    record: str
    position: RecordPosition
    is_truncated: bool
    is_revisit: bool
    body: bytes
    capture: Capture
    concurrent_to: str = ""
    is_dated_by_server: bool = False


@dataclass(frozen=True, slots=True)
class PassedBy:
    """A record that is not a page, and the reason why."""

    reason: ArchiveReason | Rejection
    position: RecordPosition


@dataclass(slots=True)
class ImportCounts:
    """The numbers of records in a file by outcome. passed_by: by core.states.ArchiveReason and Rejection."""

    records: int = 0
    stored: int = 0
    new_versions: int = 0
    truncated: int = 0
    revisits: int = 0
    dated_by_server: int = 0
    bytes_read: int = 0
    passed_by: dict[str, int] = field(default_factory=dict)
    faults: list[Message] = field(default_factory=list)


# Pages shrink to between a fifth and a twentieth. deflate reaches at most 1,032 to 1, and a file of zeros exceeds
# 1,000.
MAX_RATIO = 200
MIN_BYTES_TO_JUDGE = 64 * 1024 * 1024
MAX_LINE_BYTES = 64 * 1024  # per header line; servers send at most 8 to 32 KiB
MAX_HEADER_BYTES = 1024 * 1024
# The first bytes of a record: of a WARC file, and of an ARC file, whose first record has a file name and the others a
# URL.
CHUNK_BYTES = 64 * 1024
FIRST_BYTES = (b"WARC/", b"filedesc:", b"http:", b"https:", b"dns:")


class _Brotli:
    """A brotli decompressor for warcio, whose own fails with brotli 1.2. Its output is limited."""

    unused_data = b""
    _MOST = MAX_RATIO * CHUNK_BYTES  # from one chunk of input, which is shorter than CHUNK_BYTES

    def __init__(self) -> None:
        self._inner = brotli.Decompressor()

    def decompress(self, data: bytes) -> bytes:
        """Decompress brotli. Raises zlib.error for invalid or excessive data, which warcio then leaves compressed."""
        try:
            unpacked: bytes = self._inner.process(data, output_buffer_limit=self._MOST)
        except brotli.error as error:
            raise zlib.error(str(error)) from error
        if not self._inner.can_accept_more_data():
            raise zlib.error(f"it swells to more than {MAX_RATIO} times its size when unpacked")
        return unpacked


BufferedReader.DECOMPRESSORS["br"] = _Brotli


class NotChunked(ArchiveLoadFailed):  # type: ignore[misc]
    """Raised if all records of an archive are in one gzip stream, in which no record can be found by its offset."""

    def __init__(self) -> None:
        super().__init__("several records in one gzip stream")


class Swells(ArchiveLoadFailed):  # type: ignore[misc]
    """Raised if a file has an excessive compression ratio, or a record has too many headers."""


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
            raise Swells(f"it swells to more than {MAX_RATIO} times its size when unpacked")


class _BoundedReader(DecompressingBufferedReader):  # type: ignore[misc]
    """warcio's reader with limits on the compression ratio and on lines. It also reports damaged members.

    taken: the bytes of the current record that were read so far; None if they are too many to be stored
    """

    def __init__(self, stream: IO[bytes], bounds: _Bounds, max_taken_bytes: int) -> None:
        super().__init__(stream, block_size=16_384)
        self._bounds, self._max_taken = bounds, max_taken_bytes
        self.taken: bytearray | None = None

    decompressor: Any

    def read(self, length: int | None = None) -> bytes:
        data: bytes = super().read(length)
        self._count_bytes(data)
        return data

    def _count_bytes(self, data: bytes) -> None:
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
                raise Swells(f"a record has headers of more than {MAX_HEADER_BYTES:,} bytes")
        self._count_bytes(line)
        return line


class Records(ArchiveIterator):  # type: ignore[misc]
    """warcio's iterator over a limited reader. It does not write to stderr."""

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

    def _raise_invalid_gzip_err(self) -> None:
        raise NotChunked

    def breaks_off(self, record: Any) -> bool:
        """Return True if the file ends inside a record that was read to its end."""
        return bool(getattr(record.raw_stream, "limit", 0))

    def check_end(self, last: Any) -> None:
        """Raise EOFError if the file ends inside its last record. last: None if the file has no records."""
        if last is not None and self.breaks_off(last):
            raise EOFError("inside its last record")

    def original(self, record: Any, file: str, member: str, at: RecordPosition) -> ArchivedRecord | None:
        """Return the last record, byte for byte, or None if it is truncated or too long to be stored."""
        while record.raw_stream.read(CHUNK_BYTES):
            pass
        if self.reader.taken is None or getattr(record.raw_stream, "limit", None) != 0:
            return None
        payload = bytes(self.reader.taken[len(self._head) :])
        return ArchivedRecord(file, member, at.offset, with_secrets_starred(self._head), payload)


def beginning(path: Path) -> bytes:
    """Return the first bytes of a file, decompressed if the file is gzipped, without leading blank lines."""
    with path.open("rb") as file:
        is_packed = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        with gzip.GzipFile(fileobj=file) if is_packed else file as stream:
            return stream.read(64).lstrip()
