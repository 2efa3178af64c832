"""The admin of searches for copies: plans, the log of queries, and found pages."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from core.errors import BadInput, RetryLater
from core.hidden_characters import clip_text
from core.messages import CrawlRequested
from core.shares import format_percentage
from webadmin import stores
from webadmin.accounts.pages.filters import HolderAutocompleteFilter
from webadmin.accounts.pages.isolation import HolderAdmin, is_manager, signed_in_user
from webadmin.sites.models import DiscoveredPage, DiscoveryPlan, DiscoveryQuery
from webadmin.sites.services import discovery
from webadmin.sites.services import runs as crawls
from webadmin.ui.models.phrases import MATCH_CLASSES, choice_label
from webadmin.ui.pages.actions import confirmed_action, redirect_to_record
from webadmin.ui.pages.columns import (
    address_column,
    change_link,
    moment_column,
    sentence_column,
    sentence_list,
    state_column,
    text_column,
)
from webadmin.ui.pages.wording import message_text

STATE_COLORS = {
    DiscoveredPage.State.PROPOSED: "warning",
    DiscoveredPage.State.ACCEPTED: "success",
    DiscoveredPage.State.DISMISSED: "default",
    DiscoveredPage.State.NO_COPY: "default",
    DiscoveredPage.State.UNREADABLE: "default",
}
QUERY_COLORS = {
    DiscoveryQuery.State.ASKED: "info",
    DiscoveryQuery.State.ANSWERED: "success",
    DiscoveryQuery.State.FAILED: "danger",
}
LEFT_OUT = {
    discovery.LeftOutReason.OWN_SITE: _("own site"),
    discovery.LeftOutReason.LICENSED: _("licensed"),
    discovery.LeftOutReason.WATCHED: _("watched already"),
    discovery.LeftOutReason.KNOWN: _("found before"),
    discovery.LeftOutReason.UNUSABLE: _("not a page"),
    discovery.LeftOutReason.TOO_MANY: _("too many results of one search"),
    discovery.LeftOutReason.NO_TIME: _("no time was left"),
}


@admin.register(DiscoveryPlan)
class DiscoveryPlanAdmin(HolderAdmin):
    list_display = ["work", "is_active", "queries_a_day", "queries_left"]
    list_filter = ["is_active"]
    list_select_related = ["work"]
    search_fields = ["work__title"]
    fields = ["work", ("is_active", "queries_a_day")]

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        formfield = super().formfield_for_dbfield(db_field, request, **kwargs)
        if formfield is not None and db_field.name == "work":
            formfield.widget.can_add_related = False
        return formfield

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        """Return the plans, each with the number of queries sent today as `sent`."""
        sent = discovery.sent_today(timezone.now()).filter(work=OuterRef("work")).order_by().values("work")
        counted = Subquery(sent.annotate(n=Count("pk")).values("n"), output_field=IntegerField())
        return super().get_queryset(request).annotate(sent=counted)

    @display(description=_("left today"))
    def queries_left(self, plan: Any) -> int:
        return max(0, plan.queries_a_day - (plan.sent or 0))


@admin.register(DiscoveryQuery)
class DiscoveryQueryAdmin(HolderAdmin):
    is_read_only = True
    list_display = ["sentence", "work", "asked", "state_label", "results", "left_out_line", "fault_line"]
    list_filter = ["state", ("work", HolderAutocompleteFilter)]
    list_select_related = ["work"]
    search_fields = ["sentence", "work__title"]
    search_help_text = _("Sentence or work")
    fields = [
        "sentence",
        ("work", "chapter_number"),
        ("asked", "state"),
        "results",
        "left_out_list",
        "fault_line",
    ]

    asked = moment_column("asked_at", _("asked at"), is_ordered=True)

    state_label = state_column(QUERY_COLORS)

    @display(description=_("results left out"))
    def left_out_line(self, query: DiscoveryQuery) -> int:
        return sum(query.left_out.values())

    @display(description=_("results left out"))
    def left_out_list(self, query: DiscoveryQuery) -> object:
        return sentence_list(f"{choice_label(reason, LEFT_OUT)} × {count}" for reason, count in query.left_out.items())

    fault_line = sentence_column("fault", _("fault"), 80)


@admin.register(DiscoveredPage)
class DiscoveredPageAdmin(HolderAdmin):
    is_read_only = True
    list_display = ["page", "work", "state_label", "class_label", "share", "matched_chars", "found"]
    list_filter = ["state", ("work", HolderAutocompleteFilter)]
    list_select_related = ["work", "site"]
    search_fields = ["title", "url", "work__title"]
    search_help_text = _("Title, URL or work")
    actions = ["watch_selected", "dismiss_selected"]
    actions_detail = ["watch", "dismiss"]
    fieldsets = [
        (None, {"fields": ["title_line", "address", ("work", "state"), "excerpt_line", "fault_line"]}),
        (_("How much"), {"fields": [("class_label", "share", "matched_chars")]}),
        (_("Decision"), {"fields": [("found", "query"), ("decider", "decided"), "site_link"]}),
    ]

    def is_offered(self, path: str, key: Any) -> bool:
        """Return True for both actions on a proposed page, and for "watch" on a dismissed one."""
        state = DiscoveredPage.objects.filter(pk=key).values_list("state", flat=True).first()
        return state == DiscoveredPage.State.PROPOSED or (state == DiscoveredPage.State.DISMISSED and path == "watch")

    @display(description=_("page"), header=True, ordering="url")
    def page(self, page: DiscoveredPage) -> list[str]:
        return [clip_text(page.title or page.host), clip_text(page.url, 70)]

    title_line = text_column("title", _("title"), 200)

    address = address_column("url", _("address"))

    state_label = state_column(STATE_COLORS)

    @display(description=_("class"), ordering="match_class")
    def class_label(self, page: DiscoveredPage) -> object:
        return choice_label(page.match_class, MATCH_CLASSES) or "—"

    @display(description=_("similarity"), ordering="similarity")
    def share(self, page: DiscoveredPage) -> str:
        return format_percentage(page.similarity) if page.matched_chars else "—"

    found = moment_column("found_at", _("found"), is_ordered=True)

    excerpt_line = text_column("excerpt", _("passage"), 300)

    fault_line = sentence_column("fault", _("fault"))

    decided = moment_column("decided_at", _("decided"))

    decider = text_column("decided_by", _("decided by"), 150)

    @display(description=_("site"))
    def site_link(self, page: DiscoveredPage) -> object:
        return change_link(page.site)

    @admin.action(description=_("Watch these sites"), permissions=["manage"])
    def watch_selected(self, request: HttpRequest, queryset: QuerySet) -> None:
        for page in queryset.select_related("work__rights_holder"):
            if is_manager(request, page):
                page.refresh_from_db()
                if page.state != DiscoveredPage.State.ACCEPTED:
                    _watch_proposal(request, page)

    @admin.action(description=_("Dismiss"), permissions=["manage"])
    def dismiss_selected(self, request: HttpRequest, queryset: QuerySet) -> None:
        for page in queryset.select_related("work__rights_holder"):
            if is_manager(request, page):
                _dismiss_proposal(request, page)

    @confirmed_action(
        "watch",
        "travel_explore",
        _("Watch this site"),
        _("Watch this site?"),
        _("It becomes a watched site of the rights holder; its first crawl starts at once."),
        is_primary=True,
    )
    def watch(self, request: HttpRequest, form: object, object_id: str) -> HttpResponseBase:
        return self._decide_page(request, object_id, _watch_proposal)

    @confirmed_action("dismiss", "close", _("Dismiss"), _("Dismiss this page?"), _("It will not be suggested again."))
    def dismiss(self, request: HttpRequest, form: object, object_id: str) -> HttpResponseBase:
        return self._decide_page(request, object_id, _dismiss_proposal)

    def _decide_page(self, request: HttpRequest, object_id: str, decide: Any) -> HttpResponseBase:
        page: DiscoveredPage = self.get_record_or_404(request, object_id)
        decide(request, page)
        return redirect_to_record(request, page)


def _watch_proposal(request: HttpRequest, page: DiscoveredPage) -> None:
    """Watch the site of a found page, request its crawl, and add a message with the result."""
    try:
        site = discovery.accept_proposal(page, signed_in_user(request).get_username(), timezone.now())
    except BadInput as error:
        messages.warning(request, message_text(error))
        return
    try:
        stores.outbox().send(CrawlRequested(crawls.request_run(site, signed_in_user(request)).pk))
    except (crawls.AlreadyRunning, RetryLater):
        messages.success(
            request, _now("%(site)s is now watched; it will be crawled as soon as possible.") % {"site": site}
        )
        return
    messages.success(request, _now("%(site)s is now watched, and a crawl has been requested.") % {"site": site})


def _dismiss_proposal(request: HttpRequest, page: DiscoveredPage) -> None:
    try:
        discovery.dismiss_proposal(page, signed_in_user(request).get_username(), timezone.now())
    except BadInput as error:
        messages.warning(request, message_text(error))
        return
    messages.success(request, _now("%(host)s will not be suggested again.") % {"host": page.host})
