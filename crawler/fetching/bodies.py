"""Recognises bodies that are refused: archives, documents with entity declarations, and decompression bombs."""

import re

# deflate reaches a ratio of 1,032 to 1, brotli and zstd far more. The 70 saved pages of the corpora reach 1.7 to 8.9
# with gzip -9 and 12.4 with brotli -9. A catalogue of 40,000 chapters (3 MB) reaches 15 and 37, 3 MB of one repeated
# row 292 and 36,585 (2026-11). Bodies below a megabyte do not become dangerously large.
MAX_RATIO = 300
MIN_SUSPICIOUS_BYTES = 1_000_000
MAX_CODINGS = 2  # one is usual; two occur if a server and the reverse proxy in front of it both compress
_ENTITY = re.compile(rb"<!ENTITY\b", re.IGNORECASE)
# What may precede a DOCTYPE declaration, and a DOCTYPE declaration up to the bracket of its internal subset.
_BEFORE = re.compile(rb"\s+|<\?.*?\?>|<!--.*?-->", re.DOTALL)
_OWN_PART = re.compile(rb"<!DOCTYPE(?:[^>\[\"']++|\"[^\"]*+\"|'[^']*+')*+\[", re.IGNORECASE)
_MARKS = b"\xef\xbb\xbf\xff\xfe\x00"  # byte order marks; UTF-16 and UTF-32 put zeros between ASCII characters
_GZIP = b"\x1f\x8b"
_ARCHIVES = (
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"Rar!\x1a\x07", "rar"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"BZh", "bzip2"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\x04\x22\x4d\x18", "lz4"),
    (b"\x1f\x9d", "compress"),
    (b"\x1f\xa0", "compress"),
    (b"MSCF", "cab"),
    (b"!<arch>", "ar"),
)


READ_ARCHIVES = frozenset({"zip"})  # the kinds of archive that are read as downloadable files


def archive_kind(body: bytes, *, may_be_gzip: bool) -> str:
    r"""Return the kind of archive that a body is, or "". may_be_gzip: True for sitemaps and feeds, False for pages.

    >>> archive_kind(b"PK\x03\x04...", may_be_gzip=True), archive_kind(b"<html>", may_be_gzip=False)
    ('zip', '')
    """
    if body.startswith(_GZIP):
        return "" if may_be_gzip else "gzip"
    if body[257:262] == b"ustar":
        return "tar"
    return next((kind for mark, kind in _ARCHIVES if body.startswith(mark)), "")


def declares_entities(body: bytes) -> bool:
    """Return True if a document declares entities. A few lines of them can expand to gigabytes.

    Pages, sitemaps and feeds do not need them. The internal subset of the DOCTYPE is searched for declarations,
    whatever precedes the DOCTYPE.
    """
    plain = body.replace(b"\x00", b"") if b"\x00" in body[:64] else body
    at = len(plain) - len(plain.lstrip(_MARKS))
    while before := _BEFORE.match(plain, at):
        at = before.end()
    return _OWN_PART.match(plain, at) is not None and _ENTITY.search(plain, at) is not None


def swells(size: int, size_unpacked: int) -> bool:
    """Return True if a decompressed body is a decompression bomb. size: its compressed size in bytes.

    >>> swells(10_000, 9_000_000), swells(1_000_000, 9_000_000), swells(100, 90_000)
    (True, False, False)
    """
    return size_unpacked > MIN_SUSPICIOUS_BYTES and size_unpacked > MAX_RATIO * size
