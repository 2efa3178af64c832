"""What proves a removal: each look's response as it came, held against the text that stood there, as evidence is.

A look becomes a bundle of the kind of all others, in which the finding has no passages; the proof is an export of these
bundles and of the case, so that `evidence.verify` needs to know nothing of removals.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.db.models import QuerySet

from core.errors import BadInput, BrokenInvariant, NotFound
from core.ids import Digest, PageId, VersionId, digest
from core.ports import Clock, EvidenceStore, KeptPages, WorkStore
from evidence import bundle as bundles
from evidence.records import Capture, CaseMaterial, ProvenBundle
from evidence.verification import Report
from records.evidence.bundles import note_removal_bundle
from records.evidence.case_export import export_material, facts_of, proof_for
from records.evidence.material import capture_of, capture_of_answer, nothing_found_of
from records.models import Case, CaseMatch, EvidenceBundle, Removal, RemovalLook


def unbundled() -> "QuerySet[RemovalLook]":
    """Looks that prove a removal and have no bundle yet, the oldest first."""
    rows = RemovalLook.objects.filter(removal__isnull=False, bundle=None)
    return rows.select_related("case__work", "case__decision").order_by("pk")


def bundle_look(look: RemovalLook, pages: KeptPages, works: WorkStore, store: EvidenceStore, clock: Clock) -> None:
    """Make the bundle of a look and keep it; the bytes first, then the row. Raises RetryLater where a store is away.

    Raises NotFound or BrokenInvariant where the response or the work's text is gone or changed.
    """
    match = _match_of(look.case)
    if match is None:
        raise NotFound("case", look.case_id)
    found = bundles.make(_capture(look, pages), nothing_found_of(match, works), made_at=clock.now())
    store.put(found.digest, found.content)
    note_removal_bundle(look, match, found, digest(found.content), clock.now())


def export_removal(removal: Removal, path: Path, store: EvidenceStore) -> Report:
    """Write the proof of a removal to one file that stands alone.

    Raises BadInput while a look has no bundle yet, and as `records.evidence.case_export.export_case`.
    """
    return export_material(material_of(removal, store), path)


def material_of(removal: Removal, store: EvidenceStore) -> CaseMaterial:
    """All that the proof is written from. Raises BadInput while a look has no bundle yet, BrokenInvariant."""
    looks = list(removal.looks.select_related("bundle").order_by("at", "pk"))
    kept = [look.bundle for look in looks if look.bundle is not None]
    kept = [row for row in kept if row.state != EvidenceBundle.State.REMOVED]
    if not kept or len(kept) < len(looks):
        raise BadInput("removal.no-proof-yet")
    return CaseMaterial(
        case=removal.case_id,
        facts={**facts_of(removal.case), "removal": _facts(removal, looks)},
        bundles=[ProvenBundle(_content(row, store), proof_for(row)) for row in kept],
        history=[_event(look) for look in looks],
    )


def _capture(look: RemovalLook, pages: KeptPages) -> Capture:
    """What came, as it was kept: by itself, or as the version of the page that it was."""
    version = pages.version(VersionId(look.version_id)) if look.version_id else None
    if not look.answer_id:
        if version is None:
            raise NotFound("page-version", look.version_id)
        return capture_of(version, pages)
    answers = pages.absences(PageId(look.case.page_id))
    answer = next((each for each in answers if each.id == look.answer_id), None)
    if answer is None:
        raise NotFound("raw-response", look.answer_id)
    if version is None:
        return capture_of_answer(answer, pages)
    return capture_of_answer(answer, pages, version.reading.title, version.reading.text)


def _match_of(case: Case) -> CaseMatch | None:
    """The largest match of the version that was decided on: what the page took."""
    rows = CaseMatch.objects.filter(case=case).order_by("-matched_chars", "pk").select_related("case__work")
    return rows.filter(version_id=case.decided_version).first() or rows.first()


def _content(row: EvidenceBundle, store: EvidenceStore) -> bytes:
    content = store.get(Digest(row.digest))
    if content is None:
        raise BrokenInvariant("bundle.missing", digest=row.digest, case=row.case_id)
    return content


def _facts(removal: Removal, looks: list[RemovalLook]) -> Mapping[str, Any]:
    """The statement, as JSON values."""
    return {
        "since": removal.since.isoformat(),
        "confirmed": removal.said_at.isoformat(),
        "ended": removal.ended_at.isoformat() if removal.ended_at else None,
        "looks": [{**_event(look), "bundle": look.bundle.digest if look.bundle else None} for look in looks],
    }


def _event(look: RemovalLook) -> Mapping[str, Any]:
    return {
        "at": look.at.isoformat(),
        "event": f"look_{look.seen}",
        "status": look.status,
        "final_url": look.final_url,
        "route": "second" if look.by_second_route else "usual",
        "version": look.version_id or None,
    }
