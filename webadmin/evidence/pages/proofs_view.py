"""The page of third-party proofs and requested captures of a case or matter, and its summary for other pages."""

from collections.abc import Callable
from datetime import date
from typing import Any, TypeVar

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.utils.translation import gettext as _

from core.errors import BadInput, ZhuiwenError
from webadmin.accounts.models import User
from webadmin.accounts.services import access
from webadmin.cases.models import Case
from webadmin.evidence.models import ThirdPartyProof
from webadmin.evidence.pages.subjects import case_subject, matter_subject, subject_name, subject_url
from webadmin.evidence.services import third_party, third_party_tasks
from webadmin.evidence.services.subject import Subject
from webadmin.evidence.services.third_party import ProofDetails, describe_checks
from webadmin.evidence.services.third_party_tasks import is_overdue
from webadmin.ui.pages.downloads import kept_download
from webadmin.ui.pages.page_responses import admin_page
from webadmin.ui.pages.requests.request_values import require_record
from webadmin.ui.pages.wording import message_text

SHOWN_BUNDLES = 20  # bundles listed for a proof; the rest is counted
R = TypeVar("R", bound=Model)


def case_proofs_view(request: HttpRequest, case: Case) -> HttpResponse:
    """Show the proofs of a case, or process a submitted form. Raises Http404 if the user may not see the case."""
    return _respond_to_request(request, case_subject(request, case))


def matter_proofs_view(request: HttpRequest, key: int) -> HttpResponse:
    """Show the proofs of the matter with this key, or process a submitted form.

    Raises Http404 if the user may not see it.
    """
    return _respond_to_request(request, matter_subject(request, key))


def proof_entries(subject: Subject) -> list[dict[str, Any]]:
    """Return the proofs of a subject as template contexts, valid proofs before withdrawn ones, the newest first."""
    rows = sorted(subject.proofs(), key=lambda proof: proof.withdrawn_at is not None)
    return [proof_entry(proof) for proof in rows]


def proof_entry(proof: ThirdPartyProof) -> dict[str, Any]:
    """Return the template context of a proof.

    told: sentences about its checks. bundles: the first SHOWN_BUNDLES covered bundles. more_bundles: the number of all
    others.
    """
    covered = proof.covered.select_related("bundle").order_by("pk")
    named = list(covered[:SHOWN_BUNDLES])
    more = max(0, covered.count() - SHOWN_BUNDLES) if len(named) == SHOWN_BUNDLES else 0
    return {
        "proof": proof,
        "told": [message_text(each) for each in describe_checks(proof)],
        "bundles": named,
        "more_bundles": more,
    }


def task_entries(subject: Subject) -> list[dict[str, Any]]:
    """Return the requested captures of a subject as template contexts, open ones first, the most urgent first."""
    today = timezone.localdate()
    rows = sorted(subject.tasks(), key=lambda task: task.ended_at is not None)
    return [{"task": task, "is_overdue": is_overdue(task, today)} for task in rows]


def _respond_to_request(request: HttpRequest, subject: Subject) -> HttpResponse:
    if not isinstance(request.user, User):
        raise Http404
    if request.method == "POST":
        return _perform_action(request, subject, request.user)
    if "file" in request.GET:
        return _download_proof(subject, request.GET["file"])
    return _proofs_page(request, subject)


def _proofs_page(request: HttpRequest, subject: Subject, status: int = 200) -> HttpResponse:
    shown = proof_entries(subject)
    context = {
        "title": _("Third-party material"),
        "subject": subject,
        "subject_name": subject_name(subject),
        "back": subject_url(subject),
        "factors": subject_url(subject, "factors"),
        "proofs": shown,
        "standing": [each["proof"] for each in shown if each["proof"].withdrawn_at is None],
        "tasks": task_entries(subject),
        "kinds": ThirdPartyProof.Kind.choices,
        "given": request.POST,
        "may_manage": access.may_manage(request.user, subject.record),
        "most_mb": third_party.MAX_BYTES // (1024 * 1024),
        "today": timezone.localdate(),
        "proposed": third_party_tasks.propose_captures(subject.matter) if subject.matter else [],
    }
    return admin_page(request, "evidence/third_party.html", context, status=status)


def _download_proof(subject: Subject, key: str) -> HttpResponse:
    """Return a proof as a download that browsers do not display, because its content is untrusted. Raises Http404."""
    proof = require_record(subject.proofs(), key)
    return kept_download(proof.name, proof.digest)


def _perform_action(request: HttpRequest, subject: Subject, user: User) -> HttpResponse:
    """Perform the action of a form. If it is rejected, show the form again with its values."""
    asked = _ACTIONS.get(request.POST.get("do", ""))
    if asked is None:
        messages.error(request, _("Nothing was chosen."))
        return _proofs_page(request, subject, status=400)
    try:
        messages.success(request, asked(request, subject, user))
    except ZhuiwenError as error:
        messages.error(request, message_text(error))
        return _proofs_page(request, subject, status=400 if isinstance(error, BadInput) else 503)
    return HttpResponseRedirect(request.path)


def _add_proof(request: HttpRequest, subject: Subject, user: User) -> str:
    file = request.FILES.get("file")
    if not isinstance(file, UploadedFile):
        raise BadInput("proof.no-file")
    given = {name: request.POST.get(name, "") for name in ("kind", "issuer", "number", "platform", "note")}
    paper = ProofDetails(made_on=_parse_date(request, "made_on"), **given)
    content = file.read(third_party.MAX_BYTES + 1)
    proof = third_party.add_proof(subject, paper, (file.name or "", content), by=user, now=timezone.now())
    return _("Saved: %(proof)s.") % {"proof": proof}


def _withdraw_proof(request: HttpRequest, subject: Subject, user: User) -> str:
    proof = _require_row(subject.proofs(), request, "key")
    third_party.withdraw_proof(proof, request.POST.get("reason", ""), user, timezone.now())
    return _("Withdrawn; the file and the name of the person who withdrew it stay visible.")


def _request_capture(request: HttpRequest, subject: Subject, user: User) -> str:
    asked, note = request.POST.get("asked", ""), request.POST.get("note", "")
    third_party_tasks.request_capture(subject, asked, _parse_date(request, "until"), note, by=user, now=timezone.now())
    return _("Saved; the matter is now listed as waiting for documents.")


def _complete_task(request: HttpRequest, subject: Subject, user: User) -> str:
    task, proof = _require_row(subject.tasks(), request, "key"), _require_row(subject.proofs(), request, "proof")
    third_party_tasks.complete_task(task, proof, user, timezone.now())
    return _("Done.")


def _give_up_task(request: HttpRequest, subject: Subject, user: User) -> str:
    task = _require_row(subject.tasks(), request, "key")
    third_party_tasks.give_up(task, request.POST.get("reason", ""), user, timezone.now())
    return _("Abandoned; the reason stays visible.")


_ACTIONS: dict[str, Callable[[HttpRequest, Subject, User], str]] = {
    "add": _add_proof,
    "withdraw": _withdraw_proof,
    "ask": _request_capture,
    "done": _complete_task,
    "give-up": _give_up_task,
}


def _require_row(rows: "QuerySet[R]", request: HttpRequest, name: str) -> R:
    return require_record(rows, request.POST.get(name, ""))


def _parse_date(request: HttpRequest, name: str) -> date:
    try:
        return date.fromisoformat(request.POST.get(name, ""))
    except ValueError as error:
        raise BadInput("proof.no-date") from error


SHOWN = 10  # proofs and captures in the summary; the linked page lists all


def third_party_context(subject: Subject) -> dict[str, Any]:
    """Return the template context of a summary: the newest proofs, the most urgent open captures and the page URLs.

    The caller must check access. damages_address: "" for a case. export_address: "" unless the subject is a matter with
    confirmed cases.
    """
    standing = subject.proofs().filter(withdrawn_at=None)
    tasks = [each for each in task_entries(subject) if each["task"].ended_at is None]
    has_confirmed = subject.matter is not None and subject.matter.confirmed_cases > 0
    more = max(0, standing.count() - SHOWN) + max(0, len(tasks) - SHOWN)
    return {
        "proofs": [proof_entry(proof) for proof in standing[:SHOWN]],
        "tasks": tasks[:SHOWN],
        "more": more,
        "proofs_address": subject_url(subject, "proofs"),
        "factors_address": subject_url(subject, "factors"),
        "damages_address": subject_url(subject, "damages") if subject.matter is not None else "",
        "export_address": subject_url(subject, "export") if has_confirmed else "",
    }
