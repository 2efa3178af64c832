"""The map of a comparison: what is joined with what, and where changes stand, on strips of 1,000 units."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.matches import ChangeKind
from tests.webadmin.review.test_comparison import span, spans_of, texts
from webadmin.review.pages.case_page import text_map
from webadmin.review.pages.case_page.comparison import PageComparison, compare
from webadmin.review.pages.case_page.text_map import LENGTH, Ribbon, ribbons, ticks

LINES = [f"第{number}行\n" for number in range(10)]  # of four characters
TEXT = "".join(LINES)


def heights(ribbon: Ribbon) -> tuple[float, float, float, float]:
    """Where it begins and ends in the work, and on the page."""
    corners = [float(corner.partition(",")[2]) for corner in ribbon.points.split()]
    return corners[0], corners[7], corners[2], corners[4]


def copied(page: str, work: str, *places: tuple[tuple[int, int], tuple[int, int]]) -> PageComparison:
    return compare(page, work, [span(page, work, at, of) for at, of in places])


def test_lines_that_follow_each_other_on_both_sides_are_one_ribbon() -> None:
    page = "序" * 40 + TEXT
    (ribbon,) = ribbons(copied(page, TEXT, ((40, 80), (0, 40))))
    assert (ribbon.passage, ribbon.is_moved, heights(ribbon)) == (1, False, (0, LENGTH, LENGTH / 2, LENGTH))


def test_passages_that_touch_and_moved_pieces_have_ribbons_of_their_own() -> None:
    spans = [span(TEXT, TEXT, (0, 20), (0, 20)), span(TEXT, TEXT, (20, 40), (20, 40))]
    two = ribbons(compare(TEXT, TEXT, spans))
    assert two == ribbons(compare(None, None, spans)), "what is no longer stored takes its place all the same"
    assert [(each.passage, heights(each)) for each in two] == [(1, (0, 500, 0, 500)), (2, (500, 1000, 500, 1000))]
    page = "".join([*LINES[:2], *LINES[4:6], *LINES[2:4], *LINES[6:]])
    moved = span(page, TEXT, (0, 40), (0, 40), ["moved", 8, 16, 16, 24])
    assert [(each.is_moved, heights(each)) for each in ribbons(compare(page, TEXT, [moved]))] == [
        (False, (0, 200, 0, 200)),
        (True, (400, 600, 200, 400)),
        (False, (200, 400, 400, 600)),
        (False, (600, 1000, 600, 1000)),
    ]


def test_of_more_passages_than_are_drawn_the_longest_are_in_order_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_map, "MAX_RIBBONS", 2)
    places = [((0, 4), (0, 4)), ((8, 12), (20, 24)), ((16, 28), (8, 20)), ((32, 40), (30, 38))]
    assert [each.passage for each in ribbons(copied(TEXT, TEXT, *places))] == [3, 4]
    longest_last = [((0, 8), (30, 38)), ((12, 24), (8, 20))]
    assert [each.passage for each in ribbons(copied(TEXT, TEXT, *longest_last))] == [1, 2]


@given(st.data(), texts, texts)
def test_whatever_overlaps_a_ribbon_is_of_one_passage_and_stays_on_the_strips(data: Any, page: str, work: str) -> None:
    made = compare(page, work, data.draw(spans_of(page, work, bounded=True)))
    for each in ribbons(made):
        assert 1 <= each.passage <= made.passages
        assert all(0 <= at <= LENGTH for at in heights(each))


@pytest.mark.parametrize("is_stored", [True, False])
def test_changes_are_ticks_where_they_stand_behind_what_was_not_copied(is_stored: bool) -> None:
    page, work = "序" * 50 + "甲乙丙丁" + "尾" * 46, "甲义丙丁"
    found = span(page, work, (50, 54), (0, 4), ["homophone", 51, 52, 1, 2])
    again = span(page, work, (96, 100), (0, 4), ["homophone", 98, 99, 2, 3])
    (tick,) = ticks(compare(page if is_stored else None, work, [found, again]))
    assert tick.kind is ChangeKind.HOMOPHONE
    assert set(tick.path.split("M")[1:]) == {"0,250h6", "0,500h6", "34,510h6", "34,980h6"}
