"""Ids are digests of content, so that a step that runs twice writes the same thing twice."""

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
    """Return the SHA-256 of `content` as 64 hex digits: the digest that evidence quotes."""
    return Digest(hashlib.sha256(content).hexdigest())


def page_id(site: SiteId, url: CanonicalUrl) -> PageId:
    """Return one page of one site.

    Two rights holders that watch one URL own two pages: nothing crosses between them.
    """
    return PageId(_short("page", site, url))


def version_id(page: PageId, text: str, title: str) -> VersionId:
    """Return one state of a page. The same text under the same title is the same version, whenever it was fetched."""
    return VersionId(_short("version", page, title, text))


def work_text_id(text: str) -> WorkTextId:
    """Return one text of the reference corpus, whoever owns it and under whatever title."""
    return WorkTextId(_short("work", text))


def _short(*parts: str) -> str:
    hasher = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        hasher.update(len(data).to_bytes(8, "big"))
        hasher.update(data)
    return hasher.hexdigest()[:ID_HEX_CHARS]
