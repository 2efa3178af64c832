"""Computes the track records of sites and addressees: notices sent, answers, removals, and their delays.

All figures are computed from rows with a fixed number of queries. A page in several notices counts once, from the first
notice sent. It counts as removed if it was removed after that, even if it came back.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from math import ceil
from statistics import median

from django.db.models import QuerySet
from django.utils import timezone

from webadmin.notices.models import Addressee, Notice, NoticeEvent, NoticePage, Removal
from webadmin.sites.models import Site

State = Notice.State
ANSWERS = (State.ANSWERED, State.COUNTERED, State.REFUSED)


@dataclass(frozen=True, slots=True)
class TrackRecord:
    """The track record of a site or an addressee.

    to_removal, to_answer: the median delays since sending, or None if there is nothing to count.
    """

    notices: int = 0
    pages: int = 0
    removed: int = 0
    returned: int = 0  # removed pages that came back, even if removed again
    refused: int = 0
    answered: int = 0  # including refusals and counter-statements
    to_removal: timedelta | None = None
    to_answer: timedelta | None = None

    @property
    def removal_rate(self) -> float | None:
        """The share of pages removed in [0, 1], or None if there were no pages."""
        return self.removed / self.pages if self.pages else None

    @property
    def days_to_removal(self) -> int | None:
        return round_up_days(self.to_removal)

    @property
    def days_to_answer(self) -> int | None:
        return round_up_days(self.to_answer)


def round_up_days(time: timedelta | None) -> int | None:
    """Round a duration up to whole days, at least one. Return None for None.

    >>> round_up_days(timedelta(hours=36)), round_up_days(timedelta(minutes=5)), round_up_days(None)
    (2, 1, None)
    """
    return None if time is None else max(1, ceil(time / timedelta(days=1)))


def addressee_record(addressee: Addressee, since: datetime | None = None) -> TrackRecord:
    """Return the track record of an addressee. since: count only notices sent since this time."""
    return _make_record(_sending_times(Notice.objects.filter(addressee=addressee), since))


def site_record(site: Site, since: datetime | None = None) -> TrackRecord:
    """Return the track record of a site for all addressees together. since: count only notices sent since this time."""
    return _make_record(_sending_times(Notice.objects.filter(site=site), since))


def records_per_addressee(site: Site, since: datetime | None = None) -> list[tuple[Addressee, TrackRecord]]:
    """Return the addressees of notices about a site with their track records, sorted by name.

    since: count only notices sent since this time.
    """
    sent = _sending_times(Notice.objects.filter(site=site, addressee__isnull=False), since)
    keys = dict(Notice.objects.filter(pk__in=sent).values_list("pk", "addressee_id"))
    found = []
    for addressee in Addressee.objects.filter(pk__in=set(keys.values())).order_by("name", "pk"):
        own = {notice: at for notice, at in sent.items() if keys[notice] == addressee.pk}
        found.append((addressee, _make_record(own)))
    return found


def _sending_times(notices: "QuerySet[Notice]", since: datetime | None) -> dict[int, datetime]:
    """Return the time at which each notice was first sent, by key.

    Unsent notices and those before `since` are left out.
    """
    first: dict[int, datetime] = {}
    events = NoticeEvent.objects.filter(notice__in=notices.order_by(), state=State.SENT, undone_by=None, undoes=None)
    events = events.order_by("at", "pk")
    for notice, at, day in events.values_list("notice_id", "at", "day"):
        first.setdefault(notice, _event_time(at, day))
    return {notice: at for notice, at in first.items() if since is None or at >= since}


def _event_time(at: datetime, day: date | None) -> datetime:
    """Return the time of an event: the time of recording, or the start of the earlier day that the user entered."""
    zone = timezone.get_default_timezone()
    if day is None or day >= at.astimezone(zone).date():
        return at
    return datetime.combine(day, time.min, zone)


def _make_record(sent: Mapping[int, datetime]) -> TrackRecord:
    answers, refused = _answer_times(sent)
    named: dict[int, datetime] = {}
    for notice, case in NoticePage.objects.filter(notice__in=sent).values_list("notice_id", "case_id"):
        named[case] = min(sent[notice], named.get(case, sent[notice]))
    removed, returned = _removal_times(sent, named)
    return TrackRecord(
        notices=len(sent),
        pages=len(named),
        removed=len(removed),
        returned=returned,
        refused=refused,
        answered=len(answers),
        to_removal=_median_time(removed),
        to_answer=_median_time(answers.values()),
    )


def _answer_times(sent: Mapping[int, datetime]) -> tuple[dict[int, timedelta], int]:
    """Return the time until the first answer to each notice, and the number of refused notices.

    sent: the sending times by notice.
    """
    first: dict[int, datetime] = {}
    refused = set[int]()
    events = NoticeEvent.objects.filter(notice__in=sent, state__in=ANSWERS).order_by("at", "pk")
    events = events.filter(undone_by=None, undoes=None, action=None)
    for notice, state, at, day in events.values_list("notice_id", "state", "at", "day"):
        first.setdefault(notice, _event_time(at, day))
        refused |= {notice} if state == State.REFUSED else set()
    return {notice: max(at - sent[notice], timedelta(0)) for notice, at in first.items()}, len(refused)


def _removal_times(sent: Mapping[int, datetime], named: Mapping[int, datetime]) -> tuple[list[timedelta], int]:
    """Return the times from the first notice about each page to its removal, and the number of pages that came back.

    named: the time of the first notice, by case.
    """
    took: dict[int, timedelta] = {}
    returned = set[int]()
    of_cases = Removal.objects.filter(case__in=NoticePage.objects.filter(notice__in=sent).values("case"))
    rows = of_cases.order_by("since", "pk").values_list("case_id", "since", "ended_at")
    for case, since, ended in rows:
        if since >= named[case]:
            took.setdefault(case, since - named[case])
            returned |= {case} if ended is not None else set()
    return list(took.values()), len(returned)


def _median_time(times: Iterable[timedelta]) -> timedelta | None:
    seconds = [time.total_seconds() for time in times]
    return timedelta(seconds=median(seconds)) if seconds else None
