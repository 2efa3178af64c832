"""The `site contacts` command."""

from typing import TYPE_CHECKING, Annotated

import typer

from core.addressees import AddresseeRole
from core.contacts import ContactKind, ContactSource
from core.terms import term
from core.wording import Message
from webadmin.ui.console.faults import warn
from webadmin.ui.console.lists import ConsoleColumn, as_record, print_list
from webadmin.ui.console.output import as_json, print_line
from webadmin.ui.console.session import session

if TYPE_CHECKING:
    from webadmin.notices.services.addressees import SiteAddressee

_NONE = "–"


def contacts(
    site: Annotated[str, typer.Argument(metavar="SITE")],
    is_look_up: Annotated[bool, typer.Option("--look-up")] = False,
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """List the addressees for a site, and the contacts read on its pages and in registries.

    --look-up: look up the host and registrar first.
    """
    with session() as settings:
        from core.clock import SystemClock
        from webadmin.notices.services.addressees import list_addressees
        from webadmin.sites.models import ContactRead
        from webadmin.sites.services import look_ups, watchlist

        found = watchlist.find_site(site)
        faults = look_ups.look_up_now(found, settings, SystemClock()).faults if is_look_up else []
        addressees, rows = list_addressees(found), list(ContactRead.objects.filter(site=found))
        if is_json:
            listed = [as_record(each, _ADDRESSEES, settings) for each in addressees]
            read = [as_record(row, _CONTACTS, settings) for row in rows]
            as_json({"site": found.name, "addressees": listed, "contacts": read, "faults": list(map(str, faults))})
            return
        if addressees or rows:
            print_list(addressees, _ADDRESSEES, settings, is_json=False)
            print_list(rows, _CONTACTS, settings, is_json=False)
        else:
            print_line(Message("tracking.no-contacts", site=found.name))
        for fault in faults:
            warn(fault)


def _describe_origin(each: "SiteAddressee") -> Message:
    if each.from_site is not None:
        return Message("tracking.addressee-family", site=each.from_site.name)
    return Message("tracking.addressee-entered" if each.addressee else "tracking.addressee-read")


_ADDRESSEES = (
    ConsoleColumn("id", "", lambda each: each.addressee and each.addressee.pk),
    ConsoleColumn("name", "column.addressee", "name"),
    ConsoleColumn("role", "column.does", "role", lambda each: term(AddresseeRole(each.role)) if each.role else _NONE),
    ConsoleColumn("paper", "column.gets", "paper", lambda each: term(each.paper) if each.paper else _NONE),
    ConsoleColumn("email", "column.email", "email"),
    ConsoleColumn(
        "complaint_page", "column.page", "complaint_page", lambda each: each.form_page or each.complaint_page
    ),
    ConsoleColumn("form_page", "", "form_page"),
    ConsoleColumn("origin", "column.origin", "origin", _describe_origin),
    ConsoleColumn("from_site", "", lambda each: each.from_site and each.from_site.name),
)
_CONTACTS = (
    ConsoleColumn("kind", "column.kind", "kind", lambda row: term(ContactKind(row.kind))),
    ConsoleColumn("value", "column.contact", "value"),
    ConsoleColumn("label", "", "label"),
    ConsoleColumn("source", "column.from", "source", lambda row: term(ContactSource(row.source))),
    ConsoleColumn("where", "column.read-on", "where"),
    ConsoleColumn("first_read_at", "", "first_read_at"),
    ConsoleColumn("read_at", "column.last", "read_at"),
)
