"""What a record of an archive says of itself: address, status, moment, body."""

import io
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
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


def moment_in(record: Any) -> tuple[datetime | None, bool]:
    """When the page was fetched, and whether that is what the site's server said (HTTP Date), for want of a WARC-Date.

    The crawl of ClueWeb09 counted the days of the year where those of the month belong: 2008-10-294.
    """
    stated = _moment(record.rec_headers.get_header("WARC-Date") or "", datetime.fromisoformat)
    if stated is not None or record.http_headers is None:
        return stated, False
    return _moment(record.http_headers.get_header("Date") or "", parsedate_to_datetime), True


def own_keys(record: Any) -> list[str]:
    """What a revisit may name a response by: its id, its address and moment, the digest of its body."""
    return _keys(record, "WARC-Record-ID", url_of(record), "WARC-Date")


def original_keys(record: Any) -> list[str]:
    """What a revisit names the response by that it repeats, the surest first."""
    target = (record.rec_headers.get_header("WARC-Refers-To-Target-URI") or "").strip("<> ")
    return _keys(record, "WARC-Refers-To", target, "WARC-Refers-To-Date")


def _keys(record: Any, name: str, url: str, date: str) -> list[str]:
    moment = record.rec_headers.get_header(date) or ""
    keys = [name_in(record, name), f"{url} {moment}" if url and moment else "", name_in(record, "WARC-Payload-Digest")]
    return [key for key in keys if key]


def _moment(stated: str, parse: Callable[[str], datetime]) -> datetime | None:
    """In UTC, which a WARC-Date has without a zone too; None for what is no moment."""
    try:
        moment = parse(stated.strip())
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
