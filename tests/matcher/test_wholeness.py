"""Texts of set wording on a page: whole they are copies, in parts they are not."""

from dataclasses import replace

import pytest

from core.ids import WorkTextId
from core.matches import MatchClass
from fingerprint.fingerprinting import fingerprint_text
from matcher.calibration import DEFAULT, Calibration
from tests.support.corpus_texts import formulaic_texts, story, with_random_characters
from tests.support.matchers import matcher_of

OTHER = story(99)
TEXTS = formulaic_texts(12)
BULLETINS = {WorkTextId(f"bulletin-{number}"): text for number, text in enumerate(TEXTS)}
FIRST = TEXTS[0]


def classes(page: str, calibration: Calibration = DEFAULT) -> dict[str, MatchClass]:
    found = matcher_of(BULLETINS, thresholds=calibration).match(page, fingerprint_text(page))
    return {str(match.text_id): match.match_class for match in found}


def surroundings(*texts: str) -> str:
    """A page of other words around these texts."""
    return OTHER[:400] + "\n".join(texts) + OTHER[400:]


def join_bulletins(tokens: int) -> Calibration:
    """Thresholds by which a text is long enough for the rule from so many tokens on."""
    return replace(DEFAULT, min_whole_text_tokens=tokens)


LENGTH = fingerprint_text(FIRST).tokens.size


@pytest.mark.parametrize(
    ("page", "calibration", "expected"),
    [
        pytest.param(surroundings(FIRST), DEFAULT, MatchClass.IDENTICAL, id="whole among other words"),
        pytest.param(surroundings(FIRST), join_bulletins(10_000), MatchClass.QUOTATION, id="without the rule"),
        pytest.param(surroundings(FIRST), join_bulletins(LENGTH), MatchClass.IDENTICAL, id="as long as the least"),
        pytest.param(surroundings(FIRST), join_bulletins(LENGTH + 1), MatchClass.QUOTATION, id="shorter"),
        pytest.param(surroundings(FIRST[:70]), DEFAULT, MatchClass.QUOTATION, id="half of it"),
        pytest.param(
            surroundings(FIRST[:70] + OTHER[1000:1500] + FIRST[70:]), DEFAULT, MatchClass.QUOTATION, id="in pieces"
        ),
        pytest.param(
            surroundings(with_random_characters(FIRST, 0.05)), DEFAULT, MatchClass.LIGHTLY_EDITED, id="edited"
        ),
        pytest.param(FIRST[10:100], DEFAULT, MatchClass.IDENTICAL, id="a page that stands whole in it"),
    ],
)
def test_a_formulaic_text_is_a_copy_where_it_stands_whole(
    page: str, calibration: Calibration, expected: MatchClass
) -> None:
    assert set(classes(page, calibration).values()) == {expected}
