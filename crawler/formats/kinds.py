"""Kinds of files by their content: names and content types are often wrong."""

import io

from core.errors import UnreadableFile
from crawler.formats.archive import Archive

PDF, EPUB, WORD, ZIP, JSON = "pdf", "epub", "docx", "zip", "json"
_MAX_LEADING_BYTES = 1_024  # before the header, which PDF readers skip
_ZIP_MARKS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_PDF_MARK = b"%PDF-"
_BLANKS = b"\xef\xbb\xbf \t\r\n\x00"


def detect_kind(body: bytes) -> str:
    """Return one of the kinds above, "" for anything else; a ZIP file that cannot be opened is a ZIP file.

    >>> detect_kind(b"%PDF-1.7"), detect_kind(b'{"text": 1}'), detect_kind(b"<html>")
    ('pdf', 'json', '')
    """
    if body.startswith(_ZIP_MARKS):
        return _container_kind(body)
    head = body[:_MAX_LEADING_BYTES].lstrip(_BLANKS)
    if head.startswith(_PDF_MARK):
        return PDF
    return JSON if head.startswith((b"{", b"[")) and body.rstrip(_BLANKS).endswith((b"}", b"]")) else ""


def is_container(body: bytes) -> bool:
    """Return True if bytes are a file that a parser takes apart, PDF or ZIP, by the first of them alone."""
    return body.startswith(_ZIP_MARKS) or body[:_MAX_LEADING_BYTES].lstrip(_BLANKS).startswith(_PDF_MARK)


def _container_kind(body: bytes) -> str:
    try:
        with Archive(io.BytesIO(body), "") as archive:
            names = archive.names
    except UnreadableFile:
        return ZIP  # whose reader says what is wrong with it
    if "META-INF/container.xml" in names:
        return EPUB
    return WORD if "word/document.xml" in names else ZIP
