"""The floor itself. What falls below it is a regression: see docs/laboratory.md before touching floors.json."""

from functools import cache

from laboratory.measures import floor


@cache
def now() -> floor.Quality:
    return floor.measured(floor.QUALITY / "texts")


def test_the_cases_are_those_that_the_floors_were_measured_on():
    assert now().digests == floor.read(floor.QUALITY / "floors.json").digests


def test_no_measure_falls_below_its_floor():
    assert floor.below(floor.read(floor.QUALITY / "floors.json"), now()) == []


def test_every_measure_has_a_floor_and_none_of_them_is_a_formality():
    floors = floor.read(floor.QUALITY / "floors.json").measures
    assert floors.keys() == now().measures.keys()
    assert floors["negative not accused"] == 1.0
    assert floors["overall recall"] > 0.99
    assert floors["overall precision"] > 0.99
