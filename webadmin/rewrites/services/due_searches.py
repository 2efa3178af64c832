"""Finds the pages that are due for a search by meaning, and the texts to search for, in the admin database.

If the kind of a work is watched, pages are searched for rewrites of its texts after they were searched for copies.
`Chapter.reworded_at` is the time since which this is done. A search is due for a page whose version differs from the
version compared last, or that was compared before the newest text was added or by an older algorithm. After a kind is
switched on or off, the next search adds or drops its works.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from django.db import transaction
from django.db.models import Exists, F, Max, Model, OuterRef, Q, QuerySet
from django.utils import timezone

from core.ids import PageId, VersionId, WorkTextId
from core.matches import RewordedState
from webadmin.accounts.models import FailedMessage, RightsHolder
from webadmin.cases.models import PageCheck
from webadmin.cases.services.addresses import OUTDATED
from webadmin.cases.signals import rights_ruled, text_withdrawn
from webadmin.database import batches, lock_rows
from webadmin.rewrites.models import RewordedCheck, RewordedLead
from webadmin.sites.models import PageRecord
from webadmin.works.models import Chapter

if TYPE_CHECKING:
    from pipeline.steps import Ports  # loads numba, which no other process that sets Django up needs

TASK = "rewrites.search_reworded"  # also the task name of failed pages in FailedMessage
M = TypeVar("M", bound=Model)
_A_MOMENT = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class MeaningWatch:
    """A rights holder, with the kinds of works that pages are searched for by meaning."""

    holder: int
    name: str
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DuePage:
    """A page that is due, with the version to compare."""

    page: PageId
    version: VersionId


@dataclass(frozen=True, slots=True)
class Backlog:
    """The numbers of pages that are due for a search and of texts that pages have not been searched for yet."""

    pages: int
    texts: int


def watches() -> list[MeaningWatch]:
    """Return a watch for each rights holder who enabled the search by meaning."""
    rows = RightsHolder.objects.exclude(reworded_kinds=[]).order_by("pk")
    return [
        MeaningWatch(pk, name, normalize_kinds(kinds))
        for pk, name, kinds in rows.values_list("pk", "name", "reworded_kinds")
    ]


def normalize_kinds(kinds: Iterable[str]) -> tuple[str, ...]:
    """Return kinds of works sorted and without duplicates, for comparison."""
    return tuple(sorted(set(kinds)))


def has_news(watch: MeaningWatch) -> bool:
    """Return True if there are indexed texts that pages are not searched for by meaning yet."""
    return _unsearched_chapters(watch).exists()


def text_ids(watch: MeaningWatch) -> frozenset[WorkTextId]:
    """Return the ids of all indexed texts of watched kinds, including texts that pages are not searched for yet."""
    texts = _watched_chapters(watch).filter(indexed_at__isnull=False).values_list("text_id", flat=True)
    return frozenset(WorkTextId(text) for text in texts)


def searched_texts(watch: MeaningWatch) -> frozenset[WorkTextId]:
    """Return the ids of the texts that pages are already searched for."""
    return frozenset(WorkTextId(text) for text in searched_chapters(watch).values_list("text_id", flat=True))


def searched_chapters(watch: MeaningWatch) -> "QuerySet[Chapter]":
    """Return the chapters whose texts pages are already searched for."""
    return _watched_chapters(watch).filter(reworded_at__isnull=False)


def newest_text_time(watch: MeaningWatch) -> datetime | None:
    """Return the time since which pages are searched for the newest text, or None without texts."""
    return _watched_chapters(watch).aggregate(newest=Max("reworded_at"))["newest"]


def add_searched_texts(watch: MeaningWatch, texts: frozenset[WorkTextId], now: datetime) -> None:
    """Record that pages are searched for these texts from now on, and no longer for texts of other kinds."""
    with transaction.atomic():
        others = Chapter.objects.filter(work__rights_holder=watch.holder, reworded_at__isnull=False)
        others.exclude(work__kind__in=watch.kinds).update(reworded_at=None)
        before = newest_text_time(watch)
        at = now if before is None else max(now, before + _A_MOMENT)  # later than `before` even if the clock is not
        new = [pk for pk, text in _unsearched_chapters(watch).values_list("pk", "text_id") if text in texts]
        for batch in batches(new):
            Chapter.objects.filter(pk__in=batch, reworded_at__isnull=True).update(reworded_at=at)


def due_pages(watch: MeaningWatch, until: datetime, limit: int) -> list[DuePage]:
    """Return at most `limit` pages that are due for a search for the texts up to `until`, changed pages first.

    Pages that are gone, not yet searched for copies, or whose search failed permanently are left out.
    """
    found: list[DuePage] = []
    for rows, page in _due_rows(watch, until):
        keys = _page_keys(rows, page, limit - len(found))
        found += [DuePage(PageId(page_id), VersionId(version)) for page_id, version in keys]
    return found


def backlog(watches: Iterable[MeaningWatch]) -> Backlog:
    """Return the total backlog of these watches."""
    pages = texts = 0
    for watch in watches:
        until = newest_text_time(watch)
        if until is not None and due_pages(watch, until, 1):  # uses an index; PostgreSQL counts with a full scan
            pages += sum(rows.count() for rows, _ in _due_rows(watch, until))
        texts += _unsearched_chapters(watch).count()
    return Backlog(pages, texts)


def forget_gone(watch: MeaningWatch, until: datetime) -> None:
    """Delete the checks of pages that are gone, so that these pages need no search until they return.

    until: the time of the newest text.
    """
    for older in _older_checks(watch, until):
        gone = list(older.filter(page__gone_since__isnull=False).values_list("page_id", flat=True))
        for batch in batches(gone):
            with transaction.atomic():
                PageRecord.objects.filter(page_id__in=batch).update(reworded_version_id="")
                RewordedCheck.objects.filter(page__in=batch).delete()


def _due_rows(watch: MeaningWatch, until: datetime) -> Iterator[tuple["QuerySet[Any]", str]]:
    """Yield queries for the due pages, in order, each with the prefix of the page's fields in the query."""
    pages = PageRecord.objects.filter(rights_holder=watch.holder, gone_since__isnull=True)
    # Condition and order must equal the index page_owes_reworded, so that databases use it.
    changed = _comparable(pages.filter(~Q(reworded_version_id=F("version_id"))), "")
    yield changed.order_by("reworded_version_id", "page_id"), ""
    for older in _older_checks(watch, until):
        rows = older.filter(page__gone_since__isnull=True, page__reworded_version_id=F("page__version_id"))
        yield _comparable(rows, "page__").order_by("algorithm_version", "works_until", "page_id"), "page__"


def _watched_chapters(watch: MeaningWatch) -> "QuerySet[Chapter]":
    return Chapter.objects.filter(work__rights_holder=watch.holder, work__kind__in=watch.kinds).order_by()


def _unsearched_chapters(watch: MeaningWatch) -> "QuerySet[Chapter]":
    return _watched_chapters(watch).filter(reworded_at__isnull=True, indexed_at__isnull=False)


def _older_checks(watch: MeaningWatch, until: datetime) -> Sequence["QuerySet[RewordedCheck]"]:
    """Return two queries that use one index: checks by an older algorithm, and checks with older texts."""
    from matcher.reworded.record import CURRENT  # It loads tables of characters, which the admin's pages do not need.

    checks = RewordedCheck.objects.filter(rights_holder=watch.holder)
    return (
        checks.filter(algorithm_version__lt=CURRENT.version),
        checks.filter(algorithm_version=CURRENT.version, works_until__lt=until),
    )


def _comparable(rows: "QuerySet[M]", page: str) -> "QuerySet[M]":
    """Return the rows whose page was searched for copies and whose search by meaning did not fail permanently.

    page: the prefix of the page's fields in the query.
    """
    version = OuterRef(f"{page}version_id")
    is_compared = Exists(PageCheck.objects.filter(version_id=version).exclude(algorithm_id=OUTDATED))
    return rows.filter(is_compared, ~Exists(FailedMessage.objects.filter(task=TASK, subject=version)))


def _page_keys(rows: "QuerySet[M]", page: str, limit: int) -> list[tuple[str, str]]:
    return list(rows.values_list("page_id", f"{page}version_id")[:limit]) if limit > 0 else []


def connect() -> None:
    """Connect the receivers of signals from cases."""
    rights_ruled.connect(_compare_again)
    text_withdrawn.connect(_let_lapse)


def _compare_again(holder: int, **_: object) -> None:
    """Make pages with undecided leads due for a comparison by meaning, which applies the changed rights."""
    leads = RewordedLead.objects.filter(rights_holder=holder, state=RewordedState.WAITING)
    pages = lock_rows(PageRecord.objects.filter(page_id__in=leads.values("page_id")))
    for batch in batches(list(pages.values_list("page_id", flat=True))):
        PageRecord.objects.filter(page_id__in=batch).update(reworded_version_id="")


def _let_lapse(text: str, **_: object) -> None:
    waiting = RewordedLead.objects.filter(text_id=text, state=RewordedState.WAITING, lapsed_at__isnull=True)
    waiting.update(lapsed_at=timezone.now())


def has_due_searches(ports: "Ports") -> bool:
    """Return True if a search by meaning is due for any rights holder."""
    return any(is_search_due(watch, ports) for watch in watches())


def is_search_due(watch: MeaningWatch, ports: "Ports") -> bool:
    """Return True if a page of one rights holder is due, or a newer text can be searched for."""
    until = newest_text_time(watch)
    if until is not None and due_pages(watch, until, 1):
        return True
    return has_news(watch) and not lags(watch, ports)


def lags(watch: MeaningWatch, ports: "Ports") -> bool:
    """Return True if pages of a rights holder must first be searched for copies of newer texts."""
    return watch.holder in ports.cases.lags(ports.algorithm.id)
