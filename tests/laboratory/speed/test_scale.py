"""A reference corpus of any size: generated texts, and the measurement of what is built of them."""

from pathlib import Path

import pytest

from laboratory.markov import ChainText
from laboratory.speed import scale
from laboratory.speed.scale import Plan, real_texts, scaled
from tests.support.corpus_texts import SHARED_CORPORA, story

STORIES = [story(seed, sentences=40) for seed in range(8)]


def test_each_character_follows_the_two_before_it_as_in_the_given_texts() -> None:
    made = ChainText(STORIES, 1_000_000).text(4_000, 5)
    given = "\n".join(STORIES) + "\n"
    known = {given[at : at + 3] for at in range(len(given))}
    # All but the joints of the stretches that are drawn side by side.
    strange = sum(made[at : at + 3] not in known for at in range(len(made) - 2))
    assert strange <= 2 * 8 + 2


def test_another_seed_makes_another_text_and_the_same_seed_the_same() -> None:
    chain = ChainText(STORIES, 1_000_000)
    assert chain.text(500, 1) == chain.text(500, 1) == ChainText(STORIES, 1_000_000).text(500, 1)
    assert chain.text(500, 1) != chain.text(500, 2)


@pytest.mark.parametrize("chars", [0, 1, 7, 8, 9, 1_001])
def test_a_text_is_as_long_as_asked_for(chars: int) -> None:
    assert len(ChainText(STORIES, 1_000_000).text(chars, 3)) == chars


def test_what_cannot_be_generated_is_left_out() -> None:
    made = ChainText(["甲\U00020000乙\ud800丙。" * 30], 1_000).text(300, 1)
    assert set(made) <= set("甲乙丙。\n")


def test_of_every_text_the_same_share_is_followed() -> None:
    made = ChainText(["甲" * 1_000 + "乙" * 1_000, "丙" * 1_000 + "丁" * 1_000], 2_000).text(3_000, 9)
    assert set(made) <= set("甲丙\n")


def test_a_whole_measurement_counts_what_it_built(
    tmp_path: Path, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not SHARED_CORPORA.exists():
        pytest.skip(f"{SHARED_CORPORA} is not there: the corpora are no part of the repository")
    monkeypatch.setattr(scale, "REAL_FILES", ("wiki_dev",))
    monkeypatch.setattr(scale, "PAGES", 10)
    plan = Plan(900_000, redis_url, tmp_path / "runs", tmp_path / "shared", SHARED_CORPORA, 1)
    result = scaled(plan, lambda _: None)
    assert result.texts > len(set(real_texts(plan)))  # the generated ones too
    assert 0.15 < result.postings / result.chars < 0.25
    assert result.redis_bytes_per_char < 4
    assert result.snapshot_bytes > 2 * 0.8 * result.chars
    assert result.snapshot_speed is not None
    assert result.redis_speed.hits_per_page == result.snapshot_speed.hits_per_page > 10
    assert not list((tmp_path / "runs").iterdir())
