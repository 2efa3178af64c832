"""The admin of URLs, in which failing URLs come first, and of possible site moves, which users decide."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin import SimpleListFilter
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from core.hidden_characters import clip_text
from webadmin.accounts.pages.isolation import HolderAdmin, signed_in_user
from webadmin.sites.models import Address, PageRecord, SiteMove
from webadmin.sites.services import domain_changes as identity
from webadmin.ui.models.phrases import PASSED_BY, choice_label
from webadmin.ui.pages.actions import confirmed_action, redirect_to_record
from webadmin.ui.pages.columns import (
    NOTHING,
    address_column,
    change_link,
    html_list,
    label_text,
    moment,
    moment_column,
    outside_link,
    sentence_column,
    site_name,
    state_column,
    text_column,
    two_lines,
)
from webadmin.ui.pages.paging import CappedPaginator
from webadmin.ui.pages.wording import message_text

MOVE_STATE_COLORS = {
    str(SiteMove.State.PROPOSED): "warning",
    str(SiteMove.State.ACCEPTED): "success",
    str(SiteMove.State.REFUSED): "default",
}


class ConditionFilter(SimpleListFilter):
    """A filter on URLs that fail, are not found, are due, or are new."""

    title = _("condition")
    parameter_name = "condition"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [
            ("failing", _("cannot be fetched")),
            ("absent", _("not found")),
            ("due", _("due")),
            ("new", _("not fetched yet")),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Address]) -> QuerySet[Address]:
        conditions: dict[str, dict[str, Any]] = {
            "failing": {"failures__gt": 0},
            "absent": {"absent_since__isnull": False},
            "due": {"due_at__lte": timezone.now()},
            "new": {"seen_at__isnull": True, "failures": 0},
        }
        return queryset.filter(**conditions.get(str(self.value()), {}))


@admin.register(Address)
class AddressAdmin(HolderAdmin):
    is_read_only = True
    paginator = CappedPaginator
    list_display = ["address", site_name, "kind", "seen", "due", "failures", "why"]
    list_filter = [ConditionFilter, "site", "kind", "has_unreliable_validator"]
    list_select_related = ["site"]
    sortable_by = ()  # The order is fixed (failures, then due time), because each filter has an index for it.
    search_fields = ["url"]
    search_help_text = _("URL")
    fieldsets = [
        (None, {"fields": ["link", ("site", "kind"), "page_link"]}),
        (_("When"), {"fields": [("found_at", "seen_at"), "due_at", ("absent_since", "gone_since")]}),
        (_("Failures"), {"fields": [("failures", "failed_at"), "why", "what"]}),
        (_("Changes"), {"fields": ["rhythm", ("unmodified", "has_unreliable_validator")]}),
    ]

    address = text_column("url", _("URL"), 80)

    link = address_column("url", _("URL"))

    @display(description=_("page"))
    def page_link(self, row: Address) -> object:
        return change_link(PageRecord.objects.filter(pk=row.page_id).first() if row.page_id else None)

    seen = moment_column("seen_at", _("last seen"))

    due = moment_column("due_at", _("due"))

    @display(description=_("reason"))
    def why(self, row: Address) -> str:
        if row.gone_since is not None:
            return _now("gone since %(day)s") % {"day": moment(row.gone_since)}
        return choice_label(row.reason, PASSED_BY) or NOTHING

    what = sentence_column("sentence", _("what was wrong"))

    @display(description=_("changes seen"))
    def rhythm(self, row: Address) -> str:
        if not row.looks:
            return NOTHING
        given = {"changed": f"{row.looks - row.unchanged_looks:.0f}", "looks": f"{row.looks:.0f}"}
        return _now("%(changed)s of %(looks)s visits") % given


@admin.register(SiteMove)
class SiteMoveAdmin(HolderAdmin):
    is_read_only = True
    list_display = ["move", site_name, "state_label", "reasons", "proposed"]
    list_filter = ["state", "site"]
    list_select_related = ["site", "other"]
    search_fields = ["from_host", "to_host", "site__name"]
    search_help_text = _("Host or site")
    actions_detail = ["accept_move", "refuse_move"]
    fieldsets = [
        (None, {"fields": [("from_host", "to_host"), ("site", "other"), "state_text"]}),
        (_("Evidence"), {"fields": ["reason_list", "example_list"]}),
        (_("When"), {"fields": ["proposed_at", ("decided_at", "decided_by")]}),
    ]

    def is_offered(self, path: str, key: Any) -> bool:
        """Return True if the move is undecided."""
        return SiteMove.objects.filter(pk=key, state=SiteMove.State.PROPOSED).exists()

    @display(description=_("move"), header=True)
    def move(self, move: SiteMove) -> list[str]:
        return two_lines(move.to_host, f"← {move.from_host}")

    state_label = state_column(MOVE_STATE_COLORS)
    state_text = label_text(state_label)

    proposed = moment_column("proposed_at", _("proposed at"), is_ordered=True)

    @display(description=_("evidence"))
    def reasons(self, move: SiteMove) -> str:
        return clip_text("; ".join(map(message_text, identity.describe_evidence(move.evidence))), 100)

    @display(description=_("Supporting facts"))
    def reason_list(self, move: SiteMove) -> object:
        return html_list("{}", ((message_text(reason),) for reason in identity.describe_evidence(move.evidence)))

    @display(description=_("examples"))
    def example_list(self, move: SiteMove) -> object:
        examples: list[tuple[str, str]] = move.evidence.get("examples", [])
        return html_list("{} → {}", ((outside_link(old), outside_link(new)) for old, new in examples))

    @confirmed_action(
        "accept",
        "check",
        _("Same site: accept"),
        _("Is this the same site?"),
        _("Its pages and cases stay as they are; from now on, visits and start pages use the new host."),
        is_primary=True,
    )
    def accept_move(self, request: HttpRequest, form: object, object_id: str) -> HttpResponseBase:
        return self._decide_move(
            request, object_id, identity.accept_move, _now("The new host belongs to the site now.")
        )

    @confirmed_action(
        "refuse",
        "close",
        _("Another site: refuse"),
        _("Is this another site?"),
        _("The move will not be suggested again."),
    )
    def refuse_move(self, request: HttpRequest, form: object, object_id: str) -> HttpResponseBase:
        return self._decide_move(request, object_id, identity.refuse_move, _now("The move was refused."))

    def _decide_move(
        self, request: HttpRequest, object_id: str, decide: Callable[..., None], success: str
    ) -> HttpResponseBase:
        move: SiteMove = self.get_record_or_404(request, object_id)
        try:
            decide(move, signed_in_user(request))
        except identity.MoveRefused as refusal:
            messages.error(request, message_text(refusal))
        else:
            messages.success(request, success)
        return redirect_to_record(request, move)
