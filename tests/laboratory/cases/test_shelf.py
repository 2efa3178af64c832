import random

import pytest

from laboratory.cases.shelf import DENSE_CHARS, DENSE_GRAMS, GRAM_CHARS, RUN_CHARS, Shelf

HAN = [chr(code) for code in range(0x4E00, 0x4E00 + 3000)]


def unlike(rng: random.Random, chars: int) -> str:
    return "".join(rng.choices(HAN, k=chars))


def plainly_shares(page: str, work: str) -> bool:
    """The two rules as they are written, on Han text."""
    if any(page[at : at + RUN_CHARS] in work for at in range(len(page) - RUN_CHARS + 1)):
        return True
    grams = {page[at : at + GRAM_CHARS] for at in range(len(page) - GRAM_CHARS + 1)}
    windows = (work[at : at + DENSE_CHARS] for at in range(max(1, len(work) - DENSE_CHARS + 1)))
    return any(
        len({window[at : at + GRAM_CHARS] for at in range(len(window) - GRAM_CHARS + 1)} & grams) >= DENSE_GRAMS
        for window in windows
    )


def test_a_run_of_twenty_characters_is_shared_wording_in_either_script():
    rng = random.Random(1)
    work = unlike(rng, 300) + "話說天下大勢分久必合合久必分周末七國分爭" + unlike(rng, 300)
    shelf = Shelf([unlike(rng, 400), work])
    page = f"{unlike(rng, 50)}话说天下大势，分久必合，合久必分；周末七国分争{unlike(rng, 50)}"
    assert shelf.sharing(page) == {1}
    assert shelf.has_common_run(page)


@pytest.mark.parametrize("seed", range(40))
def test_the_shelf_agrees_with_the_rules_as_they_are_written(seed):
    rng = random.Random(seed)
    few = HAN[: rng.choice((3, 6, 12, 40))]  # so few that wording is shared by chance now and then
    works = ["".join(rng.choices(few, k=rng.randint(0, 260))) for _ in range(3)]
    page = "".join(rng.choices(few, k=rng.randint(0, 160)))
    expected = {number for number, work in enumerate(works) if plainly_shares(page, work)}
    assert Shelf(works).sharing(page) == expected


def test_a_passage_is_found_elsewhere_when_it_stands_twice_but_not_in_its_own_place():
    rng = random.Random(6)
    passage = unlike(rng, 80)
    once, twice = unlike(rng, 200) + passage + unlike(rng, 200), passage + unlike(rng, 300) + passage
    shelf = Shelf([once, unlike(rng, 100)])
    assert not shelf.elsewhere(0, 200, 280, passage)
    assert Shelf([twice]).elsewhere(0, 0, 80, passage) == {0}
    assert Shelf([once, twice]).elsewhere(0, 200, 280, passage) == {1}
