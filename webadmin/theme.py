"""Unfold's settings: the theme of the admin and the links in its sidebar."""

from typing import Any, NamedTuple

from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse, reverse_lazy
from django.utils.translation import gettext_lazy as _

# Named by path, because its models are not loaded yet when the settings import this module.
IS_MANAGER = "webadmin.accounts.pages.isolation.is_manager"
ADMINISTRATION = _("Administration")


def is_administrator(request: HttpRequest) -> bool:
    return bool(request.user.is_active and request.user.is_superuser)


def favicon(request: HttpRequest) -> str:
    return static("ui/favicon.svg")


def list_style(request: HttpRequest) -> str:
    return static("ui/lists.css")


class _Item(NamedTuple):
    title: Any
    icon: str
    address: str  # the URL name
    permission: Any = None


_GROUPS: tuple[tuple[Any, tuple[_Item, ...]], ...] = (
    (
        _("Review"),
        (
            _Item(_("Inbox"), "inbox", "admin:index"),
            _Item(_("Dashboard"), "dashboard", "admin:dashboard"),
            _Item(_("Cases"), "gavel", "admin:cases_case_changelist"),
            _Item(_("Suspected rewrites"), "translate", "admin:rewrites_rewordedlead_changelist"),
            _Item(_("Excluded findings"), "filter_alt_off", "admin:cases_exclusion_changelist"),
            _Item(_("Ignored texts"), "hearing_disabled", "admin:cases_ignoredtext_changelist"),
            _Item(_("Evidence"), "verified", "admin:evidence_evidencebundle_changelist"),
            _Item(_("Notices"), "outgoing_mail", "admin:notices_notice_changelist"),
            _Item(_("Reports"), "summarize", "webadmin_reports"),
        ),
    ),
    (
        _("Watch"),
        (
            _Item(_("Sites"), "public", "admin:watched_sites_site_changelist"),
            _Item(_("Addressees"), "contact_mail", "admin:notices_addressee_changelist"),
            _Item(_("Crawl runs"), "travel_explore", "admin:watched_sites_crawlrun_changelist"),
            _Item(_("Pages"), "article", "admin:watched_sites_pagerecord_changelist"),
            _Item(_("Archive imports"), "unarchive", "admin:watched_sites_archiveimport_changelist"),
            _Item(_("URLs"), "link", "admin:watched_sites_address_changelist"),
            _Item(_("Site moves"), "move_up", "admin:watched_sites_sitemove_changelist"),
        ),
    ),
    (
        _("Discovery"),
        (
            _Item(_("Found pages"), "saved_search", "admin:watched_sites_discoveredpage_changelist"),
            _Item(_("Searches for works"), "manage_search", "admin:watched_sites_discoveryplan_changelist"),
            _Item(_("Search queries"), "history", "admin:watched_sites_discoveryquery_changelist"),
        ),
    ),
    (
        _("Rights"),
        (
            _Item(_("Works"), "menu_book", "admin:works_work_changelist"),
            _Item(_("Licences"), "contract", "admin:works_licence_changelist"),
            _Item(_("Identity"), "badge", "admin:notices_holderidentity_changelist"),
            _Item(_("Documents"), "folder_open", "admin:notices_holderpaper_changelist"),
            _Item(_("Templates"), "draft", "admin:notices_papertemplate_changelist"),
            _Item(_("Own domains"), "domain_verification", "admin:works_owndomain_changelist"),
            _Item(_("Own accounts"), "account_circle", "admin:works_ownaccount_changelist"),
            _Item(_("Pen names"), "ink_pen", "admin:works_authoralias_changelist"),
            _Item(_("Rights holders"), "copyright", "admin:accounts_rightsholder_changelist"),
            _Item(_("Memberships"), "group", "admin:accounts_membership_changelist", IS_MANAGER),
        ),
    ),
    (
        ADMINISTRATION,
        (
            _Item(_("Users"), "manage_accounts", "admin:accounts_user_changelist"),
            _Item(_("Failed messages"), "sms_failed", "admin:accounts_failedmessage_changelist"),
            _Item(_("Evidence checks"), "fact_check", "admin:evidence_evidencecheck_changelist"),
            _Item(_("Store checks"), "health_and_safety", "admin:backups_storecheck_changelist"),
            _Item(_("Trees and time stamps"), "account_tree", "admin:evidence_daytree_changelist"),
            _Item(_("Failed time stamps"), "timer_off", "admin:evidence_stampattempt_changelist"),
            _Item(_("Removed evidence"), "delete_history", "admin:evidence_retentionlog_changelist"),
            _Item(_("Periodic tasks"), "schedule", "admin:django_celery_beat_periodictask_changelist"),
            _Item(_("Backups"), "backup", "admin:backups_backuprun_changelist"),
            _Item(_("Backup schedule"), "event_repeat", "admin:backups_backupplan_changelist"),
            _Item(_("Failed logins"), "lock", "admin:axes_accessattempt_changelist"),
        ),
    ),
)

UNFOLD = {
    "SITE_TITLE": "追文 Zhuiwen",
    "SITE_HEADER": "追文 Zhuiwen",
    "SITE_SUBHEADER": _("Copyright tracking"),
    "SITE_SYMBOL": "policy",
    "SITE_FAVICONS": [{"rel": "icon", "sizes": "any", "type": "image/svg+xml", "href": favicon}],
    "SITE_URL": None,
    "STYLES": [list_style],
    "SHOW_HISTORY": True,
    "SHOW_VIEW_ON_SITE": False,
    "SHOW_LANGUAGES": True,
    "SHOW_BACK_BUTTON": True,
    "BORDER_RADIUS": "6px",
    "COLORS": {
        "primary": {  # blue, because red, amber and green are used for states
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
    "ACCOUNT": {
        "navigation": [
            {"title": _("Your profile"), "link": reverse_lazy("webadmin_profile")},
            {"title": _("Change password"), "link": reverse_lazy("admin:password_change")},
        ]
    },
    "SIDEBAR": {
        "show_search": False,
        "show_all_applications": False,
        "navigation": "webadmin.theme.navigation",
    },
}


def navigation(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the groups of links in the sidebar; the administration's group is only for administrators.

    They are built for each request, because Unfold reads each URL dozens of times and would resolve a lazy URL each
    time.
    """
    return [
        {
            "title": title,
            "separator": number > 0,
            "collapsible": title is ADMINISTRATION,
            "items": [
                {"title": each.title, "icon": each.icon, "link": reverse(each.address), "permission": each.permission}
                for each in items
            ],
        }
        for number, (title, items) in enumerate(_GROUPS)
        if title is not ADMINISTRATION or is_administrator(request)
    ]
