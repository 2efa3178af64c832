"""The admin of the backup schedule and of the backups, only for administrators."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Model
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin
from unfold.decorators import display
from unfold.widgets import UnfoldAdminTextInputWidget

from core.errors import ZhuiwenError
from webadmin.accounts.pages.isolation import AdministratorsOnly, MachineAdmin
from webadmin.accounts.pages.lists import AdminLists
from webadmin.accounts.services.access import Person, is_administrator
from webadmin.backups.models import BackupPlan, BackupRun
from webadmin.backups.models.backup import ONLY
from webadmin.backups.services.destinations import destination_url
from webadmin.backups.services.runs import backup_status, is_unfinished
from webadmin.backups.services.sealing import require_passphrase
from webadmin.reports.pages.dashboard import Tile, changelist_url
from webadmin.reports.signals import tiles_wanted
from webadmin.sites.services.encrypted_secrets import seal
from webadmin.ui.pages.columns import NOTHING, label_text, size_column, stored_sentence
from webadmin.ui.pages.wording import message_text

FORGET = "-"


class PlanForm(forms.ModelForm):
    passphrase_given = forms.CharField(
        label=_("Passphrase"),
        required=False,
        strip=True,
        widget=UnfoldAdminTextInputWidget(attrs={"type": "password", "autocomplete": "new-password"}),
        help_text=_(
            "With a passphrase, keys and passwords are backed up too, encrypted, and changes to a "
            "backup are detected. Keep it elsewhere: a restore asks for it. Leave empty to keep the "
            "current one; “-” removes it."
        ),
    )

    class Meta:
        model = BackupPlan
        fields = ["is_on", "destination", "at", "keep", "warn_days"]

    def clean_destination(self) -> str:
        given = str(self.cleaned_data["destination"]).strip()
        if not given:
            return ""
        try:
            return destination_url(given)
        except ZhuiwenError as error:
            raise forms.ValidationError(message_text(error.message)) from error

    def clean_passphrase_given(self) -> str:
        given = str(self.cleaned_data["passphrase_given"])
        try:
            return given if given in {"", FORGET} else require_passphrase(given)
        except ZhuiwenError as error:
            raise forms.ValidationError(message_text(error.message)) from error

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("is_on") and not cleaned.get("destination") and "destination" not in self.errors:
            self.add_error("destination", _("Enter a recipient."))
        return cleaned

    def save(self, commit: bool = True) -> Any:
        given = self.cleaned_data.get("passphrase_given", "")
        self.instance.pk = ONLY
        if given:
            self.instance.passphrase = "" if given == FORGET else seal(given)
        return super().save(commit)


@admin.register(BackupPlan)
class BackupPlanAdmin(AdministratorsOnly, AdminLists, ModelAdmin):
    form = PlanForm
    list_display = ["destination", "is_on", "at", "keep", "warn_days", "has_passphrase"]
    fields = ["is_on", "destination", "at", "keep", "warn_days", "passphrase_given", "has_passphrase"]
    readonly_fields = ["has_passphrase"]

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Return True only if there is no schedule yet, because there is at most one."""
        return super().has_add_permission(request, obj) and not BackupPlan.objects.exists()

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    @display(description=_("with secrets"), boolean=True)
    def has_passphrase(self, plan: BackupPlan) -> bool:
        return bool(plan.passphrase)


@admin.register(BackupRun)
class BackupRunAdmin(MachineAdmin):
    list_display = ["started_at", "backup_id", "took", "size", "new", "is_scheduled", "outcome", "reason"]
    fields = [
        *("started_at", "ended_at", "destination", "backup_id", "records", "size", "new"),
        *("is_scheduled", "has_secrets", "lacking", "outcome_text", "reason"),
    ]

    @display(description=_("took"))
    def took(self, run: BackupRun) -> str:
        return str(run.ended_at - run.started_at).split(".", maxsplit=1)[0]

    size = size_column("size_bytes", _("size"))

    new = size_column("new_bytes", _("newly written"))

    @display(description=_("outcome"), label={"good": "success", "partly": "warning", "bad": "danger"})
    def outcome(self, run: BackupRun) -> tuple[str, object]:
        if run.fault is not None:
            return ("partly", _("not ended")) if is_unfinished(run) else ("bad", _("failed"))
        if run.lacking:
            return "partly", _("%(count)d could not be read") % {"count": run.lacking}
        return ("partly" if run.warning is not None else "good"), _("whole")

    outcome_text = label_text(outcome)

    @display(description=_("reason"))
    def reason(self, run: BackupRun) -> object:
        said_of_it = run.fault or run.warning
        return stored_sentence(said_of_it) if said_of_it is not None else NOTHING


@receiver(tiles_wanted)
def backup_tiles(user: Person, **_kwargs: object) -> list[Tile]:
    """Return a tile for administrators if the last backup is too old or if there is none."""
    if not is_administrator(user):
        return []
    now = timezone.now()
    stands = backup_status(now)
    if stands.warning is None:
        return []
    if stands.last is None:
        return [Tile(_now("Backups made"), 0, changelist_url(BackupRun), is_urgent=True)]
    return [
        Tile(_now("Days since the last backup"), (now - stands.last).days, changelist_url(BackupRun), is_urgent=True)
    ]
