"""Model admins that only give access to the records of the user's rights holders.

Each model is registered with a subclass of HolderAdmin, or of AdministratorsOnly if it belongs to no rights holder
(users, schedules, login attempts). Django's model permissions are not used.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, router
from django.db.models import Field, ForeignKey, Model, QuerySet
from django.db.transaction import atomic
from django.forms import ModelChoiceField, all_valid
from django.http import HttpRequest, HttpResponseBase
from django.urls import path
from django.utils.decorators import method_decorator
from django.utils.text import capfirst
from django.views.decorators.csrf import csrf_protect
from unfold.admin import ModelAdmin, StackedInline, TabularInline
from unfold.dataclasses import UnfoldAction

from webadmin.accounts.models import Membership, User
from webadmin.accounts.pages.lists import AdminLists
from webadmin.accounts.services.access import Person, is_administrator, manageable, record_holder_id, roles, visible


def request_roles(request: HttpRequest) -> dict[int, str]:
    """Return the user's role by rights holder's key. The roles are read once for each request."""
    known = getattr(request, "zhuiwen_roles", None)
    if known is None:
        known = roles(request.user)
        request.zhuiwen_roles = known  # type: ignore[attr-defined]
    return dict(known)


def signed_in_user(request: HttpRequest) -> User:
    """Return the request's user. Raises PermissionDenied if nobody is signed in."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


def is_member(request: HttpRequest, record: Model | None = None) -> bool:
    """Return True if the user may see `record`, or at least one rights holder's records if `record` is None."""
    return _has_role(request, record, {Membership.Role.REVIEWER, Membership.Role.MANAGER})


def is_manager(request: HttpRequest, record: Model | None = None) -> bool:
    """Return True if the user may change `record`, or at least one rights holder's records if `record` is None."""
    return _has_role(request, record, {Membership.Role.MANAGER})


def _has_role(request: HttpRequest, record: Model | None, wanted: set[Membership.Role]) -> bool:
    if is_administrator(request.user):
        return True
    held = request_roles(request)
    if record is None:
        return any(role in wanted for role in held.values())
    holder = record_holder_id(record)
    return holder is not None and held.get(holder) in wanted


class IsolatedRecords:
    """A mixin for records that the members of their rights holder see and its managers change.

    Fields for foreign keys offer only records that the user manages, and only users who share a rights holder.
    """

    is_read_only: ClassVar[bool] = False  # True if only the pipeline writes these records.

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return visible(super().get_queryset(request), request.user)  # type: ignore[misc]

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return is_member(request, obj)

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return not self.is_read_only and is_manager(request, obj)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return not self.is_read_only and is_manager(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return not self.is_read_only and is_manager(request, obj)

    def formfield_for_foreignkey(self, db_field: ForeignKey, request: HttpRequest, **kwargs: Any) -> Any:
        offered = kwargs.get("queryset")
        if offered is None:
            offered = db_field.remote_field.model._default_manager.all()
        kwargs["queryset"] = self.limit_choices(offered, request.user)
        formfield = super().formfield_for_foreignkey(db_field, request, **kwargs)  # type: ignore[misc]
        if isinstance(formfield, ModelChoiceField):
            only = list(kwargs["queryset"][:2])
            if len(only) == 1 and formfield.required:
                formfield.initial = only[0].pk
        return formfield

    def limit_choices(self, queryset: QuerySet, user: Person) -> QuerySet:
        return visible(queryset, user) if issubclass(queryset.model, User) else manageable(queryset, user)


class HolderInline(IsolatedRecords, TabularInline):
    """An inline with a table row for each record."""

    extra = 0

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Return the form field with a label for screen readers, because the heading of a column is not a label."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field is not None:
            field.widget.attrs.setdefault("aria-label", capfirst(str(field.label)))
        return field


class HolderStackedInline(IsolatedRecords, StackedInline):
    """An inline with a small form for each record, for models whose fields do not fit into a row."""

    extra = 0


_ModelAdmin: Any = admin.ModelAdmin  # untyped, like Unfold's


class _CheckedBeforeSaved(_ModelAdmin):
    """A model admin whose form view begins its transaction only after all forms are valid.

    On SQLite, no other process can write during a transaction.
    """

    @method_decorator(csrf_protect)
    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, form_url: str = "", extra_context: Any = None
    ) -> Any:
        try:
            return self._checked_and_saved(request, object_id, form_url, extra_context)
        except IntegrityError:  # The same value was saved meanwhile; the second validation reports it.
            return self._checked_and_saved(request, object_id, form_url, extra_context)

    def _checked_and_saved(self, request: HttpRequest, *asked: Any) -> Any:
        with ExitStack() as saving:
            vars(request)["zhuiwen_saving"] = saving
            return self._changeform_view(request, *asked)


class HolderAdmin(IsolatedRecords, AdminLists, ModelAdmin, _CheckedBeforeSaved):
    """A base class for lists and forms that are limited to the user's rights holders."""

    # Additional pages of a record: the path suffix, the name of the URL, and the view, called with request and record.
    record_pages: ClassVar[Sequence[tuple[str, str, Callable[..., HttpResponseBase]]]] = ()
    record_view: ClassVar[Any] = None  # called with request and record in place of Django's form
    list_per_page = 50
    list_filter_submit = True
    list_fullwidth = True
    show_full_result_count = False  # Django would count the whole table on every page.
    show_facets = False
    compressed_fields = True
    warn_unsaved_form = True
    list_after_template = "ui/list_zone.html"

    def get_urls(self) -> list[Any]:
        own = [
            path(
                f"<path:object_id>/{end}/",
                self.admin_site.admin_view(self._page_of_record(view)),
                name=f"{self.model._meta.app_label}_{self.model._meta.model_name}_{name}",
            )
            for end, name, view in self.record_pages
        ]
        return [*own, *super().get_urls()]

    def _page_of_record(self, view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
        return lambda request, object_id, **rest: view(request, self.get_record_or_404(request, object_id), **rest)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponseBase:
        if self.record_view is not None:
            return self.record_view(request, self.get_record_or_404(request, object_id))
        shown: HttpResponseBase = super().change_view(request, object_id, form_url, extra_context)
        return shown

    def _create_formsets(self, request: HttpRequest, obj: Model | None, change: bool) -> Any:
        formsets, inlines = super()._create_formsets(request, obj, change)
        vars(request)["zhuiwen_formsets"] = formsets
        return formsets, inlines

    def save_form(self, request: HttpRequest, form: Any, change: bool) -> Any:
        """Begin the transaction in which the form is saved, unless its inline forms have errors."""
        if all_valid(vars(request)["zhuiwen_formsets"]):
            vars(request)["zhuiwen_saving"].enter_context(atomic(using=router.db_for_write(self.model)))
        return super().save_form(request, form, change)

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> list[str]:
        """Return the read-only fields, including the rights holder of a saved record, which never changes."""
        fields = list(super().get_readonly_fields(request, obj))
        if obj is not None and "rights_holder" not in fields and _has_field(self.model, "rights_holder"):
            fields.append("rights_holder")
        return fields

    def has_module_permission(self, request: HttpRequest) -> bool:
        return is_member(request)

    def has_manage_permission(self, request: HttpRequest, obj: Model | str | None = None) -> bool:
        """Return True if the user may run a manager's actions. obj: the record, or its key, which Unfold passes."""
        if obj is None or isinstance(obj, Model):
            return is_manager(request, obj)
        record = self.get_object(request, unquote(obj))
        return record is not None and is_manager(request, record)

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> list[UnfoldAction]:
        """Return the actions above a record, as far as `is_offered` allows them; [] if the record does not exist."""
        if self.get_object(request, unquote(str(object_id))) is None:
            return []
        allowed = super().get_actions_detail(request, object_id)
        return [each for each in allowed if self.is_offered(each.path, object_id)]

    def is_offered(self, path: str, key: Any) -> bool:
        """Return True if the record's page offers the action with this URL path. key: the record's primary key.

        The action itself must still check its conditions, because it can be requested without the button.
        """
        return True

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> tuple[Any, Any, Any, Any]:
        """Return Django's result, with the delete permission required only for the records in `objs`.

        Related records belong to the same rights holder.
        """
        listed, counts, _needed, protected = super().get_deleted_objects(objs, request)
        refused = {obj._meta.verbose_name for obj in objs if not self.has_delete_permission(request, obj)}
        return listed, counts, refused, protected

    def save_model(self, request: HttpRequest, obj: Model, form: Any, change: Any) -> None:
        """Save the record, with the signed-in user in `entered_by` if the model has this field.

        Raises PermissionDenied if the user does not manage the rights holder, which only a forged form can contain.
        """
        if not is_manager(request, obj):
            raise PermissionDenied
        if _has_field(self.model, "entered_by"):
            vars(obj)["entered_by_id"] = signed_in_user(request).pk
        super().save_model(request, obj, form, change)


class AdministratorsOnly:
    """A mixin for model admins that only administrators can use."""

    list_after_template = "ui/list_zone.html"

    def has_module_permission(self, request: HttpRequest) -> bool:
        return is_administrator(request.user)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return is_administrator(request.user)

    has_add_permission = has_change_permission = has_delete_permission = has_view_permission


class MachineAdmin(AdministratorsOnly, AdminLists, ModelAdmin):
    """The admin of records that the program writes; administrators see them, but cannot change or delete them."""

    show_full_result_count = False
    list_per_page = 50

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    has_change_permission = has_delete_permission = has_add_permission


def _has_field(model: type[Model], name: str) -> bool:
    return any(isinstance(field, Field) and field.name == name for field in model._meta.get_fields())
