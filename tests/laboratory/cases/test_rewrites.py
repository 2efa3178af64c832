"""The rewrites that measurements use are rewrites: of passages that there are, and in other words."""

from collections import Counter
from difflib import SequenceMatcher

import pytest

from laboratory.cases.rewrites import Rewrite, rewrites

REWRITES = [each for each in rewrites() if each.manner not in ("english", "from_english")]
TRANSLATIONS = [each for each in rewrites() if each.manner in ("english", "from_english")]
MAX_RUN = 12  # characters in common: a name, a number, a quoted entry
MAX_SHARED_PAIRS = 0.25


def test_there_are_rewrites_in_several_manners_and_translations_in_both_directions() -> None:
    assert len(REWRITES) >= 60
    assert len({each.manner for each in REWRITES}) >= 4
    assert len(TRANSLATIONS) >= 20
    assert len({each.manner for each in TRANSLATIONS}) == 2
    assert max(Counter(each.rewrite_id for each in rewrites()).values()) == 1


@pytest.mark.parametrize("rewrite", REWRITES, ids=lambda each: each.rewrite_id)
def test_a_rewrite_keeps_no_run_of_its_passage_and_few_pairs_of_characters(rewrite: Rewrite) -> None:
    passage, text = _letters(rewrite.passage), _letters(rewrite.text)
    assert len(passage) >= 200
    run = SequenceMatcher(None, passage, text, autojunk=False).find_longest_match()
    assert run.size <= MAX_RUN, passage[run.a : run.a + run.size]
    pairs, kept = _pairs(text), _pairs(passage)
    assert len(pairs & kept) <= MAX_SHARED_PAIRS * len(pairs)


@pytest.mark.parametrize("rewrite", TRANSLATIONS, ids=lambda each: each.rewrite_id)
def test_a_translation_is_in_the_other_language(rewrite: Rewrite) -> None:
    english, chinese = (
        (rewrite.text, rewrite.passage) if rewrite.manner == "english" else (rewrite.passage, rewrite.text)
    )
    assert sum(char.isascii() for char in english) > 0.95 * len(english)
    assert sum("\u4e00" <= char <= "\u9fff" for char in chinese) > 0.7 * len(chinese)


def _letters(text: str) -> str:
    return "".join(char for char in text if char.isalnum())


def _pairs(text: str) -> set[str]:
    return {text[at : at + 2] for at in range(len(text) - 1)}
