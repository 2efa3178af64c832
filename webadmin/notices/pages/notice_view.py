"""The page of a notice, with its fields and the laws that require them, its pages, missing parts and files."""

from collections.abc import Iterable, Set
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from core.addressees import Paper
from core.errors import BadInput, ZhuiwenError
from core.terms import term
from webadmin.accounts.models import User
from webadmin.accounts.services.access import may_manage, may_see, visible
from webadmin.cases.models import Case, Matter
from webadmin.evidence.pages.subjects import subject_url
from webadmin.evidence.services.subject import Subject
from webadmin.evidence.services.third_party_tasks import propose_captures
from webadmin.notices.models import Addressee, EventPaper, Notice
from webadmin.notices.pages import notice_actions as deeds
from webadmin.notices.pages.sending_section import list_events, sending_context
from webadmin.notices.pages.site_sections import ADDRESSEE
from webadmin.notices.services import mail_message
from webadmin.notices.services.drafting import DraftStatus, confirmed_cases, draft_notice, draft_status, preview_notice
from webadmin.notices.services.events import TRANSITIONS
from webadmin.notices.services.kept_files import applicable_papers, current_template
from webadmin.notices.services.legal_fields import FIELDS, FORM, Law, PaperField
from webadmin.notices.services.mail_message import mail_body, mail_subject
from webadmin.notices.services.outcomes import reversible_event
from webadmin.notices.services.removals import track_record
from webadmin.notices.services.values import all_values, notice_cases
from webadmin.notices.services.word_template import empty_recommended_fields, template_codes
from webadmin.ui.pages.downloads import as_file, kept_download
from webadmin.ui.pages.page_responses import admin_page
from webadmin.ui.pages.requests.request_values import is_key, require_record
from webadmin.ui.pages.wording import message_text

LONG = frozenset({"ownership", "facts", "legal_basis", "demands", "declaration", "good_faith", "accuracy"})
# Fields that mails and deadlines need, whatever the template.
_OF_MAILS = frozenset({"addressee_email", "contact_person", "holder_phone", "holder_email", "answer_days"})
_GROUPS = (("addressee_", "site_"), ("holder_", "contact_", "agent_"), ("",))


def draft_view(request: HttpRequest) -> HttpResponse:
    """Draft a notice for the confirmed cases of a matter, and redirect to its page.

    POST parameters: `matter`, the key of the matter; `to`, one of the values of `addressee_choices`.
    """
    matter = require_record(visible(Matter.objects.all(), request.user), request.POST.get("matter", ""))
    if not isinstance(request.user, User):
        raise Http404
    addressee, paper = _requested_addressee(request)
    back = HttpResponseRedirect(reverse("webadmin_matter", args=[matter.pk]))
    try:
        made = draft_notice(confirmed_cases(matter), paper, request.user, addressee)
    except ZhuiwenError as error:
        messages.error(request, message_text(error))
        return back
    for case, reason in made.left_out:
        messages.warning(request, _("Skipped: %(case)s: %(reason)s.") % {"case": case, "reason": message_text(reason)})
    return HttpResponseRedirect(reverse("admin:notices_notice_change", args=[made.notice.pk]))


def _requested_addressee(request: HttpRequest) -> tuple[Addressee | None, Paper]:
    """Return the requested addressee, or None if only a kind was requested, and the kind of notice.

    Raises Http404 for a value that is not offered.
    """
    asked = request.POST.get("to", "")
    if asked in set(Paper):
        return None, Paper(asked)
    key = asked.removeprefix(ADDRESSEE)
    addressee = require_record(visible(Addressee.objects.all(), request.user), key if asked != key else "")
    return addressee, addressee.paper


def notice_view(request: HttpRequest, notice: Notice) -> HttpResponse:
    """Show a notice, return one of its files (GET `file`), preview its mail (GET `mail`), or perform an action (POST).

    Raises Http404 if the user may not see the notice.
    """
    if not may_see(request.user, notice):
        raise Http404
    if not isinstance(request.user, User):
        raise PermissionDenied
    if request.method == "POST":
        return _perform_action(request, notice, request.user)
    wanted = request.GET.get("file", "")
    if wanted:
        return _download_file(request, notice, wanted)
    if "mail" in request.GET and may_manage(request.user, notice):
        return _show_mail_preview(request, notice)
    return admin_page(request, "notices/notice.html", _notice_context(request, notice))


def _perform_action(request: HttpRequest, notice: Notice, user: User) -> HttpResponse:
    try:
        if request.POST.get("do") == "escalate":
            made = deeds.draft_escalation(request, notice, user)
            return HttpResponseRedirect(reverse("admin:notices_notice_change", args=[made.pk]))
        messages.success(request, deeds.perform_action(request, notice, user))
    except ZhuiwenError as error:
        messages.error(request, message_text(error))
    return HttpResponseRedirect(request.get_full_path())


def _show_mail_preview(request: HttpRequest, notice: Notice) -> HttpResponse:
    """Show the mail as it would be sent now, with a button to send it.

    Redirects to the notice if the mail cannot be sent.
    """
    try:
        if notice.state != Notice.State.CONFIRMED or not settings.ZHUIWEN.mail.is_enabled:
            raise BadInput("notice.other-state" if settings.ZHUIWEN.mail.is_enabled else "mail.off")
        shown = mail_message.preview_mail(notice, settings.ZHUIWEN.mail.sender)
    except ZhuiwenError as error:
        messages.error(request, message_text(error))
        return HttpResponseRedirect(request.path)
    context = {
        "opts": Notice._meta,
        "title": _("Preview of the mail"),
        "notice": notice,
        "preview": shown,
        "subject": mail_subject(shown.mail),
        "text": mail_body(shown.mail),
    }
    return admin_page(request, "notices/notice_mail.html", context)


def _download_file(request: HttpRequest, notice: Notice, wanted: str) -> HttpResponse:
    """Return a stored file by its key, or the current document of a draft as "docx" or "pdf".

    wanted: a key with the prefix `paper-` for a file of an event, with `mail-` for a mail, or without a prefix for a
    file of the notice. Raises Http404 for an unknown key.
    """
    kind, _dash, key = wanted.rpartition("-")
    if kind == "paper" and is_key(key):
        return _download_first(
            EventPaper.objects.filter(event__notice=notice, pk=int(key)).values_list("name", "digest")
        )
    if kind == "mail" and is_key(key):
        found = notice.mails.filter(pk=int(key)).values_list("attempt", "digest")
        return _download_first((f"{notice.pk}-{attempt}.eml", digest) for attempt, digest in found)
    if is_key(wanted):
        return _download_first(notice.files.filter(pk=int(wanted)).values_list("name", "digest"))
    if wanted not in {"docx", "pdf"} or notice.state != Notice.State.DRAFTED:
        raise Http404
    try:
        files = preview_notice(notice)
    except ZhuiwenError as error:
        messages.error(request, message_text(error))
        return HttpResponseRedirect(request.path)
    name = f"{_('draft')}-{notice.pk}.{wanted}"
    return as_file(name, files.word if wanted == "docx" else files.pdf)


def _download_first(found: Iterable[tuple[str, str]]) -> HttpResponse:
    """Return the first of these files (name and digest) as a download. Raises Http404 if there is none."""
    for name, digest in found:
        return kept_download(name, digest)
    raise Http404


def _notice_context(request: HttpRequest, notice: Notice) -> dict[str, Any]:
    is_draft = notice.state == Notice.State.DRAFTED
    status = draft_status(notice) if is_draft else DraftStatus((), (), has_authority=True)
    zone = timezone.get_current_timezone()
    papers = applicable_papers(notice, timezone.localdate())
    values = all_values(notice, papers, zone)
    return {
        "opts": Notice._meta,
        "title": f"{notice.get_kind_display()} · {notice.site}",
        "notice": notice,
        "is_draft": is_draft,
        "may_manage": may_manage(request.user, notice),
        "mistaken": reversible_event(notice),
        "may_withdraw": Notice.State.WITHDRAWN in TRANSITIONS[notice.state],
        "record": track_record.addressee_record(notice.addressee) if notice.addressee else None,
        "groups": _field_groups(notice, status),
        "status": status,
        "pointed_out": [message_text(each) for each in status.advice],
        "lacking": _(", ").join(_field_label(field) for field in status.fields),
        "advised": _(", ").join(_field_label(field) for field in empty_recommended_fields(Paper(notice.kind), values))
        if is_draft
        else "",
        "untaken": _uncaptured_pages(notice) if is_draft else [],
        "form_words": FORM.in_language(get_language() or "en"),
        "unfit": [(case, message_text(reason)) for case, reason in status.pages],
        "addresses": list(zip(notice_cases(notice), values["addresses"], strict=True)),
        "papers": papers if is_draft else [],
        "files": list(notice.files.all()),
        "events": list_events(notice),
        **({} if is_draft else sending_context(notice)),
    }


def _uncaptured_pages(notice: Notice) -> list[tuple[Case, str]]:
    """Return the cases whose pages no third party has captured, each with the URL for requesting a capture.

    A notice makes pages change, so captures must precede it.
    """
    named = set(notice.pages.values_list("case_id", flat=True))
    matters = Matter.objects.filter(cases__in=named).distinct()
    proposed = [each.case for matter in matters for each in propose_captures(matter) if each.case.pk in named]
    return [(case, subject_url(Subject(case=case), "proofs")) for case in proposed]


def _field_groups(notice: Notice, status: DraftStatus) -> list[list[dict[str, Any]]]:
    """Return the fields of the form in three groups: addressee and site, rights holder, statements.

    Fields that neither the law, the template nor the mail needs are left out.
    """
    kind = Paper(notice.kind)
    codes = template_codes(current_template(notice.rights_holder_id, kind))
    groups: list[list[dict[str, Any]]] = [[] for _ in _GROUPS]
    for field in FIELDS:
        if not field.columns and (field.code in codes | _OF_MAILS or kind in field.needed):
            place = next(n for n, starts in enumerate(_GROUPS) if field.code.startswith(starts))
            groups[place].append(
                _field_context(field, notice, status, must_be_filled=_must_be_filled(field, kind, codes))
            )
    return groups


def _must_be_filled(field: PaperField, kind: Paper, codes: Set[str]) -> bool:
    return kind in field.needed or (field.code in codes and not (field.is_optional or field.code == "ownership"))


def _field_hint(code: str) -> str:
    """Return the hint for a field, or "" if it has none."""
    hints = {
        "ownership": _(
            "Empty: the attached proofs of ownership, otherwise the name on the work if it is the rights holder's."
        ),
        "answer_days": _("In days after sending."),
    }
    return hints.get(code, "")


def _field_context(field: PaperField, notice: Notice, status: DraftStatus, *, must_be_filled: bool) -> dict[str, Any]:
    """Return the template context of a field.

    why: the law that requires it, the form that recommends it, a hint, or "".
    """
    kind = Paper(notice.kind)
    asked_by = field.needed.get(kind)
    law = term(asked_by) if asked_by not in {None, Law.CUSTOM} else FORM if kind in field.asked else None
    return {
        "code": field.code,
        "label": _field_label(field),
        "value": str(notice.values.get(field.code, "")),
        "why": law.in_language(get_language() or "en") if law else _field_hint(field.code),
        "is_needed": must_be_filled,
        "is_lacking": field in status.fields,
        "is_long": field.code in LONG,
    }


def _field_label(field: PaperField) -> str:
    return field.words.in_language(get_language() or "en")
