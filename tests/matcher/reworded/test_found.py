"""A lead as it is found."""

import pytest

from core.ids import WorkTextId
from core.matches import RewordedClass
from core.text import TextRange
from matcher.reworded.found import RewordedMatch, RewordedPair


@pytest.mark.parametrize(
    ("works", "in_order"),
    [((), 0), ((5,), 1), ((1, 2, 3), 3), ((3, 2, 1), 1), ((1, 9, 2, 3), 3), ((4, 4, 4, 2), 3)],
)
def test_as_many_pairs_are_in_order_as_can_stand_so_at_once(works: tuple[int, ...], in_order: int) -> None:
    """Two sentences of the page may share one of the work."""
    pairs = tuple(
        RewordedPair(TextRange(place, place + 1), TextRange(work, work + 1), 1.0) for place, work in enumerate(works)
    )
    found = RewordedMatch(RewordedClass.REWORDED, WorkTextId("t"), 50.0, 0.0, None, pairs)
    assert found.in_order == in_order
