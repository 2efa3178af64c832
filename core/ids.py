"""Ids of stored objects. They are digests of content, so a step that runs twice writes the same rows."""

import hashlib
from typing import NewType

PageId = NewType("PageId", str)
VersionId = NewType("VersionId", str)
WorkTextId = NewType("WorkTextId", str)
Digest = NewType("Digest", str)
SiteId = NewType("SiteId", str)

RequestedUrl = NewType("RequestedUrl", str)  # before redirects
FinalUrl = NewType("FinalUrl", str)  # after redirects
CanonicalUrl = NewType("CanonicalUrl", str)  # the identity of a page

ID_HEX_CHARS = 40  # 160 bits: no accidental collision at 10^12 texts


def digest(content: bytes) -> Digest:
    """Return the SHA-256 of `content` as 64 hex digits, as quoted in evidence."""
    return Digest(hashlib.sha256(content).hexdigest())


def page_id(site: SiteId, url: CanonicalUrl) -> PageId:
    """Return the id of a page on a site.

    If two rights holders watch the same URL, each has a page of its own.
    """
    return PageId(_short_id("page", site, url))


def version_id(page: PageId, text: str, title: str) -> VersionId:
    """Return the id of a page version: the same text and title give the same version, whenever they were fetched."""
    return VersionId(_short_id("version", page, title, text))


def work_text_id(text: str) -> WorkTextId:
    """Return the id of a text of the reference corpus; it depends on neither owner nor title."""
    return WorkTextId(_short_id("work", text))


def _short_id(*parts: str) -> str:
    hasher = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        hasher.update(len(data).to_bytes(8, "big"))
        hasher.update(data)
    return hasher.hexdigest()[:ID_HEX_CHARS]
