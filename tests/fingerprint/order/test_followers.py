"""The table of which characters follow each other."""

from fingerprint.characters import NO_CHARACTER
from fingerprint.order.followers import FOLLOWERS_2026, is_pair, pair_key

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
