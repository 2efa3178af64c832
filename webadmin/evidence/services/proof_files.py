"""Reads files from third parties: the kind of their content, and the RFC 3161 tokens and digests in them.

Files are untrusted. Nothing is run, rendered or resolved, and every read is limited. XML and JSON are searched as text,
so that no entity is ever expanded.
"""

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from bundles import der
from bundles.faults import DoesNotHold
from bundles.stamps import MAX_DER_BYTES, StampStatement, read_stamp

# Limits for an archive. A package from a notary or platform has about ten files. The result states if files were not
# read.
MAX_MEMBERS, MAX_UNPACKED_BYTES = 200, 40 * 2**20
MAX_TOKENS = 10  # tokens read in an archive; rejecting a hostile archive of 64 kB takes 0.6 s
MAX_LISTED = 5_000  # entries in an archive, which take memory before the first is read
# Text searched for digests. A 50-page certificate has 100,000 characters; 2 million hex digits take 1 s (2026-11).
MAX_TEXT_CHARS = 2_000_000
_SIGNATURES = {b"%PDF-": "pdf", b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpg"}
_PLAIN = ("json", "xml", "txt")
_OF_ARCHIVES = {"word/document.xml": "docx", "OFD.xml": "ofd"}
_READ_MEMBERS = (".json", ".xml", ".txt", ".csv", ".tsr", ".tst", ".tsa")
_MARKUP = re.compile(r"<[^<>]{0,10000}>")
_BETWEEN = re.compile(r"[\s:\-\u00ad\u200b-\u200d\ufeff]+")  # separators between hex digits
_HEX = re.compile(r"[0-9a-f]{64,}")
_GRANTED = bytes.fromhex("3003020100")  # PKIStatusInfo for a bare token
_SIGNED_DATA = bytes.fromhex("06092a864886f70d010702")
_DAMAGES = (zipfile.BadZipFile, zlib.error, struct.error, RuntimeError, ValueError, EOFError, OSError, LookupError)


@dataclass(frozen=True, slots=True)
class ProofContent:
    """The tokens and text in a file. is_cut: whether parts exceeded the limits and were not read."""

    tokens: tuple[StampStatement, ...] = ()
    text: str = ""
    is_cut: bool = False


def detect_proof_kind(content: bytes, name: str) -> str:
    """Return the file extension for the content, or "" if this kind of file is not accepted as a proof.

    name: the file name, which distinguishes JSON and XML from other text.
    """
    found = next((kind for start, kind in _SIGNATURES.items() if content.startswith(start)), "")
    if found or not content:
        return found
    if content.startswith(b"PK"):
        return _archive_kind(content)
    if content[:1] == b"\x30" and (signed := _der_kind(content)):  # text may also begin with "0"
        return signed
    if plain_text(content) is None:
        return ""
    ending = name.rpartition(".")[2].lower()
    return ending if ending in _PLAIN else "txt"


def read_proof(content: bytes, kind: str) -> ProofContent:
    """Return the tokens and text in a file of this kind. Images and PDFs yield nothing; the caller reads PDFs."""
    if kind in ("tsr", "tst"):
        token = parse_token(content)
        return ProofContent((token,) if token else ())
    if kind in ("zip", "docx", "ofd"):
        return _read_archive(content)
    text = plain_text(content) if kind in _PLAIN else None
    return ProofContent(text=(text or "")[:MAX_TEXT_CHARS], is_cut=len(text or "") > MAX_TEXT_CHARS)


def parse_token(content: bytes) -> StampStatement | None:
    """Return the timestamp in a response or a bare token, or None if the content is neither."""
    try:
        response = content if _is_response(content) else _der_sequence(_GRANTED + content)
        return read_stamp(response, "") if len(response) <= MAX_DER_BYTES else None
    except (DoesNotHold, ValueError):
        return None


def find_digests(text: str, wanted: Collection[str]) -> set[str]:
    r"""Return those of the wanted digests (64 lower-case hex digits) that the text contains, in one run or in groups.

    >>> find_digests("SHA-256: " + "AB" * 16 + "\n" + "ab" * 16, {"ab" * 32, "cd" * 32}) == {"ab" * 32}
    True
    """
    known = frozenset(wanted)
    found = set[str]()
    for run in _HEX.findall(_BETWEEN.sub("", text[:MAX_TEXT_CHARS]).lower()):
        found.update(piece for at in range(len(run) - 63) if (piece := run[at : at + 64]) in known)
    return found


def plain_text(content: bytes) -> str | None:
    """Return the text of a file in UTF-8, UTF-16 with BOM or GB18030, or None if it is not text."""
    is_wide = content[:2] in (b"\xff\xfe", b"\xfe\xff")
    for encoding in ("utf-16",) if is_wide else ("utf-8-sig", "gb18030"):
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        return None if any(char < " " and char not in "\t\n\r\f" for char in text[:MAX_TEXT_CHARS]) else text
    return None


def _archive_kind(content: bytes) -> str:
    if content.count(b"PK\x01\x02") > MAX_LISTED:
        return ""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = set(archive.namelist())
    except _DAMAGES:
        return ""
    return next((kind for name, kind in _OF_ARCHIVES.items() if name in names), "zip")


def _der_kind(content: bytes) -> str:
    """Return "tsr" for a timestamp response, "tst" for a bare token, "p7s" for any other signed message, or ""."""
    try:
        if _is_response(content):
            return "tsr" if parse_token(content) else ""
        is_signed = der.children(content)[:1] == [_SIGNED_DATA]
    except ValueError:
        return ""
    return ("tst" if parse_token(content) else "p7s") if is_signed else ""


def _is_response(content: bytes) -> bool:
    """Return True if the content begins like a TimeStampResp (RFC 3161, 2.4.2).

    Raises ValueError if it is not a DER sequence.
    """
    parts = der.children(content)
    return len(parts) == 2 and parts[0][:1] == b"\x30" and parts[1][:1] == b"\x30"


def _der_sequence(body: bytes) -> bytes:
    size = len(body)
    length = bytes([size]) if size < 0x80 else (b"\x82" if size < 0x10000 else b"\x84") + _length_octets(size)
    return b"\x30" + length + body


def _length_octets(size: int) -> bytes:
    return size.to_bytes(2 if size < 0x10000 else 4, "big")


def _read_archive(content: bytes) -> ProofContent:
    tokens, texts, left, is_cut, tried = list[StampStatement](), list[str](), MAX_TEXT_CHARS, False, 0
    try:
        for name, member in _readable_members(content):
            if member is None:
                is_cut = True
                continue
            text = plain_text(member)
            if text is None and member[:1] == b"\x30":
                tried += 1
                is_cut |= tried > MAX_TOKENS
                token = parse_token(member) if tried <= MAX_TOKENS else None
                tokens += [token] if token else []
            text = text or ""
            text = _MARKUP.sub("", text) if name.endswith(".xml") else text  # Markup may split a word into runs.
            is_cut |= len(text) > left
            texts.append(text[:left])
            left -= len(texts[-1])
    except _DAMAGES:
        is_cut = True
    return ProofContent(tuple(tokens), "|".join(texts), is_cut)


def _readable_members(content: bytes) -> Iterator[tuple[str, bytes | None]]:
    """Yield the name and content of the members that can be read.

    The content is None if a member exceeds the limits.
    """
    left = MAX_UNPACKED_BYTES
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        named = [each for each in archive.infolist() if each.filename.lower().endswith(_READ_MEMBERS)]
        for info in named[:MAX_MEMBERS]:
            with archive.open(info) as member:
                got = member.read(left + 1)
            left -= min(left, len(got))
            yield info.filename.lower(), got if left else None
        if len(named) > MAX_MEMBERS:
            yield "", None
