"""The order of the inbox: more is worse in each part, and no single weight decides alone."""

import random

import pytest

from core import harm
from core.harm import WEEK_S, Harm, compute_harm, compute_reach

Drawn = tuple[float, float | None, float, int]


def drawn() -> list[Drawn]:
    """2,000 matters: most small, half without an official time, sites of all sizes."""
    chance = random.Random(7)
    return [
        (
            chance.random() ** 2,
            chance.choice([None, chance.uniform(-4, 1.5) * WEEK_S]),
            compute_reach(chance.choice([None, 10 ** chance.randint(2, 8)]), chance.randint(0, 60)),
            chance.randint(0, 5),
        )
        for _ in range(2_000)
    ]


def ten_first(matters: list[Drawn]) -> set[int]:
    return set(sorted(range(len(matters)), key=lambda at: -compute_harm(*matters[at]).total)[:10])


def test_each_part_grows_with_what_it_measures_and_the_whole_stays_within_100() -> None:
    assert compute_harm(1.0, WEEK_S, 1.0, 9) == Harm(50.0, 20.0, 20.0, 10.0)
    assert compute_harm(0.0, None, 0.0, 0).total == 0
    by_lead = [compute_harm(0.5, lead, 0.5, 1).lead for lead in (None, -9e6, -WEEK_S, 0, WEEK_S / 2, WEEK_S, 9e6)]
    assert by_lead == sorted(by_lead)
    assert compute_harm(0.2, 0, 0.5, 1).total < compute_harm(0.3, 0, 0.5, 1).total < compute_harm(0.3, 0, 0.5, 2).total


def test_visits_count_where_they_are_known_and_else_the_works_found() -> None:
    assert compute_reach(None, 1) < compute_reach(None, 10) < compute_reach(None, 500) == 1.0
    assert compute_reach(0, 500) == 0.0
    assert compute_reach(10**4, 0) < compute_reach(10**7, 0) < compute_reach(10**9, 0) == 1.0


@pytest.mark.parametrize("factor", [0.5, 2.0])
@pytest.mark.parametrize("weight", ["SHARE", "LEAD", "REACH", "DISGUISE"])
def test_seven_of_the_ten_first_stay_when_one_weight_is_halved_or_doubled(
    monkeypatch: pytest.MonkeyPatch, weight: str, factor: float
) -> None:
    matters = drawn()
    before = ten_first(matters)
    monkeypatch.setattr(harm, weight, getattr(harm, weight) * factor)
    assert len(before & ten_first(matters)) >= 7
