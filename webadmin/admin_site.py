"""The admin site of the product, based on Unfold's, with strict validation of request parameters."""

from typing import Any

from django.contrib.admin.utils import get_fields_from_path
from django.contrib.admin.views.autocomplete import AutocompleteJsonView
from django.core.paginator import InvalidPage
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import URLPattern, path
from django.utils.translation import gettext as _
from unfold.contrib.filters.admin import AutocompleteSelectFilter
from unfold.sites import UnfoldAdminSite

from webadmin.ui.pages.requests.bidi import mark_bidi
from webadmin.ui.pages.requests.request_values import BadValue, check_search, is_page_number


class DeclaredAutocomplete(AutocompleteJsonView):
    """An autocomplete view that serves only fields that a list or form declares; others raise BadValue."""

    def process_request(self, request: HttpRequest) -> Any:
        asked = tuple(request.GET.get(name, "") for name in ("app_label", "model_name", "field_name"))
        if asked not in _autocomplete_fields(self.admin_site, request):
            raise BadValue("field_name", ".".join(asked), _("no list or form can filter by it."))
        return super().process_request(request)

    def serialize_result(self, obj: Any, to_field_name: str) -> dict[str, str]:
        """Return the choice for `obj`, with bidirectional control characters marked.

        The middleware that marks them in pages does not process JSON.
        """
        return {name: mark_bidi(text) for name, text in super().serialize_result(obj, to_field_name).items()}


class ZhuiwenAdminSite(UnfoldAdminSite):
    """The admin site with which all models are registered."""

    empty_value_display = "—"

    def get_urls(self) -> list[URLPattern]:
        """Return the admin's URL patterns with the dashboard and without "view on site", which no model uses."""
        own = [path("dashboard/", self.admin_view(self.dashboard), name="dashboard")]
        return own + [each for each in super().get_urls() if getattr(each, "name", None) != "view_on_site"]

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Return the context of every admin page, with an empty app list.

        No template uses the app list, and building it takes a third of the time.
        """
        request.needs_no_app_list = True  # type: ignore[attr-defined]
        try:
            return super().each_context(request)
        finally:
            del request.needs_no_app_list  # type: ignore[attr-defined]

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        return [] if hasattr(request, "needs_no_app_list") else super().get_app_list(request, app_label)

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Log a user in, or return a response that asks to wait after many wrong passwords from one address."""
        from webadmin.accounts.models import User  # imported here for the same reason as in `index`
        from webadmin.accounts.pages.slow_logins import pause_left_s, pause_response

        if request.method == "POST" and (pause_s := pause_left_s(request)):
            return pause_response(request, pause_s)
        try:
            has_no_user = not User.objects.exists()
        except DatabaseError:  # The database is down or has no tables: show the form anyway.
            has_no_user = False
        return super().login(request, {"has_no_user": has_no_user, **(extra_context or {})})

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Return the inbox, the start page of the admin."""
        # Imported here, because models are not loaded yet when this module is imported.
        from webadmin.review.pages.inbox.inbox_view import inbox_view

        return inbox_view(request)

    def dashboard(self, request: HttpRequest) -> HttpResponse:
        """Return the dashboard."""
        from webadmin.reports.pages.dashboard import dashboard_view  # imported here for the same reason as in `index`

        return dashboard_view(request)

    def search(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Return the search results. Raises BadValue if the search term or the page number is invalid."""
        page = request.GET.get("page", "1")
        check_search(request.GET.get("s", ""), "s")
        if not is_page_number(page):
            raise BadValue("page", page, _("enter the number of a page."))
        try:
            return super().search(request, extra_context)
        except InvalidPage as error:
            raise BadValue("page", page, _("this page of the list does not exist.")) from error

    def autocomplete_view(self, request: HttpRequest) -> HttpResponseBase:
        return DeclaredAutocomplete.as_view(admin_site=self)(request)


def _autocomplete_fields(site: Any, request: HttpRequest) -> set[tuple[str, str, str]]:
    """Return the app label, model name and field name of each field that a filter, form or inline autocompletes."""
    found = set()
    for model, model_admin in site._registry.items():
        fields = [
            get_fields_from_path(model, entry[0])[-1]
            for entry in model_admin.get_list_filter(request)
            if isinstance(entry, (list, tuple)) and issubclass(entry[1], AutocompleteSelectFilter)
        ]
        for form in (model_admin, *model_admin.get_inline_instances(request)):
            fields += [form.model._meta.get_field(name) for name in form.get_autocomplete_fields(request)]
        found |= {(field.model._meta.app_label, str(field.model._meta.model_name), field.name) for field in fields}
    return found
