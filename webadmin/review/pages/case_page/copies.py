"""Further copies: other pages of the site that copy the work, and other sites that have the passage."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from core.taken import Places
from webadmin.cases.models import Case, CaseMatch, TakenText

MAX_SHOWN = 20
MAX_LOOKED_AT = 200  # of the cases in which a chapter was found, the newest; a page is answered within a second


@dataclass(frozen=True, slots=True)
class OtherCase:
    """A linked case. share: of the work for a page of the same site, of the passages for another copy."""

    case: Case
    share: float


@dataclass(frozen=True, slots=True)
class OtherCases:
    """Linked cases, the largest share first. is_cut: there are more; address: of the list of all, or ""."""

    shown: Sequence[OtherCase]
    is_cut: bool
    address: str = ""

    def __bool__(self) -> bool:
        return bool(self.shown)


def other_pages(case: Case) -> OtherCases:
    """Return the other pages of the site that copied from the same work."""
    others = Case.objects.filter(matter=case.matter_id).exclude(pk=case.pk)
    found = list(others.select_related("work").order_by("-taken_chars", "pk")[: MAX_SHOWN + 1])
    filters = urlencode({"site__id__exact": case.page.site_id, "work__id__exact": case.work_id})
    return OtherCases(
        [OtherCase(other, other.work_share) for other in found[:MAX_SHOWN]],
        len(found) > MAX_SHOWN,
        f"{reverse('admin:cases_case_changelist')}?{filters}",
    )


def other_copies(case: Case, match: CaseMatch) -> OtherCases:
    """Return the cases of other sites whose pages have characters of the same passages of the same chapter."""
    own = case.taken.filter(text_id=match.text_id).first()
    if own is None:
        return OtherCases((), is_cut=False)
    places = Places.unpack(bytes(own.places))
    matches = CaseMatch.objects.filter(text_id=match.text_id).exclude(case=case).order_by("-pk")
    near = list(matches.values_list("case_id", flat=True)[:MAX_LOOKED_AT])
    taken = (
        TakenText.objects.filter(text_id=match.text_id, case__in=near, case__rights_holder=case.rights_holder_id)
        .exclude(case__site=case.site_id)
        .select_related("case__page__site")
    )
    shared = [(len(places & Places.unpack(bytes(each.places))) / max(1, len(places)), each.case) for each in taken]
    found = sorted(((share, other) for share, other in shared if share), key=lambda each: (-each[0], each[1].pk))
    return OtherCases(
        [OtherCase(other, share) for share, other in found[:MAX_SHOWN]],
        len(found) > MAX_SHOWN or len(near) == MAX_LOOKED_AT,
    )
