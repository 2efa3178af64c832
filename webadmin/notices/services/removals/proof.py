"""Exports the proof of a removal, with the response of each check compared with the former text.

Each check becomes an ordinary bundle whose finding has no passages. The proof is an export of these bundles and the
case, so that `bundles.verify` needs no knowledge of removals.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bundles.records import CaseMaterial, ProvenBundle
from bundles.verification import VerificationReport
from core.errors import BadInput
from core.ports import EvidenceStore
from webadmin.evidence.models import EvidenceBundle
from webadmin.evidence.services.case_export import bundle_content, case_facts, day_proof, export_material
from webadmin.evidence.services.staff import by_role
from webadmin.notices.models import Removal, RemovalLook


def export_removal(removal: Removal, path: Path, store: EvidenceStore) -> VerificationReport:
    """Write the proof of a removal to one self-contained file.

    Raises BadInput while a check has no bundle, and the errors of
    `webadmin.evidence.services.case_export.export_material`.
    """
    return export_material(removal_material(removal, store), path)


def removal_material(removal: Removal, store: EvidenceStore) -> CaseMaterial:
    """Return the content of the proof of a removal.

    Raises BadInput while a check has no bundle, BrokenInvariant if a bundle was changed or is missing.
    """
    looks = list(removal.looks.select_related("bundle").order_by("at", "pk"))
    kept = [look.bundle for look in looks if look.bundle is not None]
    kept = [row for row in kept if row.state != EvidenceBundle.State.REMOVED]
    if not kept or len(kept) < len(looks):
        raise BadInput("removal.no-proof-yet")
    return CaseMaterial(
        case=removal.case_id,
        facts={
            **case_facts(removal.case, by_role(removal.rights_holder_id)),
            "removal": _removal_facts(removal, looks),
        },
        bundles=[ProvenBundle(bundle_content(row, store), day_proof(row)) for row in kept],
        history=[_look_event(look) for look in looks],
    )


def _removal_facts(removal: Removal, looks: list[RemovalLook]) -> Mapping[str, Any]:
    """Return the facts about a removal and its checks as JSON values."""
    return {
        "since": removal.since.isoformat(),
        "confirmed": removal.said_at.isoformat(),
        "ended": removal.ended_at.isoformat() if removal.ended_at else None,
        "looks": [{**_look_event(look), "bundle": look.bundle.digest if look.bundle else None} for look in looks],
    }


def _look_event(look: RemovalLook) -> Mapping[str, Any]:
    return {
        "at": look.at.isoformat(),
        "event": f"look_{look.seen}",
        "status": look.status,
        "final_url": look.final_url,
        "route": "second" if look.by_second_route else "usual",
        "version": look.version_id or None,
    }
