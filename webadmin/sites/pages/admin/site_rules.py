"""What stands below a site's form: how it is treated, its rules, proxies, and the log of robots.txt."""

from django.utils import timezone
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from webadmin.accounts.pages.isolation import HolderInline, HolderStackedInline
from webadmin.sites.models import RobotsSwitch, SiteBanRule, SiteProxy, SiteRules
from webadmin.sites.pages.site_rule_forms import SiteBanRuleForm, SiteBanRuleFormSet, SiteProxyForm, SiteRulesForm
from webadmin.ui.pages.columns import moment


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
            return f"{rate} · " + _now("rests until %(moment)s") % {"moment": moment(proxy.cools_until)}
        return rate


class RobotsSwitchInline(HolderInline):
    model = RobotsSwitch
    is_read_only = True
    tab = True
    fields = ["switched_at", "switched_by", "obeys", "reason"]
    readonly_fields = fields
    verbose_name_plural = _("robots.txt")


SITE_INLINES = (SiteRulesInline, SiteBanRuleInline, SiteProxyInline, RobotsSwitchInline)
