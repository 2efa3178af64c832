"""When texts of a work first stood on pages."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime

from django.db.models import QuerySet

from webadmin.cases.models import Case, CaseMatch, PageCheck
from webadmin.database import batches


def first_seen(copies: "QuerySet[Case]", texts: Collection[str] | None = None) -> dict[tuple[int, str], datetime]:
    """When each text was first seen on the page of each case: in the earliest version that has half of it or more.

    Half of what the page ever had: a foretaste of some lines is not yet the chapter. By the text, not by the chapter's
    row: what was found of an earlier text says nothing about the one that there is. texts: these only, not all.
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
