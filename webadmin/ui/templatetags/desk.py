"""Template tags for the navigation of custom pages, which equals the sidebar of Unfold's pages."""

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
    "site": NextStep(_("Enter a site with its start page: it is crawled from then on.")),
    "addressee": NextStep(_("Begin with a site: what was read on its pages stands under “Whom to write to”."), *_SITES),
    "notice": NextStep(_("A notice is drafted on the page of a matter that has confirmed pages."), *_INBOX),
    "holderidentity": NextStep(_("Enter who the rights holder is in law: notices are filled with it.")),
    "holderpaper": NextStep(
        _("Enter the papers that go with notices: identity, ownership of works, power of attorney.")
    ),
    "papertemplate": NextStep(_("None is needed: without one of your own the standard template is used.")),
    "case": NextStep(_("A page that carries text of a work appears here once its site was crawled."), *_SITES),
    "rewordedlead": NextStep(
        _("Choose with the rights holder for which kinds of works such pages are looked for."),
        "admin:accounts_rightsholder_changelist",
        _("Rights holders"),
    ),
    "exclusion": NextStep(_("Findings that a licence, an own domain or quotation allows appear here.")),
    "evidencebundle": NextStep(_("Evidence is kept by itself, some minutes after each find.")),
    "pagerecord": NextStep(_("Pages appear here as soon as a site is crawled."), *_SITES),
    "crawlrun": NextStep(_("Choose a site and ask for its crawl, or wait for its time."), *_SITES),
    "address": NextStep(_("Addresses appear here as soon as a site is crawled."), *_SITES),
    "sitemove": NextStep(_("A site that may have moved to another host is proposed here.")),
    "discoveredpage": NextStep(
        _("Pages that a search for a work finds are proposed here."),
        "admin:watched_sites_discoveryplan_changelist",
        _("Searches for works"),
    ),
    "discoveryplan": NextStep(
        _("Each work can be searched for; no search has been set up yet."), "admin:works_work_changelist", _("Works")
    ),
    "discoveryquery": NextStep(
        _("Each sentence that is sent to the search engine stands here."),
        "admin:watched_sites_discoveryplan_changelist",
        _("Searches for works"),
    ),
    "licence": NextStep(_("Enter who may publish a work, where and until when: what they publish opens no case.")),
    "owndomain": NextStep(_("Enter your own sites: what stands there opens no case.")),
}


@register.simple_tag(takes_context=True)
def desk_navigation(context: Context) -> list[dict[str, Any]]:
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
