"""How the admin looks and what stands in its sidebar (django-unfold's settings)."""

from typing import Any

from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from core.states import CaseState

# By name: the models that stand behind it are not loaded yet when the settings import this module.
IS_MANAGER = "webadmin.admin.isolation.is_manager"
CASE_LIST = "admin:records_case_changelist"


def is_administrator(request: HttpRequest) -> bool:
    return bool(request.user.is_active and request.user.is_superuser)


def sees_all_cases(request: HttpRequest) -> bool:
    """Whether the list of cases is open without a choice of state."""
    return request.path == reverse(CASE_LIST) and "state__exact" not in request.GET


def favicon(request: HttpRequest) -> str:
    return static("webadmin/favicon.svg")


def list_style(request: HttpRequest) -> str:
    return static("webadmin/lists.css")


UNFOLD = {
    "SITE_TITLE": "追文 Zhuiwen",
    "SITE_HEADER": "追文 Zhuiwen",
    "SITE_SUBHEADER": _("Copyright tracking for Chinese text"),
    "SITE_SYMBOL": "policy",
    "SITE_FAVICONS": [{"rel": "icon", "sizes": "any", "type": "image/svg+xml", "href": favicon}],
    "SITE_URL": None,
    "STYLES": [list_style],
    "DASHBOARD_CALLBACK": "webadmin.dashboard.dashboard_callback",
    "SHOW_HISTORY": True,
    "SHOW_VIEW_ON_SITE": False,
    "SHOW_LANGUAGES": True,
    "SHOW_BACK_BUTTON": True,
    "BORDER_RADIUS": "6px",
    "COLORS": {
        "primary": {  # a sober blue: red, amber and green are left to states
            "50": "oklch(97% .014 254.604)",
            "100": "oklch(93.2% .032 255.585)",
            "200": "oklch(88.2% .059 254.128)",
            "300": "oklch(80.9% .105 251.813)",
            "400": "oklch(70.7% .165 254.624)",
            "500": "oklch(62.3% .214 259.815)",
            "600": "oklch(54.6% .245 262.881)",
            "700": "oklch(48.8% .243 264.376)",
            "800": "oklch(42.4% .199 265.638)",
            "900": "oklch(37.9% .146 265.522)",
            "950": "oklch(28.2% .091 267.935)",
        },
    },
    "SIDEBAR": {
        "show_search": False,
        "show_all_applications": False,
        "navigation": "webadmin.theme.navigation",
    },
    "TABS": "webadmin.theme.tabs",
}


def navigation(request: HttpRequest) -> list[dict[str, Any]]:
    """What stands in the sidebar.

    Made for each request: Unfold looks at every address dozens of times, and a lazy one is worked out each time.
    """
    return [
        {
            "title": _("Review"),
            "items": [
                _item(_("Dashboard"), "dashboard", "index"),
                _item(_("Cases"), "gavel", "records_case_changelist"),
                _item(_("Excluded findings"), "filter_alt_off", "records_exclusion_changelist"),
                _item(_("Evidence"), "verified", "records_evidencebundle_changelist"),
                {"title": _("Reports"), "icon": "summarize", "link": reverse("webadmin_reports")},
            ],
        },
        {
            "title": _("Watch"),
            "separator": True,
            "items": [
                _item(_("Sites"), "public", "records_site_changelist"),
                _item(_("Crawl runs"), "travel_explore", "records_crawlrun_changelist"),
                _item(_("Pages"), "article", "records_pagerecord_changelist"),
                _item(_("Archive imports"), "unarchive", "records_archiveimport_changelist"),
                _item(_("Addresses"), "link", "records_address_changelist"),
                _item(_("Moves of sites"), "move_up", "records_sitemove_changelist"),
            ],
        },
        {
            "title": _("Discovery"),
            "separator": True,
            "items": [
                _item(_("Found pages"), "saved_search", "records_discoveredpage_changelist"),
                _item(_("Searches for works"), "manage_search", "records_discoveryplan_changelist"),
                _item(_("Search queries"), "history", "records_discoveryquery_changelist"),
            ],
        },
        {
            "title": _("Rights"),
            "separator": True,
            "items": [
                _item(_("Works"), "menu_book", "records_work_changelist"),
                _item(_("Licences"), "contract", "records_licence_changelist"),
                _item(_("Own domains"), "domain_verification", "records_owndomain_changelist"),
                _item(_("Rights holders"), "copyright", "records_rightsholder_changelist"),
                _item(_("Memberships"), "group", "records_membership_changelist", IS_MANAGER),
            ],
        },
        {
            "title": _("Administration"),
            "separator": True,
            "collapsible": True,
            "items": [
                _item(_("Users"), "manage_accounts", "auth_user_changelist", is_administrator),
                _item(_("Failed messages"), "sms_failed", "records_failedmessage_changelist", is_administrator),
                _item(_("Checks of the evidence"), "fact_check", "records_evidencecheck_changelist", is_administrator),
                _item(_("Trees and time stamps"), "account_tree", "records_daytree_changelist", is_administrator),
                _item(_("Failed stamps"), "timer_off", "records_stampattempt_changelist", is_administrator),
                _item(_("Removed evidence"), "delete_history", "records_retentionlog_changelist", is_administrator),
                _item(_("Periodic tasks"), "schedule", "django_celery_beat_periodictask_changelist", is_administrator),
                _item(_("Failed logins"), "lock", "axes_accessattempt_changelist", is_administrator),
            ],
        },
    ]


def tabs(request: HttpRequest) -> list[dict[str, Any]]:
    """What stands above the list of cases."""
    return [
        {
            "models": ["records.case"],
            "items": [
                {"title": _("All"), "link": reverse(CASE_LIST), "active": sees_all_cases},
                _state_tab(_("Open"), CaseState.OPEN),
                _state_tab(_("Confirmed"), CaseState.CONFIRMED),
                _state_tab(_("Dismissed"), CaseState.DISMISSED),
                _state_tab(_("Set aside"), CaseState.SET_ASIDE),
            ],
        },
    ]


def _item(title: Any, icon: str, name: str, permission: Any = None) -> dict[str, Any]:
    item = {"title": title, "icon": icon, "link": reverse(f"admin:{name}")}
    return {**item, "permission": permission} if permission else item


def _state_tab(title: Any, state: CaseState) -> dict[str, Any]:
    return {"title": title, "link": f"{reverse(CASE_LIST)}?state__exact={state}"}
