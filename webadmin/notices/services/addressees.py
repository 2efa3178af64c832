"""Whom to write to about a site: what people entered, then what sites of one operator share, then what was read.

A host and a registrar are of one site: another one of the same operator may run elsewhere, its name bought elsewhere.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from core.addressees import AddresseeRole, CounterRule, Paper, choose_notice_kind
from core.contacts import OF_PAGES, ContactKind
from crawler.contacts.emails import is_for_complaints
from webadmin.notices.models import Addressee
from webadmin.sites.models import ContactRead, Site
from webadmin.sites.services.families import site_family

MAX_ADDRESSEES = 50  # of a site
OF_ONE_SITE = frozenset({AddresseeRole.HOSTS, AddresseeRole.REGISTERS})
_ORDER = {role: number for number, role in enumerate(AddresseeRole)}


class Origin(StrEnum):
    """How an addressee is known."""

    ENTERED = "entered"
    FAMILY = "family"
    READ = "read"


class ContactOwner(StrEnum):
    """Of whom something read is; each is somebody to write to."""

    SITE = "site"
    HOST = "host"
    REGISTRAR = "registrar"


@dataclass(frozen=True, slots=True)
class SiteAddressee:
    """Somebody to write to about a site.

    role, paper: None while nobody has said what it does: whether a site publishes by itself or gives storage to users
    stands on no page. addressee: None for what was only read; from_site: of whose addressees it is, for a family's.
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
    whose: ContactOwner | None = None

    @property
    def paper(self) -> Paper | None:
        return choose_notice_kind(self.role, self.rule) if self.role is not None else None


def list_addressees(site: Site) -> list[SiteAddressee]:
    """Everybody to write to about a site, in the order in which one writes: by origin, then by role.

    What was read is named while nobody is entered, for the site or its family, who does the same.
    """
    entered = [_to_site_addressee(each, Origin.ENTERED) for each in _entered_addressees(site)]
    known = {each.addressee for each in entered}
    family = [each for each in _family_addressees(site) if each.addressee not in known]
    listed = [*entered, *family]
    taken = {_owner_of_role(each.role) for each in listed}
    return [*listed, *(each for each in proposals(site) if each.whose not in taken)][:MAX_ADDRESSEES]


def proposals(site: Site) -> list[SiteAddressee]:
    """Whom to write to by what was read alone."""
    rows = list(ContactRead.objects.filter(site=site).order_by("-read_at", "pk"))
    return [each for whose in ContactOwner if (each := proposal(site, whose, rows)) is not None]


def proposal(site: Site, whose: ContactOwner, rows: Iterable[ContactRead]) -> SiteAddressee | None:
    """Return one of them from the contacts of a site, the newest first; None where nothing was read."""
    by_kind: dict[ContactKind, list[ContactRead]] = {}
    for row in rows:
        by_kind.setdefault(ContactKind(row.kind), []).append(row)
    if whose is ContactOwner.SITE:
        found = [by_kind.get(kind, []) for kind in (ContactKind.EMAIL, ContactKind.COMPLAINT_PAGE, ContactKind.FORM)]
        page = _first(found[1]) or _first(by_kind.get(ContactKind.CONTACT_PAGE, []))
        emails = sorted(found[0], key=lambda row: not is_for_complaints(row.value, row.label))
        if not (emails or page or found[2]):
            return None
        return SiteAddressee(
            Origin.READ,
            site.name,
            None,
            email=_first(emails),
            complaint_page=page,
            form_page=_first(found[2]),
            whose=whose,
        )
    is_host = whose is ContactOwner.HOST
    names = by_kind.get(ContactKind.HOST if is_host else ContactKind.REGISTRAR, [])
    emails = by_kind.get(ContactKind.HOST_ABUSE if is_host else ContactKind.REGISTRAR_ABUSE, [])
    if not (names or emails):
        return None
    role = AddresseeRole.HOSTS if is_host else AddresseeRole.REGISTERS
    name = _first(names)
    own = [row for row in emails if name.startswith(row.label)] if name else emails
    return SiteAddressee(Origin.READ, name or _first(emails), role, email=_first(own), whose=whose)


def contact_owner(kind: ContactKind) -> ContactOwner:
    """Of whom a contact of a kind is."""
    if kind in OF_PAGES:
        return ContactOwner.SITE
    return ContactOwner.HOST if kind in {ContactKind.HOST, ContactKind.HOST_ABUSE} else ContactOwner.REGISTRAR


def _entered_addressees(site: Site) -> list[Addressee]:
    rows = Addressee.objects.filter(sites=site, rights_holder=site.rights_holder_id)
    return sorted(rows[:MAX_ADDRESSEES], key=lambda each: (_ORDER[AddresseeRole(each.role)], each.name))


def _family_addressees(site: Site) -> list[SiteAddressee]:
    """What other sites with an identifier of this one have; each addressee once, with the first site that has it."""
    found: dict[int, SiteAddressee] = {}
    for other in _operators_sites(site):
        for each in _entered_addressees(other):
            if AddresseeRole(each.role) not in OF_ONE_SITE:
                found.setdefault(each.pk, _to_site_addressee(each, Origin.FAMILY, other))
    return list(found.values())


def _operators_sites(site: Site) -> list[Site]:
    """Other sites that an identifier says are of the same operator; a template that is alike says nothing of it."""
    rows = [row for shared in site_family(site).shared for row in shared.others]
    return list({row.site_id: row.site for row in rows}.values())


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


def _owner_of_role(role: AddresseeRole | None) -> ContactOwner:
    if role is AddresseeRole.HOSTS:
        return ContactOwner.HOST
    return ContactOwner.REGISTRAR if role is AddresseeRole.REGISTERS else ContactOwner.SITE


def _first(rows: list[ContactRead]) -> str:
    return rows[0].value if rows else ""
