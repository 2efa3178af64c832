"""The lines of matters in the inbox, and the preview of a matter."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics.records import MAX_DAYS
from core.states import CaseState
from webadmin.accounts.services import access
from webadmin.cases.models import Case, Matter
from webadmin.cases.services.matters.assignment import list_assignees
from webadmin.cases.services.matters.figures import harm_parts
from webadmin.evidence.pages.proofs_view import third_party_context
from webadmin.evidence.services.subject import Subject
from webadmin.notices.models import Notice, Removal
from webadmin.notices.pages.site_sections import addressee_choices
from webadmin.notices.services.counters import action_deadline
from webadmin.review.pages.matter_lists.inbox_position import case_url
from webadmin.review.pages.matter_lists.inbox_query import InboxQuery
from webadmin.review.pages.matter_lists.queues import queue_cases
from webadmin.review.services.whole_book import ChapterCopies, CopyExtent, whole_book
from webadmin.ui.models.phrases import STATES
from webadmin.ui.pages.columns import obfuscation_names
from webadmin.ui.pages.wording import duration

SHOWN_NOTICES = 10  # newest notices about a matter; the list of notices contains all
MAX_REMOVALS = 8
SHOWN_PAGES = 8
SHOWN_KINDS = 4
SHOWN_CHAPTERS = 400  # chapters displayed as cells; the whole-book view displays a longer work


def notice_lines(matter: Matter) -> list[dict[str, Any]]:
    """Return the lines of the newest notices about pages of a matter."""
    rows = Notice.objects.filter(pages__case__matter=matter).distinct().select_related("addressee", "site")
    return [_notice_line(notice) for notice in rows.prefetch_related("counters__action")[:SHOWN_NOTICES]]


def _notice_line(notice: Notice) -> dict[str, Any]:
    """Return the line of a notice. due: the deadline in words, or ""."""
    words, until = _notice_deadline(notice)
    return {
        "notice": notice,
        "address": reverse("admin:notices_notice_change", args=[notice.pk]),
        "to": notice.addressee_name,
        "due": words % {"day": until.isoformat()} if until else "",
        "is_overdue": until is not None and until < timezone.localdate(),
    }


def _notice_deadline(notice: Notice) -> tuple[str, date | None]:
    if notice.state == Notice.State.SENT and notice.answer_due is not None:
        return _("answer due on %(day)s"), notice.answer_due
    if notice.state in {Notice.State.CLOSED, Notice.State.WITHDRAWN}:
        return "", None
    days = [due.last for counter in notice.counters.all() if (due := action_deadline(counter))]
    return _("complain or sue until %(day)s"), min(days, default=None)


def removals_of_matter(matter: Matter) -> dict[str, Any]:
    """Return the current removals of a matter, the newest first, their number, and the number of confirmed cases."""
    rows = Removal.objects.filter(case__matter=matter, ended_at=None).select_related("case").order_by("-since", "-pk")
    return {"count": rows.count(), "confirmed": matter.confirmed_cases, "newest": list(rows[:MAX_REMOVALS])}


@dataclass(frozen=True, slots=True)
class MatterLine:
    """A line in the inbox: a matter with its figures."""

    matter: Any
    chips: Sequence[tuple[str, str]]  # labels and their CSS classes
    timing: str
    kinds: Sequence[str]
    address: str  # the URL of the first case in the queue
    preview: str

    @property
    def cases(self) -> int:
        return int(self.matter.all_cases)

    @property
    def share(self) -> str:
        """The copied share of the work, as a number for HTML."""
        return f"{self.matter.work_share:.3f}"


def matter_lines(matters: Sequence[int], query: InboxQuery) -> list[MatterLine]:
    """Return the lines of the matters with these keys, in the order of the keys, with one query."""
    rows = _annotate_case_figures(Matter.objects.all(), query).in_bulk(list(matters))
    return [matter_line(rows[key], query) for key in matters if key in rows]


def visible_matter(user: Any, key: int, query: InboxQuery) -> Any:
    """Return the matter with this key, annotated for a line, or None if the user may not see it."""
    return _annotate_case_figures(access.visible(Matter.objects.all(), user), query).filter(pk=key).first()


def _annotate_case_figures(matters: "QuerySet[Matter]", query: InboxQuery) -> "QuerySet[Any]":
    """Annotate matters with the figures of their cases that a line needs.

    excerpt: of the largest case. first: the key of the case to open, preferably one of the queue. dismissed, set_aside:
    counts.
    """
    cases = Case.objects.filter(matter=OuterRef("pk"))
    first, meant = (each.order_by("pk").values("pk")[:1] for each in (cases, cases.filter(queue_cases(query.queue))))
    return matters.select_related("site", "work", "rights_holder", "assignee").annotate(
        excerpt=Subquery(cases.order_by("-taken_chars", "pk").values("excerpt")[:1]),
        first=Coalesce(Subquery(meant), Subquery(first)),
        dismissed=_case_count(cases.filter(state=CaseState.DISMISSED)),
        set_aside=_case_count(cases.filter(state=CaseState.SET_ASIDE)),
    )


def _case_count(cases: "QuerySet[Case]") -> Coalesce:
    counts = cases.order_by().values("matter").annotate(count=Count("pk")).values("count")
    return Coalesce(Subquery(counts), 0)


def matter_line(matter: Any, query: InboxQuery) -> MatterLine:
    """Return the line of a matter annotated by `_annotate_case_figures`."""
    names = obfuscation_names({"kind": kind} for kind in matter.obfuscation_kinds.split()[: SHOWN_KINDS + 1])
    return MatterLine(
        matter=matter,
        chips=_matter_chips(matter),
        timing=describe_timing(matter.lead_s, matter.early_chapters),
        kinds=names[:SHOWN_KINDS] + (["…"] if len(names) > SHOWN_KINDS else []),
        address=case_url(matter.first, query) if matter.first else "",
        preview=reverse("webadmin_matter", args=[matter.pk]),
    )


def matter_preview(matter: Any, query: InboxQuery) -> dict[str, Any]:
    """Return the preview of a matter, which contains the copied chapters and their timing.

    cells: CSS classes and title of each chapter. pages: URL and case of each page. only_site, only_work: URLs of the
    inbox with this filter added. cases_address: URL of the list of all its cases. papers: possible notices and
    addressees. The caller must check that the user may see the matter.
    """
    book = whole_book(matter.site_id, matter.work_id)
    cases = Case.objects.filter(queue_cases(query.queue), matter=matter)
    shown = list(cases.select_related("work", "decision").order_by("-taken_chars", "pk")[:SHOWN_PAGES])
    if not shown:
        cases = Case.objects.filter(matter=matter)
        shown = list(cases.select_related("work", "decision").order_by("-taken_chars", "pk")[:SHOWN_PAGES])
    return {
        "line": matter_line(matter, query),
        "summary": _chapters_summary(len(book.chapters), len(book.full), len(book.copied_chapters) - len(book.full)),
        "cells": [_chapter_cell(chapter) for chapter in book.chapters[:SHOWN_CHAPTERS]]
        if len(book.chapters) > 1
        else [],
        "pages": [(case_url(case.pk, query), case) for case in shown],
        "states": [
            (str(STATES[CaseState.OPEN]), matter.open_cases),
            (str(STATES[CaseState.CONFIRMED]), matter.confirmed_cases),
            (str(STATES[CaseState.DISMISSED]), matter.dismissed),
            (str(STATES[CaseState.SET_ASIDE]), matter.set_aside),
        ],
        "more_pages": cases.count() - len(shown),
        "harm": harm_parts(matter),
        "assignees": list_assignees(matter),
        "only_site": query.with_values(site=matter.site_id).address,
        "only_work": query.with_values(work=matter.work_id).address,
        "cases_address": _cases_url(matter),
        "book_address": reverse("admin:works_work_book", args=[matter.work_id, matter.site_id]),
        "report_address": _report_address(matter),
        "papers": addressee_choices(matter.site) if matter.confirmed_cases else [],
        "third_party": third_party_context(Subject(matter=matter)),
        "notices": notice_lines(matter),
        "removals": removals_of_matter(matter),
    }


def _cases_url(matter: Matter) -> str:
    filters = urlencode({"site__id__exact": matter.site_id, "work__id__exact": matter.work_id})
    return f"{reverse('admin:cases_case_changelist')}?{filters}"


def _report_address(matter: Matter) -> str:
    """Return the URL of the report on the matter, from its first sighting until today."""
    today = timezone.localdate()
    earliest = today - timedelta(days=MAX_DAYS - 1)
    since = timezone.localtime(matter.first_seen_at).date() if matter.first_seen_at else today
    parameters = {
        "since": max(earliest, since).isoformat(),
        "site": matter.site_id,
        "work": matter.work_id,
        "do": "show",
    }
    return f"{reverse('webadmin_reports')}?{urlencode(parameters)}"


def describe_timing(lead_s: int | None, early_chapters: int) -> str:
    """Describe how long before or after the official publication the site had the text, or return "" if unknown.

    lead_s: the longest lead in seconds, negative for a lag. early_chapters: the number of chapters with a lead.
    """
    if lead_s is None:
        return ""
    if early_chapters:
        words = ngettext(
            "%(count)d chapter before the official publication, by up to %(time)s",
            "%(count)d chapters before the official publication, by up to %(time)s",
            early_chapters,
        )
        return words % {"count": early_chapters, "time": duration(timedelta(seconds=lead_s))}
    return _("%(time)s after the official publication") % {"time": duration(timedelta(seconds=-lead_s))}


def _matter_chips(matter: Any) -> list[tuple[str, str]]:
    found = []
    if matter.returned_cases:
        found.append((_("online again"), "is-bad"))
    if matter.open_cases:
        found.append((str(STATES[CaseState.OPEN]), "is-warn"))
    if matter.changed_cases:
        found.append((_("page changed"), "is-warn"))
    if matter.awaited:
        found.append((_("waiting for documents"), "is-warn"))
    if matter.proof_due is not None:
        is_overdue = matter.proof_due < timezone.localdate()
        words = _("third-party capture overdue since %(day)s") if is_overdue else _("third-party capture until %(day)s")
        found.append((words % {"day": matter.proof_due.isoformat()}, "is-bad" if is_overdue else "is-warn"))
    if not matter.open_cases and matter.confirmed_cases:
        found.append((str(STATES[CaseState.CONFIRMED]), "is-bad"))
    if not matter.open_cases and not matter.confirmed_cases:
        shown = (CaseState.DISMISSED, "is-good", matter.dismissed), (CaseState.SET_ASIDE, "", matter.set_aside)
        found += [(str(STATES[state]), colour) for state, colour, cases in shown if cases]
    return found


def _chapters_summary(chapters: int, full: int, parts: int) -> str:
    words = ngettext(
        "%(full)d of %(chapters)d chapter is on the site in full or nearly so, %(parts)d in part.",
        "%(full)d of %(chapters)d chapters are on the site in full or nearly so, %(parts)d in part.",
        chapters,
    )
    return words % {"chapters": chapters, "full": full, "parts": parts}


def _chapter_cell(chapter: ChapterCopies) -> tuple[str, str]:
    classes = {CopyExtent.FULL: "is-full", CopyExtent.PART: "is-part", CopyExtent.NONE: ""}[chapter.extent]
    return f"{classes} is-early" if chapter.is_early else classes, f"{chapter.number} {chapter.title}"
