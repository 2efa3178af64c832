"""Template tags for the navigation of custom pages, which is the same as the sidebar of Unfold's pages."""

from typing import Any, NamedTuple

from django import template
from django.conf import settings
from django.template import Context
from django.urls import reverse
from django.utils.module_loading import import_string
from django.utils.translation import gettext_lazy as _

register = template.Library()


class NextStep(NamedTuple):
    """A suggestion below an empty list, with an optional link."""

    sentence: Any
    address: str = ""  # the URL name of a list; "" for no link
    link: Any = ""


_INBOX = ("admin:index", _("Inbox"))
_SITES = ("admin:watched_sites_site_changelist", _("Sites"))
NEXT_STEPS = {
    "work": NextStep(_("Send the texts of your works: pages are compared with them.")),
    "site": NextStep(_("Add a site with its start page; it is crawled from then on.")),
    "addressee": NextStep(
        _("Start with a site: contacts found on its pages are listed under “Contacts and addressees”."), *_SITES
    ),
    "notice": NextStep(_("Draft notices on the page of a matter with confirmed pages."), *_INBOX),
    "holderidentity": NextStep(_("Enter the legal identity of the rights holder; notices are filled in with it.")),
    "holderpaper": NextStep(
        _("Upload the documents that accompany notices: identity, ownership of works, power of attorney.")
    ),
    "papertemplate": NextStep(_("Optional: without a template of your own, the standard one is used.")),
    "case": NextStep(_("Pages that contain text of a work appear here once their site has been crawled."), *_SITES),
    "rewordedlead": NextStep(
        _("For each rights holder, choose the kinds of works for which such pages are searched."),
        "admin:accounts_rightsholder_changelist",
        _("Rights holders"),
    ),
    "exclusion": NextStep(_("Matches allowed by a licence, an own domain or the right to quote appear here.")),
    "evidencebundle": NextStep(_("Evidence is kept automatically, a few minutes after each match.")),
    "pagerecord": NextStep(_("Pages appear here once a site has been crawled."), *_SITES),
    "crawlrun": NextStep(_("Choose a site and request a crawl, or wait for the scheduled one."), *_SITES),
    "address": NextStep(_("URLs appear here once a site has been crawled."), *_SITES),
    "sitemove": NextStep(_("Sites that may have moved to another host are listed here.")),
    "discoveredpage": NextStep(
        _("Pages found by searches for works are listed here."),
        "admin:watched_sites_discoveryplan_changelist",
        _("Searches for works"),
    ),
    "discoveryplan": NextStep(
        _("You can search for each work; no search has been set up yet."), "admin:works_work_changelist", _("Works")
    ),
    "discoveryquery": NextStep(
        _("Every sentence sent to the search engine is listed here."),
        "admin:watched_sites_discoveryplan_changelist",
        _("Searches for works"),
    ),
    "licence": NextStep(_("Enter who may publish a work, where and until when; their pages open no case.")),
    "owndomain": NextStep(_("Enter your own sites; their pages open no case.")),
}


@register.simple_tag(takes_context=True)
def admin_navigation(context: Context) -> list[dict[str, Any]]:
    """Return the groups of entries that the user may open, with the current entry marked."""
    request = context["request"]
    groups = []
    for group in import_string(settings.NAVIGATION)(request):
        entries = [
            {"title": each["title"], "link": each["link"], "is_open": _is_open(request.path, each["link"])}
            for each in group["items"]
            if _is_permitted(request, each["permission"])
        ]
        if entries:
            is_open = not group["collapsible"] or any(each["is_open"] for each in entries)
            groups.append({**group, "items": entries, "is_open": is_open})
    return groups


@register.simple_tag
def next_step(model_name: str) -> NextStep | None:
    """Return the suggestion below an empty list, or None."""
    return NEXT_STEPS.get(model_name)


def _is_open(path: str, link: str) -> bool:
    return path == link or (link != reverse("admin:index") and path.startswith(link))


def _is_permitted(request: Any, permission: Any) -> bool:
    if permission is None:
        return True
    return bool((import_string(permission) if isinstance(permission, str) else permission)(request))
