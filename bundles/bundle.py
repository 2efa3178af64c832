"""Writes a fetched page and its finding as one WACZ 1.1.1 file.

The manifest is datapackage.json, which contains the SHA-256 of each file. The SHA-256 of the manifest is the digest of
the bundle, and datapackage-digest.json contains it, as WACZ requires. Source: specs.webrecorder.net/wacz/1.1.1.
"""

import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from ssl import DER_cert_to_PEM_cert
from typing import Any

from bundles import cdx, comparison, container, originals, shapes
from bundles.canonical import canonical
from bundles.circumstances import circumstances
from bundles.comparison import Comparison
from bundles.records import Bundle, CapturedPage, Finding
from bundles.secrets_withheld import public_url
from bundles.warc import archive, warc_date
from core.captures import WireExchange
from core.errors import BadInput
from core.ids import digest

FORMAT = 1  # incremented when a field changes its meaning
WACZ_VERSION = "1.1.1"
SALT_BYTES = 16  # prevents guessing a bundle from a digest in another bundle's audit path
ARCHIVE, INDEX, INDEX_START, PAGES = (
    "archive/data.warc.gz",
    "indexes/index.cdx.gz",
    "indexes/index.idx",
    "pages/pages.jsonl",
)
PACKAGE, PACKAGE_DIGEST = "datapackage.json", "datapackage-digest.json"
PAGE, CONNECTION, FINDING = "evidence/page.json", "evidence/connection.json", "evidence/finding.json"
CIRCUMSTANCES = "evidence/circumstances.json"
COMPARISON = "evidence/comparison.json"  # replaces finding.json if pages were compared by meaning

Found = Finding | Comparison


def make(capture: CapturedPage, found: Found, *, made_at: datetime | None = None, salt: str = "") -> Bundle:
    """Return the bundle of a captured page and its finding.

    made_at: the current time if None. salt: 32 hex digits, random if empty. The same arguments give the same bytes.
    Raises BadInput if a page has no response, or if the capture and the finding are inconsistent.
    """
    _require_consistent(capture, found)
    at, key = made_at or datetime.now(UTC), salt or secrets.token_hex(SALT_BYTES)
    software = f"zhuiwen {found.code_version}".strip()
    warc, written = archive(capture, key, software, at)
    index, start = cdx.index(written, ARCHIVE.rpartition("/")[2], INDEX.rpartition("/")[2])
    files: dict[str, bytes] = {
        ARCHIVE: warc,
        INDEX: index,
        INDEX_START: start,
        PAGES: _pages_index(capture, key),
        PAGE: canonical(shapes.page(capture)),
        CONNECTION: canonical(shapes.connection(capture)),
        CIRCUMSTANCES: canonical(circumstances(capture)),
        **_finding_files(found, capture.text),
        **_certificate_chains(capture),
        **originals.files(capture.parts),
    }
    files[PACKAGE] = canonical(_data_package(capture, files, at, key, software))
    named = digest(files[PACKAGE])
    files[PACKAGE_DIGEST] = package_digest(files[PACKAGE])
    return Bundle(named, container.write(files), capture.page.ended_at.astimezone(UTC))


def package_digest(package: bytes) -> bytes:
    """Return the content of datapackage-digest.json for the content of a datapackage.json."""
    return canonical({"path": PACKAGE, "hash": f"sha256:{digest(package)}"})


def _finding_files(found: Found, text: str) -> dict[str, bytes]:
    if isinstance(found, Comparison):
        return {COMPARISON: canonical(comparison.statement(found, text))}
    return {FINDING: canonical(shapes.finding(found, text))}


def _require_consistent(capture: CapturedPage, found: Found) -> None:
    if not all(part.capture.exchanges for part in capture.parts):
        raise BadInput("evidence.no-response")
    if any(exchange.ended_at.tzinfo is None for exchange in capture.exchanges):
        raise BadInput("evidence.naive-moment")
    drawings = [part.drawing for part in capture.parts]
    are_told = all((each.screenshot is None) != (each.undrawn is None) for each in drawings)
    if any(each.screenshot for each in drawings) and not are_told:
        raise BadInput("evidence.undrawn")
    for number, passage in enumerate(found.passages if isinstance(found, Finding) else (), 1):
        if capture.text[slice(*passage.page)] != passage.page_excerpt:
            raise BadInput("evidence.passage", number=number)


def _pages_index(capture: CapturedPage, salt: str) -> bytes:
    head = {"format": "json-pages-1.0", "id": "pages", "title": "All Pages", "hasText": True}
    page = {**_page_entry(capture.page, salt), "title": capture.title, "text": capture.text}
    following = [_page_entry(part.page, f"{salt}-{number}") for number, part in enumerate(capture.parts[1:], 2)]
    return b"".join(map(canonical, (head, page, *following)))


def _page_entry(page: WireExchange, key: str) -> dict[str, Any]:
    return {"id": key, "url": public_url(page.url), "ts": warc_date(page.ended_at)}


def _certificate_chains(capture: CapturedPage) -> dict[str, bytes]:
    return {
        shapes.chain_name(number): "".join(map(DER_cert_to_PEM_cert, exchange.tls.certificates)).encode()
        for number, exchange in enumerate(capture.exchanges, 1)
        if exchange.tls is not None and exchange.tls.certificates
    }


def _data_package(
    capture: CapturedPage, files: Mapping[str, bytes], at: datetime, salt: str, software: str
) -> dict[str, Any]:
    resources = [
        {"name": name.rpartition("/")[2], "path": name, "hash": f"sha256:{digest(content)}", "bytes": len(content)}
        for name, content in sorted(files.items())
    ]
    return {
        "profile": "data-package",
        "wacz_version": WACZ_VERSION,
        "software": software,
        "created": at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "title": capture.title or public_url(capture.page.url),
        "mainPageURL": public_url(capture.page.url),
        "mainPageDate": warc_date(capture.page.ended_at),
        "resources": resources,
        "zhuiwen": {"bundle_format": FORMAT, "salt": salt},
    }
