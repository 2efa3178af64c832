"""Stores the lengths of works: the numbers of characters in their distinct texts."""

from collections.abc import Collection, Mapping

from django.db.models import QuerySet

from webadmin.works.models import Chapter, Work
from webadmin.works.signals import works_changed


def note_counted(texts: Mapping[str, int]) -> None:
    """Store the number of characters for each text id in `texts`, and update the lengths of the works."""
    chapters = locked_chapters(Chapter.objects.filter(text_id__in=list(texts)))
    known = chapters.only("pk", "work_id", "text_id", "chars")
    stale = [chapter for chapter in known if chapter.chars != texts[chapter.text_id]]
    for chapter in stale:
        chapter.chars = texts[chapter.text_id]
    Chapter.objects.bulk_update(stale, ["chars"], batch_size=200)
    works_changed.send(sender=None, works=recount({chapter.work_id for chapter in stale}), texts=())


def recount(works: Collection[int]) -> list[int]:
    """Recompute the lengths of the works with these keys, and return the keys of those whose length changed."""
    texts: dict[int, dict[str, int]] = {work: {} for work in works}
    rows = Chapter.objects.filter(work__in=works).values_list("work_id", "text_id", "chars")
    for work, text_id, chars in rows:
        texts[work][text_id] = chars
    changed = []
    for work, of_work in sorted(texts.items()):
        length = sum(of_work.values())
        if Work.objects.filter(pk=work).exclude(counted_chars=length).update(counted_chars=length):
            changed.append(work)
    return changed


def locked_chapters(chapters: "QuerySet[Chapter]") -> "QuerySet[Chapter]":
    """Return the chapters as a query that locks them in the order of their keys."""
    return chapters.select_for_update(of=("self",)).order_by("pk")
