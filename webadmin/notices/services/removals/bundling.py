"""Makes evidence bundles for the checks that prove a removal, with each response compared with the former text.

It is separate from the export of the proof (`webadmin.notices.services.removals.proof`), so that web processes, which
write the export, do not load the matcher.
"""

from django.db import transaction
from django.db.models import QuerySet

from bundles import bundle as bundles
from bundles.records import CapturedPage
from core.errors import NotFound
from core.ids import PageId, VersionId
from core.ports import Clock, EvidenceStore, KeptPages, WorkStore
from webadmin.cases.models import Case, CaseMatch
from webadmin.evidence.models import EvidenceBundle
from webadmin.evidence.services.bundles import bundle_columns
from webadmin.evidence.services.material import answer_capture, page_capture, removal_finding
from webadmin.notices.models import RemovalLook


def looks_without_bundle() -> "QuerySet[RemovalLook]":
    """Return the checks that prove a removal and have no bundle yet, the oldest first."""
    rows = RemovalLook.objects.filter(removal__isnull=False, bundle=None)
    return rows.select_related("case__work", "case__decision").order_by("pk")


def bundle_look(look: RemovalLook, pages: KeptPages, works: WorkStore, store: EvidenceStore, clock: Clock) -> None:
    """Make and store the bundle of a check: first the bytes, then the row.

    Raises RetryLater if a store is unreachable, and NotFound or BrokenInvariant if the response or the work's text is
    gone or changed.
    """
    match = _decided_match(look.case)
    if match is None:
        raise NotFound("case", look.case_id)
    found = bundles.make(_look_capture(look, pages), removal_finding(match, works), made_at=clock.now())
    store.put(found.digest, found.content)
    columns = bundle_columns(match, found, clock.now())
    kind = EvidenceBundle.Kind.REMOVAL
    with transaction.atomic():
        row = EvidenceBundle.objects.create(match=match, kind=kind, version_id=look.version_id, **columns)
        RemovalLook.objects.filter(pk=look.pk).update(bundle=row)


def _look_capture(look: RemovalLook, pages: KeptPages) -> CapturedPage:
    """Return the capture of a check's stored response, or of the page version made from it."""
    version = pages.version(VersionId(look.version_id)) if look.version_id else None
    if not look.answer_id:
        if version is None:
            raise NotFound("page-version", look.version_id)
        return page_capture(version, pages)
    answers = pages.absences(PageId(look.page_id or look.case.page_id))
    answer = next((each for each in answers if each.id == look.answer_id), None)
    if answer is None:
        raise NotFound("raw-response", look.answer_id)
    if version is None:
        return answer_capture(answer, pages)
    return answer_capture(answer, pages, version.reading.title, version.reading.text)


def _decided_match(case: Case) -> CaseMatch | None:
    """Return the largest match of the decided version of a case, or of any version, or None without a match."""
    rows = CaseMatch.objects.filter(case=case).order_by("-matched_chars", "pk").select_related("case__work")
    return rows.filter(version_id=case.decided_version).first() or rows.first()
