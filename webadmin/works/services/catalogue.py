"""Adds, updates, finds and removes the works of a rights holder and their chapters.

Adding is idempotent: an existing text creates nothing new. Texts are stored before the rows that refer to them, and
messages are sent after the rows are committed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from django.db import transaction
from django.db.models import F, Max, Q
from django.utils import timezone

from core.counting import count_characters
from core.errors import BadInput, NotFound
from core.ids import WorkTextId, work_text_id
from core.matches import RewordedState
from core.messages import WorkAdded, WorkRemoved
from core.ports import Outbox, WorkStore
from core.works import ChapterText, WorkFile
from webadmin.accounts.models import RightsHolder
from webadmin.accounts.services.holders import lock_rights
from webadmin.database import batches
from webadmin.works.models import Chapter, Work
from webadmin.works.services.changes import MAX_TITLE_CHARS, ChapterChanges, Wanted, plan_basis
from webadmin.works.services.work_length import locked_chapters, recount
from webadmin.works.signals import works_changed

MAX_AUTHOR_CHARS = 200


@dataclass(frozen=True, slots=True)
class AddedWork:
    """A work that was added or updated, with the numbers of its new, changed and removed chapters."""

    work: Work
    is_new: bool
    new: int
    unchanged: int
    changed: int
    removed: int
    timed: int = 0  # chapters whose official time changed
    renamed: int = 0  # chapters with a new title or number and an unchanged text

    @property
    def is_unchanged(self) -> bool:
        return not (self.is_new or self.new or self.changed or self.removed or self.timed or self.renamed)


@dataclass(frozen=True, slots=True)
class PlannedChange:
    """The changes that adding a work would make. work: None if it is new. basis: the `basis` for `add_work`."""

    work: Work | None
    title: str
    author: str
    change: ChapterChanges
    basis: str

    @property
    def coming(self) -> list[tuple[ChapterText, WorkTextId]]:
        """The new and changed chapters, each with the id of its text."""
        return [(each.chapter, each.text_id) for each in (*self.change.new, *self.change.changed_chapters)]

    @property
    def is_nothing(self) -> bool:
        return self.work is not None and self.change.is_nothing


class ChangedMeanwhile(BadInput):
    """The error if the chapters of a work have changed since the plan was made."""

    def __init__(self, title: str) -> None:
        super().__init__("work.changed-meanwhile", title=title)


def add_work(
    rights_holder: RightsHolder,
    work_file: WorkFile,
    kind: str,
    works_store: WorkStore,
    outbox: Outbox,
    *,
    keep_missing: bool = False,
    basis: str | None = None,
) -> AddedWork:
    """Create the rights holder's work with this title and author, or update its chapters to those of `work_file`.

    kind: "" leaves the kind unchanged. keep_missing: keep chapters that the file lacks, because it was only partly
    readable. basis: the expected `changes.plan_basis` of the current chapters, or None.
    Raises BadInput for an invalid kind, title or text, and ChangedMeanwhile if the basis differs. Raises
    ServiceUnavailable before anything is written, or afterwards if the messages fail, which the sweeper then sends.
    """
    title, author = work_key(work_file)
    if kind and kind not in Work.Kind.values:
        raise BadInput("work.no-kind", kind=kind, kinds=Work.Kind.values)
    text_ids = [works_store.put_text(chapter.text) for chapter in work_file.chapters]
    with transaction.atomic():
        work, is_new = Work.objects.get_or_create(
            rights_holder=rights_holder, title=title, author=author, defaults={"kind": kind or Work.Kind.NOVEL}
        )
        has_numbers = work.licences.exclude(chapters="").exists()
        if has_numbers:
            lock_rights(rights_holder.pk)
        writer = _WorkWriter(work, list(zip(work_file.chapters, text_ids, strict=True)), keep_missing, basis)
        writer.write()
        if kind and work.kind != kind:
            work.kind = kind
            work.save(update_fields=["kind"])
        if has_numbers and (writer.change.moves_numbers or writer.dropped):
            _rule_again(rights_holder)
        recount([work.pk])
        works_changed.send(sender=None, works=[work.pk], texts=writer.dropped)
        transaction.on_commit(partial(_send_text_messages, writer.unindexed, writer.dropped, outbox))
    change = writer.change
    counts = (
        len(each)
        for each in (
            change.new,
            change.unchanged_chapters,
            change.changed_chapters,
            change.removed,
            change.timed_chapters,
            change.renamed_chapters,
        )
    )
    return AddedWork(work, is_new, *counts)


def _rule_again(rights_holder: RightsHolder) -> None:
    """Let the sweeper rule on the findings again, because licences name chapters by numbers, which have changed."""
    waiting = RightsHolder.objects.filter(pk=rights_holder.pk, unruled_since__isnull=True)
    waiting.update(unruled_since=timezone.now())


def remove_work(work: Work, outbox: Outbox) -> int:
    """Remove a work with its chapters and its undecided suspected rewrites, and return the number of chapters.

    Raises BadInput if the work has cases or decided suspected rewrites.
    """
    cases = work.cases.count()
    if cases:
        raise BadInput("work.has-cases", title=work.title, cases=cases)
    is_decided = ~Q(state=RewordedState.WAITING) | Q(verdicts__isnull=False)
    decided = work.reworded_leads.filter(is_decided).distinct().count()
    if decided:
        raise BadInput("work.has-leads", title=work.title, leads=decided)
    with transaction.atomic():
        work.reworded_leads.all().delete()
        text_ids = [WorkTextId(text) for text in work.chapters.values_list("text_id", flat=True)]
        work.delete()
        transaction.on_commit(partial(_send_text_messages, (), text_ids, outbox))
    return len(text_ids)


def planned_change(
    rights_holder: RightsHolder | None, work_file: WorkFile, *, keep_missing: bool = False
) -> PlannedChange:
    """Return the changes that `add_work` would make, without writing anything.

    rights_holder: None if it does not exist yet. Raises BadInput if the file has no title or no chapters.
    """
    title, author = work_key(work_file)
    known = Work.objects.filter(rights_holder=rights_holder, title=title, author=author)
    work = known.first() if rights_holder else None
    old = list(work.chapters.order_by("number")) if work else []
    wanted = [(chapter, work_text_id(chapter.text)) for chapter in work_file.chapters]
    return PlannedChange(work, title, author, ChapterChanges(old, wanted, keep_missing=keep_missing), plan_basis(old))


def find_work(key: str, rights_holder: RightsHolder | None = None) -> Work:
    """Return the work with this number or title, of `rights_holder` if it is not None.

    Raises NotFound if there is none, and BadInput if several works have the title.
    """
    works = Work.objects.select_related("rights_holder")
    if rights_holder is not None:
        works = works.filter(rights_holder=rights_holder)
    by_title = list(works.filter(title=key.strip().strip("《》"))[:2])
    if len(by_title) > 1:
        raise BadInput("work.several", key=key)
    found = by_title[0] if by_title else works.filter(pk=int(key)).first() if _is_key(key) else None
    if found is None:
        raise NotFound("work", key)
    return found


def corpus_texts() -> frozenset[WorkTextId]:
    """Return the ids of the texts of all chapters."""
    return frozenset(WorkTextId(text) for text in Chapter.objects.values_list("text_id", flat=True).distinct())


def unnoted_texts() -> frozenset[WorkTextId]:
    """Return the ids of the texts of chapters not marked as indexed. The index may already contain them."""
    waiting = Chapter.objects.filter(indexed_at__isnull=True)
    return frozenset(WorkTextId(text) for text in waiting.values_list("text_id", flat=True).distinct())


class _WorkWriter:
    """Locks the chapters of a work and writes their changes. Raises ChangedMeanwhile if their basis differs."""

    def __init__(
        self, work: Work, wanted: Sequence[tuple[ChapterText, WorkTextId]], keep_missing: bool, basis: str | None
    ) -> None:
        rows = locked_chapters(Chapter.objects.filter(work=work))
        old = sorted(rows, key=lambda row: row.number)
        if basis is not None and basis != plan_basis(old):
            raise ChangedMeanwhile(work.title)
        self._work = work
        self.change = ChapterChanges(old, wanted, keep_missing=keep_missing)
        self.unindexed: set[WorkTextId] = set()
        self.dropped: set[WorkTextId] = set()

    def write(self) -> None:
        for row in self.change.removed:
            self.dropped.add(WorkTextId(row.text_id))
            row.delete()
        if self.change.moves_numbers:
            self._free_numbers()
        for wanted in self.change.wanted:
            self._write_chapter(wanted)

    def _free_numbers(self) -> None:
        """Replace the numbers temporarily by unused ones, because two rows can never have the same number."""
        numbers = Chapter.objects.filter(work=self._work).aggregate(most=Max("number"))
        beyond = (numbers["most"] or 0) + max(each.chapter.number for each in self.change.wanted) + 1
        kept = [row.pk for row in self.change.stays]
        Chapter.objects.filter(work=self._work).exclude(pk__in=kept).update(number=F("number") + beyond)

    def _write_chapter(self, wanted: Wanted) -> None:
        chapter, text_id = wanted.chapter, wanted.text_id
        row = wanted.row or Chapter(work=self._work, text_id=text_id, chars=count_characters(chapter.text))
        if wanted.has_new_text:
            self.dropped.add(WorkTextId(row.text_id))
            row.text_id, row.chars = text_id, count_characters(chapter.text)
            row.indexed_at = row.reworded_at = None
        if row.indexed_at is None:
            self.unindexed.add(text_id)
        row.number, row.title = chapter.number, wanted.title
        row.published_at = chapter.published_at or row.published_at
        row.save()


def _send_text_messages(unindexed: Iterable[WorkTextId], dropped: Iterable[WorkTextId], outbox: Outbox) -> None:
    for text_id in sorted(unindexed):
        outbox.send(WorkAdded(text_id))
    for text_id in sorted(_unowned_texts(dropped)):
        outbox.send(WorkRemoved(text_id))


def _unowned_texts(text_ids: Iterable[WorkTextId]) -> set[WorkTextId]:
    left = sorted(set(text_ids))
    owned: set[str] = set()
    for batch in batches(left):
        owned |= set(Chapter.objects.filter(text_id__in=batch).values_list("text_id", flat=True))
    return set(left) - {WorkTextId(text) for text in owned}


def work_key(work_file: WorkFile) -> tuple[str, str]:
    """Return the title and author that identify a work. Raises BadInput if it has no title or no chapters."""
    title = " ".join(work_file.title.split())[:MAX_TITLE_CHARS]
    if not title:
        raise BadInput("work.no-title")
    if not work_file.chapters:
        raise BadInput("work.no-chinese", title=title)
    return title, work_file.author.strip()[:MAX_AUTHOR_CHARS]


def _is_key(text: str) -> bool:
    return text.strip().isdecimal() and len(text.strip()) < 19
