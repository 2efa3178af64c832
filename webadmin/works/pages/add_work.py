"""The pages on which a manager uploads works: the form, the planned changes, and the results."""

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from core.errors import UnreadableFile, ZhuiwenError
from core.ids import WorkTextId
from core.works import GIVEN, OWN, WHOLE
from webadmin import stores
from webadmin.accounts.models import User
from webadmin.accounts.services import access
from webadmin.ui.pages.page_responses import admin_page, requested_page
from webadmin.ui.pages.requests.request_values import BadValue, is_key, is_page_number
from webadmin.ui.pages.text_diff import TextDiff, text_diff
from webadmin.ui.pages.wording import message_text
from webadmin.works.models import PlannedUpload, Work
from webadmin.works.pages.work_form import AddWorkForm, HolderForm
from webadmin.works.services.acquisition import (
    Acquisition,
    AddedFrom,
    PlannedWork,
    Sending,
    SendingPlan,
    add_planned_works,
    plan_changes,
    read_sending,
)
from webadmin.works.services.changes import Wanted
from webadmin.works.services.intake.division import divisions
from webadmin.works.services.planned_uploads import (
    UploadGone,
    divide_upload,
    keep_upload,
    planned_upload,
    stored_sending,
)

CONFIRM, DISCARD, DIVIDE, ASSIGN = "confirm", "discard", "divide", "assign"
FIRST_TITLES = 3  # The first chapters, shown with the last one to illustrate the division of a work.
DIFFERENCES_SHOWN = 20  # chapters with their changes on one page
NAMES_SHOWN = 200  # added, removed or renamed chapters; the rest are counted


def add_work_view(request: HttpRequest) -> HttpResponse:
    """Return the upload form, or read and store uploaded files (POST) and redirect to the plan of their changes.

    Nothing is added yet. The files are read within the limits of `webadmin.works.services.uploads`. The caller must
    check that the user may add works.
    """
    form = AddWorkForm(None, None, request.user)
    sending = None
    if request.method == "POST" and isinstance(request.user, User):
        form = AddWorkForm(request.POST, request.FILES, request.user)
        sending = _read_upload(form) if form.is_valid() else None
        if sending is not None and sending.works:
            upload = keep_upload(form.cleaned_data["rights_holder"], request.user, sending)
            if sending.warning is not None:
                messages.warning(request, message_text(sending.warning))
            return HttpResponseRedirect(reverse("admin:works_work_plan", args=[upload.pk]))
    acquisition = None if sending is None else Acquisition(faults=sending.faults)
    return _form_page(request, form, acquisition)


def plan_view(request: HttpRequest, upload_key: str) -> HttpResponse:
    """Return the page with the planned changes of an upload, or confirm, change or discard the upload (POST).

    Raises Http404 if `upload_key` is not a key, and PermissionDenied if the user may not manage the rights holder.
    Redirects to the form if the upload is no longer stored.
    """
    user = request.user
    if not isinstance(user, User) or not is_key(upload_key):
        raise Http404
    try:
        upload = planned_upload(int(upload_key), user)
    except UploadGone as fault:
        messages.error(request, message_text(fault))
        return HttpResponseRedirect(reverse("admin:works_work_add"))
    if upload.rights_holder is not None and not access.may_manage(user, upload):
        raise PermissionDenied
    if request.method == "POST":
        return _carry_out(request, upload)
    return _plan_page(request, upload)


def _read_upload(form: AddWorkForm) -> Sending:
    chosen = form.cleaned_data
    return read_sending(
        chosen["uploads"], title=chosen["title"].strip(), author=chosen["author"].strip(), kind=chosen["kind"]
    )


def _carry_out(request: HttpRequest, upload: PlannedUpload) -> HttpResponse:
    """Perform the action in the parameter "do". Raises BadValue for an unknown action."""
    do = request.POST.get("do", "")
    if do == DISCARD:
        upload.delete()
        messages.info(request, _("Nothing was added; the upload was discarded."))
        return HttpResponseRedirect(reverse("admin:works_work_add"))
    if do == DIVIDE:
        return _divide_work(request, upload)
    form = HolderForm(request.POST if do == ASSIGN else None, request.user)
    if do == ASSIGN and form.is_valid():
        upload.rights_holder = form.holder()
        upload.save(update_fields=["rights_holder"])
        return HttpResponseRedirect(request.path)
    if do == ASSIGN or (do == CONFIRM and upload.rights_holder is None):
        return _plan_page(request, upload, form)
    if do != CONFIRM:
        known = f"{CONFIRM}, {DISCARD}, {DIVIDE}, {ASSIGN}"
        raise BadValue("do", do, _("it can be one of: %(choices)s.") % {"choices": known})
    return _confirm_upload(request, upload)


def _divide_work(request: HttpRequest, upload: PlannedUpload) -> HttpResponse:
    """Divide the uploaded work with the index "of" by another heading style. Raises BadValue if either is unknown."""
    of = request.POST.get("of", "")
    if not is_page_number(of) or int(of) >= len(stored_sending(upload).works):
        raise BadValue("of", of, _("enter the number of an uploaded work."))
    style = request.POST.get("style", "")
    try:
        divide_upload(upload, int(of), style)
    except UnreadableFile as fault:
        raise BadValue("style", style, message_text(fault)) from fault
    return HttpResponseRedirect(f"{request.path}?of={of}")


def _confirm_upload(request: HttpRequest, upload: PlannedUpload) -> HttpResponse:
    assert upload.rights_holder is not None
    sending = stored_sending(upload)
    planned = plan_changes(upload.rights_holder, sending)
    if planned.basis != request.POST.get("basis", ""):
        messages.error(
            request,
            _("Someone else has changed the works in the meantime. Nothing was saved; this is what would change now."),
        )
        return HttpResponseRedirect(request.path)
    acquisition = add_planned_works(upload.rights_holder, sending, planned, stores.work_store(), stores.outbox())
    if acquisition.works and len(acquisition.works) == len(planned.works):
        upload.delete()  # otherwise the rest can still be confirmed
    _log_changes(request, acquisition)
    _announce_results(request, acquisition)
    form = AddWorkForm(None, None, request.user)
    form.initial = {"rights_holder": upload.rights_holder_id}
    return _form_page(request, form, acquisition)


def _plan_page(request: HttpRequest, upload: PlannedUpload, holder_form: HolderForm | None = None) -> HttpResponse:
    sending = stored_sending(upload)
    planned = plan_changes(upload.rights_holder, sending, stores.index())
    shown = _shown_work(request, planned)
    page = requested_page(request, shown.planned.change.changed_chapters, DIFFERENCES_SHOWN)
    context = {
        "opts": Work._meta,
        "title": _("What would change"),
        "subtitle": None,
        "upload": upload,
        "plan": planned,
        "works": [(each, _planned_outcome(each), _flaw_messages(each)) for each in planned.works],
        "shown": shown,
        "shown_index": planned.works.index(shown),
        "page": page,
        "query": f"of={planned.works.index(shown)}",
        "differences": [(each, _chapter_difference(each)) for each in page],
        "names_shown": NAMES_SHOWN,
        "division": _division_context(shown),
        "holder_form": None if upload.rights_holder else holder_form or HolderForm(None, request.user),
        "faults": [message_text(fault) for fault in sending.faults],
        "action": reverse("admin:works_work_plan", args=[upload.pk]),
    }
    return admin_page(request, "works/planned_work.html", context)


def _division_context(planned: PlannedWork) -> dict[str, Any]:
    """Return the template context of a work's division: its first and last chapters and the possible divisions."""
    ways = divisions(planned.sent.read)
    style = planned.sent.work.file.style or ways[0].style
    titles = [chapter.title or _("(no title)") for chapter in planned.sent.work.file.chapters]
    return {
        "style": style,
        "name": _style_name(style),
        "count": len(titles),
        "first": titles[:FIRST_TITLES],
        "last": titles[-1] if len(titles) > FIRST_TITLES else "",
        "is_cut": len(titles) > FIRST_TITLES + 1,
        "ways": [(each.style, _style_name(each.style), each.chapters) for each in ways],
    }


def _style_name(style: str) -> str:
    names = {
        WHOLE: _("no chapters"),
        OWN: _("divided as in the file itself"),
        GIVEN: _("in upload order"),
    }
    return names.get(style, style)


def _shown_work(request: HttpRequest, planned: SendingPlan) -> PlannedWork:
    """Return the work whose chapters the page lists: the one with the index "of", by default the first changed one.

    Raises BadValue if there is no such index.
    """
    of = request.GET.get("of")
    if of is None:
        known = (each for each in planned.works if each.planned.work is not None and not each.planned.is_nothing)
        return next(known, planned.works[0])
    if not is_page_number(of) or int(of) >= len(planned.works):
        raise BadValue("of", of, _("enter the number of an uploaded work."))
    return planned.works[int(of)]


def _chapter_difference(wanted: Wanted) -> TextDiff | str:
    """Return the changes in the text of a chapter, or a message with the reason why they cannot be shown."""
    assert wanted.was is not None
    try:
        old = stores.work_store().text(WorkTextId(wanted.was.text_id))
    except ZhuiwenError as fault:
        return message_text(fault)
    return _("The earlier text is no longer stored.") if old is None else text_diff(old, wanted.chapter.text)


def _flaw_messages(planned: PlannedWork) -> list[str]:
    """Return messages about flaws in the file of the work and about works that already have its texts."""
    told = [each.message(planned.planned.title) for each in planned.stands.standing]
    flaws = planned.sent.work.file.flaws
    return [message_text(each) for each in (*flaws, *told, *filter(None, [planned.stands.unknown]))]


def _log_changes(request: HttpRequest, acquisition: Acquisition) -> None:
    """Record each new or changed work in the admin's log, with the user who uploaded it."""
    works = admin.site.get_model_admin(Work)
    for each in acquisition.works:
        added = each.added
        if added.is_new:
            works.log_addition(request, added.work, f"{each.sent.file_name}: {added.new} chapters")
        elif not added.is_unchanged:
            counts = f"{added.new} new, {added.changed} changed, {added.removed} removed"
            works.log_change(request, added.work, f"{each.sent.file_name}: {counts}")


def _announce_results(request: HttpRequest, acquisition: Acquisition) -> None:
    if acquisition.queue_fault:
        told = _("The works were saved; the search for copies starts once the queue is available: %(error)s")
        messages.warning(request, told % {"error": message_text(acquisition.queue_fault)})
    elif any(not each.added.is_unchanged for each in acquisition.works):
        messages.success(request, _("The works were saved; the search for copies starts in a moment."))


def _planned_outcome(each: PlannedWork) -> tuple[str, str]:
    """Return the label and the colour name of a planned change."""
    if each.planned.work is None:
        return _("new"), "finished"
    return (_("unchanged"), "unchanged") if each.planned.is_nothing else (_("would be updated"), "open")


def _added_outcome(each: AddedFrom) -> tuple[str, str]:
    """Return the label and the colour name of a completed change."""
    if each.added.is_new:
        return _("new"), "finished"
    return (_("unchanged"), "unchanged") if each.added.is_unchanged else (_("updated"), "open")


def _form_page(request: HttpRequest, form: AddWorkForm, acquisition: Acquisition | None) -> HttpResponse:
    works = acquisition.works if acquisition else []
    context: dict[str, Any] = {
        "opts": Work._meta,
        "title": _("Add works"),
        "subtitle": None,
        "form": form,
        "is_done": acquisition is not None,
        "works": [(each, each.added, *_added_outcome(each)) for each in works],
        "faults": [message_text(fault) for fault in acquisition.faults] if acquisition else [],
        "action": reverse("admin:works_work_add"),
    }
    return admin_page(request, "works/add_work.html", context)
