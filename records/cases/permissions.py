"""What a rights holder allows where, and which works are not protected: plain values that rule on findings."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from django.conf import settings

from core.hosts import host_key
from core.rights import Permission, is_within, rule
from core.states import OF_THE_FINDING, UNPROTECTED, Rejection
from records.models import Licence, Overruling, OwnDomain, Unprotected

ALLOWANCES = (Rejection.LICENSED, Rejection.OWN_SITE, *UNPROTECTED)


@dataclass(frozen=True, slots=True)
class Allowance:
    """What the rights say of one finding. `reason` is None, and all else empty, where nothing allows it."""

    reason: Rejection | None = None
    label: str = ""  # as a reader knows it: licensee and contract, the own domain, or why a work is not protected
    right: Licence | OwnDomain | Unprotected | None = None


NOTHING = Allowance()


@dataclass(slots=True)
class _Near:
    """The rights that concern one host."""

    own: list[str]
    for_all: list[Permission]
    by_work: dict[int, list[Permission]]


class Rights:
    """The rights of one rights holder, read once; rules any number of findings."""

    def __init__(self, holder: int) -> None:
        self._own = {own.domain: own for own in OwnDomain.objects.filter(rights_holder=holder)}
        self._licences = {licence.pk: licence for licence in Licence.objects.filter(rights_holder=holder)}
        self._unprotected = {row.work_id: row for row in Unprotected.objects.filter(work__rights_holder=holder)}
        self._zone = ZoneInfo(settings.TIME_ZONE)
        self._near: dict[tuple[str, int], _Near] = {}
        self._overruled: set[tuple[str, int, str, str]] = set()
        self._no_longer: dict[tuple[str, int], Rejection] = {}  # overruled once, and taken back
        for row in Overruling.objects.filter(work__rights_holder=holder).order_by("entered_at", "pk"):
            if row.withdrawn_at is None:
                self._overruled.add((row.page_id, row.work_id, row.reason, row.detail))
            elif row.reason in OF_THE_FINDING:
                self._no_longer[row.page_id, row.work_id] = Rejection(row.reason)

    def unless_overruled(self, page: str, work: int, allowance: Allowance) -> Allowance:
        """What leaves the finding out; NOTHING where a reviewer overruled it, for this reason and this right."""
        return NOTHING if (page, work, str(allowance.reason or ""), allowance.label) in self._overruled else allowance

    def counts_ignored(self, page: str, work: int) -> bool:
        """Whether ignored texts count there all the same, since a reviewer overruled that they leave nothing."""
        return (page, work, str(Rejection.NOTHING_LEFT), "") in self._overruled

    def of_case(self, page: str, work: int, match_class: str, matched_chars: int) -> Allowance:
        """Why a case that no right allows is set aside all the same; NOTHING where it is not."""
        again = self._no_longer.get((page, work))
        if again is not None and match_class == again:  # a quotation is named so as class and as reason
            return self.unless_overruled(page, work, Allowance(again))
        return NOTHING if matched_chars else Allowance(Rejection.NOTHING_LEFT)

    def ruling(self, work: int, url: str, seen_at: datetime) -> Allowance:
        """Whether the page at `url` may carry the work, by the operator's day on which it was last seen.

        What the address allows comes first; then whether the work is protected.
        """
        allowance = self._by_address(work, url, seen_at)
        mark = self._unprotected.get(work)
        if allowance.reason is None and mark is not None:
            return Allowance(Rejection(mark.reason), mark.note, mark)
        return allowance

    def _by_address(self, work: int, url: str, seen_at: datetime) -> Allowance:
        near = self._near_to(url)
        permissions = [*near.by_work.get(work, ()), *near.for_all]
        if not (near.own or permissions):
            return NOTHING
        ruled = rule(url, seen_at.astimezone(self._zone).date(), near.own, permissions)
        if ruled.rejection is None:
            return NOTHING
        if ruled.permission is None:
            return Allowance(ruled.rejection, ruled.detail, self._own[ruled.detail])
        return Allowance(ruled.rejection, ruled.detail[:300], self._licences[int(str(ruled.permission.key))])

    def _near_to(self, url: str) -> _Near:
        """A page's host decides which rights concern it: looked up once a host, as findings come by the thousand."""
        try:
            key = host_key(url)
        except ValueError:
            key = ("", 0)
        if key not in self._near:
            by_work: dict[int, list[Permission]] = defaultdict(list)
            for_all: list[Permission] = []
            for licence in self._licences.values():
                if is_within(url, licence.domain):
                    (for_all if licence.work_id is None else by_work[licence.work_id]).append(_permission(licence))
            own = [domain for domain in self._own if is_within(url, domain)]
            self._near[key] = _Near(own, for_all, by_work)
        return self._near[key]


def _permission(licence: Licence) -> Permission:
    label = f"{licence.licensee} {licence.number}".strip()
    return Permission(licence.domain, licence.valid_from, licence.valid_until, label, licence.pk)
