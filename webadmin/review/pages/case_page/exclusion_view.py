"""The page of an excluded finding, with the reason, both texts side by side, and the form to overrule it."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from core.errors import BadInput, ZhuiwenError
from core.states import UNPROTECTED, Rejection
from webadmin.accounts.models import User
from webadmin.cases.models import Case, CaseMatch, Exclusion
from webadmin.cases.services import overruling
from webadmin.review.pages.case_page.case_texts import fetch_texts
from webadmin.review.pages.case_page.change_summary import count_changes
from webadmin.review.pages.case_page.comparison import compare
from webadmin.review.pages.case_page.comparison_html import column_html
from webadmin.review.pages.case_page.page_column import PageColumn, View
from webadmin.review.pages.case_page.text_map import ribbons, ticks
from webadmin.ui.pages.page_responses import admin_page
from webadmin.ui.pages.web_addresses import is_web_address
from webadmin.ui.pages.wording import message_text


def exclusion_view(request: HttpRequest, exclusion: Exclusion) -> HttpResponse:
    """Show an exclusion, overrule it, or withdraw the overruling (POST).

    ?match=<number> selects the compared text. The caller must check that the user may see the exclusion.
    """
    status, kept = 200, ""
    if request.method == "POST" and isinstance(request.user, User):
        kept = request.POST.get("note", "")
        try:
            words = _carry_out(request, exclusion, request.user, kept)
        except ZhuiwenError as error:
            messages.error(request, message_text(error))
            status = 400
        else:
            messages.success(request, words)
            return HttpResponseRedirect(reverse("admin:cases_exclusion_changelist"))
    context = {
        "opts": exclusion._meta,
        "title": str(exclusion),
        "exclusion": exclusion,
        "why": why_left_out(exclusion),
        "overruled": overruling.active_overruling(exclusion),
        "page_href": exclusion.page_url if is_web_address(exclusion.page_url) else "",
        "max_note_chars": overruling.MAX_NOTE_CHARS,
        "kept": kept,
        **_side_by_side(exclusion, request.GET.get("match", "")),
    }
    return admin_page(request, "review/exclusion.html", context, status=status)


def why_left_out(exclusion: Exclusion) -> str:
    """Return a sentence on the reason why the finding is not a case."""
    given, reason = {"detail": exclusion.detail}, Rejection(exclusion.reason)
    if reason in UNPROTECTED:
        named = {"reason": exclusion.get_reason_display(), **given}
        return (
            _("Excluded because the work is marked: %(reason)s (%(detail)s).") % named
            if exclusion.detail
            else _("Excluded because the work is marked: %(reason)s.") % named
        )
    if reason is Rejection.QUOTATION and exclusion.detail:
        return _("Excluded because it is a short quotation that names its source: %(detail)s.") % given
    sentences = {
        Rejection.LICENSED: _("Excluded because a licence allows this page: %(detail)s."),
        Rejection.OWN_SITE: _("Excluded because the page is on a domain of the rights holder: %(detail)s."),
        Rejection.QUOTATION: _(
            "Excluded because the page has only short or quoted passages of the work, or stock phrases."
        ),
        Rejection.TEASER: _(
            "Excluded because the passages appear only in teasers of other pages or in the site's frame."
        ),
        Rejection.NOTHING_LEFT: _("Excluded because reviewers have excluded every match."),
    }
    sentence = sentences.get(reason)
    return sentence % given if sentence else str(exclusion.get_reason_display())


def _carry_out(request: HttpRequest, exclusion: Exclusion, user: User, note: str) -> str:
    if request.POST.get("do") == "overrule":
        overruling.overrule_exclusion(exclusion, user, note)
        return _("Overruled. The page is being compared; its case opens in a minute or two.")
    standing = overruling.active_overruling(exclusion)
    if standing is None:
        raise BadInput("exclusion.taken-back-already")
    overruling.withdraw_overruling(standing, user)
    return _("The overruling was withdrawn.")


def _side_by_side(exclusion: Exclusion, requested: str) -> dict[str, Any]:
    """Return the template context for a comparison of the stored matches of an exclusion.

    requested: the number of the match; otherwise, the largest is used.
    """
    found = exclusion.found
    if not found:
        return {
            "match": None,
            "notes": [_("The passages of this match were not stored; the next comparison will store them.")],
        }
    case = Case(
        rights_holder_id=exclusion.work.rights_holder_id, work=exclusion.work, page=exclusion.page,
        page_url=exclusion.page_url, page_title=exclusion.page_title, version_id=found[0]["version_id"],
        match_class=exclusion.match_class, similarity=exclusion.similarity, matched_chars=exclusion.matched_chars,
    )  # fmt: skip
    matches = [_unsaved_match(number, each, case) for number, each in enumerate(found, 1)]
    largest = max(matches, key=lambda match: match.matched_chars)
    match = next((each for each in matches if str(each.pk) == requested), largest)
    texts = fetch_texts(match)
    if texts.page is None or texts.work is None:
        return {"match": None, "notes": texts.notes}  # Exclusions have no frozen excerpts to use instead.
    comparison = compare(texts.page, texts.work, _with_excerpts(match, texts.page, texts.work))
    return {
        "case": case,
        "match": match,
        "chapters": matches,
        "notes": texts.notes,
        "comparison": comparison,
        "changes": count_changes(comparison.links),
        "column": PageColumn(View.TEXT, column_html(comparison.page), is_alone=True),
        "work_html": column_html(comparison.work),
        "ribbons": ribbons(comparison),
        "ticks": ticks(comparison),
    }


def _unsaved_match(number: int, kept: dict[str, Any], case: Case) -> CaseMatch:
    """Return an unsaved CaseMatch of a stored finding, for display."""
    return CaseMatch(
        pk=number, case=case, chapter_title=kept["chapter_title"], version_id=kept["version_id"],
        text_id=kept["text_id"], page_text_digest=kept["page_text_digest"], work_text_digest=kept["work_text_digest"],
        match_class=kept["match_class"], matched_chars=kept["matched_chars"], similarity=kept["similarity"],
        spans=kept["spans"],
    )  # fmt: skip


def _with_excerpts(match: CaseMatch, page: str, work: str) -> list[dict[str, Any]]:
    return [
        {**span, "page_excerpt": page[slice(*span["page"])], "work_excerpt": work[slice(*span["work"])]}
        for span in match.spans
    ]
