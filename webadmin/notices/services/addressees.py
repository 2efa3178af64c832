"""Lists the addressees for a site: entered by users, shared by an operator's sites, or proposed from contacts read.

A host or registrar applies to one site only, because the operator's other sites may use others.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from core.addressees import AddresseeRole, CounterRule, Paper, choose_notice_kind
from core.contacts import OF_PAGES, ContactKind
from crawler.contacts.emails import is_for_complaints
from webadmin.notices.models import Addressee
from webadmin.sites.models import ContactRead, Site
from webadmin.sites.services.families import site_family

MAX_ADDRESSEES = 50  # addressees listed for a site
OF_ONE_SITE = frozenset({AddresseeRole.HOSTS, AddresseeRole.REGISTERS})
_ORDER = {role: number for number, role in enumerate(AddresseeRole)}


class Origin(StrEnum):
    """The possible origins of an addressee."""

    ENTERED = "entered"
    FAMILY = "family"
    READ = "read"


class ContactOwner(StrEnum):
    """The possible owners of a contact. Each owner is a possible addressee."""

    SITE = "site"
    HOST = "host"
    REGISTRAR = "registrar"


_OWNERS: Mapping[AddresseeRole | None, ContactOwner] = {
    AddresseeRole.HOSTS: ContactOwner.HOST,
    AddresseeRole.REGISTERS: ContactOwner.REGISTRAR,
}


@dataclass(frozen=True, slots=True)
class SiteAddressee:
    """A possible addressee of notices about a site.

    role, paper: None until a user enters the role, because no page states whether a site publishes texts or stores them
    for users. addressee: None if it is proposed from contacts read. from_site: the other site of the family for which
    it was entered, or None.
    """

    origin: Origin
    name: str
    role: AddresseeRole | None = None
    rule: CounterRule = CounterRule.REPLY_2020_9
    email: str = ""
    complaint_page: str = ""
    form_page: str = ""
    addressee: Addressee | None = None
    from_site: Site | None = None
    owner: ContactOwner | None = None

    @property
    def paper(self) -> Paper | None:
        return choose_notice_kind(self.role, self.rule) if self.role is not None else None


def list_addressees(site: Site) -> list[SiteAddressee]:
    """Return all addressees for a site in the order in which to contact them: by origin, then by role.

    A proposed addressee is listed only if none with the same owner is entered for the site or its family.
    """
    entered = [_to_site_addressee(each, Origin.ENTERED) for each in _entered_addressees(site)]
    known = {each.addressee for each in entered}
    family = [each for each in _family_addressees(site) if each.addressee not in known]
    listed = [*entered, *family]
    taken = {_OWNERS.get(each.role, ContactOwner.SITE) for each in listed}
    return [*listed, *(each for each in propose_addressees(site) if each.owner not in taken)][:MAX_ADDRESSEES]


def propose_addressees(site: Site) -> list[SiteAddressee]:
    """Return the addressees that are proposed from contacts read on a site, one for each owner."""
    rows = list(ContactRead.objects.filter(site=site).order_by("-read_at", "pk"))
    return [each for owner in ContactOwner if (each := propose_addressee(site, owner, rows)) is not None]


def propose_addressee(site: Site, owner: ContactOwner, rows: Iterable[ContactRead]) -> SiteAddressee | None:
    """Return the addressee proposed for an owner from a site's contacts, or None if no contact of the owner was read.

    rows: the contacts, the newest first.
    """
    by_kind: dict[ContactKind, list[ContactRead]] = {}
    for row in rows:
        by_kind.setdefault(ContactKind(row.kind), []).append(row)
    if owner is ContactOwner.SITE:
        found = [by_kind.get(kind, []) for kind in (ContactKind.EMAIL, ContactKind.COMPLAINT_PAGE, ContactKind.FORM)]
        page = _newest_value(found[1]) or _newest_value(by_kind.get(ContactKind.CONTACT_PAGE, []))
        emails = sorted(found[0], key=lambda row: not is_for_complaints(row.value, row.label))
        if not (emails or page or found[2]):
            return None
        return SiteAddressee(
            Origin.READ,
            site.name,
            None,
            email=_newest_value(emails),
            complaint_page=page,
            form_page=_newest_value(found[2]),
            owner=owner,
        )
    is_host = owner is ContactOwner.HOST
    names = by_kind.get(ContactKind.HOST if is_host else ContactKind.REGISTRAR, [])
    emails = by_kind.get(ContactKind.HOST_ABUSE if is_host else ContactKind.REGISTRAR_ABUSE, [])
    if not (names or emails):
        return None
    role = AddresseeRole.HOSTS if is_host else AddresseeRole.REGISTERS
    name = _newest_value(names)
    own = [row for row in emails if name.startswith(row.label)] if name else emails
    return SiteAddressee(Origin.READ, name or _newest_value(emails), role, email=_newest_value(own), owner=owner)


def contact_owner(kind: ContactKind) -> ContactOwner:
    """Return the owner of contacts of this kind."""
    if kind in OF_PAGES:
        return ContactOwner.SITE
    return ContactOwner.HOST if kind in {ContactKind.HOST, ContactKind.HOST_ABUSE} else ContactOwner.REGISTRAR


def _entered_addressees(site: Site) -> list[Addressee]:
    rows = Addressee.objects.filter(sites=site, rights_holder=site.rights_holder_id)
    return sorted(rows[:MAX_ADDRESSEES], key=lambda each: (_ORDER[AddresseeRole(each.role)], each.name))


def _family_addressees(site: Site) -> list[SiteAddressee]:
    """Return the addressees of other sites in the family, each once with the first site that has it."""
    found: dict[int, SiteAddressee] = {}
    # Only sites that share an identifier of the operator. A shared page template proves nothing.
    rows = [row for shared in site_family(site).shared for row in shared.others]
    for other in {row.site_id: row.site for row in rows}.values():
        for each in _entered_addressees(other):
            if AddresseeRole(each.role) not in OF_ONE_SITE:
                found.setdefault(each.pk, _to_site_addressee(each, Origin.FAMILY, other))
    return list(found.values())


def _to_site_addressee(addressee: Addressee, origin: Origin, from_site: Site | None = None) -> SiteAddressee:
    return SiteAddressee(
        origin,
        addressee.name,
        AddresseeRole(addressee.role),
        addressee.rule,
        addressee.email,
        addressee.complaint_page,
        addressee.form_page,
        addressee,
        from_site,
    )


def _newest_value(rows: list[ContactRead]) -> str:
    return rows[0].value if rows else ""
