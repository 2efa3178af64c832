"""Where a page goes on with what a passage of the work has, and the other way round."""

from typing import Any

import pytest

from records.cases.passages import page_place


def span(*changes: list[Any]) -> dict[str, Any]:
    return {"page": [100, 140], "work": [10, 50], "changes": list(changes)}


@pytest.mark.parametrize(
    ("changes", "place", "expected"),
    [
        ([], 10, 100),
        ([], 30, 120),
        ([], 50, 140),
        ([["inserted", 110, 115, 20, 20]], 19, 109),
        ([["inserted", 110, 115, 20, 20]], 25, 120),
        ([["deleted", 110, 110, 20, 30]], 25, 110),
        ([["deleted", 110, 110, 20, 30]], 35, 115),
        ([["replaced", 105, 108, 15, 16], ["deleted", 112, 112, 20, 25]], 30, 117),
        ([["moved", 108, 116, 26, 34]], 45, 135),
        ([], 70, 140),
        ([], 0, 100),
    ],
)
def test_a_place_of_the_work_is_found_on_the_page(changes: list[list[Any]], place: int, expected: int) -> None:
    assert page_place(span(*changes), place) == expected
