"""The page on which a site's rules for refusals are tried on pages that are stored."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from core.errors import ZhuiwenError
from webadmin import stores
from webadmin.sites.models import Site, SiteBanRule
from webadmin.sites.services import politeness
from webadmin.ui.pages.page_responses import desk_page
from webadmin.ui.pages.wording import said

_FIELDS = ("statuses", "selector", "redirect", "words")


def rule_trial(request: HttpRequest, site: Site) -> HttpResponse:
    """The rules that are saved, or the one that was typed into the page, on the newest 50 pages or on one."""
    typed = {name: request.GET.get(name, "").strip() for name in _FIELDS}
    url = request.GET.get("url", "").strip()
    tried, fault = [], ""
    try:
        rules = _rules(site, typed)
        tried = politeness.try_rules(site, rules, stores.page_store(), url)
    except ZhuiwenError as error:
        fault = said(error)
    shown = {
        "title": _("Try the rules"),
        "site": site,
        "opts": Site._meta,
        "tried": [{"page": each, "seen": said(each.seen) if each.seen else ""} for each in tried],
        "refused": sum(bool(each.rule) for each in tried),
        "fault": fault,
        "typed": typed,
        "saved": [] if any(typed.values()) else [rule.name for rule in site.ban_rules.all()],
        "is_typed": any(typed.values()),
        "url": url,
    }
    return desk_page(request, "sites/rule_trial.html", shown, status=400 if fault else 200)


def _rules(site: Site, typed: dict[str, str]) -> list[Any]:
    if not any(typed.values()):
        return [politeness.ban_rule(rule) for rule in site.ban_rules.all()]
    return [politeness.ban_rule(SiteBanRule(name=_("this rule"), **typed))]
