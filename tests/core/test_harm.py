"""The order of the inbox: more is worse in each part."""

from core.harm import WEEK_S, Harm, compute_harm, compute_reach


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
