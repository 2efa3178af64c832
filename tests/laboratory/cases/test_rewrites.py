"""The rewrites that measurements use are rewrites: of passages that there are, and in other words."""

from collections import Counter
from difflib import SequenceMatcher

from laboratory.cases.rewrites import rewrites

TRANSLATED = {"english", "from_english"}
# Characters in common (a name, a number, a quoted entry), and the share of pairs of characters. What was translated
# there and back keeps more than what was told anew.
MAX_RUN, MAX_SHARED_PAIRS = 12, 0.25
MAX_RUN_BACK, MAX_SHARED_PAIRS_BACK = 25, 0.5


def test_each_rewrite_is_of_a_passage_that_there_is_and_has_a_name_of_its_own() -> None:
    assert len(rewrites()) >= 35
    assert max(Counter(each.rewrite_id for each in rewrites()).values()) == 1


def test_a_rewrite_keeps_no_run_of_its_passage_and_few_pairs_of_characters() -> None:
    for rewrite in rewrites():
        if rewrite.manner in TRANSLATED:
            continue
        passage, text = _letters(rewrite.passage), _letters(rewrite.text)
        is_back = rewrite.manner == "back_translated"
        most = (MAX_RUN_BACK, MAX_SHARED_PAIRS_BACK) if is_back else (MAX_RUN, MAX_SHARED_PAIRS)
        assert len(passage) >= 200, rewrite.rewrite_id
        run = SequenceMatcher(None, passage, text, autojunk=False).find_longest_match()
        assert run.size <= most[0], (rewrite.rewrite_id, passage[run.a : run.a + run.size])
        pairs, kept = _pairs(text), _pairs(passage)
        assert len(pairs & kept) <= most[1] * len(pairs), rewrite.rewrite_id


def test_a_translation_is_in_the_other_language() -> None:
    for rewrite in rewrites():
        if rewrite.manner in TRANSLATED:
            english, chinese = rewrite.text, rewrite.passage
            if rewrite.manner == "from_english":
                english, chinese = chinese, english
            assert sum(char.isascii() or char in "’‘“”—–é" for char in english) > 0.98 * len(english), (
                rewrite.rewrite_id
            )
            assert sum("\u4e00" <= char <= "\u9fff" for char in chinese) > 0.7 * len(chinese), rewrite.rewrite_id


def _letters(text: str) -> str:
    return "".join(char for char in text if char.isalnum())


def _pairs(text: str) -> set[str]:
    return {text[at : at + 2] for at in range(len(text) - 1)}
