"""The read-only admin of evidence. Not even superusers may change or delete its rows."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from django.contrib import admin
from django.db.models import Count, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.html import format_html_join
from django.utils.safestring import mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from core.plain_text import clean_line
from webadmin.accounts.pages.isolation import HolderAdmin, MachineAdmin
from webadmin.accounts.services.access import manageable
from webadmin.evidence.models import DayTree, EvidenceBundle, EvidenceCheck, RetentionLog, Stamp, StampAttempt
from webadmin.evidence.pages.drawing_texts import describe_drawings
from webadmin.evidence.services.digest_list import DigestRow, as_csv, as_json, digest_rows, held_bundles
from webadmin.evidence.services.kept_files import kept_file_label
from webadmin.ui.models.phrases import choice_label
from webadmin.ui.pages.columns import NOTHING, case_column, label_text, moment_column, sentence_column, size_column
from webadmin.ui.pages.downloads import as_file
from webadmin.ui.pages.paging import CappedPaginator

MAX_LEAVES_SHOWN = 500  # digests listed for one tree
UNCHECKED = "unchecked"
_DIGEST = re.compile(r"[0-9a-f]{64}")
STATE_COLORS = {
    UNCHECKED: "default",
    EvidenceBundle.State.HELD: "success",
    EvidenceBundle.State.CHANGED: "danger",
    EvidenceBundle.State.MISSING: "danger",
    EvidenceBundle.State.REMOVED: "default",
}


@admin.register(EvidenceBundle)
class EvidenceBundleAdmin(HolderAdmin):
    is_read_only = True
    paginator = CappedPaginator
    list_display = ["short_digest", "case_link", "kind", "size", "fetched", "state_label", "checked"]
    list_filter = ["state", "kind", "drawing"]
    list_select_related = ["case__work", "case__page"]
    sortable_by = ()
    search_fields = ["digest", "sha256", "case__page_url", "case__work__title"]
    actions = ["export_digests_csv", "export_digests_json"]
    fields = ["digest", "sha256", "case_link", "kind", "size", "version_id", "day", "fetched", "made", "state_text",
              "checked", "drawing", "drawings"]  # fmt: skip

    def search_long_list(self, request: HttpRequest, queryset: QuerySet, search_term: str) -> QuerySet:
        """Search the whole list if `search_term` is a complete digest, because a database index makes that fast."""
        typed = search_term.strip().lower()
        if _DIGEST.fullmatch(typed):
            return queryset.filter(Q(digest=typed) | Q(sha256=typed))
        return super().search_long_list(request, queryset, search_term)

    @admin.action(description=_("List of digests as CSV"), permissions=["manage"])
    def export_digests_csv(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse:
        content = as_csv(_digest_rows(request, queryset), get_language() or "en")
        return _digest_download(content, "text/csv; charset=utf-8", "csv")

    @admin.action(description=_("List of digests as JSON"), permissions=["manage"])
    def export_digests_json(self, request: HttpRequest, queryset: QuerySet) -> HttpResponse:
        return _digest_download(as_json(_digest_rows(request, queryset)), "application/json", "json")

    @display(description=_("digest"))
    def short_digest(self, bundle: EvidenceBundle) -> str:
        return f"{bundle.digest[:20]}…"

    case_link = case_column("case")

    size = size_column("size_bytes", _("size"))

    fetched = moment_column("fetched_at", _("fetched"))

    made = moment_column("made_at", _("generated at"))

    @display(description=_("pages rendered"))
    def drawings(self, bundle: EvidenceBundle) -> str:
        return "; ".join(describe_drawings(bundle)) or NOTHING

    @display(description=_("state"), label=STATE_COLORS)
    def state_label(self, bundle: EvidenceBundle) -> tuple[str, object]:
        """Return the state found by the last check, or "not checked yet", with its colour."""
        if bundle.state == EvidenceBundle.State.HELD and bundle.checked_at is None:
            return UNCHECKED, _("not checked yet")
        return bundle.state, bundle.get_state_display()

    state_text = label_text(state_label)

    checked = moment_column("checked_at", _("Last check"))


def _digest_rows(request: HttpRequest, queryset: QuerySet) -> Iterator[DigestRow]:
    """Return the rows of the selected intact bundles that the user may export, the oldest first."""
    chosen = held_bundles(manageable(queryset, request.user)).order_by("fetched_at", "pk")
    return digest_rows(chosen, timezone.get_current_timezone())


def _digest_download(content: bytes, kind: str, ending: str) -> HttpResponse:
    name = f"zhuiwen-digests-{timezone.localdate():%Y%m%d}.{ending}"
    return as_file(name, content, kind)


@admin.register(RetentionLog)
class RetentionLogAdmin(HolderAdmin):
    is_read_only = True
    list_display = ["bundle", "case_link", "reason", "removed_at"]
    list_select_related = ["bundle__case__work", "bundle__case__page"]
    search_fields = ["bundle__digest", "reason"]
    fields = ["bundle", "case_link", "reason", "removed_at"]

    case_link = case_column("bundle.case")


@admin.register(DayTree)
class DayTreeAdmin(MachineAdmin):
    list_display = ["day", "root", "size", "stamp_count", "made_at"]
    fields = ["day", "root", "size", "stamp_list", "made_at", "leaf_list"]
    list_per_page = 20  # A busy day has thousands of digests, which must be read to be counted.

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        """Annotate each tree with its number of timestamps. The subquery runs only for the rows on one list page."""
        stamps = Stamp.objects.filter(tree=OuterRef("pk")).order_by().values("tree").annotate(n=Count("pk")).values("n")
        return super().get_queryset(request).annotate(stamps_total=Subquery(stamps, output_field=IntegerField()))

    @display(description=_("bundles"))
    def size(self, tree: DayTree) -> int:
        return len(tree.leaves)

    @display(description=_("time stamps"))
    def stamp_count(self, tree: Any) -> int:
        return tree.stamps_total or 0

    @display(description=_("time stamps"))
    def stamp_list(self, tree: DayTree) -> str:
        return "; ".join(str(stamp) for stamp in Stamp.objects.filter(tree=tree)) or NOTHING

    @display(description=_("Evidence bundles"))
    def leaf_list(self, tree: DayTree) -> object:
        more = len(tree.leaves) - MAX_LEAVES_SHOWN
        shown = [*tree.leaves[:MAX_LEAVES_SHOWN], *([_("and %(count)d more") % {"count": more}] if more > 0 else [])]
        return format_html_join(mark_safe("<br>"), "{}", ((leaf,) for leaf in shown))


@admin.register(Stamp)
class StampAdmin(MachineAdmin):
    list_display = ["tree", "authority", "stamped_at", "received_at"]
    list_filter = ["authority"]
    list_select_related = ["tree"]
    fields = ["tree", "authority", "signer", "stamped_at", "received_at"]


@admin.register(StampAttempt)
class StampAttemptAdmin(MachineAdmin):
    list_display = ["tree", "authority", "attempts", "error_text", "next_at"]
    list_select_related = ["tree"]
    fields = ["tree", "authority", "attempts", "error_text", "next_at"]

    error_text = sentence_column("error", _("error"))


@admin.register(EvidenceCheck)
class EvidenceCheckAdmin(MachineAdmin):
    list_display = ["started_at", "bundles", "files", "amount", "outcome"]
    fields = ["started_at", "ended_at", "bundles", "files", "amount", "outcome_text", "fault_list"]

    amount = size_column("read_bytes", _("bytes read"))

    @display(description=_("outcome"), label={"good": "success", "bad": "danger"})
    def outcome(self, check: EvidenceCheck) -> tuple[str, object]:
        if not check.faults:
            return "good", _("all unchanged")
        return "bad", _("%(count)d changed or missing") % {"count": len(check.faults)}

    outcome_text = label_text(outcome)

    @display(description=_("faults"))
    def fault_list(self, check: EvidenceCheck) -> str:
        names = dict(EvidenceBundle.State.choices)
        told = [f"{_fault_name(fault)} {choice_label(fault['state'], names)}" for fault in check.faults]
        return "; ".join(told) or NOTHING


def _fault_name(fault: Mapping[str, str]) -> str:
    """Return the digest of a damaged bundle, or the kind, name and digest of a damaged file."""
    if "file" not in fault:
        return fault["digest"]
    return f"{kept_file_label(fault['kind'])} {clean_line(fault['file'])} {fault['digest']}"
