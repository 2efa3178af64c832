"""Formats the changes that adding a work would make, as lines for a terminal and as a JSON record."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from core.counting import count_characters
from core.wording import Message
from core.works import GIVEN, OWN, WHOLE

if TYPE_CHECKING:
    from webadmin.works.services.catalogue import PlannedChange
    from webadmin.works.services.intake.division import Division, FoundWork

MAX_LINES = 50  # lines for each kind of change
FIRST_TITLES = 3


def plan_lines(planned: "PlannedChange", record: dict[str, Any], ways: "Sequence[Division]") -> Iterator[Message]:
    """Yield a line of counts, the division into chapters, and a line for each removed, new, changed or renamed chapter.

    Each list is cut after MAX_LINES. record: the result of `plan_record`. ways: the possible divisions of the work, the
    default first.
    """
    yield _summary(planned)
    if not planned.is_nothing:
        yield from _division_lines(record, ways)
    for kind in ("removed", "new", "changed", "renamed") if planned.work is not None else ():
        rows = record[kind]
        yield from (Message(f"corpus.plan-{kind}", **row) for row in rows[:MAX_LINES])
        if len(rows) > MAX_LINES:
            yield Message("corpus.and-more", count=len(rows) - MAX_LINES)


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
    """Return the planned change as a JSON record, with every chapter of `found`. ways: as in `plan_lines`."""
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
            _chapter_record(each.chapter.number, each.title, each.chapter.text) | {"characters_before": each.row.chars}
            for each in change.changed_chapters
            if each.row is not None
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


def _division_lines(record: dict[str, Any], ways: "Sequence[Division]") -> Iterator[Message]:
    style, count = record["style"], record["chapters"]
    if style == WHOLE:
        yield Message("corpus.plan-whole")
    elif style != GIVEN:
        shown: list[Message | str] = record["first_titles"][:]
        shown += ["…"] if count > FIRST_TITLES + 1 else []
        shown += [record["last_title"]] if count > FIRST_TITLES else []
        titles = [title or Message("corpus.untitled") for title in shown]
        code = "corpus.plan-own" if style == OWN else "corpus.plan-style"
        yield Message(code, style=style, count=count, titles=titles)
    others = [each for each in ways if each.style != style]
    if others:
        named = [Message("corpus.plan-way", style=each.style, count=each.chapters) for each in others]
        yield Message("corpus.plan-styles", styles=named)
