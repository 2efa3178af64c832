"""What a record of an archive says of itself: address, status, moment, body."""

import io
from datetime import UTC, datetime
from ipaddress import ip_address
from typing import Any

CHUNK_BYTES = 64 * 1024


def answer_of(record: Any) -> tuple[int, tuple[tuple[str, str], ...]]:
    if record.rec_type == "conversion":  # plain text made of a page, as in Common Crawl's WET files
        return 200, (("Content-Type", "text/plain; charset=utf-8"),)
    if record.http_headers is None:
        return 0, ()
    code = str(record.http_headers.get_statuscode() or "")
    return int(code) if code.isdecimal() and len(code) == 3 else 0, tuple(
        (str(name), str(value)) for name, value in record.http_headers.headers
    )


def body_of(record: Any, limit: int) -> tuple[bytes, bool]:
    """The body up to a limit, and whether it was longer."""
    stream, taken = record.content_stream(), io.BytesIO()
    while taken.tell() <= limit:
        piece = stream.read(min(CHUNK_BYTES, limit + 1 - taken.tell()))
        if not piece:
            break
        taken.write(piece)
    body = taken.getvalue()
    return body[:limit], len(body) > limit


def url_of(record: Any) -> str:
    return (record.rec_headers.get_header("WARC-Target-URI") or "").strip("<> ")


def name_of(record: Any) -> str:
    return name_in(record, "WARC-Record-ID")


def name_in(record: Any, header: str) -> str:
    """The id of a record that a header gives."""
    return (record.rec_headers.get_header(header) or "").strip("<> ")[:200]


def address_of(stated: str) -> str:
    """An address that an archive states; "" for what is none."""
    try:
        return str(ip_address(stated.strip()))
    except ValueError:
        return ""


def moment_of(stated: str) -> datetime | None:
    """WARC-Date: UTC, to the second or finer."""
    try:
        moment = datetime.fromisoformat(stated.strip())
    except ValueError:
        return None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
