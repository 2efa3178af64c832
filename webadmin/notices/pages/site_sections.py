"""The sections about notices on a site's page: addressees, contacts read, and outcomes."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from core.contacts import PAGES, ContactKind, ContactSource
from core.hidden_characters import clip_text
from webadmin.notices.models import Addressee
from webadmin.notices.services.addressees import Origin, SiteAddressee, list_addressees
from webadmin.notices.services.removals import track_record
from webadmin.sites.models import ContactLookUp, ContactRead, Site
from webadmin.sites.services import look_ups
from webadmin.ui.models.phrases import ADDRESSEE_ROLES, PAPERS, paper_choices
from webadmin.ui.pages.columns import change_link, moment, outside_link, stored_sentence

MAX_CONTACTS = 60


def contacts_section(site: Site, *, is_managed: bool) -> str:
    """Return the HTML of the section on addressees and contacts.

    is_managed: whether the user may enter addressees.
    """
    add = reverse("admin:notices_addressee_add") if is_managed else ""
    rows = list(ContactRead.objects.filter(site=site))  # a site has at most 100
    shown = {
        "addressees": [_addressee_row(each, site, add) for each in list_addressees(site)],
        "contacts": [_contact_row(row, site, add) for row in rows[:MAX_CONTACTS]],
        "more_contacts": len(rows[MAX_CONTACTS:]),
        "look_up": _look_up_status(look_ups.newest_look_up(site)),
        "is_on": settings.ZHUIWEN.registries.is_enabled,
        "add": f"{add}?{urlencode({'site': site.pk})}" if add else "",
    }
    return render_to_string("notices/site_addressees.html", shown)


def _addressee_row(each: SiteAddressee, site: Site, add: str) -> dict[str, Any]:
    """Return the template context of an addressee.

    add: the URL of the form for entering an addressee, or "".
    """
    name: object = clip_text(each.name)
    if isinstance(each.addressee, Addressee):
        name = change_link(each.addressee, clip_text(each.name))
    return {
        "name": name,
        "role": ADDRESSEE_ROLES[each.role] if each.role else _("function unknown"),
        "paper": PAPERS[each.paper] if each.paper else "",
        "way": " · ".join(clip_text(way) for way in (each.email, each.form_page or each.complaint_page) if way),
        "origin": _describe_origin(each),
        "add": f"{add}?{urlencode({'site': site.pk, 'of': each.owner})}" if add and each.owner else "",
    }


def _describe_origin(each: SiteAddressee) -> str:
    if each.origin is Origin.FAMILY and each.from_site is not None:
        return _("from %(site)s, of the same operator") % {"site": clip_text(each.from_site.name, 30)}
    return _("entered by a person") if each.origin is Origin.ENTERED else _("not entered yet")


def _contact_row(row: ContactRead, site: Site, add: str) -> dict[str, Any]:
    """Return the template context of a contact. Hidden characters are marked, and only URLs of pages become links.

    add: the URL of the form for entering an addressee, or "".
    """
    is_page = ContactKind(row.kind) in PAGES
    offered = add and ContactKind(row.kind) not in {ContactKind.ICP, ContactKind.ICP_LICENCE, ContactKind.POLICE}
    return {
        "row": row,
        "value": outside_link(row.value, clip_text(row.value, 80)) if is_page else clip_text(row.value, 120),
        "label": clip_text(row.label),
        "where": outside_link(row.where, clip_text(row.where, 80))
        if row.source == ContactSource.PAGE
        else clip_text(row.where, 120),
        "add": f"{add}?{urlencode({'site': site.pk, 'contact': row.pk})}" if offered else "",
    }


def _look_up_status(look_up: ContactLookUp | None) -> dict[str, object] | None:
    """Return the template context of a look-up, or None if none was requested."""
    if look_up is None:
        return None
    if look_up.ended_at is None:
        sentence = _("Looking up host and registrar since %(when)s.") % {"when": moment(look_up.asked_at)}
    else:
        given = {"when": moment(look_up.ended_at), "found": look_up.found}
        sentence = _("Looked up %(when)s: %(found)d entries found.") % given
    return {"sentence": sentence, "faults": [stored_sentence(fault) for fault in look_up.faults]}


ADDRESSEE = "to-"  # The prefix of an addressee's key in a form.


def addressee_choices(site: Site) -> list[tuple[str, str]]:
    """Return pairs of value and label: the addressees entered for the site or its family, then each kind of notice."""
    entered = [each.addressee for each in list_addressees(site) if each.addressee is not None]
    named = [(f"{ADDRESSEE}{each.pk}", f"{each.name} · {PAPERS[each.paper]}") for each in entered]
    return [*named, *paper_choices()]


RECENT = timedelta(days=90)


def effect_section(site: Site) -> str:
    """Return the HTML of the section on outcomes, for the last 90 days and for all time."""
    recent = timezone.now() - RECENT
    names = ((_("Last %(days)d days") % {"days": RECENT.days}, recent), (_("Ever"), None))
    periods = []
    for name, since in names:
        total = track_record.site_record(site, since)
        of_addressees = [
            (clip_text(each.name), record) for each, record in track_record.records_per_addressee(site, since)
        ]
        periods.append({"name": name, "total": total, "rows": [(_("all"), total), *of_addressees]})
    return render_to_string("notices/site_effect.html", {"periods": periods})


def track_record_line(addressee: Addressee) -> str:
    """Return the HTML of an addressee's track record as one line."""
    return render_to_string("notices/track_record.html", {"record": track_record.addressee_record(addressee)})
