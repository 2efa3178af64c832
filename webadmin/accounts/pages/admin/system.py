"""The admin of users, schedules, login attempts and failed messages, for administrators only."""

from typing import Any

from axes.admin import AccessAttemptAdmin
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group
from django.db.models import Model
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django_celery_beat import admin as beat
from django_celery_beat.models import ClockedSchedule, CrontabSchedule, IntervalSchedule, PeriodicTask, SolarSchedule
from unfold.admin import ModelAdmin, TabularInline
from unfold.decorators import display
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from webadmin.accounts.models import FailedMessage, Membership, User
from webadmin.accounts.pages.isolation import AdministratorsOnly
from webadmin.accounts.pages.lists import AdminLists
from webadmin.accounts.services.access import allow_admin_access
from webadmin.ui.pages.columns import sentence_column

TAKEN_OVER = (
    *(Group, AccessAttempt, AccessFailureLog, AccessLog),
    *(ClockedSchedule, CrontabSchedule, IntervalSchedule, PeriodicTask, SolarSchedule),
)
for _model in TAKEN_OVER:
    if admin.site.is_registered(_model):
        admin.site.unregister(_model)


class WrittenByTheMachine(AdministratorsOnly, AdminLists):
    """The admin of records written by the program, which users can read and delete but not add."""

    list_per_page = 50
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class MembershipInline(AdministratorsOnly, TabularInline):
    model = Membership
    extra = 0
    fields = ["rights_holder", "role"]


class PersonForm(UserChangeForm):
    class Meta(UserChangeForm.Meta):
        model = User
        help_texts = {"is_staff": _("Designates whether this person may log in to the admin.")}


class NewPersonForm(UserCreationForm):
    class Meta(UserCreationForm.Meta):
        model = User


@admin.register(User)
class PersonAdmin(AdministratorsOnly, AdminLists, UserAdmin, ModelAdmin):
    """The admin of users. Their rights follow from memberships, so there are no groups or individual permissions."""

    form = PersonForm
    add_form = NewPersonForm
    change_password_form = AdminPasswordChangeForm
    inlines = [MembershipInline]
    list_display = ["username", "email", "is_active", "is_superuser", "last_login"]
    list_filter = ["is_active", "is_superuser"]
    filter_horizontal = []
    fieldsets = [
        (None, {"fields": ["username", "password"]}),
        (_("Person"), {"fields": [("last_name", "first_name"), "email"]}),
        (
            _("Access"),
            {
                "fields": [("is_active", "is_staff", "is_superuser")],
                "description": _("Staff may log in; a superuser is an administrator of everything."),
            },
        ),
        (_("Times"), {"fields": [("last_login", "date_joined")]}),
    ]
    add_fieldsets = [(None, {"classes": ["wide"], "fields": ["username", "usable_password", "password1", "password2"]})]
    readonly_fields = ["last_login", "date_joined"]

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> list[str]:
        """Return the read-only fields. Administrators cannot remove their own access, so there is always one."""
        fields = list(super().get_readonly_fields(request, obj))
        return [*fields, "is_active", "is_staff", "is_superuser"] if obj == request.user else fields

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return super().has_delete_permission(request, obj) and (obj is None or obj != request.user)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        if form.instance.memberships.exists():
            allow_admin_access(form.instance)


class TaskSelect(UnfoldAdminSelectWidget, beat.TaskSelectWidget):
    """A select widget for tasks. The names come from the task routes, because the web server loads no tasks."""

    def tasks_as_choices(self) -> Any:
        from pipeline.app import app

        return (("", ""), *((name, name) for name in sorted(app.conf.task_routes)))


class PeriodicTaskForm(beat.PeriodicTaskForm):
    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["task"].widget = UnfoldAdminTextInputWidget()
        self.fields["regtask"].widget = TaskSelect()

    def clean(self) -> dict[str, Any]:
        if "task" in self.errors:  # The error is already reported; django-celery-beat would read a missing value.
            return self.cleaned_data
        return super().clean()


@admin.register(PeriodicTask)
class PeriodicTaskAdmin(AdministratorsOnly, AdminLists, beat.PeriodicTaskAdmin, ModelAdmin):
    form = PeriodicTaskForm
    list_display = ["name", "enabled", "schedule_words", "last_run_at"]
    date_hierarchy = None  # Its links contain look-ups that the list rejects.

    @display(description=_("Schedule"))
    def schedule_words(self, obj: PeriodicTask) -> str:
        return str(obj.scheduler)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Return the actions without "run_tasks", because the web server cannot run tasks."""
        actions: dict[str, Any] = super().get_actions(request)
        actions.pop("run_tasks", None)
        return actions


class ScheduleAdmin(AdministratorsOnly, AdminLists, ModelAdmin):
    """The admin of the schedules that periodic tasks refer to."""


admin.site.register(IntervalSchedule, ScheduleAdmin)


@admin.register(CrontabSchedule)
class CrontabScheduleAdmin(ScheduleAdmin):
    list_display = ["__str__", "human_readable"]


@admin.register(AccessAttempt)
class LoginAttemptAdmin(WrittenByTheMachine, AccessAttemptAdmin, ModelAdmin):
    """The admin of failed logins, by name and address."""

    list_display = ["attempt_time", "ip_address", "user_agent", "username", "path_info", "failures_since_start"]
    date_hierarchy = None  # Its links contain look-ups that the list rejects.
    actions = ()  # The action of axes needs a login time, which is not recorded; the next login deletes old attempts.


@admin.register(FailedMessage)
class FailedMessageAdmin(WrittenByTheMachine, ModelAdmin):
    """The admin of messages that failed in every retry. The sweeper sends a deleted message again."""

    list_display = ["task", "subject", "error_line", "failed_at"]
    list_filter = ["task"]
    search_fields = ["task", "subject", "error__params__error"]
    fields = readonly_fields = ["task", "subject", "error_text", "failed_at"]

    error_line = sentence_column("error", _("error"), 120)
    error_text = sentence_column("error", _("error"))
