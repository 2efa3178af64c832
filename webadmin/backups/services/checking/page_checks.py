"""Checks the digests and internal references of the page store, and computes damaged fingerprints again."""

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress

from django.utils import timezone

from core.batches import batches
from core.errors import BrokenInvariant
from core.ids import VersionId
from core.works import StoredFingerprint
from fingerprint.fingerprinting import DamagedFingerprint, Fingerprint, fingerprint_text
from pagestore.blobs import BATCH_KEYS
from pagestore.checking import (
    FINGERPRINTS,
    PAGES,
    VERSIONS,
    WORKS,
    FaultKind,
    StoreFault,
    StoreReading,
)
from pagestore.documents import text_from_bytes
from pipeline.steps import surrounding_text_id
from webadmin.backups.services.checking.context import CheckContext, find_case_ids, of_store
from webadmin.backups.services.checking.damage import Damage, Remedy, Store
from webadmin.backups.services.references import named_keys
from webadmin.cases.models import PageCheck
from webadmin.sites.models import CrawlRun, PageRecord
from webadmin.sites.services.imports import is_importing
from webadmin.works.models import Chapter

Owed = Callable[[Collection[str]], Collection[str]]


def check_pages(context: CheckContext) -> None:
    """Check pages, versions, texts, responses, captures, absences and fingerprints."""
    reading = StoreReading(context.database, context.bodies)
    of_record: dict[str, str] = dict(PageRecord.objects.values_list("page_id", "version_id"))
    ids = sorted({each for each in {*reading.keys(PAGES), *of_record} if context.part.has(each)})
    step = context.step("checking.step-pages")
    named: dict[str, str] = {}
    absences: dict[str, str] = {}
    for done, batch in enumerate(batches(ids, BATCH_KEYS)):
        step(done * BATCH_KEYS, len(ids))
        there = reading.find_existing(PAGES, batch)
        for page in set(batch) - there:
            if (PAGES, page) not in reading.faults:
                reading.note(PAGES, page, FaultKind.MISSING, page)
        for document in reading.pages(there):
            page = str(document["_id"])
            named |= dict.fromkeys(map(str, document["versions"]), page)
            absences |= dict.fromkeys(map(str, document.get("absences", [])), page)
    named.update((version, page) for page, version in of_record.items() if version and context.part.has(page))
    named.update(_orphan_versions(reading, context, named))
    checked = PageCheck.objects.values_list("version_id", "page_id").iterator(chunk_size=BATCH_KEYS)
    named.update((version, page) for version, page in checked if context.part.has(page))
    _read_versions(reading, context, named)
    for _ in reading.absences(absences):
        pass
    report_faults(reading, context)


def check_works(context: CheckContext) -> None:
    """Check the texts of works and their fingerprints."""
    reading, step = StoreReading(context.database, context.bodies), context.step("checking.step-works")
    texts = sorted(text for text in named_keys(WORKS) if context.part.has(text))
    corpus = set(Chapter.objects.values_list("text_id", flat=True))
    for done, batch in enumerate(batches(texts, BATCH_KEYS)):
        step(done * BATCH_KEYS, len(texts))
        found = {key: text_from_bytes(data) for key, data in reading.contents(WORKS, dict.fromkeys(batch, "")).items()}
        of_corpus = {text: found.get(text, "") for text in batch if text in corpus}
        _check_fingerprints(reading, context, of_corpus, _indexed_texts)
    step(len(texts), len(texts))
    report_faults(reading, context)


def _indexed_texts(texts: Collection[str]) -> set[str]:
    """Return those of the texts that are in the index. Their fingerprints must be stored."""
    rows = Chapter.objects.filter(text_id__in=texts, indexed_at__isnull=False)
    return set(rows.values_list("text_id", flat=True))


def _orphan_versions(reading: StoreReading, context: CheckContext, named: dict[str, str]) -> list[tuple[str, str]]:
    """Return the versions that no page refers to, with their pages, and note errors.

    named: the versions that are referred to. Returns [] for a check of a part, and while a crawl or an import may be
    about to write the pages.
    """
    if context.part.number is not None:
        return []  # Pages of other parts may refer to them.
    unnamed = [key for key in reading.keys(VERSIONS) if key not in named]
    found = list(reading.versions_of_pages(unnamed))
    if _is_storing():
        return []
    now = reading.named_versions({page for _, page in found})  # These include versions stored since the page was read.
    for version, page in found:
        if version not in now.get(page, frozenset()):
            reading.note(PAGES, page, FaultKind.CHANGED if page in now else FaultKind.MISSING, page)
    return found


def _is_storing() -> bool:
    """Return True if a crawl or an import may be writing pages."""
    return CrawlRun.objects.filter(state=CrawlRun.State.RUNNING).exists() or is_importing(timezone.now())


def _read_versions(reading: StoreReading, context: CheckContext, named: dict[str, str]) -> None:
    step, total = context.step("checking.step-versions"), len(named)
    versions = sorted(named)
    for done, batch in enumerate(batches(versions, BATCH_KEYS)):
        step(done * BATCH_KEYS, total)
        checks = PageCheck.objects.filter(version_id__in=batch, algorithm_id=context.ports.algorithm.id)
        compared = set(checks.values_list("version_id", flat=True))
        texts: dict[str, str] = {}
        owed = set[str]()
        for version in reading.versions({key: named[key] for key in batch}):
            texts[version.id] = version.reading.text
            owed |= {version.id} & compared
            if version.reading.surroundings:
                texts[surrounding_text_id(VersionId(version.id))] = version.reading.surrounding_text
                owed |= {surrounding_text_id(VersionId(version.id))} if version.id in compared else set()
        _check_fingerprints(reading, context, texts, owed.intersection)
    step(total, total)


def _check_fingerprints(reading: StoreReading, context: CheckContext, texts: dict[str, str], owed: Owed) -> None:
    """Check the fingerprints of these texts, by subject. owed: selects the subjects that must have a fingerprint."""
    algorithm = context.ports.algorithm
    keys = {f"{subject}:{algorithm.id:03d}": subject for subject in texts}
    seen = set(reading.faults)
    found = reading.contents(FINGERPRINTS, dict.fromkeys(keys, ""))
    faulty, missing = dict[str, FaultKind](), list[str]()
    for key, subject in keys.items():
        fault = reading.faults.get((FINGERPRINTS, key)) if (FINGERPRINTS, key) not in seen else None
        if fault is not None:
            del reading.faults[FINGERPRINTS, key]
            if fault.kind is FaultKind.MISSING:
                missing.append(subject)
            else:
                faulty[subject] = fault.kind
        elif key in found and not _can_be_read(found[key], algorithm.id):
            faulty[subject] = FaultKind.CHANGED
    faulty |= dict.fromkeys(_still_missing(owed(missing), context), FaultKind.MISSING)
    if faulty:
        is_made = _make_fingerprints(context, {subject: texts[subject] for subject in faulty})
        for subject, kind in faulty.items():
            remedy = is_made.get(subject, Remedy.RESTORE)
            context.report.add_damages(of_store(FINGERPRINTS, subject, FaultKind(kind.value), remedy))


def _still_missing(subjects: Collection[str], context: CheckContext) -> set[str]:
    """Return the subjects that still have no fingerprint. A fingerprint stored meanwhile is not missing."""
    if not subjects:
        return set()
    return set(subjects) - context.ports.fingerprints.find_existing(list(subjects), context.ports.algorithm.id)


def _can_be_read(payload: bytes, algorithm_id: int) -> bool:
    try:
        return Fingerprint.from_bytes(payload).algorithm_id == algorithm_id
    except (DamagedFingerprint, KeyError, ValueError):
        return False


def _make_fingerprints(context: CheckContext, texts: Mapping[str, str]) -> dict[str, Remedy]:
    """Compute fingerprints from their texts, and return the remedy for each text that is not empty."""
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


def report_faults(reading: StoreReading, context: CheckContext) -> None:
    """Add the errors that a reading found to the report."""
    context.report.items += reading.items
    for fault in reading.faults.values():
        context.report.add_damages(_to_damage(fault, context))


def _to_damage(fault: StoreFault, context: CheckContext) -> Damage:
    if fault.collection == WORKS:
        return Damage(Store.PAGES, WORKS, fault.key, fault.kind, Remedy.RESTORE, find_case_ids(text_id=fault.key))
    return of_store(fault.collection, fault.key, fault.kind, Remedy.RESTORE, fault.pages)
