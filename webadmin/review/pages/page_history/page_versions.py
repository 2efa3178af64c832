"""The timeline of a page: first seen, changes with their differences, gone with the proof, back again."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.pages import PageVersion
from core.visits import Absence, AbsenceReason, PageState
from webadmin.ui.pages.text_diff import TextDiff, text_diff


class EventKind(StrEnum):
    """A kind of event in the history of a page."""

    FIRST_SEEN = "first_seen"
    CHANGED = "changed"
    NOT_FOUND = "not_found"  # once; possibly by accident
    GONE = "gone"  # confirmed by a second response
    STILL_GONE = "still_gone"
    BACK = "back"
    UNREADABLE = "unreadable"  # reading the response exceeded the limits


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of the timeline; fields of other kinds are None."""

    kind: EventKind
    at: datetime
    version: PageVersion | None = None  # shown from then on
    diff: TextDiff | None = None  # from the former version; None without a change
    old_title: str | None = None  # if the title changed
    is_known: bool = False  # the page returned to a former text
    absence: Absence | None = None  # the response that proves it


@dataclass(frozen=True, slots=True)
class Timeline:
    """A timeline. events: oldest first; earlier: the number of older events that were left out."""

    events: tuple[Event, ...]
    earlier: int


def build_timeline(
    states: Sequence[PageState], versions: Iterable[PageVersion], absences: Iterable[Absence], most: int
) -> Timeline:
    """Return the timeline of a page with at most the newest `most` events."""
    by_id: dict[str, PageVersion] = {version.id: version for version in versions}
    events = [*_version_events(states), *_absence_events(states, absences)]
    events.sort(key=lambda plain: (plain.at, plain.kind is EventKind.FIRST_SEEN))
    newest = events[-most:]
    return Timeline(tuple(_event(plain, by_id) for plain in newest), len(events) - len(newest))


@dataclass(frozen=True, slots=True)
class _UncomparedEvent:
    """An event before its texts are compared."""

    kind: EventKind
    at: datetime
    version_id: str = ""
    before_id: str = ""
    is_known: bool = False
    absence: Absence | None = None


def _version_events(states: Sequence[PageState]) -> list[_UncomparedEvent]:
    events: list[_UncomparedEvent] = []
    before, seen, is_gone = "", set[str](), False
    for state in states:
        if state.absence_id:
            is_gone = True
            continue
        kind = EventKind.BACK if is_gone else EventKind.CHANGED if before else EventKind.FIRST_SEEN
        events.append(_UncomparedEvent(kind, state.at, state.version_id, before, state.version_id in seen))
        before, is_gone = state.version_id, False
        seen.add(state.version_id)
    return events


def _absence_events(states: Sequence[PageState], absences: Iterable[Absence]) -> list[_UncomparedEvent]:
    confirming = {state.absence_id for state in states if state.absence_id}
    events: list[_UncomparedEvent] = []
    shown = [state for state in states if not state.absence_id]
    for absence in absences:
        if absence.reason is AbsenceReason.LOOKED_AT:  # its text, where it is another, is a version
            continue
        since = max((state.at for state in states if state.absence_id and state.at <= absence.fetched_at), default=None)
        back = max((state.at for state in shown if state.at <= absence.fetched_at), default=None)
        is_gone = since is not None and (back is None or since > back)
        unconfirmed = EventKind.STILL_GONE if is_gone else EventKind.NOT_FOUND
        kind = EventKind.GONE if absence.id in confirming else unconfirmed
        if absence.reason is AbsenceReason.UNREADABLE:
            kind = EventKind.UNREADABLE
        events.append(_UncomparedEvent(kind, absence.fetched_at, absence=absence))
    return events


def _event(plain: _UncomparedEvent, versions: Mapping[str, PageVersion]) -> Event:
    version, before = versions.get(plain.version_id), versions.get(plain.before_id)
    diff = text_diff(before.reading.text, version.reading.text) if version and before else None
    has_new_title = bool(version and before and version.reading.title != before.reading.title)
    return Event(
        kind=plain.kind,
        at=plain.at,
        version=version,
        diff=diff if diff and not diff.is_empty else None,
        old_title=before.reading.title if before and has_new_title else None,
        is_known=plain.is_known and plain.version_id != plain.before_id,
        absence=plain.absence,
    )
