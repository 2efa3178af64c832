"""What a rights holder owns and watches, as files and addresses put it there: works, sites, rights holders.

Adding is an upsert, safe to repeat: a text that is there makes nothing new. Texts go to the store before any row
names them, messages go out after the rows are there to stay.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from django.db import transaction
from django.db.models import F, Max

from core.errors import BadInput, NotFound
from core.ids import WorkTextId
from core.messages import WorkAdded, WorkRemoved
from core.ports import Outbox, WorkStore
from core.works import Chapter as ChapterText
from core.works import WorkFile
from records.models import Chapter, RightsHolder, Work
from records.sites.watchlist import add_site, find_site

__all__ = [
    "AddedWork",
    "add_site",
    "add_work",
    "corpus_texts",
    "find_holder",
    "find_site",
    "find_work",
    "holder",
    "remove_work",
    "unnoted_texts",
]

MAX_TITLE_CHARS, MAX_AUTHOR_CHARS, MAX_HOLDER_CHARS = 300, 200, 200
BATCH_IDS = 500  # SQLite takes at most 999 variables in a statement


@dataclass(frozen=True, slots=True)
class AddedWork:
    """A work and what became of its chapters."""

    work: Work
    is_new: bool
    new: int
    unchanged: int
    changed: int
    removed: int

    @property
    def is_unchanged(self) -> bool:
        return not (self.is_new or self.new or self.changed or self.removed)


def holder(name: str) -> RightsHolder:
    """The rights holder of that name, made if there is none; with "" the only one there is.

    Raises BadInput where "" could mean nobody or several.
    """
    wanted = " ".join(name.split())
    if not wanted:
        return _only_holder()
    if len(wanted) > MAX_HOLDER_CHARS:
        raise BadInput("work.holder-too-long", most=MAX_HOLDER_CHARS)
    return RightsHolder.objects.get_or_create(name=wanted)[0]


def find_holder(name: str) -> RightsHolder:
    """The rights holder of that name. Raises NotFound."""
    found = RightsHolder.objects.filter(name=" ".join(name.split())).first()
    if found is None:
        raise NotFound("rights-holder", name)
    return found


def add_work(
    rights_holder: RightsHolder,
    work_file: WorkFile,
    kind: str,
    works_store: WorkStore,
    outbox: Outbox,
    *,
    keep_missing: bool = False,
) -> AddedWork:
    """Bring the rights holder's work of that title and author in line with `work_file`; "" keeps the kind it has.

    A chapter keeps its row while its text or its number stays. `keep_missing`: chapters that the file lacks stay (it
    could be read in part only). Raises BadInput; ServiceUnavailable before anything is written, or for the messages
    alone, which the sweeper then sends.
    """
    title, author = _required_title(work_file), work_file.author.strip()[:MAX_AUTHOR_CHARS]
    _require_kind(kind)
    text_ids = [works_store.put_text(chapter.text) for chapter in work_file.chapters]
    with transaction.atomic():
        work, is_new = Work.objects.get_or_create(
            rights_holder=rights_holder, title=title, author=author, defaults={"kind": kind or Work.Kind.NOVEL}
        )
        if kind and work.kind != kind:
            work.kind = kind
            work.save(update_fields=["kind"])
        change = _Change(work, list(zip(work_file.chapters, text_ids, strict=True)), keep_missing)
        change.write()
        transaction.on_commit(partial(_announce, change.unindexed, change.dropped, outbox))
    return AddedWork(work, is_new, change.new, change.unchanged, change.changed, change.removed)


def remove_work(work: Work, outbox: Outbox) -> int:
    """Take a work and its chapters out of the corpus; the number of chapters. Raises BadInput for one with cases."""
    cases = work.cases.count()
    if cases:
        raise BadInput("work.has-cases", title=work.title, cases=cases)
    with transaction.atomic():
        text_ids = [WorkTextId(text) for text in work.chapters.values_list("text_id", flat=True)]
        work.delete()
        transaction.on_commit(partial(_announce, (), text_ids, outbox))
    return len(text_ids)


def find_work(key: str, rights_holder: RightsHolder | None = None) -> Work:
    """The work of that number or title. Raises NotFound, or BadInput where several have the title."""
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
    """Every text that a rights holder has among the works."""
    return frozenset(WorkTextId(text) for text in Chapter.objects.values_list("text_id", flat=True).distinct())


def unnoted_texts() -> frozenset[WorkTextId]:
    """Texts that the index may have, and that some rights holder does not know to be findable."""
    waiting = Chapter.objects.filter(indexed_at__isnull=True)
    return frozenset(WorkTextId(text) for text in waiting.values_list("text_id", flat=True).distinct())


class _Change:
    """From the chapters that a work has to those that it should have, with as few changed rows as can be."""

    def __init__(self, work: Work, wanted: Sequence[tuple[ChapterText, WorkTextId]], keep_missing: bool) -> None:
        self._work = work
        self._wanted = wanted
        self._keep_missing = keep_missing
        self._old = list(Chapter.objects.select_for_update().filter(work=work).order_by("number"))
        self.new = self.unchanged = self.changed = self.removed = 0
        self.unindexed: set[WorkTextId] = set()
        self.dropped: set[WorkTextId] = set()

    def write(self) -> None:
        rows = self._pair_chapters()
        stays = self._without_leftovers({row.pk for row in rows if row is not None})
        pairs = list(zip(rows, self._wanted, strict=True))
        if any(row is not None and row.number != chapter.number for row, (chapter, _) in pairs):
            self._make_room(stays)
        for row, (chapter, text_id) in pairs:
            self._put(row, chapter, text_id)

    def _pair_chapters(self) -> list[Chapter | None]:
        """For each wanted chapter the row that it keeps: one with its text, by order, else the one with its number."""
        by_text: dict[str, list[Chapter]] = defaultdict(list)
        for row in reversed(self._old):
            by_text[row.text_id].append(row)
        rows = [by_text[text_id].pop() if by_text[text_id] else None for _, text_id in self._wanted]
        by_number = {row.number: row for left in by_text.values() for row in left}
        return [
            row if row is not None else by_number.pop(chapter.number, None)
            for row, (chapter, _) in zip(rows, self._wanted, strict=True)
        ]

    def _without_leftovers(self, paired: set[int]) -> list[Chapter]:
        """Delete the rows that no wanted chapter keeps; returns those of them that stay all the same."""
        taken = {chapter.number for chapter, _ in self._wanted}
        leftover = [row for row in self._old if row.pk not in paired]
        stays = [row for row in leftover if self._keep_missing and row.number not in taken]
        for row in leftover:
            if row not in stays:
                self.dropped.add(WorkTextId(row.text_id))
                self.removed += 1
                row.delete()
        return stays

    def _make_room(self, stays: Iterable[Chapter]) -> None:
        """Move the numbers out of the way, so that no two rows share one half-way."""
        numbers = Chapter.objects.filter(work=self._work).aggregate(most=Max("number"))
        beyond = (numbers["most"] or 0) + max(chapter.number for chapter, _ in self._wanted) + 1
        kept = [row.pk for row in stays]
        Chapter.objects.filter(work=self._work).exclude(pk__in=kept).update(number=F("number") + beyond)

    def _put(self, row: Chapter | None, chapter: ChapterText, text_id: WorkTextId) -> None:
        title = chapter.title[:MAX_TITLE_CHARS]
        if row is None:
            self.new += 1
            row = Chapter(work=self._work, text_id=text_id, chars=len(chapter.text))
        elif row.text_id == text_id:
            self.unchanged += 1
        else:
            self.changed += 1
            self.dropped.add(WorkTextId(row.text_id))
            row.text_id, row.chars, row.indexed_at = text_id, len(chapter.text), None
        if row.indexed_at is None:
            self.unindexed.add(text_id)
        row.number, row.title = chapter.number, title
        row.save()


def _announce(unindexed: Iterable[WorkTextId], dropped: Iterable[WorkTextId], outbox: Outbox) -> None:
    for text_id in sorted(unindexed):
        outbox.send(WorkAdded(text_id))
    for text_id in sorted(_unowned(dropped)):
        outbox.send(WorkRemoved(text_id))


def _unowned(text_ids: Iterable[WorkTextId]) -> set[WorkTextId]:
    left = sorted(set(text_ids))
    owned: set[str] = set()
    for start in range(0, len(left), BATCH_IDS):
        batch = left[start : start + BATCH_IDS]
        owned |= set(Chapter.objects.filter(text_id__in=batch).values_list("text_id", flat=True))
    return set(left) - {WorkTextId(text) for text in owned}


def _required_title(work_file: WorkFile) -> str:
    title = " ".join(work_file.title.split())[:MAX_TITLE_CHARS]
    if not title:
        raise BadInput("work.no-title")
    if not work_file.chapters:
        raise BadInput("work.no-chinese", title=title)
    return title


def _require_kind(kind: str) -> None:
    if kind and kind not in Work.Kind.values:
        raise BadInput("work.no-kind", kind=kind, kinds=Work.Kind.values)


def _only_holder() -> RightsHolder:
    holders = list(RightsHolder.objects.order_by("name")[:4])
    if len(holders) == 1:
        return holders[0]
    if not holders:
        raise BadInput("work.no-holder")
    names = [each.name for each in holders[:3]] + ["..."] * (len(holders) > 3)
    raise BadInput("work.which-holder", names=names)


def _is_key(text: str) -> bool:
    return text.strip().isdecimal() and len(text.strip()) < 19
