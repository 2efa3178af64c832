"""Writes the index of an archive: CDXJ lines with the offset of each record, in a gzip file with its own index.

Source: WACZ 1.1.1, "indexes"; CDXJ as written by cdxj_indexer; ReplayWeb.page opens `index.idx` first.
"""

import gzip
import json
from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

from bundles.warc import WrittenRecord
from core.hosts import DEFAULT_PORTS
from core.ids import digest

# Without requests, and without the metadata record: it has the URL of the page and would be replayed in its place.
INDEXED = frozenset({"response", "resource", "conversion"})
_WWW = "www."


def sort_key(url: str) -> str:
    """Return the sort key of a URL (SURT): in lower case, with the host reversed and the parameters sorted.

    >>> sort_key("https://www.Book.example:8443/A/B.html?b=2&a=1"), sort_key("urn:pdf:https://book.example/X")
    ('example,book:8443)/a/b.html?a=1&b=2', 'urn:pdf:https://book.example/x')
    """
    if not url.lower().startswith(("http://", "https://")):
        return url.lower()
    parts = urlsplit(url.lower())
    host, port = (parts.hostname or "").removeprefix(_WWW), parts.port
    reversed_host = host if ":" in host else ",".join(reversed(host.split(".")))
    shown_port = "" if port in (None, DEFAULT_PORTS.get(parts.scheme)) else f":{port}"
    query = "?" + "&".join(sorted(parts.query.split("&"))) if parts.query else ""
    return f"{reversed_host}{shown_port})/{parts.path.strip('/')}{query}"


def index(records: Iterable[WrittenRecord], archive_name: str, index_name: str) -> tuple[bytes, bytes]:
    """Return the contents of index.cdx.gz, which lists the records, and of index.idx, which lists its parts.

    archive_name, index_name: the names of the archive and of index.cdx.gz that are written into them.
    """
    lines = sorted(_index_line(record, archive_name) for record in records if record.kind in INDEXED)
    compressed = gzip.compress("".join(lines).encode(), mtime=0)
    place = {"offset": 0, "length": len(compressed), "digest": f"sha256:{digest(compressed)}", "filename": index_name}
    return compressed, _secondary_index(lines, place, index_name)


def _secondary_index(lines: Sequence[str], place: dict[str, object], index_name: str) -> bytes:
    head = json.dumps({"format": "cdxj-gzip-1.0", "filename": index_name})
    first = " ".join(lines[0].split(" ", 2)[:2])
    return f"!meta 0 {head}\n{first} {json.dumps(place)}\n".encode()


def _index_line(record: WrittenRecord, archive_name: str) -> str:
    fields = {"url": record.url}
    if record.mime:
        fields["mime"] = record.mime
    if record.status is not None:
        fields["status"] = str(record.status)
    fields |= {
        "digest": record.payload_digest,
        "length": str(record.length),
        "offset": str(record.offset),
        "filename": archive_name,
    }
    return f"{sort_key(record.url)} {_cdx_timestamp(record.date)} {json.dumps(fields)}\n"


def _cdx_timestamp(date: str) -> str:
    """Return the fourteen-digit timestamp of an index line for a WARC date."""
    return "".join(char for char in date if char.isdigit())[:14]
