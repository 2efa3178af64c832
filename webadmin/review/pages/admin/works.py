"""The admin of works, with their cases, their copied characters, and links to whole books on sites."""

from typing import Any

from django.contrib import admin
from django.db.models import F, IntegerField, OuterRef, Subquery, Sum
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from core.shares import format_percentage
from core.taken import share_of_work
from webadmin.cases.models import Case, Matter
from webadmin.cases.services.matters.figures import sum_taken_chars
from webadmin.review.pages.whole_book_view import books_of_work, whole_book_view
from webadmin.sites.models import Site
from webadmin.ui.pages.columns import list_link
from webadmin.ui.pages.requests.request_values import require_record
from webadmin.works.models import Work
from webadmin.works.pages.admin.works import WorkAdmin


def _book_page(request: HttpRequest, work: Work, site: str) -> HttpResponseBase:
    return whole_book_view(request, work, require_record(Site.objects.all(), site))


@admin.register(Work)
class ReviewedWorkAdmin(WorkAdmin):
    """The admin of works, with cases and copied characters."""

    record_pages = [*WorkAdmin.record_pages, ("on/<str:site>", "book", _book_page)]
    list_display = [*WorkAdmin.list_display[:-1], "case_count", "chars_taken", "share_taken", "protection"]
    fields = [*WorkAdmin.fields, "whole_books"]
    readonly_fields = [*WorkAdmin.readonly_fields, "whole_books"]

    def get_queryset(self, request: HttpRequest) -> Any:
        matters = Matter.objects.filter(work=OuterRef("pk")).order_by().values("work")
        in_matter = F("open_cases") + F("confirmed_cases") + F("closed_cases")
        total = Subquery(matters.annotate(n=Sum(in_matter)).values("n"), output_field=IntegerField())
        return super().get_queryset(request).annotate(cases_total=total)

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Return the list, and compute the copied characters only for the works on this list page."""
        changelist = super().get_changelist_instance(request)
        works = list(changelist.result_list)
        taken = sum_taken_chars(Work.objects.filter(pk__in=[work.pk for work in works]))
        for work in works:
            work.taken_chars = taken.get(work.pk, 0)
        changelist.result_list = works
        return changelist

    @display(description=_("whole book on the sites"))
    def whole_books(self, work: Work) -> object:
        return books_of_work(work)

    @display(description=_("cases"), ordering=F("cases_total").asc(nulls_first=True))
    def case_count(self, work: Any) -> object:
        return list_link(Case, work.cases_total, work__id__exact=work.pk) if work.cases_total else 0

    @display(description=_("characters taken (each once)"))
    def chars_taken(self, work: Any) -> str:
        return f"{work.taken_chars:,}"

    @display(description=_("share of the work"))
    def share_taken(self, work: Any) -> str:
        return format_percentage(share_of_work(work.taken_chars, work.counted_chars) or 0.0)
