"""What is shown of a page, counted against what became of each of its characters."""

import numpy as np

from core.matches import Change, ChangeKind, Span
from core.text import TextRange
from laboratory.edits.edited import Edited
from laboratory.scores.comparison import Comparison, compare

WORK = "春江潮水連海平"


def page(text: str, *origins: int) -> Edited:
    return Edited.of_codes(np.array([ord(each) for each in text], np.uint32), np.array(origins, np.int32))


def span(start: int, end: int, *changes: Change) -> Span:
    return Span(TextRange(start, end), TextRange(0, len(WORK)), 1.0, changes)


def change(kind: ChangeKind, start: int, end: int, work_start: int, work_end: int) -> Change:
    return Change(kind, TextRange(start, end), TextRange(work_start, work_end))


def test_unchanged_characters_are_shown_so_or_as_changed_or_left_out() -> None:
    shown = span(0, 3, change(ChangeKind.INSERTED, 1, 2, 1, 1))
    assert compare(page("春江潮水", 0, 1, 2, 3), WORK, [shown], ()) == Comparison(
        unchanged=4, as_unchanged=2, as_changed=1, left_out=1
    )


def test_a_changed_character_is_right_beside_its_own_and_under_its_kind() -> None:
    edited = page("春將潮水", 0, 1, 2, 3)
    for place, kind, right in ((1, ChangeKind.HOMOPHONE, 1), (2, ChangeKind.HOMOPHONE, 0), (1, ChangeKind.SHAPE, 0)):
        found = compare(edited, WORK, [span(0, 4, change(kind, 1, 2, place, place + 1))], (ChangeKind.HOMOPHONE,))
        assert (found.changed, found.right_kind) == (1, right)


def test_foreign_characters_are_claimed_unless_shown_as_put_in() -> None:
    edited = page("春我江", 0, -1, 1)
    assert compare(edited, WORK, [span(0, 3)], ()).claimed == 1
    assert compare(edited, WORK, [span(0, 3, change(ChangeKind.INSERTED, 1, 2, 1, 1))], ()).claimed == 0
    assert compare(edited, WORK, [], ()).claimed == 0


def test_deleted_characters_that_stand_on_the_page_are_falsely_so() -> None:
    shown = span(0, 3, change(ChangeKind.DELETED, 2, 2, 2, 4))
    found = compare(page("春江水", 0, 1, 3), WORK, [shown], ())
    assert (found.deleted, found.falsely_deleted) == (2, 1)
