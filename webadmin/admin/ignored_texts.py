"""Texts that never count: what is noise of which site, and what counts on no site; who said so, and taking it back."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.admin import EmptyFieldListFilter
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from core.errors import ZhuiwenError
from core.hidden_characters import clipped, spelled
from records.cases import ignoring
from records.models import IgnoredText
from webadmin.admin.columns import address_column, moment_column, text_column
from webadmin.admin.isolation import HolderAdmin, is_manager, is_member, signed_in_user
from webadmin.paging import CappedPaginator
from webadmin.views.ignored_text import ignored_text_view
from webadmin.wording import said


@admin.register(IgnoredText)
class IgnoredTextAdmin(HolderAdmin):
    """Written once and taken back once; nothing is changed or deleted, so that each figure can be explained later."""

    paginator = CappedPaginator
    list_display = ["beginning", "where", "reason", "entered", "entered_by", "standing", "example"]
    list_filter = ["rights_holder", "site", "reason", ("withdrawn_at", EmptyFieldListFilter)]
    list_select_related = ["site", "rights_holder", "entered_by", "withdrawn_by"]
    search_fields = ["text", "note"]
    actions = ["take_back"]
    fields = ["full_text", "where", "reason", "note", "example", "entered", "entered_by", "standing"]

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_review_permission(self, request: HttpRequest) -> bool:
        """Whether actions that are a reviewer's are offered."""
        return is_member(request)

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """A text for all sites, with what it would change shown before it is saved."""
        if not is_manager(request):
            raise PermissionDenied
        return ignored_text_view(request)

    @admin.action(description=_("Take back"), permissions=["review"])
    def take_back(self, request: HttpRequest, queryset: QuerySet) -> None:
        done = 0
        for ignored in queryset:
            try:
                ignoring.take_back(ignored, signed_in_user(request))
            except ZhuiwenError as error:
                messages.error(request, f"{clipped(ignored.text, 30)}: {said(error)}")
            else:
                done += 1
        if done:
            words = _now("Taken back: %(count)d. What they left out counts again from the next comparison on.")
            messages.success(request, words % {"count": done})

    beginning = text_column("text", _("text"), 40, is_ordered=True)

    @display(description=_("text"))
    def full_text(self, ignored: IgnoredText) -> str:
        return spelled(ignored.text)

    @display(description=_("where"), ordering="site__name")
    def where(self, ignored: IgnoredText) -> str:
        return clipped(str(ignored.site), 24) if ignored.site else _now("all sites")

    entered = moment_column("entered_at", _("entered"), is_ordered=True)

    @display(description=_("state"), label={"standing": "success", "over": "default"})
    def standing(self, ignored: IgnoredText) -> tuple[str, str]:
        if ignored.withdrawn_at is None:
            return "standing", _now("does not count")
        return "over", _now("taken back by %(who)s") % {"who": ignored.withdrawn_by}

    example = address_column("page_url", _("seen on"))
