"""Checks the evidence: all bundles and files, and the log of removals."""

import json

from django.db import DatabaseError

from core.errors import BrokenInvariant, RetryLater
from pagestore.checking import FaultKind
from webadmin.backups.services.checking.context import CheckContext
from webadmin.backups.services.checking.damage import Damage, Remedy, Store
from webadmin.evidence.models import EvidenceBundle, RetentionLog
from webadmin.evidence.services.making import check_stored

_KINDS = {
    str(EvidenceBundle.State.CHANGED): FaultKind.CHANGED,
    str(EvidenceBundle.State.MISSING): FaultKind.MISSING,
}


def check_evidence(context: CheckContext) -> None:
    """Check all evidence as the nightly evidence check does.

    A check of a part skips this, because the nightly check includes it.
    """
    if context.part.number is not None:
        return
    step = context.step("checking.step-evidence")
    step(0, 1)
    try:
        checked = check_stored(context.evidence)
    except DatabaseError:
        _check_without_database(context)
        raise
    context.report.items += checked.bundles + checked.files
    cases = dict(EvidenceBundle.objects.values_list("digest", "case_id"))
    for fault in checked.faults:
        kind, key = _KINDS[fault["state"]], fault["digest"]
        place = fault.get("kind", "bundle")
        of = (cases[key],) if key in cases else ()
        context.report.add_damages(
            Damage(Store.EVIDENCE, place, key, kind, Remedy.RESTORE, of, detail=fault.get("file", ""))
        )
    _check_removals(context)
    step(1, 1)


def _check_without_database(context: CheckContext) -> None:
    """Check each bundle against the digest in its name. Without the admin database, missing bundles cannot be found."""
    for name in context.evidence.store.digests():
        try:
            context.evidence.store.get(name)
        except BrokenInvariant:
            context.report.add_damages(Damage(Store.EVIDENCE, "bundle", name, FaultKind.CHANGED, Remedy.RESTORE))


def _check_removals(context: CheckContext) -> None:
    """Check that the store's log of removals contains all removals in the admin database."""
    logged = set(RetentionLog.objects.values_list("bundle__digest", flat=True))
    try:
        there = {removal.digest for removal in context.evidence.store.removals()}
    except RetryLater:
        raise
    except (json.JSONDecodeError, KeyError, TypeError, ValueError):
        context.report.add_damages(Damage(Store.EVIDENCE, "removals", "", FaultKind.UNREADABLE, Remedy.RESTORE))
        return
    for digest in sorted(logged - there):
        context.report.add_damages(Damage(Store.EVIDENCE, "removals", digest, FaultKind.MISSING, Remedy.RESTORE))
