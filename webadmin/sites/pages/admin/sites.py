"""The admin of sites, with actions to crawl a site, try its rules and look it up."""

from typing import TYPE_CHECKING, Any, TypedDict

from django.conf import settings
from django.contrib import admin, messages
from django.db.models import IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.expressions import RawSQL
from django.http import HttpRequest, HttpResponseBase
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from unfold.decorators import action, display

from core.errors import BadInput, RetryLater
from core.messages import CrawlRequested
from core.obfuscations import Obfuscation
from webadmin import stores
from webadmin.accounts.pages.isolation import HolderAdmin, HolderInline, is_manager, is_member, signed_in_user
from webadmin.sites.models import CrawlRun, PageRecord, Site, SiteDomain
from webadmin.sites.models.site_kind_choices import CRAWLED, conditional_fields
from webadmin.sites.pages.admin.runs import RUN_STATE_COLORS
from webadmin.sites.pages.admin.site_rules import SITE_INLINES, rule_trial
from webadmin.sites.pages.site_form import SiteDomainForm, SiteForm
from webadmin.sites.services import look_ups, politeness
from webadmin.sites.services import runs as crawls
from webadmin.sites.services.families import site_family
from webadmin.sites.services.watchlist import shared_hosts
from webadmin.sites.signals import reach_changed
from webadmin.ui.pages.actions import confirmed_action, redirect_to_record
from webadmin.ui.pages.columns import change_link, draw_once, list_link, moment, stored_sentence, two_lines
from webadmin.ui.pages.wording import message_text

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    class _Figures(TypedDict):
        pages_total: int | None
        newest_state: str | None

    SiteWithFigures = WithAnnotations[Site, _Figures]

MAX_PAGES = 1_000  # Counting stops here, because a large site has 100,000 pages, and a list shows 50 sites.
_PAGES = (
    "(SELECT COUNT(*) FROM (SELECT 1 FROM watched_sites_pagerecord AS page WHERE page.site_id = watched_sites_site.id "
    "LIMIT %s) AS capped)"
)


def _with_figures(sites: "QuerySet[Site]") -> "QuerySet[SiteWithFigures]":
    newest = CrawlRun.objects.filter(site=OuterRef("pk"), only_urls="").order_by("-due_at", "-pk")
    return sites.select_related(
        "rights_holder"
    ).annotate(
        pages_total=RawSQL(_PAGES, (MAX_PAGES + 1,), output_field=IntegerField()),  # noqa: S611 - of our own names
        newest_state=Subquery(newest.values("state")[:1]),
    )


_CONDITIONS = conditional_fields()


class SiteDomainInline(HolderInline):
    model = SiteDomain
    form = SiteDomainForm
    hide_title = True
    fields = ["host"]
    verbose_name = _("domain")
    verbose_name_plural = _("site domains (empty: the hosts of the start URLs)")


class SiteAdmin(HolderAdmin):
    form = SiteForm
    list_display = ["site", "kind", "is_active", "schedule", "next_crawl", "last_run", "page_count"]
    list_filter = ["rights_holder", "kind", "is_active"]
    list_select_related = ["rights_holder"]
    search_fields = ["name", "start_urls", "domains__host"]
    search_help_text = _("Name, URL or domain")
    actions = ["crawl_selected"]
    actions_detail = ["crawl_now", "try_rules", "look_up"]
    inlines = [SiteDomainInline, *SITE_INLINES]
    readonly_fields = ["added_at", "family"]
    # A read-only form has no field `kind` for scripts, so `get_fieldsets` removes the fields that the kind ignores.
    conditional_fields = {name: f"typeof kind == 'undefined' || {asked}" for name, asked in _CONDITIONS.items()}
    fieldsets = [
        (
            None,
            {
                "fields": [
                    "rights_holder",
                    "name",
                    "kind",
                    "start_urls",
                    ("is_active", "added_at"),
                    ("crawl_at", "interval_days"),
                    "monthly_visits",
                ]
            },
        ),
        (_("Links"), {"fields": ["follow_patterns", "page_patterns", "deny_patterns"], "classes": ["tab"]}),
        (
            _("Reading"),
            {
                "fields": [
                    ("body_selector", "title_selector"),
                    ("next_page_selector", "chapter_list_selector"),
                    "encoding",
                ],
                "classes": ["tab"],
            },
        ),
        (
            _("Limits"),
            {
                "fields": [
                    ("max_depth", "max_pages"),
                    ("delay_s", "concurrency"),
                    ("use_sitemap", "obey_robots"),
                    "robots_reason",
                ],
                "classes": ["tab"],
            },
        ),
    ]

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return the fieldsets. An existing site also has a list of sites that probably have the same operator."""
        fieldsets = [*super().get_fieldsets(request, obj)]
        if obj is None:
            return fieldsets
        is_managed = is_manager(request, obj)
        vars(obj)["is_managed"] = is_managed  # Columns read it here, because they have no request.
        if not is_managed:
            fieldsets = _relevant_fieldsets(obj.kind, fieldsets)
        return [*fieldsets, (_("Same operator"), {"fields": ["family"], "classes": ["tab"]})]

    @draw_once
    @display(description=_("other sites"))
    def family(self, site: Site) -> object:
        return render_to_string("sites/site_family.html", {"family": site_family(site)})

    def with_figures(self, sites: "QuerySet[Site]") -> "QuerySet[SiteWithFigures]":
        return _with_figures(sites)

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Return the change list, with figures only for the sites on the current page of the list.

        In the query of the list, they would be computed for all sites.
        """
        changelist = super().get_changelist_instance(request)
        shown = [site.pk for site in changelist.result_list]
        rows = self.with_figures(Site.objects.filter(pk__in=shown)).in_bulk()
        changelist.result_list = [rows[key] for key in shown if key in rows]
        return changelist

    @display(description=_("site"), header=True, ordering="name")
    def site(self, site: Site) -> list[str]:
        return two_lines(site.name, site.start_urls.partition("\n")[0], 42)

    @display(description=_("Schedule"))
    def schedule(self, site: Site) -> str:
        if site.kind not in CRAWLED:
            return _now("imported, not crawled")
        if site.interval_days == 1:
            return _now("daily at %(time)s") % {"time": site.crawl_at.strftime("%H:%M")}
        given = {"days": site.interval_days, "time": site.crawl_at.strftime("%H:%M")}
        return _now("every %(days)d days at %(time)s") % given

    @display(description=_("next crawl"))
    def next_crawl(self, site: Site) -> object:
        return moment(crawls.next_due(site, timezone.now()))

    @display(description=_("newest run"), label=RUN_STATE_COLORS)
    def last_run(self, site: "SiteWithFigures") -> object:
        if not site.newest_state:
            return None
        return site.newest_state, CrawlRun.State(site.newest_state).label

    @display(description=_("pages"))
    def page_count(self, site: "SiteWithFigures") -> object:
        if not site.pages_total:
            return 0
        shown = f"{MAX_PAGES:,}+" if site.pages_total > MAX_PAGES else site.pages_total
        return list_link(PageRecord, shown, site__id__exact=site.pk)

    def is_offered(self, path: str, key: Any) -> bool:
        """Return True if an action is possible. Look-ups need a configured registry, other actions a crawled site."""
        if path.endswith("look-up"):
            return bool(settings.ZHUIWEN.registries.is_enabled)
        return Site.objects.filter(pk=key, kind__in=CRAWLED).exists()

    @admin.action(description=_("Crawl now"), permissions=["manage"])
    def crawl_selected(self, request: HttpRequest, queryset: QuerySet) -> None:
        for site in queryset:
            if is_manager(request, site):
                _request_crawl(request, site)

    @confirmed_action(
        "crawl-now",
        "play_arrow",
        _("Crawl now"),
        _("Crawl this site now?"),
        _("The crawl starts as soon as a crawler is free."),
        is_primary=True,
    )
    def crawl_now(self, request: HttpRequest, form: object, object_id: str) -> HttpResponseBase:
        site: Site = self.get_record_or_404(request, object_id)
        return redirect_to_record(request, _request_crawl(request, site) or site)

    @action(description=_("Try the rules"), url_path="try-rules", icon="rule", permissions=["manage"])
    def try_rules(self, request: HttpRequest, object_id: str) -> HttpResponseBase:
        """Return the page with a trial of the refusal rules on stored pages. Nothing is fetched from the site."""
        site: Site = self.get_record_or_404(request, object_id)
        return rule_trial(request, site)

    @confirmed_action(
        "look-up",
        "dns",
        _("Look up host and registrar"),
        _("Look up host and registrar?"),
        _("The registries configured by the operator will see which site you look up."),
    )
    def look_up(self, request: HttpRequest, form: object, object_id: str) -> HttpResponseBase:
        site: Site = self.get_record_or_404(request, object_id)
        if not settings.ZHUIWEN.registries.is_enabled:
            messages.warning(request, _now("Host and registrar are not looked up: the operator has not enabled this."))
            return redirect_to_record(request, site)
        try:
            look_ups.request_look_up(site, signed_in_user(request), timezone.now(), stores.outbox(), settings.ZHUIWEN)
        except (BadInput, RetryLater) as error:
            messages.warning(request, message_text(error))
        else:
            messages.success(
                request, _now("The look-up has been requested; its result appears under “Contacts and addressees”.")
            )
        return redirect_to_record(request, site)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponseBase:
        """Return the form, with warnings about parts of the site that could not be read and about shared hosts."""
        if request.method == "GET":
            site = self.get_object(request, object_id)
            for missing in crawls.left_out_messages(site.runs.filter(only_urls="").first()) if site is not None else ():
                messages.warning(request, stored_sentence(missing))
            _warn_of_slow_pages(request, site)
            _warn_of_shared_hosts(request, site)
        return super().change_view(request, object_id, form_url, extra_context)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: Any) -> None:
        """Save the hosts. Warn if another site covers them, unless the form opens again, which has its own warning."""
        super().save_related(request, form, formsets, change)
        if "_continue" not in request.POST:
            _warn_of_shared_hosts(request, form.instance)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: Any) -> None:
        """Save the site. If it is watched again, request a crawl, so that the pause does not count as missed runs."""
        super().save_model(request, obj, form, change)
        if "monthly_visits" in form.changed_data:
            reach_changed.send(None, site=obj.pk)
        if "obey_robots" in form.changed_data and (change or not obj.obey_robots):
            politeness.note_robots_switch(obj, form.cleaned_data["robots_reason"], signed_in_user(request))
        if change and obj.is_active and "is_active" in form.changed_data and obj.kind in CRAWLED:
            _request_crawl(request, obj, CrawlRun.Trigger.SCHEDULE)


def _relevant_fieldsets(kind: str, fieldsets: list[Any]) -> list[Any]:
    """Return the fieldsets with only the fields that the spider of this kind uses, without empty fieldsets."""
    used, asked = [], f"kind == '{kind}'"
    for name, given in fieldsets:
        lines = [
            [field for field in _line_fields(line) if field not in _CONDITIONS or asked in _CONDITIONS[field]]
            for line in given["fields"]
        ]
        kept = [tuple(line) if len(line) > 1 else line[0] for line in lines if line]
        if kept:
            used.append((name, {**given, "fields": kept}))
    return used


def _line_fields(line: Any) -> tuple[str, ...]:
    """Return the names of the fields in a line of a fieldset, which is one name or a sequence of names."""
    return (line,) if isinstance(line, str) else tuple(line)


def _request_crawl(request: HttpRequest, site: Site, trigger: str = CrawlRun.Trigger.PERSON) -> CrawlRun | None:
    """Request a crawl, add a message with the result, and return the site's live run, or None if there is none."""
    try:
        run = crawls.request_run(site, signed_in_user(request), trigger)
    except crawls.AlreadyRunning as error:
        state = error.run.get_state_display() if error.run else CrawlRun.State.RUNNING.label
        words = _now("%(site)s is already being crawled (%(state)s).") % {"site": site.name, "state": state}
        messages.warning(request, _link_run(words, error.run))
        return error.run
    except crawls.NotCrawled as error:
        messages.warning(request, message_text(error))
        return None
    try:
        stores.outbox().send(CrawlRequested(run.pk))
    except RetryLater as error:
        words = _now("The crawl of %(site)s was recorded and starts once the queue is available: %(error)s")
        messages.warning(request, _link_run(words % {"site": site.name, "error": message_text(error)}, run))
        return run
    messages.success(request, _link_run(_now("A crawl of %(site)s has been requested.") % {"site": site.name}, run))
    return run


def _warn_of_shared_hosts(request: HttpRequest, site: Site | None) -> None:
    """Warn about other sites that cover the hosts of this site, which is allowed."""
    for shared in shared_hosts(site) if site is not None and is_member(request, site) else ():
        messages.warning(request, stored_sentence(shared))


def _warn_of_slow_pages(request: HttpRequest, site: Site | None) -> None:
    """Warn about pages with parts that take too long to read, which may be a defence against crawlers."""
    if site is None:
        return
    slow = PageRecord.objects.filter(site=site, obfuscation_kinds__contains=f" {Obfuscation.SLOW_PARTS} ")
    if count := slow[: MAX_PAGES + 1].count():
        words = ngettext(
            "Suspicious: parts of %(count)s page take too long to read. They were skipped; the rest "
            "of the text was compared.",
            "Suspicious: parts of %(count)s pages take too long to read. They were skipped; the rest "
            "of the text was compared.",
            count,
        ) % {"count": f"{MAX_PAGES:,}+" if count > MAX_PAGES else count}
        filters = {"site__id__exact": site.pk, "obfuscation": Obfuscation.SLOW_PARTS}
        messages.warning(request, format_html("{} {}", words, list_link(PageRecord, _now("Show them"), **filters)))


def _link_run(words: str, run: CrawlRun | None) -> str:
    """Return the sentence `words` followed by a link to the run; only the sentence if the run is None."""
    return format_html("{} {}", words, change_link(run, _now("Show the run"))) if run else words
