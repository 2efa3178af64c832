"""Test what lies opposite in a comparison of a page that was changed, moved about and spaced otherwise."""

from typing import Any

import pytest

from core.text import TextRange
from webadmin.cases.services.opposites import Side, opposite_ranges

PAGE, WORK = 100, 10  # where the span begins
STORY = "渡口的灯是在立冬那天熄的老周把船缆系在第三根桩上数了数舱里的米袋"


def span(page: str, work: str, *changes: tuple[str, int, int, int, int]) -> dict[str, Any]:
    """changes: places from the beginning of the span."""
    moved_along = [[kind, a + PAGE, b + PAGE, c + WORK, d + WORK] for kind, a, b, c, d in changes]
    return {
        "page": [PAGE, PAGE + len(page)],
        "work": [WORK, WORK + len(work)],
        "page_excerpt": page,
        "work_excerpt": work,
        "changes": moved_along,
    }


def there(of: dict[str, Any], start: int, end: int, side: Side = "page") -> list[str]:
    """Return what stands opposite of places that are counted from the beginning of the span."""
    here, other, begins = (PAGE, "work", WORK) if side == "page" else (WORK, "page", PAGE)
    found = opposite_ranges(of, TextRange(here + start, here + end), side)
    return [of[f"{other}_excerpt"][each.start - begins : each.end - begins] for each in found]


def test_what_was_not_changed_is_the_same_on_both_sides() -> None:
    same = span(STORY, STORY)
    assert there(same, 4, 9) == [STORY[4:9]]
    assert there(same, 4, 9, "work") == [STORY[4:9]]
    assert there(same, 0, 99) == [STORY]


def test_other_spaces_and_line_ends_shift_nothing() -> None:
    page = "　　渡口的灯。\n\n　　是在立冬那天，\n　　熄的"
    spaced = span(page, "渡口的灯。是在立冬那天，熄的")
    at = page.index("立冬")
    assert there(spaced, at, at + 4) == ["立冬那天"]
    assert there(spaced, at, len(page)) == ["立冬那天，熄的"]
    assert there(spaced, 7, 11, "work") == ["立冬那天"]


@pytest.mark.parametrize(
    ("page", "change", "start", "end", "expected"),
    [
        ("渡口请收藏本站的灯是在", ("inserted", 2, 7, 2, 2), 0, 9, ["渡口的灯"]),
        ("渡口请收藏本站的灯是在", ("inserted", 2, 7, 2, 2), 2, 7, []),
        ("渡口是在立冬", ("deleted", 2, 2, 2, 4), 0, 4, ["渡口的灯是在"]),
        ("渡口是在立冬", ("deleted", 2, 2, 2, 4), 0, 2, ["渡口"]),
        ("渡口是在立冬", ("deleted", 2, 2, 2, 4), 2, 4, ["是在"]),
        ("渡口那盏老灯是在", ("replaced", 2, 5, 2, 3), 0, 4, ["渡口的"]),
        ("杜扣的灯是在", ("homophone", 0, 2, 0, 2), 1, 4, ["口的灯"]),
    ],
)
def test_a_change_lies_opposite_of_what_it_changed(
    page: str, change: tuple[str, int, int, int, int], start: int, end: int, expected: list[str]
) -> None:
    assert there(span(page, STORY[: len(expected[0]) + 4] if expected else STORY, change), start, end) == expected


def test_a_moved_piece_lies_where_the_work_has_it() -> None:
    first, second, third = STORY[:10], STORY[10:20], STORY[20:]
    page = second + first + third
    moved = span(page, STORY, ("moved", 0, 10, 10, 20))
    assert there(moved, 2, 8) == [second[2:8]]
    assert there(moved, 12, 18) == [first[2:8]]
    assert there(moved, 6, 14) == [second[6:], first[:4]], "it goes over the edge of the piece"
    assert there(moved, 16, 24) == [first[6:], third[:4]]
    assert there(moved, 6, 14, "work") == [first[6:], second[:4]]


def test_changes_in_a_moved_piece_move_with_it() -> None:
    page = "老周把船缆系上" + "渡口的灯是在立冬那天熄的" + "第三根桩上"
    work = "渡口的灯是在立冬那天熄的" + "老周船缆系上" + "第三根桩上"
    moved = span(page, work, ("moved", 0, 7, 12, 18), ("inserted", 2, 3, 14, 14))
    assert there(moved, 3, 6) == ["船缆系"]
    assert there(moved, 9, 12) == ["的灯是"]
    assert there(moved, 20, 23) == ["三根桩"]
