from hypothesis import given
from hypothesis import strategies as st

from fingerprint.engines.chapters import ChapterOwners, best_works
from fingerprint.engines.engine import EngineMatch
from fingerprint.engines.tokens import canonical_text, tokenize, word_ids, word_pairs

TEXTS = st.text(st.sampled_from("天地玄黄宇宙，。 \nAbＺ12３\u200b\ud800網网"), max_size=60)


def spell(text: str, fold: bool = False) -> list[str]:
    tokens, read = tokenize(text, fold), canonical_text(text, fold)
    return [read[start:end] for start, end in zip(tokens.starts, tokens.ends, strict=True)]


def words(text: str) -> list[str]:
    names = spell(text)
    return ["".join(names[first : first + 1 + pair]) for first, pair in zip(*word_pairs(tokenize(text)), strict=True)]


def test_characters_and_runs_of_letters_or_digits_are_tokens_in_one_case_and_width() -> None:
    assert spell("《網ＡＢc》12 3，d") == ["網", "abc", "12", "3", "d"]
    assert spell("網", fold=True) == spell("网")


def test_a_word_is_two_neighbouring_characters_or_a_run_of_letters() -> None:
    assert words("天地玄，黄 rose 宇 is 宙") == ["天地", "地玄", "玄黄", "rose", "宇", "is", "宙"]
    assert words("") == []
    assert words("天") == ["天"]


@given(TEXTS)
def test_tokens_are_ordered_and_equal_exactly_where_they_are_spelled_alike(text: str) -> None:
    tokens, names = tokenize(text), spell(text)
    assert (tokens.starts < tokens.ends).all()
    assert (tokens.starts[1:] >= tokens.ends[:-1]).all()
    assert len(set(tokens.ids.tolist())) == len(set(names))
    assert len(set(word_ids(tokens).tolist())) == len(set(words(text)))


def test_of_a_works_chapters_the_most_similar_counts_and_works_come_in_order() -> None:
    owners = ChapterOwners()
    numbers = [owners.add_chapter(work_id) for work_id in ("b", "b", "a", "c")]
    assert numbers == [0, 1, 2, 3]
    found = best_works(owners.works([(0, 0.2), (1, 0.9), (2, 0.9), (3, 0.4)]))
    assert found == [EngineMatch("a", 0.9), EngineMatch("b", 0.9), EngineMatch("c", 0.4)]
