"""What adding a work would change, in lines for a terminal."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from core.counting import count_characters
from core.wording import Message

if TYPE_CHECKING:
    from records.works.catalogue import PlannedChange

MAX_LINES = 50  # of one kind of change


def plan_lines(planned: "PlannedChange") -> Iterator[Message]:
    """One line of counts, then one for each chapter that comes, goes, or becomes another; of many the first."""
    change = planned.change
    yield _summary(planned)
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
        for each in change.changed
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
        for each in change.renamed
        if each.was is not None
    ]
    for lines in (gone, new, other, moved):
        yield from _first(lines)


def _summary(planned: "PlannedChange") -> Message:
    change = planned.change
    if planned.work is None:
        return Message("corpus.would-add", title=planned.title, chapters=len(change.new))
    if planned.is_nothing:
        return Message("corpus.would-keep", title=planned.title, chapters=len(change.unchanged))
    counts = [
        Message("corpus.new-chapters", count=len(change.new)),
        Message("corpus.changed-chapters", count=len(change.changed)),
        Message("corpus.removed-chapters", count=len(change.removed)),
        Message("corpus.moved-chapters", count=len(change.renamed)),
        Message("corpus.timed-chapters", count=len(change.timed)),
        Message("corpus.same-chapters", count=len(change.unchanged)),
    ]
    return Message("corpus.would-update", title=planned.title, counts=[each for each in counts if each.params["count"]])


def _first(lines: Sequence[Message]) -> Iterator[Message]:
    yield from islice(lines, MAX_LINES)
    if len(lines) > MAX_LINES:
        yield Message("corpus.and-more", count=len(lines) - MAX_LINES)
