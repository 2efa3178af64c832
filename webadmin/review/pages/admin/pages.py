"""The admin of crawled pages, and of excluded findings with their reasons."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from core.hidden_characters import clip_text, spell_hidden
from core.shares import format_percentage
from core.states import MIN_CONFIDENCE_TO_TRUST, Rejection
from crawler.formats.numerals import chapter_number
from webadmin.accounts.pages.filters import (
    DayRangeFilter,
    HolderAutocompleteFilter,
    ObfuscationFilter,
    PresenceFilter,
    TrustFilter,
)
from webadmin.accounts.pages.isolation import HolderAdmin, HolderInline
from webadmin.cases.models import Exclusion, PageCheck
from webadmin.cases.services.addresses import cases_with_pages
from webadmin.review.pages.case_page.exclusion_view import exclusion_view
from webadmin.review.pages.page_history.page_view import timeline_view
from webadmin.sites.models import PageRecord
from webadmin.sites.pages.recheck import recheck_summary, recheck_view
from webadmin.ui.pages.columns import (
    NOTHING,
    address_column,
    change_link,
    draw_once,
    html_list,
    label_text,
    moment_column,
    obfuscation_line,
    obfuscation_table,
    site_name,
    two_lines,
)
from webadmin.ui.pages.paging import CappedPaginator


class PageCheckInline(HolderInline):
    model = PageCheck
    is_read_only = True
    hide_title = True
    can_delete = False
    fields = readonly_fields = [
        "version_id",
        "checked_at",
        "match_count",
        "rejection",
        "algorithm_id",
        "corpus_revision",
    ]
    ordering = ["-checked_at"]
    per_page = 20


@admin.register(PageRecord)
class PageRecordAdmin(HolderAdmin):
    is_read_only = True
    record_pages = [("timeline", "timeline", timeline_view), ("recheck", "recheck", recheck_view)]
    paginator = CappedPaginator
    list_display = [
        "page",
        site_name,
        "char_count",
        "encoding_state",
        "trust_state",
        "obfuscation_names",
        "outcome",
        "first",
        "last",
    ]
    list_filter = [
        "site",
        "rejection",
        ObfuscationFilter,
        "is_encoding_doubtful",
        TrustFilter,
        ("first_seen", DayRangeFilter),
        ("last_seen", DayRangeFilter),
        ("gone_since", PresenceFilter),
    ]
    list_select_related = ["site"]
    sortable_by = ["first", "last"]  # the orders that an index supports
    search_fields = ["title", "url"]
    search_help_text = _("Title or URL")
    inlines = [PageCheckInline]
    fieldsets = [
        (None, {"fields": ["full_title", "chapter", "address", ("site", "outcome"), "case_links"]}),
        (
            _("Readings"),
            {"fields": [("char_count", "encoding_text"), ("extractor", "trust"), "obfuscation_examples"]},
        ),
        (
            _("When"),
            {
                "fields": [
                    ("first_seen", "last_seen"),
                    "gone_since",
                    "checked_at",
                    "check_now",
                    "timeline",
                ]
            },
        ),
    ]

    change_form_outer_after_template = "sites/page_recheck_form.html"

    class Media:
        js = ("sites/recheck.js",)

    @draw_once
    @display(description=_("check it now"))
    def check_now(self, page: PageRecord) -> object:
        return render_to_string("sites/page_recheck.html", {"recheck": recheck_summary(page)})

    @display(description=_("history"))
    def timeline(self, page: PageRecord) -> object:
        address = reverse("admin:watched_sites_pagerecord_timeline", args=[page.pk])
        label = _now("First seen, each change, gone, online again")
        return format_html('<a class="text-link" href="{}">{}</a>', address, label)

    @display(description=_("page"), header=True)
    def page(self, page: PageRecord) -> list[str]:
        return two_lines(page.title or NOTHING, page.url)

    @display(description=_("title"))
    def full_title(self, page: PageRecord) -> str:
        return spell_hidden(page.title) or NOTHING

    @display(description=_("chapter number"))
    def chapter(self, page: PageRecord) -> str:
        number = chapter_number(page.title)
        return NOTHING if number is None else str(number)

    address = address_column("url", _("URL"))

    first = moment_column("first_seen", _("first seen"), is_ordered=True, header=True)

    last = moment_column("last_seen", _("last seen"), is_ordered=True, header=True)

    @display(description=_("characters"))
    def char_count(self, page: PageRecord) -> str:
        return f"{page.chars:,}"

    @display(description=_("encoding"), label={"doubtful": "warning", "sure": "default"})
    def encoding_state(self, page: PageRecord) -> tuple[str, str]:
        if page.is_encoding_doubtful:
            return "doubtful", _now("%(name)s, doubtful") % {"name": page.encoding or NOTHING}
        return "sure", page.encoding or NOTHING

    encoding_text = label_text(encoding_state)

    @display(description=_("alterations"))
    def obfuscation_names(self, page: PageRecord) -> str:
        return clip_text(obfuscation_line(page.obfuscations), 40)

    @display(description=_("alterations"))
    def obfuscation_examples(self, page: PageRecord) -> object:
        return obfuscation_table(page.obfuscations)

    @display(description=_("reason left out"))
    def outcome(self, page: PageRecord) -> str:
        return page.get_rejection_display() or NOTHING

    @display(description=_("extraction"), label={"doubtful": "warning", "sure": "default"})
    def trust_state(self, page: PageRecord) -> tuple[str, str]:
        shown = format_percentage(page.confidence)
        if page.confidence < MIN_CONFIDENCE_TO_TRUST:
            return "doubtful", _now("%(share)s, doubtful") % {"share": shown}
        return "sure", shown

    trust = label_text(trust_state)

    @display(description=_("cases"))
    def case_links(self, page: PageRecord) -> object:
        cases = cases_with_pages([page.pk]).select_related("work").order_by("pk")
        return html_list("{}", ((change_link(case),) for case in cases))


@admin.register(Exclusion)
class ExclusionAdmin(HolderAdmin):
    is_read_only = True
    record_view = staticmethod(exclusion_view)
    paginator = CappedPaginator
    list_display = ["finding", "site_name", "reason", "because", "match_class", "share", "chars", "found_on"]
    list_filter = [
        "reason",
        "match_class",
        "site",
        ("work", HolderAutocompleteFilter),
        ("found_at", DayRangeFilter),
    ]
    list_select_related = ["site", "work"]
    sortable_by = ["found_on"]
    search_fields = ["page_title", "page_url", "work__title", "detail"]

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Exclusion]":
        """Defer the passages of the exclusions, which may be long. The detail view reads them itself."""
        return super().get_queryset(request).defer("found")

    @display(description=_("page"), header=True)
    def finding(self, exclusion: Exclusion) -> list[str]:
        return two_lines(exclusion.page_title or exclusion.page_url, exclusion.work)

    @display(description=_("detail"))
    def because(self, exclusion: Exclusion) -> str:
        """Return the right that allows the page, or for a quotation the source that the page states."""
        detail = spell_hidden(exclusion.detail)
        if exclusion.reason == Rejection.QUOTATION and detail:
            return _now("source named: %(source)s") % {"source": detail}
        return detail

    found_on = moment_column("found_at", _("found"), is_ordered=True)

    @display(description=_("site"))
    def site_name(self, exclusion: Exclusion) -> str:
        return str(exclusion.site)

    @display(description=_("matched characters"))
    def chars(self, exclusion: Exclusion) -> str:
        return f"{exclusion.matched_chars:,}"

    @display(description=_("similarity"), ordering="similarity")
    def share(self, exclusion: Exclusion) -> str:
        return format_percentage(exclusion.similarity)
