"""What a match counts for a work that is told by formulas, and for any other."""

import pytest

from core.ids import WorkTextId
from core.matches import RewordedClass
from matcher.reworded.calibration import Band
from matcher.reworded.found import RewordedMatch
from matcher.reworded.kinds import for_kind
from matcher.reworded.record import CURRENT, bands


def match(score: float, standing_out: float, found: RewordedClass = RewordedClass.REWORDED) -> RewordedMatch:
    return RewordedMatch(found, WorkTextId("work"), score, standing_out, bands(found)[0], ())


def band_for(score: float, kind: str) -> Band | None:
    counted = for_kind(match(score, 5.0), kind)
    return counted.band if counted else None


@pytest.mark.parametrize("kind", ["news", "other"])
def test_formulas_ask_for_a_high_score_and_a_stretch_that_stands_out(kind: str) -> None:
    assert for_kind(match(89.9, 9.0), kind) is None
    assert for_kind(match(200.0, 4.9), kind) is None
    assert band_for(90.0, kind) == CURRENT.formulaic_bands[0]
    assert band_for(110.0, kind) == CURRENT.formulaic_bands[1]


@pytest.mark.parametrize("kind", ["novel", "story", "essay", ""])
def test_other_works_are_named_as_they_are_found(kind: str) -> None:
    assert for_kind(match(30.0, 5.0), kind) == match(30.0, 5.0)


def test_a_translation_is_no_formula() -> None:
    translated = match(42.0, 1.5, RewordedClass.TRANSLATED)
    assert for_kind(translated, "news") == translated
