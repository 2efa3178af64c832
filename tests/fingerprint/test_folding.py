import numpy as np
import pytest

from fingerprint.algorithms import ALGORITHMS
from fingerprint.fingerprinting import fingerprint_text
from fingerprint.folding import folded_symbols
from fingerprint.fuzzy import fuzzy_syllables
from fingerprint.seeds import find_anchors
from fingerprint.stream import WILDCARD
from fingerprint.syllables_2026 import SYLLABLES
from tests.support.corpus_texts import story

FOLDED = ALGORITHMS[5]
SYMBOLS = folded_symbols(SYLLABLES)


def symbol(name: str) -> int:
    return int(SYMBOLS[SYLLABLES.index(name)])


@pytest.mark.parametrize(
    "alike",
    [
        *("zhi chi shi zi ci si", "shang shen sheng sang can", "lan nan lang nang", "ji qi xi", "yu wu", "di ti"),
        *("yuan wan yong", "guo kuo", "dao dou tao", "you yao", "liu niao", "jing jin xiang qian", "lv lu nu"),
        "zhong zhun zuan",
    ],
)
def test_what_is_confused_by_ear_is_one_symbol(alike: str) -> None:
    assert len({symbol(name) for name in alike.split()}) == 1


@pytest.mark.parametrize(
    "apart",
    [
        *("ba ma fa da la ga ha ja za ra", "shi she sha shu shui shao", "bi mi di li ji yi", "mo me ma", "m n hm en"),
        *("lian lan luan", "wo e er o", "hua fa", "jia jie ji ju jue"),
    ],
)
def test_other_syllables_stay_apart(apart: str) -> None:
    known = [name for name in apart.split() if name in SYLLABLES]
    assert len({symbol(name) for name in known}) == len(known)


def test_every_syllable_has_a_symbol_and_nothing_else_has() -> None:
    assert (SYMBOLS[1 : len(SYLLABLES)] > 0).all()
    assert not SYMBOLS[len(SYLLABLES) :].any()
    assert SYMBOLS[0] == SYMBOLS[WILDCARD] == 0


def test_anchors_survive_replacing_every_syllable_by_a_confusable_one() -> None:
    tokens = fingerprint_text(story(5), FOLDED).tokens
    heard = _each_replaced(tokens, np.random.default_rng(3))
    assert (heard != tokens).mean() > 0.7
    hashes, positions = find_anchors(tokens, FOLDED.anchors, FOLDED.symbols)
    after, positions_after = find_anchors(heard, FOLDED.anchors, FOLDED.symbols)
    assert hashes.tolist() == after.tolist()
    assert positions.tolist() == positions_after.tolist()
    first = ALGORITHMS[1]
    plain, plain_after = (find_anchors(each, first.anchors, first.symbols)[0] for each in (tokens, heard))
    assert np.intersect1d(plain, plain_after).size < 0.02 * plain.size


def test_what_folds_together_may_stand_for_one_another_in_verification() -> None:
    plain, listed = fuzzy_syllables(SYLLABLES), fuzzy_syllables(SYLLABLES, SYMBOLS)
    for token in range(1, len(SYLLABLES)):
        others = set(listed[token].tolist()) - {0}
        alike = set(np.flatnonzero(SYMBOLS[token] == SYMBOLS).tolist()) - {token}
        assert others == alike | (set(plain[token].tolist()) - {0})


def _each_replaced(tokens: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Every token replaced by any of the same symbol, where there is another by another."""
    replaced = tokens.copy()
    for place in np.flatnonzero(tokens != WILDCARD).tolist():
        alike = np.flatnonzero(SYMBOLS[tokens[place]] == SYMBOLS)
        others = alike[alike != tokens[place]]
        if others.size:
            replaced[place] = rng.choice(others)
    return replaced
