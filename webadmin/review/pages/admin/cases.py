"""The admin list of cases, with works, pages, figures and verdicts."""

from collections.abc import Callable

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils import timezone
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from unfold.admin import ActionForm
from unfold.decorators import display

from core.hidden_characters import clip_text, spell_hidden
from core.shares import cut_share, format_percentage
from core.states import Verdict
from webadmin.accounts.pages.filters import AnyChoiceFilter, DayRangeFilter, HolderAutocompleteFilter, ObfuscationFilter
from webadmin.accounts.pages.isolation import is_member
from webadmin.accounts.pages.searching import rows_with_keys
from webadmin.accounts.services.access import manageable
from webadmin.cases.models import Case
from webadmin.cases.pages.bulk_verdicts import respond_to_verdict
from webadmin.cases.pages.state_columns import CASE_STATE_COLORS, case_state_name
from webadmin.evidence.pages.factors_view import case_factors_view
from webadmin.evidence.pages.proofs_view import case_proofs_view
from webadmin.review.pages.case_page.case_view import case_view
from webadmin.review.pages.case_page.passage_requests import passages_view
from webadmin.ui.models.phrases import VERDICTS
from webadmin.ui.pages.columns import moment_column, obfuscation_line, two_lines
from webadmin.ui.pages.exports import ExportColumn, csv_response, xlsx_response
from webadmin.ui.pages.paging import CappedPaginator
from webadmin.ui.pages.requests.request_values import is_key
from webadmin.works.pages.author_search import AuthorSearchAdmin


def _other_addresses(case: Case) -> str:
    return " ".join(spell_hidden(each.page.url) for each in case.addresses.all() if each.page_id != case.page_id)


CASE_COLUMNS = (
    ExportColumn(_("case"), lambda case: case.pk),
    ExportColumn(_("rights holder"), lambda case: case.rights_holder),
    ExportColumn(_("work"), lambda case: case.work),
    ExportColumn(_("site"), lambda case: case.page.site),
    ExportColumn(_("page title"), lambda case: spell_hidden(case.page_title)),
    ExportColumn(_("posted by"), lambda case: spell_hidden(case.page_poster)),
    ExportColumn(_("author stated by the page"), lambda case: spell_hidden(case.page_author)),
    ExportColumn(_("publication date stated by the page"), lambda case: case.page_published_at),
    ExportColumn(_("page URL"), lambda case: spell_hidden(case.page_url)),
    ExportColumn(_("other URLs with the same text"), _other_addresses),
    ExportColumn(_("class"), lambda case: case.get_match_class_display()),
    ExportColumn(_("similarity"), lambda case: cut_share(case.similarity)),
    ExportColumn(_("share of the page"), lambda case: cut_share(case.page_containment)),
    ExportColumn(_("share of the work"), lambda case: cut_share(case.work_share)),
    ExportColumn(_("characters taken from the work"), lambda case: case.taken_chars),
    ExportColumn(_("characters on the page"), lambda case: case.matched_chars),
    ExportColumn(_("alterations"), lambda case: obfuscation_line(case.obfuscations) if case.obfuscations else ""),
    ExportColumn(_("state"), lambda case: case.get_state_display()),
    ExportColumn(_("verdict"), lambda case: case.decision and case.decision.get_verdict_display()),
    ExportColumn(_("note"), lambda case: case.decision and case.decision.note),
    ExportColumn(_("reviewer"), lambda case: case.decision and case.decision.decided_by),
    ExportColumn(_("decided"), lambda case: case.decision and case.decision.decided_at),
    ExportColumn(_("allowed as"), lambda case: case.get_allowed_as_display()),
    ExportColumn(_("allowed by"), lambda case: case.allowed_by),
    ExportColumn(_("opened"), lambda case: case.opened_at),
    ExportColumn(_("first seen"), lambda case: case.first_seen_at),
    ExportColumn(_("last seen"), lambda case: case.last_seen_at),
)


class CaseActionForm(ActionForm):
    note = forms.CharField(
        label="",
        required=False,
        max_length=1000,
        widget=forms.TextInput(
            {
                "placeholder": _("Note for the verdict"),
                "aria-label": _("Note for the verdict"),
                "x-show": "action.startsWith('decide_')",
                "class": "bg-white/20 font-medium px-2 py-1 rounded-default text-white placeholder:text-white/70",
            }
        ),
    )


def _verdict_action(verdict: Verdict) -> Callable[["CaseAdmin", HttpRequest, QuerySet], HttpResponse | None]:
    """Return the admin action that gives this verdict to all selected cases."""

    @admin.action(description=format_lazy(_("Verdict: {verdict}"), verdict=VERDICTS[verdict]), permissions=["review"])
    def give(self: "CaseAdmin", request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        return respond_to_verdict(request, queryset, verdict)

    give.__name__ = f"decide_{verdict}"
    return give


@admin.register(Case)
class CaseAdmin(AuthorSearchAdmin):
    is_read_only = True
    record_view = staticmethod(case_view)
    record_pages = [
        ("passages", "passages", passages_view),
        ("proofs", "proofs", case_proofs_view),
        ("factors", "factors", case_factors_view),
    ]
    paginator = CappedPaginator
    action_form = CaseActionForm
    list_display = [
        "case",
        "work_and_site",
        "class_and_share",
        "chars_taken",
        "obfuscation_names",
        "state_label",
        "opened",
    ]
    list_filter = [
        "rights_holder",
        ("state", AnyChoiceFilter),
        "decided_as",
        "allowed_as",
        "match_class",
        ObfuscationFilter,
        "site",
        ("work", HolderAutocompleteFilter),
        ("opened_at", DayRangeFilter),
        ("last_seen_at", DayRangeFilter),
    ]
    author_path = "work__author"
    list_select_related = ["work", "site", "decision"]
    sortable_by = ["class_and_share", "chars_taken", "opened"]  # the orders that an index supports
    search_fields = [
        "page_title",
        "page_url",
        "page_author",
        "page_poster",
        "work__title",
        "work__author",
        "site__name",
    ]
    search_help_text = _("Case number, URL, page title, work, author or site")
    actions = [*map(_verdict_action, Verdict), "reopen", "export_csv", "export_xlsx"]

    @display(description=_("page"), header=True)
    def case(self, case: Case) -> list[str]:
        return two_lines(case.page_title or case.page_url, case.page_url, 42)

    @display(description=_("work and site"), header=True)
    def work_and_site(self, case: Case) -> list[str]:
        return two_lines(case.work, case.site, 24)

    @display(description=_("characters taken"), ordering="taken_chars")
    def chars_taken(self, case: Case) -> str:
        return f"{case.taken_chars:,}"

    opened = moment_column("opened_at", _("opened"), is_ordered=True, header=True)

    @display(description=_("class and similarity"), header=True, ordering="similarity")
    def class_and_share(self, case: Case) -> list[str]:
        return [case.get_match_class_display(), format_percentage(case.similarity)]

    @display(description=_("alterations"))
    def obfuscation_names(self, case: Case) -> str:
        return clip_text(obfuscation_line(case.obfuscations), 40)

    @display(
        description=_("state"),
        label=CASE_STATE_COLORS,
    )
    def state_label(self, case: Case) -> tuple[str, str]:
        return case.state, case_state_name(case)

    def has_review_permission(self, request: HttpRequest) -> bool:
        """Return True if the user may use the reviewers' actions."""
        return is_member(request)

    def get_search_results(self, request: HttpRequest, queryset: QuerySet, search_term: str) -> tuple[QuerySet, bool]:
        """Search for the words and for a case with this number."""
        found, may_repeat = super().get_search_results(request, queryset, search_term)
        number = search_term.strip().lstrip("#")
        if is_key(number):
            numbered = set(queryset.order_by().filter(pk=int(number)).values_list("pk", flat=True))
            if numbered:
                found = rows_with_keys(queryset, {*numbered, *found.order_by().values_list("pk", flat=True)})
                request.zhuiwen_searched_entry_count = 0  # type: ignore[attr-defined]
        return found, may_repeat

    @admin.action(description=_("Undo the verdict"), permissions=["review"])
    def reopen(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse | None:
        return respond_to_verdict(request, queryset, None)

    @admin.action(description=_("Export as CSV"), permissions=["manage"])
    def export_csv(self, request: HttpRequest, queryset: QuerySet) -> HttpResponseBase:
        return csv_response(_export_name(), CASE_COLUMNS, _exportable_cases(queryset, request))

    @admin.action(description=_("Export as XLSX"), permissions=["manage"])
    def export_xlsx(self, request: HttpRequest, queryset: QuerySet) -> HttpResponseBase:
        return xlsx_response(_export_name(), CASE_COLUMNS, _exportable_cases(queryset, request))


def _exportable_cases(queryset: QuerySet, request: HttpRequest) -> QuerySet:
    """Return the cases that the user may export: those of rights holders that the user manages.

    Reviewers may not export cases.
    """
    cases = manageable(queryset, request.user).prefetch_related("addresses__page")
    return cases.select_related("rights_holder", "work", "page__site", "decision__decided_by")


def _export_name() -> str:
    return f"zhuiwen-cases-{timezone.localdate():%Y%m%d}"
