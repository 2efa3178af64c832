"""The form of a licence with the cases and findings that it covers."""

from collections.abc import Callable, Sequence
from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from core.hidden_characters import clip_text
from webadmin.cases.pages.state_columns import case_state_name
from webadmin.cases.services.allowance import MAX_COUNTED, covered_cases, covered_findings
from webadmin.ui.pages.columns import change_link
from webadmin.works.models import Licence
from webadmin.works.pages.admin.licences import LicenceAdmin

MAX_SHOWN = 10


@admin.register(Licence)
class ReviewedLicenceAdmin(LicenceAdmin):
    """The admin of licences, with the cases and findings that each covers."""

    def get_fieldsets(self, request: HttpRequest, obj: Model | None = None) -> Any:
        fieldsets = [*super().get_fieldsets(request, obj)]
        covered = (_("In force now"), {"fields": ["cases_covered", "findings_covered"]})
        return fieldsets if obj is None else [*fieldsets, covered]

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> list[str]:
        return [*super().get_readonly_fields(request, obj), "cases_covered", "findings_covered"]

    @display(description=_("cases"))
    def cases_covered(self, licence: Licence) -> object:
        return _covered_list(
            covered_cases(licence), lambda case: (change_link(case, clip_text(str(case))), case_state_name(case))
        )

    @display(description=_("excluded findings"))
    def findings_covered(self, licence: Licence) -> object:
        return _covered_list(
            covered_findings(licence),
            lambda each: (change_link(each, clip_text(f"{each.work} ← {each.page}")), each.get_match_class_display()),
        )


def _covered_list(covered: Sequence[Any], cells: Callable[[Any], tuple[object, object]]) -> object:
    """Return the number of covered records, with links to the newest."""
    if not covered:
        return _now("none")
    rows = format_html_join("", "<li>{} · {}</li>", (cells(each) for each in covered[:MAX_SHOWN]))
    more = _now("and more") if len(covered) > MAX_SHOWN else ""
    count = f"{MAX_COUNTED}+" if len(covered) > MAX_COUNTED else len(covered)
    return format_html("<p>{}</p><ul>{}</ul><p>{}</p>", count, rows, more)
