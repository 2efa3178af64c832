"""Template tags for empty lists."""

from django import template
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

register = template.Library()

# The suggestion below an empty list, by model.
NEXT_STEPS: dict[str, Promise] = {
    "work": _("Send the texts of your works: pages are compared with them."),
    "site": _("Add a site with its start page; it is crawled from then on."),
    "addressee": _("Start with a site: contacts found on its pages are listed under “Contacts and addressees”."),
    "notice": _("Draft notices on the page of a matter with confirmed pages."),
    "holderidentity": _("Enter the legal identity of the rights holder; notices are filled in with it."),
    "holderpaper": _("Upload the documents that accompany notices: identity, ownership of works, power of attorney."),
    "papertemplate": _("Optional: without a template of your own, the standard one is used."),
    "case": _("Pages that contain text of a work appear here once their site has been crawled."),
    "rewordedlead": _("For each rights holder, choose the kinds of works for which such pages are searched."),
    "exclusion": _("Matches allowed by a licence, an own domain or the right to quote appear here."),
    "evidencebundle": _("Evidence is kept automatically, a few minutes after each match."),
    "pagerecord": _("Pages appear here once a site has been crawled."),
    "crawlrun": _("Choose a site and request a crawl, or wait for the scheduled one."),
    "address": _("URLs appear here once a site has been crawled."),
    "sitemove": _("Sites that may have moved to another host are listed here."),
    "discoveredpage": _("Pages found by searches for works are listed here."),
    "discoveryplan": _("You can search for each work; no search has been set up yet."),
    "discoveryquery": _("Every sentence sent to the search engine is listed here."),
    "licence": _("Enter who may publish a work, where and until when; their pages open no case."),
    "owndomain": _("Enter your own sites; their pages open no case."),
}


@register.simple_tag
def next_step(model_name: str) -> Promise | None:
    """Return the suggestion below an empty list of a model, or None if there is none."""
    return NEXT_STEPS.get(model_name)
