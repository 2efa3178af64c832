"""The admin of rights holders and memberships."""

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from webadmin.accounts.models import Membership, RightsHolder
from webadmin.accounts.models.rights_holder import WorkKind
from webadmin.accounts.pages.isolation import HolderAdmin, is_manager
from webadmin.accounts.pages.member_forms import MembershipForm, ReviewerForm, RightsHolderForm
from webadmin.accounts.services.access import allow_admin_access, is_administrator
from webadmin.ui.pages.columns import NOTHING


class RightsHolderAdmin(HolderAdmin):
    """The admin of rights holders. Administrators create and delete them; managers edit the other fields."""

    form = RightsHolderForm
    list_display = ["name", "contact", "created_at"]
    search_fields = ["name", "contact"]
    readonly_fields = ["created_at"]

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> list[str]:
        """Return the fields. Users who may not change the kinds of works see their names instead of checkboxes."""
        may_change = self.has_change_permission(request, obj)
        kinds = "reworded_kinds" if may_change else "reworded_kind_names"
        return ["name", "contact", "opens_teasers", kinds, "created_at"]

    @display(description=_("searched for rewrites"))
    def reworded_kind_names(self, holder: RightsHolder) -> str:
        known = dict(WorkKind.choices)
        return ", ".join(str(known.get(kind, kind)) for kind in holder.reworded_kinds) or NOTHING

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> list[str]:
        fields = [*super().get_readonly_fields(request, obj), "reworded_kind_names"]
        return fields if is_administrator(request.user) else [*fields, "name"]

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return is_administrator(request.user)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return is_administrator(request.user)


@admin.register(Membership)
class MembershipAdmin(HolderAdmin):
    """The admin of memberships. Managers see and edit the members of their rights holders; reviewers see no roles.

    Managers create new accounts; only administrators, who see all accounts, add existing accounts.
    """

    form = MembershipForm
    list_display = ["member", "rights_holder", "role_label", "last_login"]
    list_filter = ["rights_holder", "role"]
    list_select_related = ["user", "rights_holder"]
    search_fields = ["user__username", "user__first_name", "user__last_name"]
    ordering = ["rights_holder__name", "user__username"]

    @display(description=_("user"), ordering="user__username", header=True)
    def member(self, membership: Membership) -> list[str]:
        return [membership.user.get_username(), membership.user.get_full_name() or membership.user.email]

    @display(
        description=_("role"),
        ordering="role",
        label={Membership.Role.MANAGER: "primary", Membership.Role.REVIEWER: "info"},
    )
    def role_label(self, membership: Membership) -> tuple[str, str]:
        return membership.role, membership.get_role_display()

    @display(description=_("last login"), ordering="user__last_login")
    def last_login(self, membership: Membership) -> Any:
        return membership.user.last_login

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        queryset = super().get_queryset(request)
        return queryset if is_manager(request) else queryset.none()

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return is_manager(request, obj)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return is_manager(request)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        if obj is None and not is_administrator(request.user):
            kwargs["form"] = ReviewerForm
        return super().get_form(request, obj, change, **kwargs)

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> list[str]:
        if obj is not None:
            return ["rights_holder", "user", "role"]
        is_ours = is_administrator(request.user)
        return ["rights_holder", "username", "role"] if is_ours else ["rights_holder", "name", "password", "again"]

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> list[str]:
        fields = super().get_readonly_fields(request, obj)
        if obj is None:
            return fields
        return [*fields, "user", "role"] if self._is_own(request, obj) else [*fields, "user"]

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Return False for a manager's own membership, so that each rights holder keeps a manager."""
        return super().has_delete_permission(request, obj) and not self._is_own(request, obj)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Return the actions; only administrators may delete several memberships at once."""
        actions: dict[str, Any] = super().get_actions(request)
        if not is_administrator(request.user):
            actions.pop("delete_selected", None)
        return actions

    def _is_own(self, request: HttpRequest, obj: Model | None) -> bool:
        is_own = isinstance(obj, Membership) and obj.user_id == request.user.pk
        return is_own and not is_administrator(request.user)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: Any) -> None:
        is_new_account = obj.user.pk is None
        if is_new_account:
            if not is_manager(request, obj):
                raise PermissionDenied
            obj.user.save()
        super().save_model(request, obj, form, change)
        allow_admin_access(obj.user)
        if is_new_account:
            said = _now("%(name)s can log in now, with exactly this name.") % {"name": obj.user.get_username()}
            messages.info(request, said)
