"""The view of a lead, with its meaning and limits, both texts sentence by sentence, and the verdicts."""

from collections.abc import Callable, Iterator
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.errors import BadInput, ZhuiwenError
from core.matches import STRENGTH_STEPS, RewordedState
from core.wording import Message
from webadmin import stores
from webadmin.accounts.models import User
from webadmin.accounts.services import access
from webadmin.cases.models import Matter
from webadmin.cases.services.verdicts import MAX_NOTE_CHARS
from webadmin.rewrites.models import RewordedLead
from webadmin.rewrites.pages.lead_page.pairs import (
    HEIGHT,
    MAX_SHOWN,
    WIDTH,
    list_pairs,
    sentence_order_lines,
    sentence_rows,
)
from webadmin.rewrites.services.lead_export import export_lead
from webadmin.rewrites.services.lead_status import compared_page, compared_work, lead_status
from webadmin.rewrites.services.letter import letter_file, letter_name, letter_refusal
from webadmin.rewrites.services.verdicts import decide_lead, is_verdict_current
from webadmin.ui.models.phrases import in_language_of_reader
from webadmin.ui.pages.downloads import as_file, raw_download, refusal, zip_response
from webadmin.ui.pages.page_responses import admin_page
from webadmin.ui.pages.requests.request_values import is_key
from webadmin.ui.pages.web_addresses import is_web_address
from webadmin.ui.pages.wording import message_text

MAX_OTHERS = 10  # other leads and cases of the page listed
BANDS = {name: in_language_of_reader(Message(f"reworded-band.{name}")) for name in ("low", "middle", "high")}
CHOICES = {
    RewordedState.CONFIRMED: gettext_lazy("Confirm the rewrite"),
    RewordedState.DISMISSED: gettext_lazy("Dismiss the rewrite"),
    RewordedState.WAITING: gettext_lazy("Reopen"),
}
_DONE = {
    RewordedState.CONFIRMED: gettext_lazy("The rewrite was confirmed."),
    RewordedState.DISMISSED: gettext_lazy("The rewrite was dismissed."),
    RewordedState.WAITING: gettext_lazy("The suspected rewrite was reopened."),
}


def _compared_texts(lead: RewordedLead) -> tuple[str | None, str | None, list[str]]:
    """Return the texts of page and work, each None if missing or changed, and notes that explain why to the user."""
    notes = list[str]()

    def read_or_note(read: Callable[[], str]) -> str | None:
        try:
            return read()
        except BadInput as error:
            notes.append(message_text(error))
            return None

    page = work = None
    try:
        page = read_or_note(lambda: compared_page(lead, stores.page_store())[1])
        work = read_or_note(lambda: compared_work(lead, stores.work_store()))
    except ZhuiwenError as error:
        words = _("The page store cannot be read (%(error)s), so the sentences cannot be shown now.")
        notes.append(words % {"error": message_text(error)})
    return page, work, notes


def _letter_files() -> list[tuple[str, str]]:
    """Return the URLs and labels of the letters that can be drafted."""
    named = {
        ("docx", "zh-hans"): _("Word, in Chinese"),
        ("txt", "zh-hans"): _("Plain text, in Chinese"),
        ("docx", "en"): _("Word, in English"),
        ("txt", "en"): _("Plain text, in English"),
    }
    return [(f"?{urlencode({'letter': kind, 'in': language})}", name) for (kind, language), name in named.items()]


def letter_response(request: HttpRequest, lead: RewordedLead) -> HttpResponse:
    """Return the letter that the parameters `letter` (file type) and `in` (language) request, or an error page."""
    kind, language = request.GET["letter"], request.GET.get("in", "zh-hans")
    try:
        content = letter_file(lead, kind, language)
    except ZhuiwenError as error:
        return refusal(message_text(error), 409)
    return as_file(letter_name(lead, kind, language), content)


def lead_view(request: HttpRequest, lead: RewordedLead) -> HttpResponseBase:
    """Show a lead, record a verdict on it (POST), or return a file.

    Files: the raw response (?raw), the evidence (?export=evidence), a letter (?letter=). The caller must check that the
    user may see the lead.
    """
    if request.method == "POST" and isinstance(request.user, User):
        return _record_verdict(request, lead, request.user)
    if "raw" in request.GET:
        return raw_download(lead.raw_digest)
    if request.GET.get("export") == "evidence":
        return evidence_response(request, lead)
    if "letter" in request.GET:
        return letter_response(request, lead)
    return _lead_page(request, lead)


def describe_counterparts(lead: RewordedLead) -> str:
    """Return a sentence on the number of the page's sentences that have a counterpart."""
    counts = {"pairs": lead.pair_count, "sentences": lead.sentence_count, "in_order": lead.in_order}
    return message_text(Message("reworded.sentences", **counts))


def describe_alarms(lead: RewordedLead) -> str:
    """Return a sentence on how often unrelated passages reached the band, or "" if that was not measured."""
    if lead.band_passages is None:
        return ""
    return message_text(Message("reworded.band", alarms=lead.band_alarms or 0, passages=lead.band_passages))


def _record_verdict(request: HttpRequest, lead: RewordedLead, user: User) -> HttpResponse:
    asked, basis = request.POST.get("verdict", ""), request.POST.get("basis", "")
    if asked not in set(RewordedState) or not is_key(basis):
        messages.error(request, _("Choose a verdict first."))
        return HttpResponseRedirect(request.path)
    note = request.POST.get("note", "")
    try:
        decide_lead(lead, RewordedState(asked), user, note, basis=int(basis), seen_version=request.POST.get("seen", ""))
    except ZhuiwenError as refusal:
        messages.error(request, message_text(refusal))
        return _lead_page(request, lead, note, status=409)
    messages.success(request, str(_DONE[RewordedState(asked)]))
    return HttpResponseRedirect(request.path)


def _lead_page(request: HttpRequest, lead: RewordedLead, kept: str = "", status: int = 200) -> HttpResponse:
    """Return the page of a lead. kept: the text of a rejected note, which the form contains again."""
    page_text, work_text, notes = _compared_texts(lead)
    pairs, refused = list_pairs(lead.pairs), letter_refusal(lead)
    verdicts = list(lead.verdicts.select_related("decided_by"))
    is_settled = lead.state == RewordedState.WAITING or not verdicts or is_verdict_current(verdicts[0], lead)
    others = lead.page.reworded_leads.filter(lapsed_at=None).exclude(pk=lead.pk).select_related("work").defer("pairs")
    context = {
        "opts": lead._meta,
        "title": f"{lead.get_found_as_display()} {lead.pk}",
        "lead": lead,
        "caution": message_text(Message("reworded.caution")),
        "counterparts": describe_counterparts(lead),
        "alarms": describe_alarms(lead),
        "band": BANDS.get(lead.band, lead.band),
        "page_href": lead.page_url if is_web_address(lead.page_url) else "",
        "notes": notes,
        "rows": [] if page_text is None or work_text is None else sentence_rows(page_text, work_text, pairs),
        "lines": sentence_order_lines(pairs) if len(pairs) > 1 else [],
        "is_shared": len({pair.rank for pair in pairs}) < len(pairs),
        "moved": sum(pair.is_moved for pair in pairs),
        "width": WIDTH,
        "height": HEIGHT,
        "steps": STRENGTH_STEPS,
        "more_pairs": max(0, len(lead.pairs) - MAX_SHOWN),
        "verdicts": verdicts,
        "basis": verdicts[0].pk if verdicts else 0,
        "choices": [(str(state), words, is_settled and state == lead.state) for state, words in CHOICES.items()],
        "may_export": access.may_manage(request.user, lead),
        "max_note_chars": MAX_NOTE_CHARS,
        "kept": kept,
        "next_steps": list(_next_steps(lead)) if lead.state == RewordedState.CONFIRMED else [],
        "letter_files": _letter_files() if refused is None else [],
        "letter_refusal": message_text(refused) if refused else "",
        "status": message_text(lead_status(lead).said) if lead.state == RewordedState.CONFIRMED else "",
        "others": list(others.filter(rights_holder=lead.rights_holder_id)[:MAX_OTHERS]),
        "cases": list(
            lead.page.cases.filter(rights_holder=lead.rights_holder_id)
            .select_related("work")
            .order_by("pk")[:MAX_OTHERS]
        ),
        "following": _next_waiting_lead(request, lead),
    }
    return admin_page(request, "rewrites/lead.html", context, status=status)


def _next_steps(lead: RewordedLead) -> Iterator[dict[str, str]]:
    """Yield the labels and URLs of the actions possible on a confirmed lead."""
    site = reverse("admin:watched_sites_site_change", args=[lead.site_id])
    page = reverse("admin:watched_sites_pagerecord_change", args=[lead.page_id])
    yield {"name": _("Contact at the site"), "address": site}
    yield {"name": _("Check the page now, so that its newest version is kept"), "address": page}
    matter = Matter.objects.filter(site=lead.site_id, work=lead.work_id).first()
    if matter is not None:
        address = reverse("webadmin_matter", args=[matter.pk])
        yield {"name": _("Pages of this site that contain text of the work: the matter"), "address": address}


def _next_waiting_lead(request: HttpRequest, lead: RewordedLead) -> int | None:
    """Return the key of the user's next waiting lead by score, or None if there is none.

    After the last lead, the first follows.
    """
    waiting = access.visible(RewordedLead.objects.filter(lapsed_at=None, state=RewordedState.WAITING), request.user)
    keys = waiting.exclude(pk=lead.pk).order_by("-score", "-pk").values_list("pk", flat=True)
    lower = keys.filter(score__lte=lead.score).exclude(score=lead.score, pk__gt=lead.pk)
    return lower.first() or keys.first()


def evidence_response(request: HttpRequest, lead: RewordedLead) -> HttpResponseBase:
    """Return the evidence of a lead as a ZIP file, or an error page.

    The caller must check that the user may see the lead. Raises Http404 unless the user is a manager.
    """
    if not access.may_manage(request.user, lead):
        raise Http404
    return zip_response(f"zhuiwen-lead-{lead.pk}.zip", lambda path: export_lead(lead, path))
