"""Rebuilds lost records from other data; only a record with the digest of the lost one replaces it."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from bundles import bundle
from bundles.faults import DoesNotHold
from bundles.opened import OpenedBundle, open_bundle
from bundles.warc_reading import ByteBudget, records
from core.batches import batches
from core.errors import BrokenInvariant, RetryLater, ZhuiwenError
from core.ids import Digest, digest
from core.pages import PageVersion, Reading
from core.works import StoredFingerprint
from crawler.fetching.resources import ResourceKind, decode_data_url
from crawler.opening import NO_RULES, PageRules
from crawler.readers.pages import SinglePage
from crawler.readers.reading_process import ReadingProcess
from fingerprint.fingerprinting import fingerprint_text
from pagestore.blobs import BATCH_KEYS, INLINE_BYTES, Blobs
from pagestore.checking import BODIES, PAGES, TEXTS, VERSIONS, StoreFault
from pagestore.connection import translate_errors
from pagestore.documents import microseconds, read_headers, reading_texts, text_keys, unpack_text
from pagestore.raw_bodies import RawBodies
from pagestore.remaking import LostPage, remake_pages
from webadmin.backups.services.checking.context import CheckContext
from webadmin.backups.services.checking.damage import Remedy, Store
from webadmin.evidence.models import EvidenceBundle
from webadmin.sites.models import ArchiveImport, CrawlRun, PageRecord, Site

MAX_BUNDLES = 20  # bundles of a page that are searched for a lost body or text
_HTTP_END = b"\r\n\r\n"


def remade_fingerprints(context: CheckContext, texts: Mapping[str, str]) -> dict[str, Remedy]:
    """Rebuild fingerprints from their texts, and return the remedy for each existing text."""
    algorithm, store = context.ports.algorithm, context.ports.fingerprints
    whole = {subject: text for subject, text in texts.items() if text}
    if not context.may_write(Store.PAGES):
        return dict.fromkeys(whole, Remedy.CAN_BE_MADE)
    made = dict[str, Remedy]()
    for subject, text in whole.items():
        with suppress(BrokenInvariant):
            store.remove(subject, algorithm.id)  # A damaged fingerprint has the same key as the intact one.
            payload = fingerprint_text(text, algorithm).to_bytes()
            store.put_many([StoredFingerprint(subject, algorithm.id, payload)])
            made[subject] = Remedy.MADE_ANEW
    return made


def is_storing() -> bool:
    """Return True if a crawl or an import may be writing pages."""
    return (
        CrawlRun.objects.filter(state=CrawlRun.State.RUNNING).exists()
        or ArchiveImport.objects.filter(state=ArchiveImport.State.RUNNING).exists()
    )


def remade_pages(context: CheckContext, versions: Mapping[str, PageVersion]) -> None:
    """Rebuild the documents of lost pages. versions: one intact version of each page.

    A full check rebuilds them while nothing is being stored, because readers assume that a rebuilt page is complete.
    """
    pages = {(PAGES, page) for page in versions}
    if not context.may_write(Store.PAGES) or context.part.number is not None or is_storing():
        context.can_be_made |= pages
        return
    lost = dict[str, LostPage]()
    for batch in batches(versions, BATCH_KEYS):
        records = PageRecord.objects.in_bulk(batch)
        lost |= {page: _lost_page(versions[page], records.get(page)) for page in batch}
    with suppress(BrokenInvariant):  # Unreadable data must be restored from the backup.
        remake_pages(context.database, lost)
        context.remade |= pages


def _lost_page(version: PageVersion, record: PageRecord | None) -> LostPage:
    if record is None:
        return LostPage(version)
    gone_since = microseconds(record.gone_since) if record.gone_since else None
    return LostPage(
        version, record.version_id, microseconds(record.first_seen), microseconds(record.last_seen), gone_since
    )


def remade_blob(fault: StoreFault, context: CheckContext) -> Remedy:
    """Rebuild a body or text of a page from evidence or by reading the response again, and return the remedy."""
    item = (fault.collection, fault.key)
    if item in context.remade:
        return Remedy.MADE_ANEW
    if item in context.can_be_made:
        return Remedy.CAN_BE_MADE
    if fault.collection not in (BODIES, TEXTS) or Store.PAGES in context.unwritable:
        return Remedy.RESTORE
    try:
        data = _find_again(fault, context)
        if data is None:
            return Remedy.RESTORE
        if not context.may_write(Store.PAGES):
            return Remedy.CAN_BE_MADE
        blobs: RawBodies = Blobs(context.database, fault.collection, INLINE_BYTES)
        if fault.collection == BODIES and context.bodies is not None:
            blobs = context.bodies
        blobs.put_back({fault.key: data})
    except ZhuiwenError:
        return Remedy.RESTORE
    return Remedy.MADE_ANEW


def _find_again(fault: StoreFault, context: CheckContext) -> bytes | None:
    """Return the bytes with the digest of the lost item, or None."""
    candidates = _bundle_contents(fault.pages, context)
    found = next((each for each in candidates if digest(each) == fault.key), None)
    if found is None and fault.collection == TEXTS:
        found = next((each for each in _read_again(fault, context) if digest(each) == fault.key), None)
    return found


def _bundle_contents(pages: Iterable[str], context: CheckContext) -> Iterator[bytes]:
    """Yield the texts and bodies in the evidence of some pages."""
    rows = EvidenceBundle.objects.filter(case__page_id__in=list(pages)).exclude(state=EvidenceBundle.State.REMOVED)
    for name in rows.values_list("digest", flat=True)[:MAX_BUNDLES]:
        with suppress(BrokenInvariant, DoesNotHold, RetryLater):
            content = context.evidence.store.get(Digest(name))
            if content is not None:
                yield from _finding_texts(open_bundle(content, name))


def _finding_texts(found: OpenedBundle) -> Iterator[bytes]:
    yield found.renderings["text"]
    for fields, block in records(bytes(found.files[bundle.ARCHIVE]), bundle.ARCHIVE, ByteBudget()):
        yield block
        if fields.get("warc-type") == "response":
            yield block.partition(_HTTP_END)[2]


def _read_again(fault: StoreFault, context: CheckContext) -> Iterator[bytes]:
    """Read the responses of the versions that refer to a lost text again, and yield their texts."""
    for document in _dependent_documents(fault, context):
        with suppress(ZhuiwenError, KeyError, TypeError, ValueError):
            body = context.ports.pages.raw(Digest(document["raw"]))
            if body is None:
                continue
            with ReadingProcess() as process:
                read = process.run_task(_read_page(document, body), _KeptResources(_kept_resources(document, context)))
            if isinstance(read, Reading):
                yield from reading_texts(read).values()


def _dependent_documents(fault: StoreFault, context: CheckContext) -> Iterator[dict[str, Any]]:
    with translate_errors(context.database):
        pages = list(context.database[PAGES].find({"_id": {"$in": sorted(fault.pages)}}, {"versions": 1}))
        ids = [version for page in pages for version in page["versions"]]
        found = list(context.database[VERSIONS].find({"_id": {"$in": ids}}))
    yield from (each for each in found if fault.key in text_keys(each))


def _read_page(document: Mapping[str, Any], body: bytes) -> SinglePage:
    headers = dict(read_headers(document["headers"]))
    rules = Site.objects.filter(pk=int(document["site"])).first()
    # It implements the crawler's interface, because the reading process imports neither this package nor Django.
    given = PageRules(rules.body_selector, rules.title_selector, rules.encoding) if rules else NO_RULES
    return SinglePage(body, headers, unpack_text(document["final_url"]), given, is_seen=True)


def _kept_resources(document: Mapping[str, Any], context: CheckContext) -> dict[str, bytes]:
    if not document.get("capture"):
        return {}
    capture = context.ports.pages.capture(Digest(document["capture"]))
    return {each.url: each.body for each in capture.resources} if capture else {}


class _KeptResources:
    """The resources of a page from its capture; nothing is fetched."""

    def __init__(self, kept: Mapping[str, bytes]) -> None:
        self._kept = kept

    def get(self, url: str, kind: ResourceKind) -> bytes | None:
        return decode_data_url(url, kind) if url.startswith("data:") else self._kept.get(url)
