"""Converts records to the documents of a page store and back, independently of the driver.

A document is a dict of values that all servers with MongoDB's protocol can store: strings, times and lists of
documents. MongoDB supports more than its alternatives: FerretDB 1.24 accepts no list in a list, so pairs are documents,
and servers that store documents in PostgreSQL accept no string with a NUL. Times are whole microseconds since 1970 in
UTC, because BSON's own dates are limited to milliseconds. The text of a version is stored separately, by its digest,
since it may exceed the 16 MB of a document.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from math import isfinite
from typing import Any

from core.captures import Capture
from core.errors import BrokenInvariant
from core.ids import (
    CanonicalUrl,
    Digest,
    FinalUrl,
    PageId,
    RequestedUrl,
    SiteId,
    VersionId,
    digest,
    page_id,
    version_id,
)
from core.marks import Mark
from core.obfuscations import OBFUSCATIONS, ObfuscationFound
from core.pages import ChapterStart, Fetched, NetDiskLink, Page, PageVersion, Poster, Reading, StoredPart
from core.text import TextOffset, TextRange
from core.zones import SurroundingLine, Zone
from pagestore.captures import capture_bytes

Document = dict[str, Any]

NUL = "\0"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_KINDS = (Mapping, list, tuple, str, bytes, bool, int, float, type(None))
Headers = tuple[tuple[str, str], ...]

SCHEMA = 1  # of page and version documents; increase it if the meaning changes
_ZONES = {zone[0]: zone for zone in Zone}


def pack_text(text: str) -> str | bytes:
    r"""Return `text` in a form that every server stores: as bytes if it has a lone surrogate or a NUL.

    >>> pack_text("追文"), pack_text("a" + NUL), pack_text(chr(0xD800)) == text_bytes(chr(0xD800))
    ('追文', b'a\x00', True)
    """
    if NUL in text:
        return text_bytes(text)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text_bytes(text)
    return text


def unpack_text(value: str | bytes) -> str:
    """Return the text from the output of `pack_text`."""
    return value if isinstance(value, str) else text_from_bytes(value)


def text_bytes(text: str) -> bytes:
    """Return `text` in UTF-8, including lone surrogates."""
    return text.encode("utf-8", "surrogatepass")


def text_from_bytes(data: bytes) -> str:
    """Return the text from the output of `text_bytes`."""
    return data.decode("utf-8", "surrogatepass")


def microseconds(when: datetime) -> int:
    """Return a time as whole microseconds since 1970 in UTC. A time without a time zone is taken as UTC.

    >>> microseconds(datetime(1970, 1, 1, 0, 0, 1))
    1000000
    """
    return ((when if when.tzinfo else when.replace(tzinfo=UTC)) - _EPOCH) // _MICROSECOND


def moment(value: int) -> datetime:
    """Return the UTC-aware time from the output of `microseconds`."""
    return _EPOCH + value * _MICROSECOND


def pack_document(document: Document) -> Document:
    """Return a document with its texts and times, at any depth, in forms that every server stores.

    >>> pack_document({"at": datetime(1970, 1, 1, 0, 0, 1), "names": ("追文", None)})
    {'at': 1000000, 'names': ['追文', None]}
    """
    return {name: _pack_value(value) for name, value in document.items()}


def _pack_value(value: Any) -> Any:
    if isinstance(value, str):
        return pack_text(value)
    if isinstance(value, datetime):
        return microseconds(value)
    if isinstance(value, Mapping):
        return {name: _pack_value(each) for name, each in value.items()}
    return list(map(_pack_value, value)) if isinstance(value, (list, tuple)) else value


def required_portable(document: Document) -> Document:
    """Return `document` if every server can store it.

    It must not contain lists in lists, strings with a NUL or a lone surrogate, or values of unsupported types. The
    in-memory stores check all writes. Raises BrokenInvariant with the location of the fault.

    >>> required_portable({"rows": [{"names": ["a"]}]})
    {'rows': [{'names': ['a']}]}
    >>> required_portable({"rows": [["a"]]})
    Traceback (most recent call last):
    core.errors.BrokenInvariant: the page store rejects a document: rows.0 is a list in a list
    """
    _require_portable(document, "")
    return document


def _require_portable(value: Any, path: str, *, is_in_list: bool = False) -> None:
    fault = _value_fault(value, is_in_list=is_in_list)
    if fault:
        raise BrokenInvariant("store.document", error=f"{path} {fault}")
    if isinstance(value, Mapping):
        for name, each in value.items():
            _require_portable(name, f"the name {name!r}")
            _require_portable(each, f"{path}.{name}" if path else name)
    elif isinstance(value, (list, tuple)):
        for number, each in enumerate(value):
            _require_portable(each, f"{path}.{number}", is_in_list=True)


def _value_fault(value: Any, *, is_in_list: bool) -> str:
    if isinstance(value, (list, tuple)) and is_in_list:
        return "is a list in a list"
    if isinstance(value, str) and pack_text(value) is not value:
        return "is a string with a NUL or a lone surrogate"
    if isinstance(value, float) and not isfinite(value):
        return "is no number"
    return "" if isinstance(value, _KINDS) else "is of a kind that no document has"


def new_version(fetched: Fetched, reading: Reading) -> PageVersion:
    """Return the page version that results from a response and its reading."""
    page = page_id(fetched.site_id, fetched.canonical_url)
    return PageVersion(
        id=version_id(page, reading.identity, reading.title),
        page_id=page,
        site_id=fetched.site_id,
        canonical_url=fetched.canonical_url,
        requested_url=fetched.requested_url,
        final_url=fetched.final_url,
        status=fetched.status,
        headers=fetched.headers,
        fetched_at=fetched.fetched_at,
        raw_digest=digest(fetched.body),
        text_digest=digest(text_bytes(reading.text)),
        reading=reading,
        parts=tuple(
            StoredPart(
                part.url, part.status, part.headers, digest(part.body), part.fetched_at, capture_digest(part.capture)
            )
            for part in fetched.parts
        ),
        origin=fetched.origin,
        capture_digest=capture_digest(fetched.capture),
    )


def new_page(version: PageVersion) -> Page:
    """Return the page whose first version this is."""
    seen = version.fetched_at
    return Page(version.page_id, version.site_id, version.canonical_url, seen, seen, version.id)


def page_document(page: Page, versions: Sequence[VersionId]) -> Document:
    """Return the document of a page, with the ids of its versions in the order in which they were stored."""
    return pack_document(
        {
            "_id": page.id,
            "schema": SCHEMA,
            "site": page.site_id,
            "url": page.canonical_url,
            "first_seen": page.first_seen,
            "last_seen": page.last_seen,
            "current": page.current_version,
            "versions": versions,
        }
    )


def read_page(document: Document) -> Page:
    """Return the page in a document. Raises BrokenInvariant if the schema is unknown."""
    check_schema(document)
    return Page(
        id=PageId(document["_id"]),
        site_id=SiteId(unpack_text(document["site"])),
        canonical_url=CanonicalUrl(unpack_text(document["url"])),
        first_seen=moment(document["first_seen"]),
        last_seen=moment(document["last_seen"]),
        current_version=VersionId(document["current"]),
    )


def version_document(version: PageVersion) -> Document:
    """Return the document of a version, without its text, which is stored under `text_digest`."""
    reading = version.reading
    return pack_document(
        {
            "_id": version.id,
            "schema": SCHEMA,
            "page": version.page_id,
            "site": version.site_id,
            "url": version.canonical_url,
            "requested_url": version.requested_url,
            "final_url": version.final_url,
            "status": version.status,
            "headers": header_documents(version.headers),
            "fetched_at": version.fetched_at,
            "raw": version.raw_digest,
            "text": version.text_digest,
            "title": reading.title,
            "author": reading.author,
            "published": reading.published,
            "encoding": reading.encoding,
            "is_encoding_doubtful": reading.is_encoding_doubtful,
            "extractor": reading.extractor,
            "confidence": reading.confidence,
            "obfuscations": [
                {"kind": each.kind.value, "count": each.count, "example": each.example} for each in reading.obfuscations
            ],
            "site_name": reading.site_name,
            "chapter_number": reading.chapter_number,
            "left_out": reading.left_out,
            "chapters": [{"title": each.title, "start": each.start} for each in reading.chapters],
            "posters": [{"name": each.name, "after": each.after} for each in reading.posters],
            "net_disks": [{"url": each.url, "disk": each.disk, "label": each.label} for each in reading.net_disks],
            **{name: digest(text) if text else "" for name, text in _further_texts(reading).items()},
            "parts": [
                {
                    "url": part.url,
                    "status": part.status,
                    "headers": header_documents(part.headers),
                    "raw": part.raw_digest,
                    "fetched_at": part.fetched_at,
                    "capture": part.capture_digest,
                }
                for part in version.parts
            ],
            "origin": version.origin,
            "capture": version.capture_digest,
        }
    )


def reading_texts(reading: Reading) -> dict[str, bytes]:
    """Return the texts of a reading that are stored next to its document, by digest."""
    texts = text_bytes(reading.text), *filter(None, _further_texts(reading).values())
    return {digest(each): each for each in texts}


def text_keys(document: Document) -> set[str]:
    """Return the keys of the texts to which a version's document refers."""
    return {document[name] for name in ("text", "raw_text", "beside", "marks") if document[name]}


def read_version(document: Document, texts: Mapping[str, bytes]) -> PageVersion:
    """Return the version in a document. texts: its texts, by digest.

    Raises BrokenInvariant if the schema is unknown or a text is missing.
    """
    check_schema(document)
    if not text_keys(document) <= texts.keys():
        raise BrokenInvariant("store.text-gone", version=document["_id"])
    return PageVersion(
        id=VersionId(document["_id"]),
        page_id=PageId(document["page"]),
        site_id=SiteId(unpack_text(document["site"])),
        canonical_url=CanonicalUrl(unpack_text(document["url"])),
        requested_url=RequestedUrl(unpack_text(document["requested_url"])),
        final_url=FinalUrl(unpack_text(document["final_url"])),
        status=document["status"],
        headers=read_headers(document["headers"]),
        fetched_at=moment(document["fetched_at"]),
        raw_digest=Digest(document["raw"]),
        text_digest=Digest(document["text"]),
        reading=_read_reading(document, texts),
        parts=tuple(_read_part(part) for part in document["parts"]),
        origin=unpack_text(document["origin"]),
        capture_digest=Digest(document["capture"]) if document["capture"] else None,
    )


def header_documents(headers: Headers) -> list[Document]:
    """Return the headers of a response as documents, in order."""
    return [{"name": name, "value": value} for name, value in headers]


def read_headers(documents: Iterable[Document]) -> Headers:
    """Return the headers in the output of `header_documents`."""
    return tuple((unpack_text(each["name"]), unpack_text(each["value"])) for each in documents)


def oldest_first(version: PageVersion) -> tuple[datetime, VersionId]:
    """Return the key that sorts versions by the time of their fetch, the oldest first."""
    return version.fetched_at, version.id


def _read_part(document: Document) -> StoredPart:
    return StoredPart(
        url=FinalUrl(unpack_text(document["url"])),
        status=document["status"],
        headers=read_headers(document["headers"]),
        raw_digest=Digest(document["raw"]),
        fetched_at=moment(document["fetched_at"]),
        capture_digest=Digest(document["capture"]) if document["capture"] else None,
    )


def capture_digest(capture: Capture | None) -> Digest | None:
    """Return the digest under which a capture is stored, or None if there is no capture."""
    return digest(capture_bytes(capture)) if capture is not None else None


def _further_texts(reading: Reading) -> dict[str, bytes]:
    """Return the texts of a reading other than the main text, by field of the document. A missing text is empty."""
    return {
        "raw_text": text_bytes(reading.raw_text),
        "beside": _side_line_bytes(reading.surroundings),
        "marks": _mark_bytes(reading.marks),
    }


def _side_line_bytes(surroundings: Iterable[SurroundingLine]) -> bytes:
    """Return one row for each surrounding line: the initial of its zone, the main-text lines before it, its text."""
    return text_bytes("\n".join(f"{line.zone[0]}{line.after}\t{line.text}" for line in surroundings))


def _parse_side_lines(data: bytes) -> tuple[SurroundingLine, ...]:
    rows = (row.partition("\t") for row in text_from_bytes(data).split("\n"))
    return tuple(SurroundingLine(_ZONES[place[0]], text, int(place[1:])) for place, _, text in rows)


def _mark_bytes(marks: Iterable[Mark]) -> bytes:
    """Return one row for each mark: its kind, and its bounds in the raw text and in the clean text."""
    rows = (f"{mark.kind} {mark.raw.start} {mark.raw.end} {mark.text.start} {mark.text.end}" for mark in marks)
    return "\n".join(rows).encode()


def _read_marks(data: bytes) -> tuple[Mark, ...]:
    rows = (row.split(" ") for row in data.decode().split("\n"))
    return tuple(Mark(row[0], TextRange(int(row[1]), int(row[2])), TextRange(int(row[3]), int(row[4]))) for row in rows)


def _read_reading(document: Document, texts: Mapping[str, bytes]) -> Reading:
    published, raw_text, surroundings = document["published"], document["raw_text"], document["beside"]
    marks = document["marks"]
    return Reading(
        title=unpack_text(document["title"]),
        text=text_from_bytes(texts[document["text"]]),
        author=unpack_text(document["author"]),
        published=None if published is None else moment(published),
        encoding=unpack_text(document["encoding"]),
        is_encoding_doubtful=document["is_encoding_doubtful"],
        extractor=unpack_text(document["extractor"]),
        confidence=float(document["confidence"]),
        obfuscations=tuple(
            ObfuscationFound(OBFUSCATIONS[each["kind"]], each["count"], unpack_text(each["example"]))
            for each in document["obfuscations"]
        ),
        raw_text=text_from_bytes(texts[raw_text]) if raw_text else "",
        surroundings=_parse_side_lines(texts[surroundings]) if surroundings else (),
        marks=_read_marks(texts[marks]) if marks else (),
        site_name=unpack_text(document["site_name"]),
        chapter_number=document["chapter_number"],
        left_out=tuple(unpack_text(line) for line in document["left_out"]),
        chapters=tuple(
            ChapterStart(unpack_text(each["title"]), TextOffset(each["start"])) for each in document["chapters"]
        ),
        posters=tuple(Poster(unpack_text(each["name"]), each["after"]) for each in document["posters"]),
        net_disks=tuple(
            NetDiskLink(unpack_text(each["url"]), unpack_text(each["disk"]), unpack_text(each["label"]))
            for each in document["net_disks"]
        ),
    )


def check_schema(document: Document, known: int = SCHEMA) -> None:
    """Raise BrokenInvariant if the schema of a document is unknown."""
    if document.get("schema") != known:
        raise BrokenInvariant("store.schema", key=document.get("_id"), seen=document.get("schema"), known=known)
