"""Archive imports: the form that requests an import, and the list with their progress."""

from pathlib import Path
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display
from unfold.widgets import UnfoldAdminSelectWidget

from core.errors import BadInput
from webadmin.accounts.pages.isolation import HolderAdmin, signed_in_user
from webadmin.accounts.services.access import is_administrator
from webadmin.sites.models import ArchiveImport
from webadmin.sites.services import imports
from webadmin.ui.models.phrases import PASSED_BY, choice_label
from webadmin.ui.pages.columns import count_column, moment_column, sentence_list, site_name, state_column, stored_faults
from webadmin.ui.pages.wording import message_text

STATE_COLORS = {
    ArchiveImport.State.QUEUED: "info",
    ArchiveImport.State.RUNNING: "primary",
    ArchiveImport.State.FINISHED: "success",
    ArchiveImport.State.FAILED: "danger",
}


class ArchiveImportForm(forms.ModelForm):
    path = forms.ChoiceField(label=_("File"), widget=UnfoldAdminSelectWidget)

    class Meta:
        model = ArchiveImport
        fields = ["rights_holder", "site", "path"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "path" in self.fields:  # absent in a read-only form
            self.fields["path"] = forms.ChoiceField(
                label=_("File"),
                choices=[("", "---------"), *((name, name) for name in imports.offered_files())],
                widget=UnfoldAdminSelectWidget,
                help_text=_("WARC, WACZ, ARC or WET files in the folder imports of the installation's home folder."),
            )

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        holder, site, name = given.get("rights_holder"), given.get("site"), given.get("path")
        if holder is not None and site is not None and site.rights_holder_id != holder.pk:
            raise ValidationError({"site": _("This site belongs to another rights holder.")})
        if holder is not None and name:
            try:
                given["row"] = imports.request_import(holder, imports.import_folder() / Path(name).name, site)
            except BadInput as error:
                raise ValidationError({"path": message_text(error)}) from error
        return given


@admin.register(ArchiveImport)
class ArchiveImportAdmin(HolderAdmin):
    form = ArchiveImportForm
    list_display = ["file", "state_label", site_name, "share", "pages", "new_versions", "requested"]
    list_filter = ["rights_holder", "state"]
    list_select_related = ["site", "rights_holder"]
    search_fields = ["path"]
    search_help_text = _("File")

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is None:
            return [(None, {"fields": ["rights_holder", "site", "path"]})]
        return [
            (None, {"fields": ["rights_holder", "site", ("file", "state"), ("requested", "finished")]}),
            (
                _("Outcome"),
                {
                    "fields": [
                        ("share", "records"),
                        ("pages", "new_versions"),
                        "dated_by_server",
                        "left_out",
                        "fault_list",
                    ]
                },
            ),
        ]

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return True only for administrators, because the folder shows the files of all rights holders."""
        return is_administrator(request.user)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: Any) -> None:
        """Copy the row that the form's validation saved into `obj`, and record the user."""
        row: ArchiveImport = form.cleaned_data["row"]
        ArchiveImport.objects.filter(pk=row.pk, requested_by=None).update(requested_by=signed_in_user(request))
        row.refresh_from_db()
        obj.__dict__.update(row.__dict__)

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
