"""Reads WARC 1.1 records strictly, in the form in which `bundles.warc` writes them; no byte may be skipped.

Only one record is in memory at a time, because an archive of a few megabytes may expand to gigabytes. Source: ISO
28500:2017, section 4.
"""

import gzip
import hashlib
import zlib
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO

from bundles.faults import DoesNotHold, Fault
from core.ids import Digest
from core.wording import Message

MAX_EXPANDED_BYTES = 512 * 2**20  # a crawled page has far less; screenshots of very long pages 20 MB
MAX_RECORDS = 4_000  # a chapter with 60 parts has 120, a page with a picture for each rare character 300
READ_BYTES = 1 << 20
MAX_HEAD_BYTES = 64 * 1024  # a URL of 2,000 characters and twelve fields have 4 kB

_VERSION, _END = "WARC/1.1", b"\r\n\r\n"


class ByteBudget:
    """The number of decompressed bytes that may still be read, for all archives in a bundle together."""

    def __init__(self, most_bytes: int = MAX_EXPANDED_BYTES) -> None:
        self.most_bytes = self.left = most_bytes


class Expanded:
    """The decompressed content of a gzip file with several members.

    Reading raises DoesNotHold, naming `part`, if the file is damaged or the budget is exhausted.
    """

    def __init__(self, compressed: bytes, part: str, budget: ByteBudget) -> None:
        self._file, self._part, self._budget = gzip.GzipFile(fileobj=BytesIO(compressed)), part, budget

    def read(self, size: int) -> bytes:
        """Return the next `size` bytes, or fewer at the end."""
        if size > self._budget.left:
            raise self._too_large()
        return self._read_expanded(self._file.read, size)

    def digest(self, size: int) -> Digest:
        """Return the SHA-256 of the next `size` bytes, which are not stored."""
        if size > self._budget.left:
            raise self._too_large()
        hasher = hashlib.sha256()
        for start in range(0, size, READ_BYTES):
            hasher.update(self.read(min(READ_BYTES, size - start)))
        return Digest(hasher.hexdigest())

    def line(self, most_bytes: int) -> bytes:
        """Return the rest of the line, but at most `most_bytes`."""
        return self._read_expanded(self._file.readline, min(most_bytes, self._budget.left + 1))

    def _read_expanded(self, read: Callable[[int], bytes], size: int) -> bytes:
        try:
            content = read(size)
        except EOFError as error:
            raise DoesNotHold(Fault.UNREADABLE, self._part, why=Message("flaw.ends-early")) from error
        except (OSError, zlib.error) as error:
            raise DoesNotHold(Fault.UNREADABLE, self._part, why=Message("flaw.no-gzip")) from error
        self._budget.left -= len(content)
        if self._budget.left < 0:
            raise self._too_large()
        return content

    def _too_large(self) -> DoesNotHold:
        return DoesNotHold(Fault.TOO_LARGE, self._part, limit=Message("flaw.bytes", bytes=self._budget.most_bytes))


def records(compressed: bytes, part: str, budget: ByteBudget) -> Iterator[tuple[Mapping[str, str], bytes]]:
    """Yield the header fields of each record by lower-case name, and its block.

    Raises DoesNotHold, naming `part`, if a record is malformed or there are too many.
    """
    archive, number = Expanded(compressed, part, budget), 0
    while (fields := _read_head(archive, part)) is not None:
        number += 1
        if number > MAX_RECORDS:
            raise DoesNotHold(Fault.TOO_LARGE, part, limit=Message("flaw.records", records=MAX_RECORDS))
        length = _content_length(fields, part)
        block = archive.read(length)
        if len(block) != length or archive.read(len(_END)) != _END:
            raise _unreadable_fault(part)
        yield fields, block


def _read_head(archive: Expanded, part: str) -> dict[str, str] | None:
    """Return the header fields of the next record, or None at the end. Raises DoesNotHold if they are malformed."""
    head = bytearray(archive.line(MAX_HEAD_BYTES))
    if not head:
        return None
    while not head.endswith(_END):
        line = archive.line(MAX_HEAD_BYTES - len(head))
        if not line:
            raise _unreadable_fault(part)
        head += line
    try:
        first, *lines = head[: -len(_END)].decode("utf-8").split("\r\n")
    except UnicodeDecodeError as error:
        raise _unreadable_fault(part) from error
    fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if first != _VERSION or len(fields) != len(lines):
        raise _unreadable_fault(part)
    return fields


def _content_length(fields: Mapping[str, str], part: str) -> int:
    said = fields.get("content-length", "")
    if not (said.isascii() and said.isdigit() and len(said) <= 12):
        raise _unreadable_fault(part)
    return int(said)


def _unreadable_fault(part: str) -> DoesNotHold:
    return DoesNotHold(Fault.UNREADABLE, part, why=Message("flaw.no-warc"))
