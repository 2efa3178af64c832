"""Characters of a work that stand on pages: each counted once, whoever has it and however often."""

import random

from hypothesis import given
from hypothesis import strategies as st

from core.taken import Places, share_of_work, unite_places

LENGTH = 400
STARTS = st.sets(st.integers(0, LENGTH - 1))
PAGES = st.lists(STARTS, max_size=12)


@given(PAGES)
def test_pages_together_took_no_more_than_the_text_has_and_no_more_than_their_sum(pages: list[set[int]]) -> None:
    taken = unite_places(map(Places.from_starts, pages))
    assert len(taken) == len(set().union(*pages)) <= LENGTH
    assert len(taken) <= sum(len(Places.from_starts(page)) for page in pages)


@given(PAGES, st.randoms())
def test_the_order_of_pages_and_doubles_change_nothing(pages: list[set[int]], chance: random.Random) -> None:
    mixed = [*pages, *pages[:3]]
    chance.shuffle(mixed)
    assert unite_places(map(Places.from_starts, mixed)) == unite_places(map(Places.from_starts, pages))


@given(PAGES, STARTS)
def test_a_further_page_adds_what_no_other_had(pages: list[set[int]], more: set[int]) -> None:
    before = unite_places(map(Places.from_starts, pages))
    assert len(before | Places.from_starts(more)) - len(before) == len(more.difference(*pages))


@given(STARTS)
def test_places_come_back_from_the_store_as_they_were(starts: set[int]) -> None:
    assert Places.unpack(Places.from_starts(starts).pack()) == Places.from_starts(starts)


def test_the_share_of_a_work_is_never_more_than_all_and_unknown_without_a_work() -> None:
    assert (share_of_work(30, 120), share_of_work(9, 8), share_of_work(0, 0)) == (0.25, 1.0, None)
