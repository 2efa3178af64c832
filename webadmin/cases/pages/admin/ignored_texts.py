"""The admin of ignored texts, which are noise on a site or texts that count on no site."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.admin import EmptyFieldListFilter
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from core.errors import ZhuiwenError
from core.hidden_characters import clip_text, spell_hidden
from webadmin.accounts.models import RightsHolder, User
from webadmin.accounts.pages.isolation import HolderAdmin, is_manager, is_member, signed_in_user
from webadmin.accounts.services.access import manageable
from webadmin.cases.models import IgnoredText
from webadmin.cases.services import ignoring
from webadmin.ui.pages.actions import carry_out_each
from webadmin.ui.pages.columns import address_column, moment_column, text_column
from webadmin.ui.pages.page_responses import admin_page
from webadmin.ui.pages.paging import CappedPaginator
from webadmin.ui.pages.requests.request_values import is_key
from webadmin.ui.pages.wording import message_text

REASONS = [choice for choice in IgnoredText.Reason.choices if choice[0] != IgnoredText.Reason.NOISE]


def ignored_text_view(request: HttpRequest) -> HttpResponse:
    """Return the form for a text to ignore on all sites, with a preview of its effect (POST), or save it (do=save).

    Errors are shown in the form, with status 400. Raises PermissionDenied if the user does not manage the rights
    holder.
    """
    if not isinstance(request.user, User):
        raise PermissionDenied
    holders = list(manageable(RightsHolder.objects.order_by("name"), request.user))
    given = {name: request.POST.get(name, "") for name in ("text", "reason", "note", "holder")}
    context: dict[str, Any] = {"given": given, "holders": holders, "fault": "", "foreseen": None}
    if request.method == "POST":
        try:
            holder = _requested_holder(holders, given["holder"])
            if request.POST.get("do") == "save":
                _save_ignored_text(request, holder, given, request.user)
                return HttpResponseRedirect(reverse("admin:cases_ignoredtext_changelist"))
            given["text"] = ignoring.check_text(holder, given["text"])
            context["foreseen"] = ignoring.preview_effect(holder, given["text"])
        except ZhuiwenError as error:
            context["fault"] = message_text(error)
    shown = {
        "opts": IgnoredText._meta,
        "title": _now("A text that is ignored on every site"),
        "reasons": REASONS,
        "most": ignoring.MAX_TEXT_CHARS,
        **context,
    }
    return admin_page(request, "cases/ignored_text.html", shown, status=400 if context["fault"] else 200)


def _save_ignored_text(request: HttpRequest, holder: RightsHolder, given: dict[str, str], user: User) -> None:
    _made, foreseen = ignoring.ignore_everywhere(
        holder, given["text"], user, reason=given["reason"], note=given["note"]
    )
    words = _now("Saved. %(count)d open cases recalculated; the others follow when their pages are compared again.")
    messages.success(request, words % {"count": min(len(foreseen.losses), ignoring.MAX_RECOUNTED)})


def _requested_holder(holders: list[RightsHolder], asked: str) -> RightsHolder:
    """Return the one of `holders` with the key `asked`. Raises PermissionDenied if there is none."""
    chosen = [each for each in holders if is_key(asked) and each.pk == int(asked)]
    if not chosen:
        raise PermissionDenied
    return chosen[0]


@admin.register(IgnoredText)
class IgnoredTextAdmin(HolderAdmin):
    """The admin of ignored texts. They are entered and withdrawn, but never changed or deleted, to explain figures."""

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
        """Return True if the user may run the actions of reviewers."""
        return is_member(request)

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Return the form for a text to ignore on all sites. Raises PermissionDenied if the user is not a manager."""
        if not is_manager(request):
            raise PermissionDenied
        return ignored_text_view(request)

    @admin.action(description=_("Withdraw"), permissions=["review"])
    def take_back(self, request: HttpRequest, queryset: QuerySet) -> None:
        user = signed_in_user(request)
        done = carry_out_each(
            request,
            queryset,
            lambda each: ignoring.withdraw_ignored_text(each, user),
            lambda each: clip_text(each.text, 30),
        )
        if done:
            words = _now("Undone: %(count)d. The excluded text counts again from the next comparison on.")
            messages.success(request, words % {"count": done})

    beginning = text_column("text", _("text"), 40, is_ordered=True)

    @display(description=_("text"))
    def full_text(self, ignored: IgnoredText) -> str:
        return spell_hidden(ignored.text)

    @display(description=_("where"), ordering="site__name")
    def where(self, ignored: IgnoredText) -> str:
        return clip_text(str(ignored.site), 24) if ignored.site else _now("all sites")

    entered = moment_column("entered_at", _("entered"), is_ordered=True)

    @display(description=_("state"), label={"standing": "success", "over": "default"})
    def standing(self, ignored: IgnoredText) -> tuple[str, str]:
        if ignored.withdrawn_at is None:
            return "standing", _now("excluded")
        return "over", _now("withdrawn by %(who)s") % {"who": ignored.withdrawn_by}

    example = address_column("page_url", _("seen on"))
