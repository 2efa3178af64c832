"""The admin list of leads. Leads are suspected rewrites, not cases."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import DropdownFilter
from unfold.decorators import display

from core.hidden_characters import spell_hidden
from core.matches import RewordedState
from core.wording import Message
from webadmin.accounts.pages.filters import DayRangeFilter, HolderAutocompleteFilter
from webadmin.rewrites.models import RewordedLead
from webadmin.rewrites.pages.lead_page.lead_view import BANDS, describe_alarms, lead_view
from webadmin.ui.pages.columns import NOTHING, moment_column, state_column, two_lines
from webadmin.ui.pages.paging import CappedPaginator
from webadmin.ui.pages.wording import message_text
from webadmin.works.pages.author_search import AuthorSearchAdmin

STATE_COLORS = {
    RewordedState.WAITING: "warning",
    RewordedState.CONFIRMED: "info",
    RewordedState.DISMISSED: "default",
}


class BandFilter(DropdownFilter):
    """Filters leads by band, which is the rate at which unrelated passages reach their score."""

    title = _("band")
    parameter_name = "band"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return list(BANDS.items())

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        return queryset.filter(band=self.value()) if self.value() in BANDS else queryset


class LapsedFilter(DropdownFilter):
    """Hides lapsed leads, or lists only lapsed leads on request."""

    title = _("found")
    parameter_name = "lapsed"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("1", _("no longer found"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        return queryset.filter(lapsed_at__isnull=self.value() != "1")


@admin.register(RewordedLead)
class RewordedLeadAdmin(AuthorSearchAdmin):
    is_read_only = True
    record_view = staticmethod(lead_view)
    paginator = CappedPaginator
    list_display = ["on_page", "of_work", "sentences", "alarm_rate", "state_label", "found"]
    list_filter = [
        "rights_holder",
        "state",
        "found_as",
        ("work", HolderAutocompleteFilter),
        "site",
        BandFilter,
        ("found_at", DayRangeFilter),
        LapsedFilter,
    ]
    list_select_related = ["work", "site"]
    sortable_by = ["found"]  # has an index, like the default order
    author_path = "work__author"
    search_fields = ["page_title", "page_url", "work__title", "work__author", "site__name"]
    search_help_text = _("URL, page title, work, author or site")

    def get_queryset(self, request: HttpRequest) -> "QuerySet[RewordedLead]":
        """Defer the pairs of the leads, which may be many and which only the page of a lead needs."""
        return super().get_queryset(request).defer("pairs", "ingredients")

    @display(description=_("page"), header=True)
    def on_page(self, lead: RewordedLead) -> list[str]:
        return two_lines(lead.page_title or lead.page_url, lead.page_url, 28)

    @display(description=_("work and site"), header=True)
    def of_work(self, lead: RewordedLead) -> list[str]:
        chapter = f" {lead.chapter_title}" if lead.chapter_title else ""
        return two_lines(f"{lead.work}{chapter}", lead.site, 20)

    @display(description=_("counterparts"), header=True)
    def sentences(self, lead: RewordedLead) -> list[str]:
        counts = {"pairs": lead.pair_count, "sentences": lead.sentence_count, "in_order": lead.in_order}
        return [message_text(Message("reworded.counterparts", **counts)), lead.get_found_as_display()]

    @display(description=_("score and alarms"), header=True)
    def alarm_rate(self, lead: RewordedLead) -> list[str]:
        """Return the score with its band, and the alarm rate, because the score alone has no upper bound."""
        band = f" · {BANDS.get(lead.band, spell_hidden(lead.band))}" if lead.band else ""
        return [f"{lead.score:.0f}{band}", describe_alarms(lead) or NOTHING]

    state_label = state_column(STATE_COLORS)

    found = moment_column("found_at", _("found"), is_ordered=True, header=True)
