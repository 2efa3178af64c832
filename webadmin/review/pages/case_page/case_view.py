"""The case page, with the copied passages, obfuscations, evidence and the verdict form."""

from collections.abc import Iterable
from contextlib import nullcontext
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from core.errors import RetryLater, ZhuiwenError
from core.ids import VersionId
from core.pages import PageVersion
from core.states import CaseState, Verdict
from webadmin import stores
from webadmin.accounts.models import User
from webadmin.accounts.services import access
from webadmin.cases.models import Case, CaseMatch
from webadmin.cases.pages.rulings_announced import announce_rulings
from webadmin.cases.services.addresses import list_addresses
from webadmin.cases.services.allowance import current_allowance, partial_licence
from webadmin.cases.services.licensing import license_case
from webadmin.cases.services.matters.assignment import list_assignees
from webadmin.cases.services.opinions.requests import OpinionSubject, request_opinions
from webadmin.cases.services.opinions.summary import read_opinions
from webadmin.cases.services.verdicts import MAX_NOTE_CHARS, VerdictRefused, decide, undo_decision
from webadmin.evidence.pages.proofs_view import third_party_context
from webadmin.evidence.services.subject import Subject
from webadmin.review.pages.case_page.case_figures import IN_BAR, list_figures
from webadmin.review.pages.case_page.case_files import evidence_response
from webadmin.review.pages.case_page.case_history import DECIDED, history_entries, own_last_decision
from webadmin.review.pages.case_page.case_texts import fetch_texts
from webadmin.review.pages.case_page.change_summary import count_changes, explain_match, unmarked_obfuscations
from webadmin.review.pages.case_page.comparison import compare
from webadmin.review.pages.case_page.comparison_html import column_html
from webadmin.review.pages.case_page.evidence_section import EvidenceSection, case_evidence, case_removals
from webadmin.review.pages.case_page.excluded_passages import left_out_context
from webadmin.review.pages.case_page.list_position import list_position
from webadmin.review.pages.case_page.other_sources import (
    list_carriers,
    other_copies,
    other_pages,
    other_places,
    with_sources,
)
from webadmin.review.pages.case_page.page_column import list_screenshots, page_column, requested_view
from webadmin.review.pages.case_page.text_map import ribbons, ticks
from webadmin.review.pages.case_page.verdict_form import FIELD, LICENSEE, licence_offer, offered_reasons, read_reason
from webadmin.review.pages.matter_lists.inbox_position import inbox_position
from webadmin.review.pages.page_history.page_view import version_rows
from webadmin.sites.pages.recheck import recheck_summary
from webadmin.ui.models.phrases import STATES, VERDICTS, case_name
from webadmin.ui.pages.downloads import raw_download
from webadmin.ui.pages.neighbours import CaseNeighbours
from webadmin.ui.pages.page_responses import admin_page
from webadmin.ui.pages.requests.content_policy import set_policy
from webadmin.ui.pages.requests.request_values import is_key, require_record
from webadmin.ui.pages.text_diff import text_diff
from webadmin.ui.pages.web_addresses import is_web_address
from webadmin.ui.pages.wording import message_text

REOPEN, UNDO = "reopen", "undo"
DIFFERENCE = "difference"
SCRIPT = "XMLHttpRequest"  # X-Requested-With of case_opinions.js
# The usual time between fetching a page and opening its case. A longer time indicates an archive or a work added later.
USUAL_WAIT = timedelta(days=1)


def compare_versions(case: Case) -> dict[str, Any]:
    """Compare the page version of the decision with the current version.

    Returns both versions and their difference, which is None unless both are stored, or a `fault` if the store cannot
    be read.
    """
    try:
        store = stores.page_store()
        before, now = (store.version(VersionId(key)) for key in (case.decided_version, case.page.version_id))
    except ZhuiwenError as error:
        return {"fault": message_text(error)}
    diff = text_diff(before.reading.text, now.reading.text) if before and now else None
    return {"before": before, "now": now, "diff": diff}


def case_view(request: HttpRequest, case: Case) -> HttpResponseBase:
    """Show a case, record a verdict on it (POST), or return a part of the page or a file.

    Files: the raw response of a match (?raw=<match id>), and those of `case_files`. Raises Http404 if the user may not
    see the case, or for objects that the case does not have.
    """
    if not access.may_see(request.user, case):
        raise Http404
    if "opinions" in request.GET:
        return set_policy(_opinions_response(request, case))
    if request.method == "POST" and isinstance(request.user, User):
        return _record_decision(request, case, request.user)
    if DIFFERENCE in request.GET:
        return _difference_context(request, case)
    if "column" in request.GET and request.headers.get("X-Requested-With") == SCRIPT:
        return set_policy(_column_response(request, case))
    if "raw" in request.GET:
        return raw_download(require_record(case.matches, request.GET["raw"]).raw_digest)
    evidence = evidence_response(request, case)
    if evidence is not None:
        return evidence
    return _case_page(request, case)


def _opinions_response(request: HttpRequest, case: Case) -> HttpResponse:
    """Return the content of the opinions section for a page version (?opinions=<version id>).

    A POST requests the opinions first. A form sent without the script is redirected to the case. Raises Http404 for a
    version without matches of the case.
    """
    version = request.GET["opinions"]
    if not case.matches.filter(version_id=version).exists():
        raise Http404
    refusal = _request_opinions(case, version) if request.method == "POST" else ""
    if request.method == "POST" and request.headers.get("X-Requested-With") != SCRIPT:
        return _redirect_to_case(request, refusal)
    shown = {"opinions": read_opinions(case, version, timezone.now()), "refusal": refusal}
    return TemplateResponse(request, "review/case_opinions_said.html", shown, status=503 if refusal else 200)


def _request_opinions(case: Case, version: str) -> str:
    """Request the opinions on a page version. Return the reason for a failure as a sentence, or ""."""
    try:
        request_opinions(OpinionSubject(case.pk, version), timezone.now())
    except RetryLater as error:
        return _("The published engines cannot be run now: %(error)s") % {"error": message_text(error)}
    return ""


def _redirect_to_case(request: HttpRequest, refusal: str) -> HttpResponse:
    query = request.GET.copy()
    del query["opinions"]
    if refusal:
        messages.warning(request, refusal)
    return HttpResponseRedirect(f"{request.path}?{query.urlencode()}{'' if refusal else '#zw-opinions'}")


def _case_page(request: HttpRequest, case: Case, kept: str = "", status: int = 200) -> HttpResponse:
    """Return the case page. kept: the note of a rejected verdict, which the form contains again."""
    context = _case_context(request, case, kept)
    return admin_page(request, "review/case.html", context, status=status)


def _column_response(request: HttpRequest, case: Case) -> HttpResponse:
    """Return only the page's column, for the script that replaces it. Raises Http404 without a match."""
    found = _matches_context(request, case)
    if found["match"] is None:
        raise Http404
    return TemplateResponse(request, "review/case_page_column.html", {"case": case, **found})


def _record_decision(request: HttpRequest, case: Case, user: User) -> HttpResponse:
    """Record the verdict and redirect to the next case in the list. If it is rejected, show the page with the note."""
    requested, basis = request.POST.get("verdict", ""), request.POST.get("basis", "")
    if requested not in {REOPEN, UNDO, *Verdict} or not is_key(basis):
        messages.error(request, _("Choose a verdict first."))
        return HttpResponseRedirect(request.get_full_path())
    written = request.POST.get("note", "")
    note = "\n".join(filter(None, (read_reason(request.POST.get("reason", "")), written.strip())))
    among = _find_neighbours(request, case)
    try:
        if requested == UNDO:
            has_licence = case.verdicts.filter(pk=int(basis), licence__isnull=False).exists()
            with announce_rulings(request, case.rights_holder_id) if has_licence else nullcontext():
                undo_decision(case, user, int(basis))
        elif requested == Verdict.LICENSED and request.POST.get(FIELD):
            licensee = request.POST.get(LICENSEE, "")
            with announce_rulings(request, case.rights_holder_id):
                license_case(case, request.POST[FIELD], licensee, user, note, basis=int(basis))
        else:
            decide(case, None if requested == REOPEN else Verdict(requested), user, note, basis=int(basis))
    except VerdictRefused as refusal:
        messages.error(request, message_text(refusal))
        return _case_page(request, case, written, status=409)
    if requested in {REOPEN, UNDO}:
        messages.success(
            request, _("Verdict undone; the case is now: %(state)s.") % {"state": STATES[CaseState(case.state)]}
        )
        return HttpResponseRedirect(among.case_url(case.pk))
    return HttpResponseRedirect(f"{among.case_url(among.following or case.pk)}&{DECIDED}={case.pk}")


def _find_neighbours(request: HttpRequest, case: Case) -> CaseNeighbours:
    """Return the position of the case in the inbox or list from which it was opened."""
    return inbox_position(request, case) or list_position(request, case)


def _reviewer_warnings(request: HttpRequest, case: Case, evidence: EvidenceSection) -> list[tuple[str, str]]:
    """Return the warnings for the reviewer, each with the URL of its details, or ""."""
    warned = []
    if case.page.gone_since is not None:
        warned.append((_("page gone"), reverse("admin:watched_sites_pagerecord_timeline", args=[case.page_id])))
    elif case.page.version_id != case.decided_version:  # as last crawled
        since = _("changed since the verdict: show the difference") if case.verdict else _("page changed since")
        parameters = {name: request.GET[name] for name in request.GET if name != DECIDED}
        warned.append((since, f"?{urlencode({**parameters, DIFFERENCE: '1'})}"))
    if not evidence.first_stamp:
        warned.append((_("no time stamp yet"), ""))
    return warned


def _case_context(request: HttpRequest, case: Case, kept: str) -> dict[str, Any]:
    newest, evidence = case.verdicts.first(), case_evidence(case)
    among = _find_neighbours(request, case)
    texts = _matches_context(request, case)
    figures = list_figures(case, texts["left_out"]["share_of_chapter"] if texts["match"] else None)
    return {
        **_frame_context(case),
        "page_href": case.page_url if is_web_address(case.page_url) else "",
        "addresses": list_addresses(case),
        "figures": figures,
        "bar_figures": figures[:IN_BAR],
        "is_captured_earlier": case.opened_at - case.last_seen_at > USUAL_WAIT,
        "siblings": list(
            case.page.cases.exclude(pk=case.pk)
            .filter(rights_holder=case.rights_holder_id)
            .select_related("work")
            .order_by("pk")  # In the list's order, SQLite would scan all cases of the rights holder.
        ),
        "history": history_entries(case),
        "allowed": current_allowance(case),
        "in_part": partial_licence(case),
        "recheck": recheck_summary(case.page),
        "evidence": evidence,
        "removals": case_removals(case),
        "third_party": third_party_context(Subject(case=case)),
        "may_export": access.may_manage(request.user, case),
        "basis": newest.pk if newest else 0,
        "verdict_choices": [(str(member), phrase, place) for place, (member, phrase) in enumerate(VERDICTS.items(), 1)],
        "reasons": offered_reasons(),
        "licence_offer": licence_offer(request, case),
        "reopen": REOPEN,
        "undo": UNDO,
        "kept": kept,
        "just_decided": own_last_decision(request, among),
        "listed": among,
        "matter_pages": case.matter.all_cases if case.matter else 0,
        "assignees": list_assignees(case.matter) if case.matter else [],
        "warnings": _reviewer_warnings(request, case, evidence),
        "max_note_chars": MAX_NOTE_CHARS,
        "zone": timezone.get_current_timezone_name(),
        "is_default_zone": timezone.get_current_timezone_name() == settings.TIME_ZONE,
        **texts,
    }


def _frame_context(case: Case) -> dict[str, Any]:
    return {
        "opts": case._meta,
        "title": case_name(case.pk, case.state),
        "case": case,
    }


def _difference_context(request: HttpRequest, case: Case) -> HttpResponse:
    """Return a page with the changes of the crawled page since the decision or the comparison."""
    context = {**_frame_context(case), "difference": compare_versions(case)}
    return admin_page(request, "review/case_difference.html", context)


def _matches_context(request: HttpRequest, case: Case) -> dict[str, Any]:
    """Return the context of the requested match (?match=<id>), by default the largest, with its texts side by side."""
    matches = list(case.matches.select_related("chapter").defer("spans").order_by("chapter__number", "pk"))
    chosen = _choose_match(matches, case, request.GET.get("match", ""))
    if chosen is None:
        return {"match": None, "versions": []}
    match = case.matches.select_related("chapter", "case").get(pk=chosen.pk)
    texts = fetch_texts(match)
    comparison = compare(texts.page, texts.work, match.spans)
    changes = count_changes(comparison.links)
    undone = unmarked_obfuscations(case, match, texts.reading, changes)
    return {
        "match": match,
        "opinions": read_opinions(case, match.version_id, timezone.now()),
        "chapters": [each for each in matches if each.version_id == match.version_id],
        "notes": texts.notes,
        "comparison": comparison,
        "changes": changes,
        "undone": undone,
        "why_found": explain_match(case, match, changes, undone),
        "carriers": list_carriers(match),
        "left_out": left_out_context(case, match, comparison, request.user),
        "other_pages": other_pages(case),
        "other_copies": other_copies(case, match),
        "pictures": list_screenshots(case, match),
        "page_chapters": _page_chapters(texts.versions, match),
        "column": page_column(
            requested_view(request.GET.get("column", "")),
            case,
            match,
            with_sources(comparison.page, other_places(case, match)),
            texts.reading,
        ),
        "work_html": column_html(comparison.work),
        "ribbons": ribbons(comparison),
        "ticks": ticks(comparison),
        "versions": version_rows(matches, texts.versions, case.page.version_id),
    }


def _page_chapters(versions: Iterable[PageVersion], match: CaseMatch) -> tuple[str, ...]:
    """Return the titles of the chapters in a book file that contain the copied passages."""
    version = next((each for each in versions if each.id == match.version_id), None)
    return () if version is None else version.reading.chapter_titles(span["page"][0] for span in match.spans)


def _choose_match(matches: list[CaseMatch], case: Case, requested: str) -> CaseMatch | None:
    for match in matches:
        if str(match.pk) == requested:
            return match
    newest = [match for match in matches if match.version_id == case.version_id]
    if not newest and matches:
        last = max(matches, key=lambda match: match.fetched_at)
        newest = [match for match in matches if match.version_id == last.version_id]
    return max(newest, key=lambda match: match.matched_chars, default=None)
