"""Test what the characters of a page may stand for, by the alphabet of its anchors."""

import numpy as np
import pytest

from core.ids import WorkTextId
from core.matches import Match
from fingerprint.algorithms import ALGORITHMS, DEFAULT, Algorithm
from fingerprint.fingerprinting import fingerprint_text
from fingerprint.folding import folded_symbols
from fingerprint.syllables_2026 import SYLLABLES
from matcher.align.tokenized_text import MASK_BITS, TokenizedPage
from tests.support.corpus_texts import story, with_folded_sounds
from tests.support.matchers import matcher_of

PLAIN, FOLDED = ALGORITHMS[1], ALGORITHMS[5]
WORK = WorkTextId("work")


def possible_readings(character: str, algorithm: Algorithm) -> set[str]:
    """The syllables that a page's only character agrees with."""
    rows, masks = TokenizedPage.from_fingerprint(character, fingerprint_text(character, algorithm)).near
    bits = masks[rows[0]]
    return {
        name
        for token, name in enumerate(SYLLABLES)
        if bits[token // MASK_BITS] >> np.uint64(token % MASK_BITS) & np.uint64(1)
    }


def matches(page: str, algorithm: Algorithm) -> tuple[Match, ...]:
    works = {WORK if number == 1 else f"other-{number}": story(number) for number in range(4)}
    return matcher_of(works, algorithm).match(page, fingerprint_text(page, algorithm))


@pytest.mark.parametrize("character", ["舟", "章", "家", "读", "路", "云"])
def test_what_anchors_of_folded_syllables_find_may_agree(character: str) -> None:
    symbols = folded_symbols(SYLLABLES)
    fingerprint = fingerprint_text(character, FOLDED)
    (token,) = fingerprint.tokens.tolist()
    alike = {SYLLABLES[other] for other in np.flatnonzero(symbols[: len(SYLLABLES)] == symbols[token])}
    plain, folded = possible_readings(character, PLAIN), possible_readings(character, FOLDED)
    assert folded == plain | alike
    assert not alike <= plain


def test_a_page_mostly_of_homophones_is_one_passage_by_default() -> None:
    page = with_folded_sounds(story(1), 0.8)
    (match,) = matches(page, DEFAULT)
    assert match.text_id == WORK
    (span,) = match.spans
    assert span.page.end - span.page.start > 0.97 * len(page)
    assert matches(page, PLAIN) == ()
