"""Records the verdict "licensed" with a licence for the page, the work on the site, or the whole site."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from urllib.parse import urlsplit

from django.db import transaction
from django.utils import timezone

from core.hosts import parse_host
from core.rights import is_on_domain, is_whole_site, rule
from core.states import CaseState, Verdict
from webadmin.accounts.models import User
from webadmin.accounts.services.access import may_manage
from webadmin.accounts.services.holders import lock_rights
from webadmin.cases.models import Case, Matter
from webadmin.cases.services.verdicts import VerdictRefused, decide
from webadmin.sites.models import SiteDomain
from webadmin.works.models import Licence
from webadmin.works.models.rights import MAX_ADDRESS_CHARS
from webadmin.works.services.licences import equal_licence, licence_permission, normalize_page_url

MAX_COUNTED = 1_000
MAX_LICENSEE_CHARS = 200


class LicenceScope(StrEnum):
    """The scopes of a licence that is created with a verdict, the narrowest first."""

    PAGE = "page"  # the work on the page of the case and below its URL
    WORK = "work"  # the work on the page's host and its subdomains
    SITE = "site"  # all works on the page's host and its subdomains


@dataclass(frozen=True, slots=True)
class LicenceOffer:
    """The licences that can be created with a verdict. host, since: their domain and their first day.

    others: the number of other open cases that a licence of each scope would set aside, at most MAX_COUNTED + 1.
    """

    host: str
    since: date
    others: Mapping[LicenceScope, int]


def offer_licences(case: Case) -> LicenceOffer | None:
    """Return the licences that can be created for a case, or None if it is already allowed or its URL has no host."""
    if case.allowed_as:
        return None
    licences = {scope: licence for scope in LicenceScope if (licence := _unsaved_licence(case, scope)) is not None}
    others = {scope: _count_affected(case, licence) for scope, licence in licences.items()}
    return next((LicenceOffer(each.domain, each.valid_from, others) for each in licences.values()), None)


def license_case(
    case: Case, scope: str, licensee: str, user: User, note: str = "", *, basis: int | None = None
) -> None:
    """Record the verdict "licensed" and create its licence, which applies to other cases like any licence.

    The licence begins on the day on which the page was first seen, and has no end. note, basis: as in `decide`. Raises
    VerdictRefused as `decide` does, and if the user does not manage the rights holder, the licensee is missing or too
    long, or the scope is not possible.
    """
    licensee = licensee.strip()
    if not may_manage(user, case):
        raise VerdictRefused("case.no-manager", holder=case.rights_holder)
    if not licensee or len(licensee) > MAX_LICENSEE_CHARS:
        raise VerdictRefused("case.no-licensee", most=MAX_LICENSEE_CHARS)
    licence = _unsaved_licence(case, scope)
    if licence is None:
        raise VerdictRefused("case.no-scope")
    licence.licensee, licence.entered_by = licensee, user
    with transaction.atomic():
        lock_rights(case.rights_holder_id)  # locked before the case, as in all rulings
        twin = equal_licence(licence)
        if twin is None:
            licence.save()
        decide(case, Verdict.LICENSED, user, note, basis=basis, licence=twin or licence)


def _unsaved_licence(case: Case, scope: str) -> Licence | None:
    """Return an unsaved licence with this scope for the page of a case, without a licensee; None if impossible."""
    address = normalize_page_url(case.page_url) if scope == LicenceScope.PAGE else ""
    try:
        domain = str(parse_host(case.page_url))
    except ValueError:
        return None
    is_one = scope != LicenceScope.PAGE or not is_whole_site(address)
    is_on_web = case.page_url.startswith(("http://", "https://"))
    if scope not in set(LicenceScope) or not is_one or not is_on_web or len(address) > MAX_ADDRESS_CHARS:
        return None
    return Licence(
        rights_holder_id=case.rights_holder_id,
        work_id=None if scope == LicenceScope.SITE else case.work_id,
        domain=domain,
        address=address,
        valid_from=case.first_seen_at.astimezone(timezone.get_default_timezone()).date(),
    )


def _count_affected(case: Case, licence: Licence) -> int:
    permission, zone = licence_permission(licence), timezone.get_default_timezone()
    sites = _covered_sites(case, licence.domain)
    rows = Case.objects.filter(rights_holder=case.rights_holder_id, state=CaseState.OPEN).exclude(pk=case.pk)
    if licence.work_id:  # because a site has tens of thousands of cases, but only hundreds of one work
        matters = Matter.objects.filter(site__in=sites, work=licence.work_id)
        rows = rows.filter(matter__in=list(matters.values_list("pk", flat=True)))
    else:
        rows = rows.filter(site__in=sites)
    if licence.address:
        rows = rows.filter(page_url__contains=urlsplit(licence.address).path.partition("%")[0].rstrip("/"))
    newest = rows.order_by("-opened_at").values_list("page_url", "last_seen_at")[: MAX_COUNTED + 1]
    return sum(
        rule(
            normalize_page_url(url) if licence.address else url, seen_at.astimezone(zone).date(), (), [permission]
        ).rejection
        is not None
        for url, seen_at in newest
    )


def _covered_sites(case: Case, domain: str) -> set[int]:
    """Return the keys of the case's site and of the rights holder's other sites with a host in the domain."""
    hosts = SiteDomain.objects.filter(site__rights_holder=case.rights_holder_id).values_list("site_id", "host")
    return {case.site_id, *(site for site, host in hosts if is_on_domain(f"http://{host}/", domain))}
