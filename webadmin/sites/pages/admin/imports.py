"""The admin of archive imports, with their progress and results. `zhuiwen import` creates them."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from webadmin.accounts.pages.isolation import HolderAdmin
from webadmin.sites.models import ArchiveImport
from webadmin.ui.models.phrases import PASSED_BY, choice_label
from webadmin.ui.pages.columns import count_column, moment_column, sentence_list, site_name, state_column, stored_faults

STATE_COLORS = {
    ArchiveImport.State.RUNNING: "primary",
    ArchiveImport.State.FINISHED: "success",
    ArchiveImport.State.FAILED: "danger",
}


@admin.register(ArchiveImport)
class ArchiveImportAdmin(HolderAdmin):
    is_read_only = True
    list_display = ["file", "state_label", site_name, "share", "pages", "new_versions", "requested"]
    list_filter = ["rights_holder", "state"]
    list_select_related = ["site", "rights_holder"]
    search_fields = ["path"]
    search_help_text = _("File")
    fieldsets = [
        (None, {"fields": ["rights_holder", "site", ("file", "state"), ("requested", "finished")]}),
        (
            _("Outcome"),
            {"fields": [("share", "records"), ("pages", "new_versions"), "dated_by_server", "left_out", "fault_list"]},
        ),
    ]

    @display(description=_("file"), ordering="path")
    def file(self, row: ArchiveImport) -> str:
        return str(row)

    state_label = state_column(STATE_COLORS)

    @display(description=_("read"))
    def share(self, row: ArchiveImport) -> str:
        if row.state == ArchiveImport.State.FINISHED:
            return "100%"
        done = min(row.position.get("offset", 0), row.size_bytes)
        return f"{100 * done // row.size_bytes}%" if row.size_bytes and not row.position.get("member") else "…"

    records = count_column("records", _("records"))
    pages = count_column("stored", _("pages kept"))
    new_versions = count_column("new_versions", _("new versions"))
    dated_by_server = count_column("dated_by_server", _("dated by the server"))
    requested = moment_column("requested_at", _("requested"), is_ordered=True)
    finished = moment_column("finished_at", _("finished"))

    @display(description=_("records left out"))
    def left_out(self, row: ArchiveImport) -> object:
        passed = row.counts.get("passed_by") or {}
        return sentence_list(f"{choice_label(reason, PASSED_BY)} × {count}" for reason, count in passed.items())

    fault_list = stored_faults
