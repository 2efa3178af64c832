"""The versions of a page on the case page, and the timeline of the page.

The timeline states when the page was first seen, changed (with the differences), gone (with the proof) and back.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.counting import count_characters
from core.errors import ZhuiwenError
from core.ids import PageId
from core.pages import DATED_BY_SERVER, PageVersion
from core.visits import Absence, AbsenceReason, PageState
from webadmin import stores
from webadmin.accounts.services import access
from webadmin.cases.models import CaseMatch
from webadmin.cases.services.addresses import cases_with_pages
from webadmin.sites.models import PageRecord
from webadmin.ui.pages.downloads import raw_download, refusal
from webadmin.ui.pages.page_responses import admin_page
from webadmin.ui.pages.text_diff import TextDiff, text_diff
from webadmin.ui.pages.web_addresses import is_web_address
from webadmin.ui.pages.wording import message_text


class EventKind(StrEnum):
    """The kinds of events in the history of a page."""

    FIRST_SEEN = "first_seen"
    CHANGED = "changed"
    NOT_FOUND = "not_found"  # absent once, possibly by accident
    GONE = "gone"  # absent in a second response too
    STILL_GONE = "still_gone"
    BACK = "back"
    UNREADABLE = "unreadable"  # reading the response exceeded the limits


@dataclass(frozen=True)
class Event:
    """An entry in the timeline.

    version: the version of the page from then on, or None. before: the former version, or None. is_known: whether the
    page returned to a former text. absence: the response that proves the event, or None.
    """

    kind: EventKind
    at: datetime
    version: PageVersion | None = None
    before: PageVersion | None = None
    is_known: bool = False
    absence: Absence | None = None

    @cached_property
    def diff(self) -> TextDiff | None:
        """The difference from the former version, or None.

        It takes time, so it is computed only for displayed events.
        """
        if self.version is None or self.before is None:
            return None
        found = text_diff(self.before.reading.text, self.version.reading.text)
        return None if found.is_empty else found

    @property
    def old_title(self) -> str | None:
        """The former title, or None if it did not change."""
        if self.version is None or self.before is None:
            return None
        return self.before.reading.title if self.before.reading.title != self.version.reading.title else None


@dataclass(frozen=True, slots=True)
class Timeline:
    """A timeline. events: the oldest first. earlier: the number of older events that were left out."""

    events: tuple[Event, ...]
    earlier: int


def build_timeline(
    states: Sequence[PageState], versions: Iterable[PageVersion], absences: Iterable[Absence], most: int
) -> Timeline:
    """Return the timeline of a page with at most `most` events, the newest ones."""
    by_id: dict[str, PageVersion] = {version.id: version for version in versions}
    events = [*_version_events(states, by_id), *_absence_events(states, absences)]
    events.sort(key=lambda event: (event.at, event.kind is EventKind.FIRST_SEEN))
    return Timeline(tuple(events[-most:]), max(0, len(events) - most))


def _version_events(states: Sequence[PageState], versions: Mapping[str, PageVersion]) -> list[Event]:
    events: list[Event] = []
    before, seen, is_gone = "", set[str](), False
    for state in states:
        if state.absence_id:
            is_gone = True
            continue
        kind = EventKind.BACK if is_gone else EventKind.CHANGED if before else EventKind.FIRST_SEEN
        is_known = state.version_id in seen and state.version_id != before
        events.append(Event(kind, state.at, versions.get(state.version_id), versions.get(before), is_known))
        before, is_gone = state.version_id, False
        seen.add(state.version_id)
    return events


def _absence_events(states: Sequence[PageState], absences: Iterable[Absence]) -> list[Event]:
    confirming = {state.absence_id for state in states if state.absence_id}
    events: list[Event] = []
    shown = [state for state in states if not state.absence_id]
    for absence in absences:
        if absence.reason is AbsenceReason.LOOKED_AT:  # If its text is different, it is a version.
            continue
        since = max((state.at for state in states if state.absence_id and state.at <= absence.fetched_at), default=None)
        back = max((state.at for state in shown if state.at <= absence.fetched_at), default=None)
        is_gone = since is not None and (back is None or since > back)
        unconfirmed = EventKind.STILL_GONE if is_gone else EventKind.NOT_FOUND
        kind = EventKind.GONE if absence.id in confirming else unconfirmed
        if absence.reason is AbsenceReason.UNREADABLE:
            kind = EventKind.UNREADABLE
        events.append(Event(kind, absence.fetched_at, absence=absence))
    return events


MAX_EVENTS = 60  # events on one timeline; each may contain a comparison of two texts
EVENT_NAMES = {
    EventKind.FIRST_SEEN: gettext_lazy("first seen"),
    EventKind.CHANGED: gettext_lazy("changed"),
    EventKind.NOT_FOUND: gettext_lazy("not found, not confirmed yet"),
    EventKind.GONE: gettext_lazy("gone"),
    EventKind.STILL_GONE: gettext_lazy("still removed"),
    EventKind.BACK: gettext_lazy("online again"),
    EventKind.UNREADABLE: gettext_lazy("could not be read"),
}
REASONS = {
    AbsenceReason.NOT_FOUND: gettext_lazy("The site reported that the page does not exist (404)."),
    AbsenceReason.GONE: gettext_lazy("The site reported that the page is gone (410)."),
    AbsenceReason.NOT_FOUND_PAGE: gettext_lazy("The site responded as for a URL that never existed."),
    AbsenceReason.UNREADABLE: gettext_lazy(
        "Reading this response exceeds the limits for a page; it was kept as received."
    ),
}


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A version of the page. chars: None if only the evidence contains its text."""

    id: str
    fetched_at: datetime
    title: str
    chars: int | None
    match: CaseMatch | None  # the largest match of the case in this version
    is_current: bool
    is_dated_by_server: bool = False  # The archive states no time.


def version_rows(matches: Iterable[CaseMatch], stored: Iterable[PageVersion], current: str) -> list[VersionRow]:
    """Return all known versions of a page, the newest first.

    matches: of the case. stored: the versions in the page store. current: the id of the current version.
    """
    best = {match.version_id: match for match in sorted(matches, key=lambda match: match.matched_chars)}
    rows = {
        version_id: VersionRow(version_id, match.fetched_at, match.final_url, None, match, version_id == current)
        for version_id, match in best.items()
    }
    for version in stored:
        rows[version.id] = VersionRow(
            id=version.id,
            fetched_at=version.fetched_at,
            title=version.reading.title,
            chars=count_characters(version.reading.text),
            match=best.get(version.id),
            is_current=version.id == current,
            is_dated_by_server=version.origin.endswith(DATED_BY_SERVER),
        )
    return sorted(rows.values(), key=lambda row: row.fetched_at, reverse=True)


def timeline_view(request: HttpRequest, page: PageRecord) -> HttpResponse:
    """Show the timeline of a page, or return the response that proves its absence (?proof=<id>).

    Raises Http404 if the user may not see the page, and for an unknown proof.
    """
    if not access.may_see(request.user, page):
        raise Http404
    if "proof" in request.GET:
        return _proof_response(page, request.GET["proof"])
    events, fault = _read_timeline(page)
    context: dict[str, Any] = {
        "opts": page._meta,
        "title": _("History of a page"),
        "page": page,
        "page_href": page.url if is_web_address(page.url) else "",
        "rows": [(event, EVENT_NAMES[event.kind], _absence_reason(event.absence)) for event in events.events],
        "earlier": events.earlier,
        "fault": fault,
        "cases": list(access.visible(cases_with_pages([page.pk]).select_related("work").order_by("pk"), request.user)),
    }
    return admin_page(request, "review/page_history.html", context)


def _read_timeline(page: PageRecord) -> tuple[Timeline, str]:
    """Return the timeline, and a sentence on why it is unavailable, or ""."""
    key, store = PageId(page.page_id), stores.page_store()
    try:
        return build_timeline(store.states(key), store.versions(key), store.absences(key), MAX_EVENTS), ""
    except ZhuiwenError as error:
        return Timeline((), 0), message_text(error)


def _proof_response(page: PageRecord, absence_id: str) -> HttpResponse:
    """Return the raw response of an absence as a download that browsers do not display.

    Raises Http404 for an unknown absence.
    """
    try:
        found = {absence.id: absence for absence in stores.page_store().absences(PageId(page.page_id))}
    except ZhuiwenError as error:
        return refusal(message_text(error), 503)
    if absence_id not in found:
        raise Http404
    return raw_download(found[absence_id].raw_digest)


def _absence_reason(absence: Any) -> str:
    return str(REASONS[absence.reason]) if absence is not None else ""
