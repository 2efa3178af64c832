"""Checks the rows of the admin database: findings against the stored texts, and the day trees of evidence."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from django.db.models import F, QuerySet

from bundles.merkle import day_root
from core.batches import batches
from core.ids import Digest, digest
from pagestore.checking import WORKS, FaultKind, StoreReading
from pagestore.documents import text_from_bytes
from webadmin.backups.services.checking.context import CheckContext
from webadmin.backups.services.checking.damage import Damage, Remedy, Store
from webadmin.backups.services.checking.page_checks import report_faults
from webadmin.cases.models import CaseMatch
from webadmin.evidence.models import DayTree, EvidenceBundle
from webadmin.rewrites.models import RewordedLead
from webadmin.sites.models import PageRecord
from webadmin.ui.models.fields import with_length_kept

ROWS_AT_ONCE = 500


def check_findings(context: CheckContext) -> None:
    """Check stored findings and suspected rewrites against both texts: digests, excerpts and ranges of sentences."""
    reading = StoreReading(context.database, context.bodies)
    step, done = context.step("checking.step-findings"), 0
    matches = CaseMatch.objects.annotate(page_id=F("case__page_id")).order_by("pk")
    leads = RewordedLead.objects.select_related("page", "work", "rights_holder").order_by("pk")
    frozen: tuple[tuple[QuerySet[Any], Callable[[Any, str, str], bool]], ...]
    frozen = ((matches, _has_excerpts), (leads, _has_pairs))
    total = matches.count() + leads.count()
    for rows, stand in frozen:
        found: Iterator[Any] = rows.iterator(chunk_size=ROWS_AT_ONCE)
        for batch in batches(found, ROWS_AT_ONCE):
            step(done, total)
            done += len(batch)
            _check_frozen([row for row in batch if context.part.has(row.page_id)], stand, reading, context)
    step(total, total)
    report_faults(reading, context)


def _check_frozen(
    rows: list[Any], stand: Callable[[Any, str, str], bool], reading: StoreReading, context: CheckContext
) -> None:
    """Check findings or suspected rewrites against the stored texts, and report damaged rows.

    A row is intact if its texts are the compared texts and still contain the found passages. stand: tests the latter.
    """
    versions = {str(version.id): version for version in reading.versions({row.version_id: row.page_id for row in rows})}
    texts = reading.contents(WORKS, {row.text_id: "" for row in rows})
    for row in rows:
        version, work_text = versions.get(row.version_id), texts.get(row.text_id)
        page_text = version.reading.text_by_digest(row.page_text_digest) if version else None
        is_right = version is None or (page_text is not None and version.raw_digest == row.raw_digest)
        if work_text is not None:
            is_right = is_right and digest(work_text) == row.work_text_digest
        if is_right and page_text is not None and work_text is not None:
            is_right = stand(row, page_text, text_from_bytes(work_text))
        if not is_right:
            context.report.add_damages(
                _lead_damage(row, context) if isinstance(row, RewordedLead) else _match_damage(row)
            )


def _match_damage(match: CaseMatch) -> Damage:
    return _table_damage(match._meta.db_table, str(match.pk), FaultKind.CHANGED, cases=(match.case_id,))


def _lead_damage(lead: RewordedLead, context: CheckContext) -> Damage:
    """Return the damage of a suspected rewrite. If its page is still searched, make it due for another search."""
    damage = _table_damage(lead._meta.db_table, str(lead.pk), FaultKind.CHANGED)
    if lead.page.gone_since is not None or lead.work.kind not in lead.rights_holder.reworded_kinds:
        return damage
    if not context.may_write(Store.ADMIN):
        return replace(damage, remedy=Remedy.CAN_BE_MADE)
    PageRecord.objects.filter(pk=lead.page_id).update(reworded_version_id="")
    return replace(damage, remedy=Remedy.SEARCHED_AGAIN)


def _has_excerpts(match: CaseMatch, page_text: str, work_text: str) -> bool:
    """Return True if the excerpts of a finding are at its ranges in both texts."""
    try:
        for span in match.spans:
            for side, text in (("page", page_text), ("work", work_text)):
                start, end = span[side]
                excerpt = span[f"{side}_excerpt"]
                if with_length_kept(text[start:end]) != excerpt or not 0 <= start <= end <= len(text):
                    return False
    except (KeyError, TypeError, ValueError, AttributeError):
        return False
    return True


def _has_pairs(lead: RewordedLead, page_text: str, work_text: str) -> bool:
    """Return True if the pairs of a suspected rewrite are complete, within both texts and in page order."""
    try:
        pairs = [tuple(map(int, pair[:4])) for pair in lead.pairs]
        are_within = all(
            0 <= start < end <= len(page_text) and 0 <= of < to <= len(work_text) for start, end, of, to in pairs
        )
    except (TypeError, ValueError):
        return False
    return are_within and len(pairs) == lead.pair_count and pairs == sorted(pairs)


def check_evidence_rows(context: CheckContext) -> None:
    """Check the roots of the day trees, and that the bundles in them exist."""
    if not context.part.covers(5):
        return
    table = DayTree._meta.db_table
    known = set(EvidenceBundle.objects.values_list("digest", flat=True))
    for tree in DayTree.objects.all():
        if day_root(Digest(each) for each in tree.leaves) != tree.root:
            context.report.add_damages(_table_damage(table, str(tree.pk), FaultKind.CHANGED))
        for leaf in sorted(set(tree.leaves) - known):
            context.report.add_damages(_table_damage(EvidenceBundle._meta.db_table, leaf, FaultKind.MISSING))


def _table_damage(table: str, key: str, kind: FaultKind, cases: tuple[int, ...] = ()) -> Damage:
    return Damage(Store.ADMIN, table, key, kind, Remedy.RESTORE, cases)
