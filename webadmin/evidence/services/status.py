"""How the evidence stands as plain values, fit to be kept and sent: for the command line and for programs."""

from datetime import datetime
from typing import Any

from core.errors import BadConfiguration
from core.settings import EvidenceSettings
from webadmin.evidence.services.authorities import configured_authorities
from webadmin.evidence.services.bundles import EvidenceStatus, evidence_status


def status_values(settings: EvidenceSettings, now: datetime) -> dict[str, Any]:
    """What is there, owed, stamped and damaged; moments in ISO 8601, `seen_at` when it was looked at."""
    try:
        names, fault = [each.name for each in configured_authorities(settings)], ""
    except BadConfiguration as error:
        names, fault = [], str(error.faults[0])
    return as_values(evidence_status(names), names, fault) | {"seen_at": now.isoformat(timespec="seconds")}


def as_values(stands: EvidenceStatus, names: list[str], fault: str) -> dict[str, Any]:
    """Return the same of what is known already. fault: why the authorities cannot be asked."""
    last = stands.last_check
    check = last and {
        "started_at": last.started_at.isoformat(timespec="seconds"),
        "bundles": last.bundles,
        "files": last.files,
        "read_bytes": last.read_bytes,
        "faults": last.faults,
    }
    return {
        "bundles": stands.bundles,
        "changed": stands.changed,
        "missing": stands.missing,
        "owed": stands.unbundled_versions,
        "undrawn": stands.undrawn,
        "authorities": names,
        "authorities_fault": fault,
        "unstamped_days": stands.unstamped_days,
        "waiting_stamps": stands.waiting_stamps,
        "last_error": str(stands.last_error or ""),
        "last_check": check,
    }
