import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from matcher.reworded.sentences import MAX_HAN, MAX_LATIN, MIN_HAN, fold_characters, is_latin, sentence_units
from tests.support.rewritten import ENGLISH, WORK

TEXTS = st.text(alphabet="他们走了天\U00020000，。！“”\n \u3000A.b;", max_size=300)


def units(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_units(text).tolist()]


@given(TEXTS)
def test_units_lie_in_the_text_in_order_and_do_not_overlap(text: str) -> None:
    found = sentence_units(text).tolist()
    assert all(0 <= start < end <= len(text) for start, end in found)
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(found))


@given(TEXTS)
def test_no_unit_is_longer_than_it_may_be(text: str) -> None:
    longest = MAX_LATIN if is_latin(text) else MAX_HAN
    assert all(len(unit) <= longest for unit in units(text))


def test_long_sentences_are_cut_at_commas_and_short_ones_joined() -> None:
    assert all(len(re.sub(r"\W", "", unit)) >= MIN_HAN for unit in units(WORK))
    text = "他来了。她走了。我留在河边看了一整夜的雪。"
    assert units(text) == [text]
    long = "他一直走到河的尽头，看见了那座没有人住的石屋，门前长满了齐腰的青草，窗上糊着旧报纸，屋顶也塌了一半。"
    assert [unit[-1] for unit in units(long)] == ["，", "。"]


def test_english_is_cut_where_english_sentences_end() -> None:
    found = units(ENGLISH)
    assert 6 <= len(found) <= 14
    assert found[0].startswith("That winter")
    assert found[0].endswith("cross it.")
    assert all(not unit[-1].isalpha() for unit in found)


@pytest.mark.parametrize(("text", "latin"), [(WORK, False), (ENGLISH, True), ("", False), ("12345", False)])
def test_what_is_latin(text: str, latin: bool) -> None:
    assert is_latin(text) is latin


def test_folding_keeps_every_offset() -> None:
    text = "臺灣的後來\U00020000，Ａ"
    assert len(fold_characters(text)) == len(text)
    assert fold_characters(text).startswith("台湾的后来")
