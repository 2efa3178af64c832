"""WARC 1.1 records as `evidence.warc` writes them, and nothing else: no byte between them is passed over.

Stricter than readers of any archive must be. Source: ISO 28500:2017, section 4.
"""

from collections.abc import Iterator, Mapping

from core.wording import Message
from evidence.faults import DoesNotHold, Fault

MAX_RECORDS = 4_000  # a chapter of 60 parts has 120, a page with a picture for each rare character 300
MAX_HEAD_BYTES = 64 * 1024  # an address of 2,000 characters and twelve fields have 4 kB

_VERSION, _END = "WARC/1.1", b"\r\n\r\n"


def records(archive: bytes, part: str) -> Iterator[tuple[Mapping[str, str], bytes]]:
    """The fields of each record by their names in lower case, and its block. Raises DoesNotHold."""
    position = number = 0
    while position < len(archive):
        number += 1
        if number > MAX_RECORDS:
            raise DoesNotHold(Fault.TOO_LARGE, part, limit=Message("flaw.records", records=MAX_RECORDS))
        fields, start = _head(archive, position, part)
        end = start + _length(fields, part)
        if archive[end : end + len(_END)] != _END:
            raise _broken(part)
        yield fields, archive[start:end]
        position = end + len(_END)


def _head(archive: bytes, position: int, part: str) -> tuple[dict[str, str], int]:
    """The fields of the record that begins there, and where its block begins."""
    end = archive.find(_END, position, position + MAX_HEAD_BYTES)
    try:
        first, *lines = archive[position : max(end, position)].decode("utf-8").split("\r\n")
    except UnicodeDecodeError as error:
        raise _broken(part) from error
    fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if end < 0 or first != _VERSION or len(fields) != len(lines):
        raise _broken(part)
    return fields, end + len(_END)


def _length(fields: Mapping[str, str], part: str) -> int:
    said = fields.get("content-length", "")
    if not (said.isascii() and said.isdigit() and len(said) <= 12):
        raise _broken(part)
    return int(said)


def _broken(part: str) -> DoesNotHold:
    return DoesNotHold(Fault.UNREADABLE, part, why=Message("flaw.no-warc"))
