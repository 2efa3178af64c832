"""The admin of crawl runs, with their times, results and errors."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from webadmin.accounts.pages.filters import DayRangeFilter
from webadmin.accounts.pages.isolation import HolderAdmin
from webadmin.sites.models import CrawlRun
from webadmin.ui.models.phrases import PASSED_BY, choice_label
from webadmin.ui.pages.columns import (
    NOTHING,
    moment_column,
    sentence_column,
    sentence_list,
    site_name,
    state_column,
    stored_faults,
)
from webadmin.ui.pages.paging import CappedPaginator

RUN_STATE_COLORS = {
    CrawlRun.State.QUEUED: "info",
    CrawlRun.State.RUNNING: "primary",
    CrawlRun.State.FINISHED: "success",
    CrawlRun.State.FAILED: "danger",
    CrawlRun.State.MISSED: "warning",
}


@admin.register(CrawlRun)
class CrawlRunAdmin(HolderAdmin):
    is_read_only = True
    list_display = [
        site_name,
        "state_label",
        "due",
        "duration",
        "pages_fetched",
        "pages_visited",
        "new_versions",
        "failed_requests",
        "ending_line",
    ]
    paginator = CappedPaginator
    list_filter = ["state", "site", ("due_at", DayRangeFilter), "trigger"]
    list_select_related = ["site"]
    sortable_by = ["state_label", "due", "pages_fetched", "new_versions", "failed_requests"]
    search_fields = ["site__name"]
    fieldsets = [
        (None, {"fields": [("site", "state"), ("trigger", "requested_by"), "only_urls", "ending"]}),
        (_("When"), {"fields": [("due_at", "started_at"), ("heartbeat_at", "finished_at"), "resume_at", "duration"]}),
        (
            _("Outcome"),
            {
                "fields": [
                    ("pages_fetched", "failed_requests"),
                    ("pages_visited", "pages_stored", "new_versions"),
                    "left_out",
                    "fault_list",
                ]
            },
        ),
    ]

    state_label = state_column(RUN_STATE_COLORS)

    @display(description=_("pages checked"))
    def pages_visited(self, run: CrawlRun) -> int:
        return run.pages_seen

    @display(description=_("duration"))
    def duration(self, run: CrawlRun) -> str:
        if run.started_at is None:
            return NOTHING
        seconds = round(((run.finished_at or run.heartbeat_at or run.started_at) - run.started_at).total_seconds())
        return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"

    due = moment_column("due_at", _("due"), is_ordered=True)

    ending_line = sentence_column("finish_reason", _("reason for ending"), 60)
    ending = sentence_column("finish_reason", _("reason for ending"))

    @display(description=_("pages left out"))
    def left_out(self, run: CrawlRun) -> object:
        rejected = run.counts.get("rejected") or {}
        return sentence_list(f"{choice_label(reason, PASSED_BY)} × {count}" for reason, count in rejected.items())

    fault_list = stored_faults
