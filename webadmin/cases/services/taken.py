"""Reads the texts and characters of works that cases copied. `matters.figures` stores the totals."""

from collections import defaultdict
from collections.abc import Iterator

from django.db.models import Exists, F, OuterRef, QuerySet

from core.matches import MatchClass
from core.states import COPIES
from core.taken import NO_PLACES, Places
from webadmin.cases.models import Case, CaseMatch, TakenText
from webadmin.works.models import Chapter


def taken_by_case(cases: "QuerySet[Case]") -> dict[int, dict[str, Places]]:
    """Return the positions that each case copied, by case and text id. Texts no longer in the work are left out."""
    found: dict[int, dict[str, Places]] = defaultdict(dict)
    for case, _, text_id, places in _iterate_taken(cases):
        found[case][text_id] = places
    return found


def taken_by_work(cases: "QuerySet[Case]") -> dict[int, int]:
    """Return the number of characters of each work, by its key, that open and confirmed cases copied together."""
    found: dict[tuple[int, str], Places] = {}
    for _, work, text_id, places in _iterate_taken(cases.filter(state__in=COPIES)):
        found[work, text_id] = found.get((work, text_id), NO_PLACES) | places
    chars: dict[int, int] = defaultdict(int)
    for (work, _), places in found.items():
        chars[work] += len(places)
    return chars


def _iterate_taken(cases: "QuerySet[Case]") -> Iterator[tuple[int, int, str, Places]]:
    """Yield the keys of case and work, the text id and the copied positions, for texts that are still in the work."""
    rows = TakenText.objects.filter(case__in=cases.order_by().values("pk")).order_by()
    chapters = Chapter.objects.filter(work__in=cases.order_by().values("work")).order_by()
    owned = set(chapters.values_list("work_id", "text_id"))
    read: dict[bytes, Places] = {}
    for case, work, text_id, data in rows.values_list("case_id", "case__work_id", "text_id", "places").iterator():
        if (work, text_id) not in owned:
            continue
        packed = bytes(data)  # Whole copies have equal bytes, which are unpacked once.
        if packed not in read:
            read[packed] = Places.unpack(packed)
        yield case, work, text_id, read[packed]


_LITTLE = [found for found in MatchClass if not found.is_copy]


def texts_by_case(cases: "QuerySet[Case]") -> dict[int, list[str]]:
    """Return the ids of the texts that each case copied and did not only quote, by the key of the case."""
    stands = TakenText.objects.filter(case=OuterRef("case"), text_id=OuterRef("text_id"))
    matches = CaseMatch.objects.filter(Exists(stands), case__in=cases.order_by(), version_id=F("case__version_id"))
    found: dict[int, list[str]] = defaultdict(list)
    rows = matches.exclude(match_class__in=_LITTLE).order_by().values_list("case_id", "text_id")
    for case, text in rows.iterator(chunk_size=2_000):
        found[case].append(text)
    return found


def copied_chapters(case: Case) -> list[int]:
    """Return the numbers of the chapters that the page of a case copied.

    If several chapters have the same text, only the first one is included.
    """
    texts = texts_by_case(Case.objects.filter(pk=case.pk)).get(case.pk, [])
    numbers: dict[str, int] = {}
    for text, number in (
        case.work.chapters.filter(text_id__in=texts).order_by("number").values_list("text_id", "number")
    ):
        numbers.setdefault(text, number)
    return sorted(numbers.values())
