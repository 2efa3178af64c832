"""Writes a confirmed lead to one self-contained file: a bundle, the verdicts and an explanation.

Only the stamps depend on the time of writing: the same lead gives the same bytes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from bundles import layout, statements
from bundles.bundle import COMPARISON
from bundles.opened import open_bundle
from bundles.ports import Stamper
from bundles.verification import VerificationReport
from webadmin.evidence.services.export import add_manifest, bundle_files, write_verified
from webadmin.rewrites.services.lead_explanation import LeadSummary, lead_explanation


@dataclass(frozen=True, slots=True)
class LeadMaterial:
    """The material of an export. facts: JSON values. bundle: a WACZ file with the comparison of the lead."""

    lead: int
    facts: Mapping[str, Any]
    bundle: bytes
    confirmed_at: datetime


def write_lead(
    path: Path, material: LeadMaterial, code_version: str, seals: Sequence[Stamper] = ()
) -> VerificationReport:
    """Write the export of a lead to `path`, which is complete or absent in the end.

    seals: authorities that stamp the whole file. Returns the result of its verification. Raises DoesNotHold, and
    UnreadableFile if `path` cannot be written.
    """
    bundle, at = open_bundle(material.bundle, "bundle", COMPARISON), material.confirmed_at
    files = bundle_files(material.bundle, bundle, None)
    files[layout.LEAD] = statements.lead(material.lead, material.facts, bundle)
    told = LeadSummary(material.lead, material.facts, bundle, bool(seals))
    files |= lead_explanation(told, at, code_version)
    return write_verified(path, add_manifest(files, {"lead": material.lead}, at, code_version, seals))
