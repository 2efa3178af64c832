"""The page where a manager sends works, and is told what came of each."""

from typing import Any

from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _

from records import stores
from records.models import Work
from records.works.acquisition import Acquisition, AddedFrom, TitleForSeveral, acquire
from webadmin.forms.work_form import AddWorkForm
from webadmin.requests.content_policy import with_policy
from webadmin.wording import said


def add_work_view(request: HttpRequest, model_admin: "ModelAdmin[Work]") -> HttpResponse:
    """Show the form; take files (POST) and say what became of each work. The caller has checked that the user may add.

    The files are read and stored in the request, which `records.works.uploads` bounds; indexing goes through messages.
    """
    form = AddWorkForm(None, None, request.user)
    acquisition = None
    if request.method == "POST" and isinstance(request.user, User):
        form = AddWorkForm(request.POST, request.FILES, request.user)
        acquisition = _acquired(form) if form.is_valid() else None
    if acquisition is not None:
        _log(request, model_admin, acquisition)
        _say(request, acquisition)
        holder = form.cleaned_data["rights_holder"]
        form = AddWorkForm(None, None, request.user)
        form.initial = {"rights_holder": holder.pk}
    context = _context(request, model_admin, form, acquisition)
    return with_policy(TemplateResponse(request, "webadmin/add_work.html", context))


def _acquired(form: AddWorkForm) -> Acquisition | None:
    chosen = form.cleaned_data
    try:
        return acquire(
            chosen["rights_holder"],
            chosen["uploads"],
            stores.work_store(),
            stores.outbox(),
            title=chosen["title"].strip(),
            author=chosen["author"].strip(),
            kind=chosen["kind"],
        )
    except TitleForSeveral as fault:
        form.add_error("title", said(fault))
        return None


def _log(request: HttpRequest, model_admin: "ModelAdmin[Work]", acquisition: Acquisition) -> None:
    """Write each work that is new or different into the admin's log, with who sent it."""
    for each in acquisition.works:
        added = each.added
        if added.is_new:
            model_admin.log_addition(request, added.work, f"{each.file_name}: {added.new} chapters")
        elif not added.is_unchanged:
            counts = f"{added.new} new, {added.changed} changed, {added.removed} removed"
            model_admin.log_change(request, added.work, f"{each.file_name}: {counts}")


def _say(request: HttpRequest, acquisition: Acquisition) -> None:
    if acquisition.queue_fault:
        told = _("The works are stored; searching for them begins once the queue answers: %(error)s")
        messages.warning(request, told % {"error": said(acquisition.queue_fault)})
    elif any(not each.added.is_unchanged for each in acquisition.works):
        messages.success(request, _("The works are stored; searching for them begins in a moment."))


def _outcome(each: AddedFrom) -> tuple[str, str]:
    """Give the state of a work as a word and as the name of its colour."""
    if each.added.is_new:
        return _("new"), "finished"
    return (_("unchanged"), "unchanged") if each.added.is_unchanged else (_("updated"), "open")


def _context(
    request: HttpRequest, model_admin: "ModelAdmin[Work]", form: AddWorkForm, acquisition: Acquisition | None
) -> dict[str, Any]:
    works = acquisition.works if acquisition else []
    return {
        **model_admin.admin_site.each_context(request),
        "opts": Work._meta,
        "title": _("Add works"),
        "subtitle": None,
        "form": form,
        "is_done": acquisition is not None,
        "works": [(each, each.added, *_outcome(each)) for each in works],
        "faults": [said(fault) for fault in acquisition.faults] if acquisition else [],
    }
