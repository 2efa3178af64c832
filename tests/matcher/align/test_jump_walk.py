"""The walk over all cells and what it takes in a stride, on texts of which the true counterparts are known."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerprint.algorithms import DEFAULT as ALGORITHM
from matcher.align.changes import character_tables
from matcher.align.jump_cells import UNALIGNED, AlignmentSide, find_seeds
from matcher.align.jump_walk import walk
from matcher.align.token_agreement import NearTokens
from matcher.align.tokenized_text import MASK_BITS
from matcher.calibration import DEFAULT
from tests.support.examples import examples

TABLES = character_tables(ALGORITHM)
SYLLABLES = 400
REPLACED, PUT_IN, LEFT_OUT = "replaced", "put in", "left out"


def make_side(tokens: list[int], begins: set[int] | None = None) -> AlignmentSide:
    """Tokens as a side; each stands for itself alone. begins: those that begin a sentence."""
    found = np.zeros(len(tokens), np.bool_)
    found[sorted(begins or ())] = True
    return AlignmentSide(np.array(tokens, np.uint16), np.array(tokens, np.uint32), found)


def counterparts(page: AlignmentSide, work: AlignmentSide) -> list[int]:
    near = NearTokens(np.zeros(page.tokens.size, np.int32), np.zeros((1, -(-SYLLABLES // MASK_BITS) + 1), np.uint64))
    owners = np.full(work.tokens.size, UNALIGNED, np.int32)
    aligned_to, _ = walk(page, near, work, TABLES, DEFAULT.walk, find_seeds(page.tokens, work.tokens), owners)
    return [int(place) for place in aligned_to]


def apply_edits(tokens: list[int], edits: dict[int, str], rng: random.Random) -> tuple[list[int], list[int]]:
    """The tokens with edits at these places, and the counterpart of each that comes out."""
    page, true = [], []
    for place, token in enumerate(tokens):
        edit = edits.get(place)
        if edit == PUT_IN:
            page.append(SYLLABLES + rng.randrange(20))
            true.append(UNALIGNED)
        if edit != LEFT_OUT:
            page.append(SYLLABLES + rng.randrange(20) if edit == REPLACED else token)
            true.append(place)
    return page, true


@examples(200)
@given(st.data(), st.integers(0, 10**6))
def test_single_edits_of_a_text_that_repeats_nothing_are_shown_as_they_are(data: st.DataObject, seed: int) -> None:
    rng = random.Random(seed)
    work = rng.sample(range(1, SYLLABLES), 120)
    # Between any two are two tokens: nearer ones may be told as one change in several ways.
    steps = data.draw(st.lists(st.integers(3, 14), max_size=14))
    places = [place for place in np.cumsum([4, *steps]).tolist() if place < len(work) - 4]
    kinds = data.draw(st.lists(st.sampled_from([REPLACED, PUT_IN, LEFT_OUT]), min_size=15, max_size=15))
    page, true = apply_edits(work, dict(zip(places, kinds, strict=False)), rng)
    assert counterparts(make_side(page), make_side(work)) == true


@pytest.mark.parametrize("seed", range(20))
def test_sentences_in_another_order_keep_their_counterparts(seed: int) -> None:
    rng = random.Random(seed)
    work = rng.sample(range(1, SYLLABLES), 240)
    sentences = [list(range(start, start + 12)) for start in range(0, 240, 12)]
    order = rng.sample(sentences, len(sentences))
    true = [place for sentence in order for place in sentence]
    begins = set(range(0, 240, 12))
    assert counterparts(make_side([work[place] for place in true], begins), make_side(work, begins)) == true


def test_a_foreign_sentence_stands_beside_nothing() -> None:
    rng = random.Random(3)
    work, foreign = rng.sample(range(1, 200), 100), rng.sample(range(200, SYLLABLES), 60)
    page, true, begins = [], [], set()
    for start in range(0, 100, 10):
        begins |= {len(page), len(page) + 10}
        page += [*work[start : start + 10], *foreign[start // 2 : start // 2 + 6]]
        true += [*range(start, start + 10), *[UNALIGNED] * 6]
    assert counterparts(make_side(page, begins), make_side(work, set(range(0, 100, 10)))) == true
