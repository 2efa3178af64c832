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


def test_a_formulaic_text_that_stands_whole_on_a_page_is_a_copy() -> None:
    assert classes(surroundings(FIRST)) == {"bulletin-0": MatchClass.IDENTICAL}


def test_without_the_rule_it_would_be_set_wording() -> None:
    never = replace(DEFAULT, min_whole_text_tokens=10_000)
    assert classes(surroundings(FIRST), never) == {"bulletin-0": MatchClass.QUOTATION}


def test_four_bulletins_on_one_page_are_four_copies() -> None:
    four = [WorkTextId(f"bulletin-{number}") for number in range(4)]
    found = classes("\n".join(BULLETINS[one] for one in four))
    assert {one: found[str(one)] for one in four} == dict.fromkeys(four, MatchClass.IDENTICAL)


def test_half_of_it_stays_set_wording() -> None:
    assert set(classes(surroundings(FIRST[:70])).values()) == {MatchClass.QUOTATION}


def test_a_text_in_pieces_is_not_whole() -> None:
    pieces = FIRST[:70] + OTHER[1000:1500] + FIRST[70:]
    assert set(classes(surroundings(pieces)).values()) == {MatchClass.QUOTATION}


@pytest.mark.parametrize(("tokens", "expected"), [(0, MatchClass.IDENTICAL), (1, MatchClass.QUOTATION)])
def test_it_has_to_be_as_long_as_the_least_length(tokens: int, expected: MatchClass) -> None:
    length = fingerprint_text(FIRST).tokens.size + tokens
    assert classes(surroundings(FIRST), replace(DEFAULT, min_whole_text_tokens=length)) == {"bulletin-0": expected}


def test_an_edited_one_is_a_copy_as_well() -> None:
    found = classes(surroundings(with_random_characters(FIRST, 0.05)))
    assert found == {"bulletin-0": MatchClass.LIGHTLY_EDITED}


def test_a_formulaic_page_that_stands_whole_in_a_text_is_a_copy() -> None:
    assert classes(FIRST[10:100]) == {"bulletin-0": MatchClass.IDENTICAL}
