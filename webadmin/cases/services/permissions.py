"""What a rights holder allows where, and which works are not protected: plain values that rule on findings."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime

from django.utils import timezone

from core.hosts import host_key
from core.rights import Permission, PlatformAccount, is_on_domain, rule
from core.states import OF_THE_FINDING, UNPROTECTED, Rejection
from webadmin.cases.models import Overruling
from webadmin.works.models import Chapter, Licence, OwnAccount, OwnDomain, Unprotected
from webadmin.works.services.licences import licence_permission, one_spelling

ALLOWANCES = (Rejection.LICENSED, Rejection.OWN_SITE, *UNPROTECTED)
Right = Licence | OwnDomain | OwnAccount | Unprotected


@dataclass(frozen=True, slots=True)
class RightsQuery:
    """What the rights are asked about: a page that copied from a work.

    page: its key; seen_at: when it was last seen with that; account: who posted it, or else whom the page names as
    author; texts: those of the work that it copied more of than a quotation.
    """

    work: int
    page: str
    url: str
    seen_at: datetime
    account: str = ""
    texts: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Allowance:
    """What the rights say of one finding. `reason` is None, and all else empty, where nothing allows it.

    outside: where a licence would allow it but for some chapters, these, and the licence as `right`.
    """

    reason: Rejection | None = None
    label: str = ""  # as a reader knows it: licensee and contract, the own domain or account, or why it is unprotected
    right: Right | None = None
    outside: tuple[int, ...] = ()


NOTHING = Allowance()


@dataclass(slots=True)
class _HostRights:
    """The rights that concern one host."""

    own: list[str]
    accounts: list[OwnAccount]
    for_all: list[Permission]
    by_work: dict[int, list[Permission]]


@dataclass(slots=True)
class _Numbers:
    """The numbers that the texts of a work have as its chapters, read when a licence for some of them asks."""

    by_work: dict[int, dict[str, set[int]]] = field(default_factory=dict)

    def chapter_numbers(self, work: int, texts: Iterable[str]) -> list[set[int]]:
        if work not in self.by_work:
            numbers: dict[str, set[int]] = defaultdict(set)
            for text, number in Chapter.objects.filter(work=work).values_list("text_id", "number"):
                numbers[text].add(number)
            self.by_work[work] = numbers
        known = self.by_work[work]
        return [known[text] for text in texts if text in known]


class Rights:
    """The rights of one rights holder, read once; rules any number of findings."""

    def __init__(self, holder: int) -> None:
        self._own = {own.domain: own for own in OwnDomain.objects.filter(rights_holder=holder)}
        self._accounts = list(OwnAccount.objects.filter(rights_holder=holder))
        self._licences = {licence.pk: licence for licence in Licence.objects.filter(rights_holder=holder)}
        self._unprotected = {row.work_id: row for row in Unprotected.objects.filter(work__rights_holder=holder)}
        self._zone = timezone.get_default_timezone()
        self._near: dict[tuple[str, int], _HostRights] = {}
        self._numbers = _Numbers()
        self._overruled: set[tuple[str, int, str, str]] = set()
        self._no_longer: dict[tuple[str, int], Rejection] = {}  # overruled once, and taken back
        for row in Overruling.objects.filter(work__rights_holder=holder).order_by("entered_at", "pk"):
            if row.withdrawn_at is None:
                self._overruled.add((row.page_id, row.work_id, row.reason, _detail(row.reason, row.detail)))
            elif row.reason in OF_THE_FINDING:
                self._no_longer[row.page_id, row.work_id] = Rejection(row.reason)

    def unless_overruled(self, page: str, work: int, allowance: Allowance) -> Allowance:
        """What leaves the finding out; NOTHING where a reviewer overruled it, for this reason and this right."""
        reason = str(allowance.reason or "")
        key = (page, work, reason, _detail(reason, allowance.label))
        return NOTHING if key in self._overruled else allowance

    def counts_ignored(self, page: str, work: int) -> bool:
        """Return whether ignored texts count there all the same, since a reviewer overruled that they leave nothing."""
        return (page, work, str(Rejection.NOTHING_LEFT), "") in self._overruled

    def of_case(self, page: str, work: int, match_class: str, matched_chars: int) -> Allowance:
        """Why a case that no right allows is set aside all the same; NOTHING where it is not."""
        again = self._no_longer.get((page, work))
        if again is not None and match_class == again:  # a quotation is named so as class and as reason
            return self.unless_overruled(page, work, Allowance(again))
        return NOTHING if matched_chars else Allowance(Rejection.NOTHING_LEFT)

    @property
    def works_by_chapters(self) -> frozenset[int]:
        """The works of which a licence covers some chapters only: of these `Copied` has to know the texts."""
        return frozenset(licence.work_id for licence in self._licences.values() if licence.chapters and licence.work_id)

    def ruling(self, copied: RightsQuery) -> Allowance:
        """Return whether the page may carry what it copied, by the operator's day on which it was last seen.

        Where it stands and who posted it comes first; then whether the work is protected. What a reviewer overruled is
        passed over: another right may allow the page all the same.
        """
        allowance = NOTHING
        for step in (self.own_account, self.own_domain, self.licence, self.missing_protection):
            allowance = step(copied) or allowance
            if allowance.reason is not None:
                break
        return allowance

    def own_account(self, copied: RightsQuery) -> Allowance | None:
        """Return the account of the rights holder that posted the page."""
        for account in self._host_rights(copied.url).accounts:
            is_overruled = self._overrules(copied, Rejection.OWN_SITE, str(account))
            if not is_overruled and _account(account).has_posted(copied.url, copied.account):
                return Allowance(Rejection.OWN_SITE, str(account), account)
        return None

    def own_domain(self, copied: RightsQuery) -> Allowance | None:
        """Return the domain of the rights holder on which the page stands."""
        for domain in self._host_rights(copied.url).own:
            if not self._overrules(copied, Rejection.OWN_SITE, domain):
                return Allowance(Rejection.OWN_SITE, domain[:300], self._own[domain])
        return None

    def licence(self, copied: RightsQuery) -> Allowance | None:
        """Return the licence that covers the page on that day.

        Without a reason where it covers all but some chapters.
        """
        near = self._host_rights(copied.url)
        permissions = [
            permission
            for permission in (*near.by_work.get(copied.work, ()), *near.for_all)
            if not self._overrules(copied, Rejection.LICENSED, permission.label)
        ]
        if not permissions:
            return None
        is_by_chapters = any(permission.chapters for permission in permissions)
        numbers = self._numbers.chapter_numbers(copied.work, copied.texts) if is_by_chapters else ()
        url = one_spelling(copied.url) if any(permission.address for permission in permissions) else copied.url
        ruled = rule(url, copied.seen_at.astimezone(self._zone).date(), (), permissions, numbers)
        if ruled.permission is None or not (ruled.rejection or ruled.outside):
            return None
        licence = self._licences[int(str(ruled.permission.key))]
        return Allowance(ruled.rejection, ruled.detail[:300], licence, ruled.outside)

    def missing_protection(self, copied: RightsQuery) -> Allowance | None:
        """That nobody has rights in the work any more, or ever had."""
        mark = self._unprotected.get(copied.work)
        if mark is None or self._overrules(copied, mark.reason, mark.note):
            return None
        return Allowance(Rejection(mark.reason), mark.note, mark)

    def _overrules(self, copied: RightsQuery, reason: str, label: str) -> bool:
        return (copied.page, copied.work, reason, label[:300]) in self._overruled

    def _host_rights(self, url: str) -> _HostRights:
        """A page's host decides which rights concern it: looked up once a host, as findings come by the thousand."""
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


def _account(account: OwnAccount) -> PlatformAccount:
    return PlatformAccount(account.address, account.domain, account.name)


def _detail(reason: str, detail: str) -> str:
    """What an overruling is of beside the reason: the right. A quotation is one, whatever source the page names."""
    return "" if reason in OF_THE_FINDING else detail
