"""The view that requests rechecks of a page and reports their state."""

from dataclasses import dataclass
from datetime import datetime

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from core.errors import BadInput, RetryLater
from core.hidden_characters import spell_hidden
from webadmin import stores
from webadmin.accounts.models import User
from webadmin.sites.models import CrawlRun, PageRecheck, PageRecord
from webadmin.sites.models.site_kind_choices import CRAWLED
from webadmin.sites.services import rechecks
from webadmin.ui.pages.wording import message_text

Outcome = PageRecheck.Outcome


@dataclass(frozen=True, slots=True)
class RecheckShown:
    """The state of a page's newest recheck. address: the URL of the view.

    sentence: a description of the state, "" without a recheck. is_over: True if the state is final.
    """

    address: str
    can_ask: bool
    sentence: str = ""
    is_over: bool = True


def recheck_view(request: HttpRequest, page: PageRecord) -> HttpResponse:
    """Return the state of the newest recheck as JSON, or request a recheck and redirect to the "next" URL (POST).

    The caller must check that the user may see the page.
    """
    if request.method != "POST" or not isinstance(request.user, User):
        shown = recheck_summary(page)
        return JsonResponse({"sentence": shown.sentence, "is_over": shown.is_over})
    try:
        rechecks.request_recheck(page, request.user, timezone.now(), stores.outbox())
    except BadInput as error:
        messages.warning(request, message_text(error))
    except RetryLater as error:
        words = _("The check was recorded and starts once the queue is available: %(error)s")
        messages.warning(request, words % {"error": message_text(error)})
    return HttpResponseRedirect(_return_url(request, page))


def recheck_summary(page: PageRecord) -> RecheckShown:
    """Return the state of the newest recheck of a page."""
    address = reverse("admin:watched_sites_pagerecord_recheck", args=[page.pk])
    newest = rechecks.newest_recheck(page)
    if newest is None:
        return RecheckShown(address, can_ask=page.site.kind in CRAWLED)
    is_compared = newest.outcome != Outcome.CHANGED or rechecks.is_compared(newest)
    is_over = bool(newest.outcome) and is_compared
    sentence = _describe_outcome(newest, is_compared) if newest.outcome else _describe_state(newest.run)
    return RecheckShown(address, page.site.kind in CRAWLED and bool(newest.outcome), sentence, is_over)


def _describe_state(run: CrawlRun | None) -> str:
    if run is None:
        return _("The check is waiting for another crawl of the site to finish.")
    if run.state == CrawlRun.State.RUNNING:
        return _("The page is being fetched.")
    if run.resume_at is not None:
        when = _format_moment(run.resume_at)
        return _("The check is waiting until %(when)s: no requests to the site before then.") % {"when": when}
    return _("The check is waiting for a free crawler.")


def _describe_outcome(recheck: PageRecheck, is_compared: bool) -> str:
    fault = spell_hidden(message_text(recheck.fault)) if recheck.fault else ""
    given = {"when": _format_moment(recheck.ended_at or recheck.asked_at), "fault": fault}
    if recheck.outcome == Outcome.UNCHANGED:
        return _("Checked %(when)s: the page is unchanged.") % given
    if recheck.outcome == Outcome.CHANGED and is_compared:
        return _("Checked %(when)s: the page has changed and was compared again.") % given
    if recheck.outcome == Outcome.CHANGED:
        return _("The page has changed, and is being compared.")
    if recheck.outcome == Outcome.GONE:
        return _("Checked %(when)s: the site reports that the page does not exist.") % given
    if recheck.fault is None:
        return _("Checked %(when)s: the page could not be seen.") % given
    return _("Checked %(when)s: the page could not be seen: %(fault)s") % given


def _format_moment(at: datetime) -> str:
    return date_format(timezone.localtime(at), "Y-m-d H:i")


def _return_url(request: HttpRequest, page: PageRecord) -> str:
    wanted = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return wanted if is_ours else reverse("admin:watched_sites_pagerecord_change", args=[page.pk])
