"""The table of which characters follow each other."""

import numpy as np

from fingerprint.characters import NO_CHARACTER
from fingerprint.order.followers import FOLLOWERS_2026, is_pair, pair_key
from fingerprint.tables import TABLES_2026

TABLE = FOLLOWERS_2026.words


def follows(first: int, second: int) -> bool:
    return bool(is_pair(pair_key(first), pair_key(second), TABLE))


def test_common_words_are_known_one_way_round() -> None:
    for word in ("我们", "什么", "时候", "知道", "没有"):
        first, second = map(ord, word)
        assert follows(first, second)
        assert not follows(second, first)


def test_what_is_no_character_follows_none() -> None:
    common = list(map(ord, "的一是不了在人有我他"))
    assert sum(follows(NO_CHARACTER, other) + follows(other, NO_CHARACTER) for other in common) <= 2
    assert not follows(NO_CHARACTER, NO_CHARACTER)


def test_characters_at_random_are_seldom_known() -> None:
    rng = np.random.default_rng(1)
    pairs = rng.integers(0x4E00, 0x9FA5, (4_000, 2)).tolist()
    assert sum(follows(first, second) for first, second in pairs) / len(pairs) < 0.06


def test_a_character_has_one_simplified_form() -> None:
    simplified_forms = TABLES_2026.simplified_forms
    assert chr(simplified_forms[ord("們")]) == "们"
    assert simplified_forms[ord("，")] == simplified_forms[ord("7")] == simplified_forms[ord("a")] == NO_CHARACTER
