"""The engines that compare strings of a text: punctuation strings, Sif, KOALA, COPS, MDR."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text import TextRange
from fingerprint.engines.catalogue import ENGINES
from fingerprint.engines.common_substrings import SubstringIndex
from fingerprint.engines.cops import Cops
from fingerprint.engines.mdr import Mdr
from fingerprint.engines.punctuation_strings import around_full_stops
from fingerprint.engines.sif import Sif
from tests.support.corpus_texts import story, with_random_characters
from tests.support.examples import examples

CODES = st.lists(st.integers(1, 3), max_size=60)


def codes(values: list[int]) -> np.ndarray:
    return np.array(values, np.uint32)


# Common substrings


@given(CODES, st.lists(CODES, max_size=4), st.integers(1, 9))
def test_the_longest_common_substrings_equal_the_plain_definition(
    page: list[int], works: list[list[int]], min_chars: int
) -> None:
    index = SubstringIndex(min_chars)
    expected = {}
    for number, work in enumerate(works):
        assert index.add_codes(codes(work)) == number
        longest = max(
            (
                size
                for size in range(1, len(page) + 1)
                for start in range(len(page) - size + 1)
                if any(page[start : start + size] == work[at : at + size] for at in range(len(work) - size + 1))
            ),
            default=0,
        )
        if longest >= min_chars:
            expected[number] = longest
    assert set(index.longest_lengths(codes(page))) == set(expected)
    for match in index.find(codes(page)):
        work = works[match.text]
        assert match.chars >= min_chars
        assert page[match.page : match.page + match.chars] == work[match.start : match.start + match.chars]
        assert match.page == 0 or match.start == 0 or page[match.page - 1] != work[match.start - 1]
        page_end, work_end = match.page + match.chars, match.start + match.chars
        assert page_end == len(page) or work_end == len(work) or page[page_end] != work[work_end]


@examples(30)
@given(st.lists(st.integers(1, 10**6), min_size=80, max_size=120, unique=True), st.integers(0, 40), st.integers(0, 40))
def test_a_shared_run_among_other_characters_is_found_whole(stream: list[int], before: int, skipped: int) -> None:
    index = SubstringIndex(20)
    index.add_codes(codes([value + 2_000_000 for value in stream[:before]] + stream[skipped:]))
    found = index.find(codes(stream[40:70]))
    assert [(each.page, each.start, each.chars) for each in found] == [(0, before + 40 - skipped, 30)]


def test_a_text_that_repeats_itself_without_end_costs_no_quadratic_time() -> None:
    index = SubstringIndex(20)
    index.add_codes(codes([1, 2, 3] * 300_000))
    assert index.longest_lengths(codes([3, 1, 2] * 300_000))[0] > 899_000


# Punctuation strings


def test_five_characters_stand_on_each_side_of_a_full_stop() -> None:
    assert around_full_stops("一二三四五六七。甲乙丙丁戊己庚") == "三四五六七甲乙丙丁戊"
    assert around_full_stops("一二。\n　甲乙") == "一二甲乙"
    assert around_full_stops("一二三四五六七！甲乙丙丁戊己庚") == ""


@pytest.mark.parametrize("name", ["punctuation-stops", "punctuation-marks"])
def test_exact_copies_are_found_and_edited_ones_are_not(name: str) -> None:
    engine, text = ENGINES[name].make(), story(1, 100)
    engine.add_work("w", text)
    assert [(found.work_id, found.similarity) for found in engine.find(text[:2500])] == [("w", 1.0)]
    assert engine.find(with_random_characters(text[:2500], 0.3)) == []


def test_the_longest_common_substring_counts_as_share_of_the_shorter_string() -> None:
    engine, text = ENGINES["punctuation-stops"].make(), story(1, 50)[:2400]
    engine.add_work("w", text)
    page = text[:1200] + story(2, 50)[:1200]
    shared = len(around_full_stops(text[:1200]))
    share = engine.find(page)[0].similarity
    shorter = min(len(around_full_stops(page)), len(around_full_stops(text)))
    assert share == pytest.approx(shared / shorter, abs=0.02)


# Sif


def test_the_windows_of_sif_begin_at_anchors_and_end_with_the_text() -> None:
    engine = Sif(anchors=("天",), window_chars=5, min_share=0.5)
    engine.add_work("w", "甲乙天一二三四，丙天五六七八丁天九")
    assert [found.similarity for found in engine.find("别天一二三四" + "的天五六七八")] == [1.0]
    assert engine.find("天一二三错") == []
    assert [found.similarity for found in engine.find("天一二三四。天错错错错")] == [0.5]
    assert engine.find("天九") == []


def test_a_quarter_of_the_fingerprints_is_enough_for_sif() -> None:
    engine = Sif(anchors=("天",), window_chars=3)
    engine.add_work("w", "天一二天三四天五六天七八")
    assert [found.similarity for found in engine.find("天一二天甲乙天丙丁天戊己")] == [0.25]
    engine.add_work("longer", "天一二天三四天五六天七八天壬癸")
    assert [found.work_id for found in engine.find("天一二天甲乙天丙丁天戊己天庚辛")] == ["w"]


# KOALA


# COPS


def test_cops_gives_the_share_of_equal_sentences_and_where_they_stand() -> None:
    work = "开头的这一句话没有人会抄。第二句话被抄走了一个字不差！第三句也是这样被抄走了吗？"
    page = "这是网页自己写的第一句话。第二句话被抄走了，一个字不差。又是一句自己写出来的话。第三句也是这样被抄走了吗？"
    engine = Cops()
    engine.add_work("w", work)
    engine.add_work("v", "这里什么也没有被人家抄走过。")
    (found,) = engine.find(page)
    assert (found.work_id, found.similarity) == ("w", 0.5)
    assert [work[span.work.start : span.work.end] for span in found.spans] == [
        "第二句话被抄走了一个字不差",
        "第三句也是这样被抄走了吗",
    ]
    assert [page[span.page.start : span.page.end] for span in found.spans] == [
        "第二句话被抄走了，一个字不差",
        "第三句也是这样被抄走了吗",
    ]


# MDR


def test_mdr_finds_runs_of_twenty_characters_whatever_the_punctuation() -> None:
    run = "白日依山尽黄河入海流欲穷千里目更上一层楼"
    work = "唐人王之涣有诗：" + run[:10] + "。\n" + run[10:] + "。后人多爱之。"
    page = "我最喜欢的诗是" + run[:5] + "，" + run[5:] + "，你呢"
    engine = Mdr()
    engine.add_work("w", work)
    (found,) = engine.find(page)
    assert found.spans[0].page == TextRange(7, 28)
    assert found.spans[0].work == TextRange(8, 30)
    assert found.similarity == pytest.approx(20 / 29)
    assert engine.find(page.replace("楼", "树")) == []
