"""The `site contacts` command."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.addressees import AddresseeRole, Paper
from core.contacts import ContactKind, ContactSource
from core.terms import term
from core.wording import Message
from webadmin.ui.console.faults import warn
from webadmin.ui.console.output import as_json, print_line, print_table
from webadmin.ui.console.session import local_iso, local_time, session
from webadmin.ui.console.words import console_language

if TYPE_CHECKING:
    from webadmin.notices.services.addressees import SiteAddressee
    from webadmin.sites.models import ContactLookUp, ContactRead, Site

_ADDRESSEES = ("column.addressee", "column.does", "column.gets", "column.email", "column.page", "column.origin")
_CONTACTS = ("column.kind", "column.contact", "column.from", "column.read-on", "column.last")
_NONE = "–"


def contacts(
    site: Annotated[str, typer.Argument(metavar="SITE")],
    is_look_up: Annotated[bool, typer.Option("--look-up")] = False,
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """List the addressees of a site, and the contacts read on its pages and in registries, with source and time."""
    with session() as settings:
        from core.clock import SystemClock
        from webadmin.notices.services.addressees import list_addressees
        from webadmin.sites.models import ContactRead
        from webadmin.sites.services import look_ups, watchlist

        found = watchlist.find_site(site)
        look_up = look_ups.look_up_now(found, settings, SystemClock()) if is_look_up else None
        addressees, rows = list_addressees(found), list(ContactRead.objects.filter(site=found))
        if is_json:
            as_json(_contacts_record(found, addressees, rows, look_up, settings))
            return
        _print_contacts(found, addressees, rows, settings)
        for fault in look_up.faults if look_up else ():
            warn(fault)


def _print_contacts(site: "Site", addressees: list["SiteAddressee"], rows: list["ContactRead"], settings: Any) -> None:
    if not addressees and not rows:
        print_line(Message("tracking.no-contacts", site=site.name))
        return
    print_table(
        _ADDRESSEES,
        [
            (
                each.name,
                _localize(term(AddresseeRole(each.role))) if each.role else _NONE,
                _localize(term(Paper(each.paper))) if each.paper else _NONE,
                each.email,
                each.form_page or each.complaint_page,
                _describe_origin(each),
            )
            for each in addressees
        ],
    )
    print_table(
        _CONTACTS,
        [
            (
                _localize(term(ContactKind(row.kind))),
                row.value,
                _localize(term(ContactSource(row.source))),
                row.where,
                local_time(row.read_at, settings),
            )
            for row in rows
        ],
    )


def _describe_origin(each: "SiteAddressee") -> Message:
    if each.from_site is not None:
        return Message("tracking.addressee-family", site=each.from_site.name)
    return Message("tracking.addressee-entered" if each.addressee else "tracking.addressee-read")


def _contacts_record(
    site: "Site",
    addressees: list["SiteAddressee"],
    rows: list["ContactRead"],
    look_up: "ContactLookUp | None",
    settings: Any,
) -> dict[str, Any]:
    return {
        "site": site.name,
        "addressees": [
            {
                "id": each.addressee.pk if each.addressee else None,
                "name": each.name,
                "role": each.role,
                "paper": each.paper,
                "email": each.email,
                "complaint_page": each.complaint_page,
                "form_page": each.form_page,
                "origin": each.origin,
                "from_site": each.from_site.name if each.from_site else None,
            }
            for each in addressees
        ],
        "contacts": [
            {
                "kind": row.kind,
                "value": row.value,
                "label": row.label,
                "source": row.source,
                "where": row.where,
                "first_read_at": local_iso(row.first_read_at, settings),
                "read_at": local_iso(row.read_at, settings),
            }
            for row in rows
        ],
        "faults": [str(fault) for fault in look_up.faults] if look_up else [],
    }


def _localize(words: Message) -> str:
    return words.in_language(console_language())
