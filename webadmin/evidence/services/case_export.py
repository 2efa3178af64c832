"""Gathers the export of a case: its bundles with their proofs, its facts, and the history of its pages.

The command line and the admin use it. `webadmin.evidence.services.export` writes the file.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db.models import QuerySet

from bundles.merkle import make_day_proof
from bundles.records import CaseMaterial, DayProof, ProvenBundle, TimeStamp
from bundles.verification import VerificationReport
from core.errors import BadInput, BrokenInvariant, NotFound
from core.ids import Digest, PageId, VersionId
from core.ports import EvidenceStore, KeptPages
from core.program import code_version
from core.shares import cut_share
from webadmin import stores
from webadmin.cases.models import Case
from webadmin.cases.services.addresses import list_addresses
from webadmin.evidence.models import DayTree, EvidenceBundle, Stamp
from webadmin.evidence.services.authorities import write_with_seals
from webadmin.evidence.services.export import write_case_export
from webadmin.evidence.services.kept_files import case_enclosures
from webadmin.evidence.services.staff import Naming, by_name, by_role, format_moment


def export_case(case: int, path: Path) -> VerificationReport:
    """Write the evidence of a case to one self-contained file, sealed by the authorities that respond.

    Raises NotFound for an unknown case, BadInput for a case without a bundle, BrokenInvariant if a stored bundle was
    changed or is missing, and UnreadableFile if `path` cannot be written.
    """
    return export_material(stored_materials().case_material(case), path)


def export_material(material: CaseMaterial, path: Path) -> VerificationReport:
    """Write the gathered material of a case to one file, sealed by the authorities that respond.

    Raises BrokenInvariant if a bundle was changed, and UnreadableFile if `path` cannot be written.
    """
    return write_with_seals(
        lambda seals: write_case_export(path, material, code_version(), seals=seals), f"case {material.case}"
    )


def stored_materials() -> "StoredMaterials":
    """Return a StoredMaterials that reads this installation's stores."""
    return StoredMaterials(stores.evidence_store(), stores.page_store())


class StoredMaterials:
    """Gathers the material of case exports from the database and the stores."""

    def __init__(self, store: EvidenceStore, pages: KeptPages) -> None:
        self._store, self._pages = store, pages

    def case_material(self, case: int, *, with_names: bool = False) -> CaseMaterial:
        """Return the material for the export of a case.

        with_names: include user names and notes instead of roles. Raises NotFound, and BadInput for a case without a
        bundle.
        """
        found = Case.objects.select_related("work", "page__site", "rights_holder").filter(pk=case).first()
        if found is None:
            raise NotFound("case", str(case))
        rows = list(kept_bundles(found))
        if not rows:
            raise BadInput("bundle.none-yet", case=case)
        papers, left_out = case_enclosures(found, self._store)
        naming = by_name if with_names else by_role(found.rights_holder_id)
        return CaseMaterial(
            case=case,
            facts=case_facts(found, naming, with_notes=with_names),
            bundles=[ProvenBundle(bundle_content(row, self._store), day_proof(row)) for row in rows],
            history=self.page_history(found),
            papers=papers,
            left_out=left_out,
        )

    def page_history(self, case: Case) -> list[Mapping[str, Any]]:
        """Return the events at all URLs of the case (first seen, changed, gone, back again), the oldest first."""
        others = case.addresses.exclude(page=case.page_id).values_list("page_id", "page__url")
        told = list(self._page_events(PageId(case.page_id)))
        if not others:
            return told
        told = [{**event, "url": case.page_url} for event in told]
        told += [{**event, "url": url} for page, url in others for event in self._page_events(PageId(page))]
        return sorted(told, key=lambda event: event["at"])

    def _page_events(self, page: PageId) -> Iterator[Mapping[str, Any]]:
        versions = {version.id: version for version in self._pages.versions(page)}
        absences = {absence.id: absence for absence in self._pages.absences(page)}
        seen, was_gone = set[VersionId](), False
        for state in self._pages.states(page):
            if state.absence_id:
                gone = absences[state.absence_id]
                told = {"reason": str(gone.reason), "status": gone.status, "response_sha256": gone.raw_digest}
                yield {"at": _format_moment(state.at), "event": "gone", **told}
                was_gone = True
                continue
            version = versions[state.version_id]
            event = "first_seen" if not seen else ("back_again" if was_gone or version.id in seen else "changed")
            seen.add(version.id)
            was_gone = False
            told = {"title": version.reading.title, "text_sha256": version.text_digest}
            yield {"at": _format_moment(state.at), "event": event, "version": version.id, **told}


def bundle_content(row: EvidenceBundle, store: EvidenceStore) -> bytes:
    """Return the bytes of a bundle. Raises BrokenInvariant if they were changed or are missing."""
    content = store.get(Digest(row.digest))
    if content is None:
        raise BrokenInvariant("bundle.missing", digest=row.digest, case=row.case_id)
    return content


def day_proof(row: EvidenceBundle) -> DayProof | None:
    """Return the audit path of a bundle in its day tree (`find_day_tree`), or None if no tree contains it yet."""
    tree = find_day_tree(row)
    if tree is None:
        return None
    answers = [stamp_answer(stamp) for stamp in tree.stamps.order_by("stamped_at", "pk")]
    return make_day_proof(Digest(row.digest), row.day, [Digest(each) for each in tree.leaves], answers)


def find_day_tree(row: EvidenceBundle) -> DayTree | None:
    """Return the tree that dates a bundle, or None if no tree contains it.

    This is the first tree with a timestamp, or the newest tree if none has one.
    """
    trees = [tree for tree in DayTree.objects.filter(day=row.day).order_by("pk") if row.digest in tree.leaves]
    stamped = [tree for tree in trees if tree.stamps.exists()]
    return next(iter(stamped), trees[-1] if trees else None)


def stamp_answer(stamp: Stamp) -> TimeStamp:
    """Return a stored timestamp as a `TimeStamp`."""
    return TimeStamp(bytes(stamp.query), bytes(stamp.response), bytes(stamp.ca_pem), stamp.authority)


def case_facts(case: Case, naming: Naming = by_name, *, with_notes: bool = False) -> dict[str, Any]:
    """Return the facts on the case page as JSON values.

    naming: returns the name of the user who decided or entered something. with_notes: include internal notes.
    """
    return {
        "rights_holder": case.rights_holder.name,
        "work": {"title": case.work.title, "author": case.work.author},
        "page": {
            "url": case.page_url,
            "title": case.page_title,
            "author": case.page_author,
            "poster": case.page_poster,
            "published_at": _format_moment(case.page_published_at) if case.page_published_at else None,
            "site": case.page.site.name,
        },
        **_address_values(case),
        "state": case.state,
        "allowed_as": case.allowed_as or None,
        "allowed_by": case.allowed_by or None,
        "class": case.match_class,
        "similarity": cut_share(case.similarity),
        "page_containment": cut_share(case.page_containment),
        "work_containment": cut_share(case.work_share),
        "taken_chars": case.taken_chars,
        "work_chars": case.work.counted_chars,
        "matched_chars": case.matched_chars,
        "longest_equal_run_chars": case.longest_equal_run_chars,
        "opened_at": _format_moment(case.opened_at),
        "first_seen_at": _format_moment(case.first_seen_at),
        "last_seen_at": _format_moment(case.last_seen_at),
        "verdicts": _verdict_values(case, naming, with_notes=with_notes),
        "rulings": _ruling_values(case, naming),
        "left_out": _exclusion_values(case, naming, with_notes=with_notes),
    }


def _address_values(case: Case) -> Mapping[str, Any]:
    """Return all URLs of a case as JSON values, or {} if its text was found at only one URL."""
    listed = list_addresses(case)
    if len(listed) == 1:
        return {}
    return {
        "addresses": [
            {
                "url": each.url,
                "first_seen_at": _format_moment(each.first_seen_at),
                "last_seen_at": _format_moment(each.last_seen_at),
                "is_shown": each.is_shown,
            }
            for each in listed
        ]
    }


def removal_bundles(case: Case) -> QuerySet[EvidenceBundle]:
    """Return the bundles that prove the removal of the passages, the first fetched first."""
    rows = EvidenceBundle.objects.filter(case=case, kind=EvidenceBundle.Kind.REMOVAL)
    return rows.exclude(state=EvidenceBundle.State.REMOVED).order_by("fetched_at", "pk")


def kept_bundles(case: Case) -> QuerySet[EvidenceBundle]:
    """Return the bundles that prove the copying, the first fetched first, except those removed by retention."""
    rows = EvidenceBundle.objects.filter(case=case).exclude(state=EvidenceBundle.State.REMOVED)
    rows = rows.exclude(kind=EvidenceBundle.Kind.REMOVAL)
    return rows.order_by("fetched_at", "pk")


def _verdict_values(case: Case, naming: Naming, *, with_notes: bool) -> Sequence[Mapping[str, Any]]:
    rows = case.verdicts.select_related("decided_by").order_by("decided_at", "pk")
    return [
        {
            "verdict": row.verdict or "reopened",
            **({"note": row.note} if with_notes else {}),
            "by": naming(row.decided_by),
            "at": format_moment(row.decided_at, naming),
        }
        for row in rows
    ]


def _ruling_values(case: Case, naming: Naming) -> Sequence[Mapping[str, Any]]:
    """Return the rulings that allowed the page or ceased to allow it."""
    rows = case.rights_records.select_related("entered_by").order_by("at", "pk")
    return [
        {
            "allowed_as": row.allowed_as or None,
            "allowed_by": row.allowed_by or None,
            "cause": row.cause,
            "at": format_moment(row.at, naming),
            "entered_by": naming(row.entered_by) if row.entered_by else None,
            "entered_at": format_moment(row.entered_at, naming) if row.entered_at else None,
        }
        for row in rows
    ]


def _exclusion_values(case: Case, naming: Naming, *, with_notes: bool) -> Sequence[Mapping[str, Any]]:
    """Return the passages excluded from the figures, including withdrawn exclusions.

    The bundles contain these passages.
    """
    rows = case.excluded_passages.select_related("entered_by", "withdrawn_by").order_by("entered_at", "pk")
    return [
        {
            "reason": row.reason,
            **({"note": row.note} if with_notes else {}),
            "chapter": row.chapter_title,
            "text_id": row.text_id or None,
            "text": row.text or None,
            "by": naming(row.entered_by),
            "at": format_moment(row.entered_at, naming),
            "taken_back_by": naming(row.withdrawn_by) if row.withdrawn_by else None,
            "taken_back_at": format_moment(row.withdrawn_at, naming) if row.withdrawn_at else None,
        }
        for row in rows
    ]


def _format_moment(at: datetime) -> str:
    return at.isoformat()
