"""The status of the evidence as JSON values, for the note that `zhuiwen status` reads."""

from datetime import datetime
from typing import Any

from core.errors import BadConfiguration
from core.settings import EvidenceSettings
from webadmin.evidence.services.authorities import configured_authorities
from webadmin.evidence.services.bundles import EvidenceStatus, evidence_status


def status_values(settings: EvidenceSettings, now: datetime) -> dict[str, Any]:
    """Return the counts of stored, pending, timestamped and damaged bundles.

    Times are in ISO 8601; `seen_at` is `now`.
    """
    try:
        names, fault = [each.name for each in configured_authorities(settings)], ""
    except BadConfiguration as error:
        names, fault = [], str(error.faults[0])
    return status_as_json(evidence_status(names), names, fault) | {"seen_at": now.isoformat(timespec="seconds")}


def status_as_json(status: EvidenceStatus, names: list[str], fault: str) -> dict[str, Any]:
    """Return a status as JSON values.

    names: the configured authorities. fault: the reason why they cannot be used, or "".
    """
    last = status.last_check
    check = last and {
        "started_at": last.started_at.isoformat(timespec="seconds"),
        "bundles": last.bundles,
        "files": last.files,
        "read_bytes": last.read_bytes,
        "faults": last.faults,
    }
    return {
        "bundles": status.bundles,
        "changed": status.changed,
        "missing": status.missing,
        "owed": status.unbundled_versions,
        "undrawn": status.undrawn,
        "authorities": names,
        "authorities_fault": fault,
        "unstamped_days": status.unstamped_days,
        "waiting_stamps": status.waiting_stamps,
        "last_error": str(status.last_error or ""),
        "last_check": check,
    }
