"""The planned changes of adding a work, as lines for a terminal and as a record for programs."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from core.counting import count_characters
from core.wording import Message
from core.works import GIVEN, OWN, WHOLE

if TYPE_CHECKING:
    from webadmin.works.services.catalogue import PlannedChange
    from webadmin.works.services.intake import Division, FoundWork

MAX_LINES = 50  # for each kind of change
FIRST_TITLES = 3


def plan_lines(planned: "PlannedChange", found: "FoundWork", ways: "Sequence[Division]") -> Iterator[Message]:
    """Yield a line of counts, the division into chapters, and a line for each chapter added, removed or changed.

    Long lists are cut. ways: possible divisions of the work, the default first.
    """
    change = planned.change
    yield _summary(planned)
    if not planned.is_nothing:
        yield from _division_lines(found, ways)
    if planned.work is None:
        return
    gone = [Message("corpus.plan-gone", number=row.number, title=row.title, chars=row.chars) for row in change.removed]
    new = [
        Message(
            "corpus.plan-new", number=each.chapter.number, title=each.title, chars=count_characters(each.chapter.text)
        )
        for each in change.new
    ]
    other = [
        Message(
            "corpus.plan-changed",
            number=each.chapter.number,
            title=each.title,
            before=each.row.chars,
            after=count_characters(each.chapter.text),
        )
        for each in change.changed_chapters
        if each.row is not None
    ]
    moved = [
        Message(
            "corpus.plan-moved",
            number=each.chapter.number,
            title=each.title,
            old_number=each.was.number,
            old_title=each.was.title,
        )
        for each in change.renamed_chapters
        if each.was is not None
    ]
    for lines in (gone, new, other, moved):
        yield from _first(lines)


def _summary(planned: "PlannedChange") -> Message:
    change = planned.change
    if planned.work is None:
        return Message("corpus.would-add", title=planned.title, chapters=len(change.new))
    if planned.is_nothing:
        return Message("corpus.would-keep", title=planned.title, chapters=len(change.unchanged_chapters))
    counts = [
        Message("corpus.new-chapters", count=len(change.new)),
        Message("corpus.changed-chapters", count=len(change.changed_chapters)),
        Message("corpus.removed-chapters", count=len(change.removed)),
        Message("corpus.moved-chapters", count=len(change.renamed_chapters)),
        Message("corpus.timed-chapters", count=len(change.timed_chapters)),
        Message("corpus.same-chapters", count=len(change.unchanged_chapters)),
    ]
    return Message("corpus.would-update", title=planned.title, counts=[each for each in counts if each.params["count"]])


def plan_record(
    planned: "PlannedChange", rights_holder: str, found: "FoundWork", ways: "Sequence[Division]"
) -> dict[str, Any]:
    """Return the same for programs, with every chapter."""
    change = planned.change
    titles = [chapter.title for chapter in found.file.chapters]
    return {
        "source": str(found.source),
        "id": planned.work.pk if planned.work else None,
        "title": planned.title,
        "author": planned.author,
        "rights_holder": rights_holder,
        "style": found.file.style or ways[0].style,
        "chapters": len(titles),
        "first_titles": titles[:FIRST_TITLES],
        "last_title": titles[-1],
        "styles": [{"style": each.style, "chapters": each.chapters} for each in ways],
        "new": [_chapter_record(each.chapter.number, each.title, each.chapter.text) for each in change.new],
        "changed": [
            _chapter_record(each.chapter.number, each.title, each.chapter.text) for each in change.changed_chapters
        ],
        "removed": [{"number": row.number, "title": row.title, "characters": row.chars} for row in change.removed],
        "renamed": [
            {
                "number": each.chapter.number,
                "title": each.title,
                "old_number": each.was.number,
                "old_title": each.was.title,
            }
            for each in change.renamed_chapters
            if each.was is not None
        ],
        "timed": len(change.timed_chapters),
        "unchanged": len(change.unchanged_chapters),
    }


def _chapter_record(number: int, title: str, text: str) -> dict[str, Any]:
    return {"number": number, "title": title, "characters": count_characters(text)}


def _division_lines(found: "FoundWork", ways: "Sequence[Division]") -> Iterator[Message]:
    style = found.file.style or ways[0].style
    titles = [chapter.title for chapter in found.file.chapters]
    if style == WHOLE:
        yield Message("corpus.plan-whole")
    elif style != GIVEN:
        named = [title or Message("corpus.untitled") for title in (*titles[:FIRST_TITLES], titles[-1])]
        shown = named if len(titles) > FIRST_TITLES else named[:-1]
        if len(titles) > FIRST_TITLES + 1:
            shown.insert(FIRST_TITLES, "…")
        code = "corpus.plan-own" if style == OWN else "corpus.plan-style"
        yield Message(code, style=style, count=len(titles), titles=shown)
    others = [each for each in ways if each.style != style]
    if others:
        named = [Message("corpus.plan-way", style=each.style, count=each.chapters) for each in others]
        yield Message("corpus.plan-styles", styles=named)


def _first(lines: Sequence[Message]) -> Iterator[Message]:
    yield from islice(lines, MAX_LINES)
    if len(lines) > MAX_LINES:
        yield Message("corpus.and-more", count=len(lines) - MAX_LINES)
