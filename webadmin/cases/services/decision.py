"""Decides whether the findings of a work on a page become a case or are excluded, and why.

The rights come first: licences, own domains and accounts, and unprotected works.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from core.hosts import host_key
from core.rights import Permission, PlatformAccount, is_on_domain, rule
from core.states import OF_THE_FINDING, UNPROTECTED, Rejection
from webadmin.cases.models import Overruling
from webadmin.works.models import Chapter, Licence, OwnAccount, OwnDomain, Unprotected
from webadmin.works.services.licences import licence_permission, normalize_page_url

ALLOWANCES = (Rejection.LICENSED, Rejection.OWN_SITE, *UNPROTECTED)
Right = Licence | OwnDomain | OwnAccount | Unprotected


@dataclass(frozen=True, slots=True)
class RightsQuery:
    """The facts for a ruling on a page that copied from a work.

    work, page: the keys. seen_at: when the copy was last seen. account: the poster that the page names, or else the
    author. texts: the ids of the work's texts that were copied and not only quoted.
    """

    work: int
    page: str
    url: str
    seen_at: datetime
    account: str = ""
    texts: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Allowance:
    """The ruling on a finding. reason: why the finding is allowed, or None if it is not.

    right: the right on which the ruling is based, or None. outside: the numbers of the copied chapters that the licence
    in `right` does not cover; the finding is then not allowed.
    """

    reason: Rejection | None = None
    label: str = ""  # for display: licensee and contract, own domain or account, or why the work is unprotected
    right: Right | None = None
    outside: tuple[int, ...] = ()


NOTHING = Allowance()


@dataclass(slots=True)
class _HostRights:
    """The rights that apply to one host."""

    own: list[str]
    accounts: list[OwnAccount]
    for_all: list[Permission]
    by_work: dict[int, list[Permission]]


class Rights:
    """The rights of one rights holder, which are read once for any number of rulings."""

    def __init__(self, holder: int) -> None:
        self._own = {own.domain: own for own in OwnDomain.objects.filter(rights_holder=holder)}
        self._accounts = list(OwnAccount.objects.filter(rights_holder=holder))
        self._licences = {licence.pk: licence for licence in Licence.objects.filter(rights_holder=holder)}
        self._unprotected = {row.work_id: row for row in Unprotected.objects.filter(work__rights_holder=holder)}
        self._zone = timezone.get_default_timezone()
        self._near: dict[tuple[str, int], _HostRights] = {}
        self._numbers: dict[int, dict[str, set[int]]] = {}  # chapter numbers by work and text
        self._overruled: set[tuple[str, int, str, str]] = set()
        self._no_longer: dict[tuple[str, int], Rejection] = {}  # the reasons of withdrawn overrulings, by page and work
        for row in Overruling.objects.filter(work__rights_holder=holder).order_by("entered_at", "pk"):
            if row.withdrawn_at is None:
                self._overruled.add((row.page_id, row.work_id, row.reason, _overruled_detail(row.reason, row.detail)))
            elif row.reason in OF_THE_FINDING:
                self._no_longer[row.page_id, row.work_id] = Rejection(row.reason)

    def unless_overruled(self, page: str, work: int, allowance: Allowance) -> Allowance:
        """Return `allowance`, or NOTHING if a reviewer overruled it for the page and the work."""
        reason = str(allowance.reason or "")
        key = (page, work, reason, _overruled_detail(reason, allowance.label))
        return NOTHING if key in self._overruled else allowance

    def counts_ignored(self, page: str, work: int) -> bool:
        """Return True if ignored texts count on the page, because a reviewer overruled an exclusion based on them."""
        return (page, work, str(Rejection.NOTHING_LEFT), "") in self._overruled

    def set_aside_reason(self, page: str, work: int, match_class: str, matched_chars: int) -> Allowance:
        """Return the reason other than a right why a case is set aside, or NOTHING if there is none.

        match_class, matched_chars: those of the case.
        """
        again = self._no_longer.get((page, work))
        if again is not None and match_class == again:  # The class and the reason of a quotation have the same name.
            return self.unless_overruled(page, work, Allowance(again))
        return NOTHING if matched_chars else Allowance(Rejection.NOTHING_LEFT)

    @property
    def works_by_chapters(self) -> frozenset[int]:
        """The keys of works with a licence for only some chapters. Queries about them need `texts`."""
        return frozenset(licence.work_id for licence in self._licences.values() if licence.chapters and licence.work_id)

    def ruling(self, copied: RightsQuery) -> Allowance:
        """Return the ruling on a page for the day on which it was last seen, in the operator's time zone.

        Own accounts, own domains, licences and the protection of the work are checked in this order. An overruled right
        is skipped, because another right may still allow the page.
        """
        near = self._host_rights(copied.url)
        for account in near.accounts:
            named = PlatformAccount(account.address, account.domain, account.name)
            is_overruled = self._overrules(copied, Rejection.OWN_SITE, str(account))
            if not is_overruled and named.has_posted(copied.url, copied.account):
                return Allowance(Rejection.OWN_SITE, str(account), account)
        for domain in near.own:
            if not self._overrules(copied, Rejection.OWN_SITE, domain):
                return Allowance(Rejection.OWN_SITE, domain[:300], self._own[domain])
        licensed = self._licence_allowance(copied, near)
        if licensed.reason is None:
            mark = self._unprotected.get(copied.work)
            if mark is not None and not self._overrules(copied, mark.reason, mark.note):
                return Allowance(Rejection(mark.reason), mark.note, mark)
        return licensed

    def _licence_allowance(self, copied: RightsQuery, near: _HostRights) -> Allowance:
        """Return the allowance by a licence that covers the page on that day, or NOTHING if there is none.

        It has no reason if the licence does not cover some of the copied chapters.
        """
        permissions = [
            permission
            for permission in (*near.by_work.get(copied.work, ()), *near.for_all)
            if not self._overrules(copied, Rejection.LICENSED, permission.label)
        ]
        if not permissions:
            return NOTHING
        is_by_chapters = any(permission.chapters for permission in permissions)
        numbers = self._chapter_numbers(copied.work, copied.texts) if is_by_chapters else ()
        url = normalize_page_url(copied.url) if any(permission.address for permission in permissions) else copied.url
        ruled = rule(url, copied.seen_at.astimezone(self._zone).date(), (), permissions, numbers)
        if ruled.permission is None or not (ruled.rejection or ruled.outside):
            return NOTHING
        licence = self._licences[int(str(ruled.permission.key))]
        return Allowance(ruled.rejection, ruled.detail[:300], licence, ruled.outside)

    def _chapter_numbers(self, work: int, texts: Iterable[str]) -> list[set[int]]:
        if work not in self._numbers:
            numbers: dict[str, set[int]] = defaultdict(set)
            for text, number in Chapter.objects.filter(work=work).values_list("text_id", "number"):
                numbers[text].add(number)
            self._numbers[work] = numbers
        known = self._numbers[work]
        return [known[text] for text in texts if text in known]

    def _overrules(self, copied: RightsQuery, reason: str, label: str) -> bool:
        return (copied.page, copied.work, reason, label[:300]) in self._overruled

    def _host_rights(self, url: str) -> _HostRights:
        """Return the rights for the host of a URL. They are cached, because a host has thousands of findings."""
        try:
            key = host_key(url)
        except ValueError:
            key = ("", 0)
        if key not in self._near:
            by_work: dict[int, list[Permission]] = defaultdict(list)
            for_all: list[Permission] = []
            for licence in self._licences.values():
                if is_on_domain(url, licence.domain):
                    (for_all if licence.work_id is None else by_work[licence.work_id]).append(
                        licence_permission(licence)
                    )
            own = [domain for domain in self._own if is_on_domain(url, domain)]
            accounts = [each for each in self._accounts if is_on_domain(url, each.domain or each.address)]
            self._near[key] = _HostRights(own, accounts, for_all, by_work)
        return self._near[key]


def _overruled_detail(reason: str, detail: str) -> str:
    """Return the detail that identifies what was overruled, which is "" for reasons that involve no right."""
    return "" if reason in OF_THE_FINDING else detail


def decide(
    copied: RightsQuery, rights: Rights, left_out: Allowance, *, is_nothing_left: bool, is_known: bool
) -> tuple[Allowance, bool]:
    """Return the allowance of a finding, and whether the finding is a case.

    The first rule decides that applies and that no reviewer overruled:
    1. The rights holder's own account, own domain or licence allows the page, or the work is not protected.
    2. The matcher classified it as a quotation or a teaser (`left_out`).
    3. Nothing is left of it without noise and ignored texts (`is_nothing_left`).
    4. Everything else is a case.

    is_known: whether the page already has a case of the work. If rule 1 or 3 applies, the finding then remains a case,
    which is set aside with this reason.
    """
    allowance = rights.ruling(copied)
    if allowance.reason is None and left_out.reason is not None:
        allowance = rights.unless_overruled(copied.page, copied.work, left_out)
    if allowance.reason is None and is_nothing_left:
        allowance = Allowance(Rejection.NOTHING_LEFT)
    stays = is_known and allowance.reason in (*ALLOWANCES, Rejection.NOTHING_LEFT)
    return allowance, allowance.reason is None or stays
