"""The texts of a work that pages of cases copied beyond a quotation, in the versions that the cases show."""

from collections import defaultdict

from django.db.models import Exists, F, OuterRef, QuerySet

from core.matches import MatchClass
from webadmin.cases.models import Case, CaseMatch, TakenText

_LITTLE = [found for found in MatchClass if not found.is_copy]


def texts_by_case(cases: "QuerySet[Case]") -> dict[int, list[str]]:
    """Return the ids of the copied texts, by case."""
    stands = TakenText.objects.filter(case=OuterRef("case"), text_id=OuterRef("text_id"))
    matches = CaseMatch.objects.filter(Exists(stands), case__in=cases.order_by(), version_id=F("case__version_id"))
    found: dict[int, list[str]] = defaultdict(list)
    rows = matches.exclude(match_class__in=_LITTLE).order_by().values_list("case_id", "text_id")
    for case, text in rows.iterator(chunk_size=2_000):
        found[case].append(text)
    return found


def copied_chapters(case: Case) -> list[int]:
    """Return the numbers of the chapters that the page of a case copied; for a repeated text, the first."""
    texts = texts_by_case(Case.objects.filter(pk=case.pk)).get(case.pk, [])
    numbers: dict[str, int] = {}
    for text, number in (
        case.work.chapters.filter(text_id__in=texts).order_by("number").values_list("text_id", "number")
    ):
        numbers.setdefault(text, number)
    return sorted(numbers.values())
