"""Exports a confirmed lead to one self-contained file: a bundle, the verdicts and an explanation.

Only the timestamps depend on the time of writing. The same lead gives the same bytes otherwise.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from bundles import bundle, layout, statements
from bundles.bundle import COMPARISON
from bundles.comparison import Comparison, MeasuredBand, SentencePair
from bundles.opened import open_bundle
from bundles.ports import Stamper
from bundles.shapes import moment
from bundles.verification import VerificationReport
from core.errors import BadInput, NotFound
from core.ids import Digest, digest
from core.matches import RewordedState
from core.ports import PageStore, WorkStore
from core.program import code_version
from core.wording import Message
from matcher.reworded.record import CURRENT
from webadmin import stores
from webadmin.evidence.services.authorities import write_with_seals
from webadmin.evidence.services.export import add_manifest, bundle_files, write_verified
from webadmin.evidence.services.material import page_capture
from webadmin.evidence.services.staff import by_name, by_role, format_moment
from webadmin.rewrites.models import RewordedLead, RewordedVerdict
from webadmin.rewrites.services.lead_explanation import LeadSummary, lead_explanation
from webadmin.rewrites.services.lead_status import compared_page, compared_work
from webadmin.rewrites.services.verdicts import is_verdict_current


@dataclass(frozen=True, slots=True)
class LeadMaterial:
    """The material of an export. facts: JSON values. bundle: a WACZ file with the comparison."""

    lead: int
    facts: Mapping[str, Any]
    bundle: bytes
    confirmed_at: datetime


def write_lead(
    path: Path, material: LeadMaterial, code_version: str, seals: Sequence[Stamper] = ()
) -> VerificationReport:
    """Write the export of a lead to `path` atomically, and return the verification report.

    seals: authorities that timestamp the whole file. Raises DoesNotHold if the verification fails, and UnreadableFile
    if `path` cannot be written.
    """
    bundle, at = open_bundle(material.bundle, "bundle", COMPARISON), material.confirmed_at
    files = bundle_files(material.bundle, bundle, None)
    files[layout.LEAD] = statements.lead(material.lead, material.facts, bundle)
    told = LeadSummary(material.lead, material.facts, bundle, bool(seals))
    files |= lead_explanation(told, at, code_version)
    return write_verified(path, add_manifest(files, {"lead": material.lead}, at, code_version, seals))


def export_lead(lead: RewordedLead, path: Path) -> VerificationReport:
    """Write the evidence of a lead to one self-contained file, sealed by the authorities that respond.

    Raises the errors of `lead_material`, and UnreadableFile if `path` cannot be written.
    """
    material = lead_material(lead, stores.page_store(), stores.work_store())
    return write_with_seals(lambda seals: write_lead(path, material, code_version(), seals), f"lead {lead.pk}")


def lead_material(lead: RewordedLead, pages: PageStore, works: WorkStore, *, with_names: bool = False) -> LeadMaterial:
    """Return the material for the export of a lead. The same lead gives the same material.

    with_names: include user names and notes instead of roles. Raises BadInput if nobody has confirmed the lead in its
    current form, or if the text of page or work is missing or changed.
    """
    verdicts = list(lead.verdicts.select_related("decided_by"))
    confirmed = _require_confirmed(lead, verdicts)
    version, page_text = compared_page(lead, pages)
    found = _lead_comparison(lead, compared_work(lead, works))
    absent = dict.fromkeys(("screenshot", "pdf"), Message("bundle.not-drawn-of-lead"))
    try:
        capture = page_capture(version, pages, absent=absent, text=page_text)
    except NotFound as error:
        raise BadInput("reworded.page-gone", number=lead.pk) from error
    salt = digest(f"lead {lead.pk} {confirmed.pk}".encode())[: 2 * bundle.SALT_BYTES]
    made = bundle.make(capture, found, made_at=confirmed.decided_at, salt=salt)
    return LeadMaterial(lead.pk, _lead_facts(lead, verdicts, with_names=with_names), made.content, confirmed.decided_at)


def _require_confirmed(lead: RewordedLead, verdicts: Sequence[RewordedVerdict]) -> RewordedVerdict:
    """Return the newest verdict. Raises BadInput unless it confirms the lead in its current form."""
    if lead.state != RewordedState.CONFIRMED or not verdicts:
        raise BadInput("reworded.not-confirmed", number=lead.pk)
    if not is_verdict_current(verdicts[0], lead):
        raise BadInput("reworded.compared-since", number=lead.pk)
    return verdicts[0]


def _lead_comparison(lead: RewordedLead, work_text: str) -> Comparison:
    is_measured = lead.band_alarms is not None and lead.band_passages is not None
    return Comparison(
        work_title=lead.work.title,
        work_author=lead.work.author,
        chapter_title=lead.chapter_title,
        work_text_id=lead.text_id,
        work_text=work_text,
        page_version=lead.version_id,
        found_as=lead.found_as,
        score=lead.score,
        elsewhere=lead.elsewhere,
        band=MeasuredBand(lead.band, lead.band_alarms or 0, lead.band_passages or 0) if is_measured else None,
        pairs=tuple(SentencePair((each[0], each[1]), (each[2], each[3]), each[4]) for each in lead.pairs),
        sentence_count=lead.sentence_count,
        in_order=lead.in_order,
        algorithm_version=lead.algorithm_version,
        model=CURRENT.model if lead.algorithm_version == CURRENT.version else "",
        ingredients={name: Digest(hashed) for name, hashed in lead.ingredients.items()},
        code_version=lead.code_version,
    )


def _lead_facts(lead: RewordedLead, verdicts: Sequence[RewordedVerdict], *, with_names: bool) -> Mapping[str, Any]:
    """Return the facts about the lead, except for the comparison, as JSON values.

    with_names: include user names and notes instead of roles.
    """
    naming = by_name if with_names else by_role(lead.rights_holder_id)
    return {
        "rights_holder": lead.rights_holder.name,
        "site": lead.site.name,
        "state": lead.state,
        "found_at": moment(lead.found_at),
        "lapsed_at": moment(lead.lapsed_at) if lead.lapsed_at else None,
        "verdicts": [
            {
                "verdict": each.verdict or str(RewordedState.WAITING),
                "by": naming(each.decided_by),
                "at": format_moment(each.decided_at, naming),
                "page_version": each.page_version_id,
                "score": each.score,
                "algorithm_version": each.algorithm_version,
                **({"note": each.note} if with_names else {}),
            }
            for each in verdicts
        ],
    }
