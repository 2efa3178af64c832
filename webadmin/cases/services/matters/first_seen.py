"""The times at which texts of a work were first seen on pages."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime

from django.db.models import QuerySet

from webadmin.cases.models import Case, CaseMatch, PageCheck
from webadmin.database import batches


def first_seen(copies: "QuerySet[Case]", texts: Collection[str] | None = None) -> dict[tuple[int, str], datetime]:
    """Return when each text was first seen on the page of each case, by case and text.

    A version counts if it has at least half of the most that the page ever had: a teaser of some lines is not yet the
    chapter. By text, not by chapter row: findings of a former text say nothing about the current one. texts: only
    these, None for all.
    """
    rows = CaseMatch.objects.filter(case__in=copies.order_by().values("pk")).order_by()
    if texts is not None:
        rows = rows.filter(text_id__in=list(texts))
    read = list(rows.values_list("case_id", "text_id", "version_id", "fetched_at", "work_containment"))
    appeared: dict[str, datetime] = {}
    for batch in batches(sorted({version for _, _, version, _, _ in read})):
        appeared |= PageCheck.objects.filter(version_id__in=batch).values_list("version_id", "appeared_at")
    found: dict[tuple[int, str], list[tuple[datetime, float]]] = defaultdict(list)
    for case, text_id, version, fetched_at, share in read:
        found[case, text_id].append((min(fetched_at, appeared.get(version, fetched_at)), share))
    return {key: _appearance(versions) for key, versions in found.items()}


def _appearance(versions: Sequence[tuple[datetime, float]]) -> datetime:
    enough = max(share for _, share in versions) / 2
    return min(at for at, share in versions if share >= enough)
