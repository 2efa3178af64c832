"""The inlines for the crawl rules of a site, and the page on which its refusal rules are tried."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from core.errors import ZhuiwenError
from webadmin import stores
from webadmin.accounts.pages.isolation import HolderInline, HolderStackedInline
from webadmin.sites.models import RobotsSwitch, Site, SiteBanRule, SiteProxy, SiteRules
from webadmin.sites.pages.site_rule_forms import SiteBanRuleForm, SiteBanRuleFormSet, SiteProxyForm, SiteRulesForm
from webadmin.sites.services import politeness
from webadmin.ui.pages.columns import moment
from webadmin.ui.pages.page_responses import admin_page
from webadmin.ui.pages.wording import message_text


class SiteRulesInline(HolderStackedInline):
    model = SiteRules
    form = SiteRulesForm
    extra = 1
    max_num = 1
    can_delete = True
    tab = True
    verbose_name = _("treatment")
    verbose_name_plural = _("Treatment")
    fields = [
        ("windows", "zone"),
        ("megabytes_a_run", "pages_a_day", "megabytes_a_day"),
        ("browser", "user_agents"),
        "login_steps",
        ("login_values", "cookies"),
    ]


class SiteBanRuleInline(HolderStackedInline):
    model = SiteBanRule
    form = SiteBanRuleForm
    formset = SiteBanRuleFormSet
    tab = True
    fields = [("name", "action"), ("statuses", "max_chars"), "words", ("selector", "redirect")]
    verbose_name_plural = _("Refusals")


class SiteProxyInline(HolderInline):
    model = SiteProxy
    form = SiteProxyForm
    tab = True
    fields = ["scheme", "place", "user", "password", "is_enabled", "is_second_route", "health"]
    readonly_fields = ["health"]
    verbose_name_plural = _("Proxies")

    @display(description=_("health"))
    def health(self, proxy: SiteProxy) -> str:
        total = proxy.successes + proxy.failures
        if not proxy.pk or not total:
            return _now("not used yet")
        rate = _now("%(rate)d%% of %(total)d requests") % {"rate": 100 * proxy.successes // total, "total": total}
        if proxy.cools_until and proxy.cools_until > timezone.now():
            return f"{rate} · " + _now("paused until %(moment)s") % {"moment": moment(proxy.cools_until)}
        return rate


class RobotsSwitchInline(HolderInline):
    model = RobotsSwitch
    is_read_only = True
    tab = True
    fields = ["switched_at", "switched_by", "obeys", "reason"]
    readonly_fields = fields
    verbose_name_plural = _("robots.txt")


SITE_INLINES = (SiteRulesInline, SiteBanRuleInline, SiteProxyInline, RobotsSwitchInline)

_TYPED = ("statuses", "selector", "redirect", "words")


def rule_trial(request: HttpRequest, site: Site) -> HttpResponse:
    """Return the page with a trial of the site's refusal rules, or of a rule in the query string, on stored pages.

    The parameter "url" selects one page; otherwise, the newest pages are tried. Errors are shown with status 400.
    """
    typed = {name: request.GET.get(name, "").strip() for name in _TYPED}
    url = request.GET.get("url", "").strip()
    tried, fault = [], ""
    try:
        rules = _rules_to_try(site, typed)
        tried = politeness.try_rules(site, rules, stores.page_store(), url)
    except ZhuiwenError as error:
        fault = message_text(error)
    shown = {
        "title": _now("Try the rules"),
        "site": site,
        "opts": Site._meta,
        "tried": [{"page": each, "seen": message_text(each.seen) if each.seen else ""} for each in tried],
        "refused": sum(bool(each.rule) for each in tried),
        "fault": fault,
        "typed": typed,
        "saved": [] if any(typed.values()) else [rule.name for rule in site.ban_rules.all()],
        "is_typed": any(typed.values()),
        "url": url,
    }
    return admin_page(request, "sites/rule_trial.html", shown, status=400 if fault else 200)


def _rules_to_try(site: Site, typed: dict[str, str]) -> list[Any]:
    if not any(typed.values()):
        return [politeness.convert_ban_rule(rule) for rule in site.ban_rules.all()]
    return [politeness.convert_ban_rule(SiteBanRule(name=_now("this rule"), **typed))]
