"""Crawl runs: when, how they ended, and every fault as a sentence."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from records.models import CrawlRun
from records.models.phrases import REJECTIONS
from webadmin.admin.columns import NOTHING, RUN_STATE_COLORS, clipped, moment, sentence_list, site_name, stored_sentence
from webadmin.admin.filters import DayRangeFilter
from webadmin.admin.isolation import HolderAdmin
from webadmin.paging import CappedPaginator


@admin.register(CrawlRun)
class CrawlRunAdmin(HolderAdmin):
    is_read_only = True
    list_display = [
        site_name,
        "state_label",
        "due",
        "duration",
        "pages_fetched",
        "seen",
        "new_versions",
        "failed_requests",
        "ending_line",
    ]
    paginator = CappedPaginator
    list_filter = ["state", "site", ("due_at", DayRangeFilter), "trigger"]
    list_select_related = ["site"]
    sortable_by = ["state_label", "due", "pages_fetched", "new_versions", "failed_requests"]
    search_fields = ["site__name"]
    fieldsets: Any = [
        (None, {"fields": [("site", "state"), ("trigger", "requested_by"), "only_urls", "ending"]}),
        (_("When"), {"fields": [("due_at", "started_at"), ("heartbeat_at", "finished_at"), "resume_at", "duration"]}),
        (
            _("What came of it"),
            {
                "fields": [
                    ("pages_fetched", "failed_requests"),
                    ("seen", "pages_stored", "new_versions"),
                    "left_out",
                    "fault_list",
                ]
            },
        ),
    ]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        rows: list[Any] = [row for _name, options in self.fieldsets for row in options["fields"]]
        return [field for row in rows for field in _flat(row)]

    @display(
        description=_("state"),
        ordering="state",
        label={str(state): color for state, color in RUN_STATE_COLORS.items()},
    )
    def state_label(self, run: CrawlRun) -> tuple[str, str]:
        return run.state, run.get_state_display()

    @display(description=_("pages looked at"))
    def seen(self, run: CrawlRun) -> int:
        return run.pages_seen

    @display(description=_("duration"))
    def duration(self, run: CrawlRun) -> str:
        if run.started_at is None:
            return NOTHING
        seconds = round(((run.finished_at or run.heartbeat_at or run.started_at) - run.started_at).total_seconds())
        return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"

    @display(description=_("due"), ordering="due_at")
    def due(self, run: CrawlRun) -> str:
        return moment(run.due_at)

    @display(description=_("ended because"))
    def ending_line(self, run: CrawlRun) -> str:
        return clipped(self.ending(run), 60)

    @display(description=_("ended because"))
    def ending(self, run: CrawlRun) -> str:
        return stored_sentence(run.finish_reason)

    @display(description=_("pages left out"))
    def left_out(self, run: CrawlRun) -> object:
        known = {str(reason): phrase for reason, phrase in REJECTIONS.items()}
        rejected = run.counts.get("rejected") or {}
        return sentence_list(f"{known.get(reason, reason)} × {count}" for reason, count in rejected.items())

    @display(description=_("faults"))
    def fault_list(self, run: CrawlRun) -> object:
        return sentence_list(stored_sentence(fault) for fault in run.faults)


def _flat(row: str | tuple[str, ...]) -> tuple[str, ...]:
    return (row,) if isinstance(row, str) else row
