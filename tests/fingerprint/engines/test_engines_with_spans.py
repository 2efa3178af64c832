"""Winnowing and the plain index of the frequency fingerprint."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerprint.algorithms import PUBLISHED_WINDOWS
from fingerprint.engines import located_works
from fingerprint.engines.frequency import FrequencyEngine, _text_windows, digits
from fingerprint.engines.located_works import FeatureHits, MergeRule, PositionIndex, merge_hits
from fingerprint.engines.winnowing import WinnowingEngine, winnow
from fingerprint.letters import LETTERS, letter_number
from tests.support.corpus_texts import story, with_homophones

WORK = story(1, 120)
OTHER = story(2, 120)
HASHES = st.lists(st.integers(0, 6), max_size=60).map(lambda values: np.array(values, np.uint64))
ANY = {"max_gap": 100, "max_drift": 5, "min_to_match": 1, "min_to_show": 1}
FOLDED = {"k=5 w=4": (5, 4), "k=8 w=8": (8, 8)}


def in_traditional(text: str) -> str:
    return text.replace("学", "學").replace("树", "樹").replace("灯", "燈").replace("边", "邊").replace("渡", "渡")


def plain_winnowing(hashes: list[int], window: int) -> list[int]:
    kept: list[int] = []
    for start in range(len(hashes) - window + 1):
        least = min(hashes[start : start + window])
        stays = kept and kept[-1] >= start and hashes[kept[-1]] == least
        if not stays:
            kept.append(max(place for place in range(start, start + window) if hashes[place] == least))
    return kept


@given(HASHES, st.integers(1, 9))
def test_winnowing_keeps_what_its_definition_says(hashes: np.ndarray, window: int) -> None:
    assert winnow(hashes, window).tolist() == plain_winnowing(hashes.tolist(), window)


@pytest.mark.parametrize(("k", "window"), FOLDED.values(), ids=FOLDED)
def test_a_shared_run_of_k_plus_w_less_1_is_always_found(k: int, window: int) -> None:
    engine = WinnowingEngine(k, window, **ANY)
    engine.add_work("work", WORK)
    characters = "".join(character for character in WORK if character not in "，。")
    length = k + window - 1
    for start in range(0, 2_000, 21):
        run = characters[start : start + length]
        (found,) = engine.find(f"{OTHER[:100]}{run}{OTHER[100:200]}")
        assert found.work_id == "work"


@pytest.mark.parametrize(("k", "window"), FOLDED.values(), ids=FOLDED)
def test_runs_shorter_than_k_are_never_found(k: int, window: int) -> None:
    engine = WinnowingEngine(k, window, **ANY)
    engine.add_work("work", "天地玄黄宇宙洪荒日月盈昃辰宿列张")
    pieces = [WORK[start : start + k - 1] for start in range(0, 1_000, 40)]
    engine.add_work("pieces", "".join(pieces))
    assert engine.find("无中生有".join(f"{'天地玄黄宇宙洪荒'[: k - 1]}" for _ in range(20))) == []


def test_an_excerpt_has_one_span_with_its_offsets_on_both_sides() -> None:
    engine = WinnowingEngine()
    engine.add_work("other", story(3, 120))
    engine.add_work("work", WORK)
    page = OTHER[:300] + WORK[500:900] + OTHER[300:600]
    (found,) = engine.find(page)
    (span,) = found.spans
    assert found.work_id == "work"
    for start, end, first, last in (
        (span.page.start, span.page.end, 300, 700),
        (span.work.start, span.work.end, 500, 900),
    ):
        assert first <= start <= first + 20
        assert last - 20 <= end <= last
    assert page[span.page.start : span.page.end] == WORK[span.work.start : span.work.end]
    assert 0.3 < found.similarity < 0.5


def test_traditional_characters_count_as_simplified_ones_only_where_they_are_folded() -> None:
    page = in_traditional(
        "学校门前的树下，灯光照着旁边的路。" * 1 + "学生们在树边看灯，渡口的灯也亮了，树影落在学堂边。"
    )
    results = {}
    for fold in (True, False):
        engine = WinnowingEngine(5, 4, fold=fold, **ANY)
        engine.add_work("work", "学校门前的树下，灯光照着旁边的路。学生们在树边看灯，渡口的灯也亮了，树影落在学堂边。")
        results[fold] = max((found.similarity for found in engine.find(page)), default=0.0)
    assert results[True] == 1.0
    assert results[False] < 0.7


def test_the_index_gives_every_pair_of_equal_features_and_keeps_additions() -> None:
    index = PositionIndex()
    features = (np.arange(1, 5, dtype=np.uint64) << np.uint64(60)).repeat(2)
    index.add_features(0, features, np.arange(8, dtype=np.int32))
    assert index.hits(features[:1], np.array([9], np.int32)).works.tolist() == [0, 0]
    index.add_features(1, features[:1], np.array([70], np.int32))
    hits = index.hits(features[[0, 7]], np.array([3, 5], np.int32))
    rows = set(zip(hits.places.tolist(), hits.works.tolist(), hits.work_places.tolist(), strict=True))
    assert rows == {(3, 0, 0), (3, 0, 1), (3, 1, 70), (5, 0, 6), (5, 0, 7)}


def test_features_that_occur_too_often_are_left_out_and_the_rare_ones_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(located_works, "HITS_OF_ANY_PAGE", 0)
    index = PositionIndex()
    features = np.arange(1, 4, dtype=np.uint64) << np.uint64(60)
    index.add_features(0, np.repeat(features, [2, 40, 3]), np.arange(45, dtype=np.int32))
    hits = index.hits(features, np.arange(3, dtype=np.int32))
    assert hits.places.tolist() == [0, 0, 2, 2, 2]
    assert hits.work_places.tolist() == [0, 1, 42, 43, 44]


COLUMNS = ("works", "page_first", "page_last", "work_first", "work_last", "features")


def cluster_rows(rows: list[tuple[int, int, int]], rule: MergeRule) -> list[tuple[int, ...]]:
    places, works, work_places = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    clusters = merge_hits(FeatureHits(places, works.astype(np.int32), work_places), rule)
    columns = (getattr(clusters, name) for name in COLUMNS)
    return sorted(zip(*(column.tolist() for column in columns), strict=True))


def test_hits_of_a_passage_form_one_cluster_across_insertions_but_not_gaps() -> None:
    rule = MergeRule(max_gap=50, max_drift=10)
    passage = [(place, 0, place + 1_000) for place in range(0, 100, 5)]
    inserted = [(place, 0, place + 1_004) for place in range(105, 200, 5)]
    far = [(place, 0, place + 1_004) for place in range(300, 320, 5)]
    elsewhere = [(place, 0, place + 9_000) for place in range(0, 20, 5)]
    other = [(place, 1, place + 1_000) for place in range(0, 20, 5)]
    assert cluster_rows([*passage, *inserted, *far, *elsewhere, *other], rule) == [
        (0, 0, 15, 9_000, 9_015, 4),
        (0, 0, 195, 1_000, 1_199, 39),
        (0, 300, 315, 1_304, 1_319, 4),
        (1, 0, 15, 1_000, 1_015, 4),
    ]


def test_hits_of_one_place_of_the_page_count_once() -> None:
    assert cluster_rows([(5, 0, 100), (5, 0, 101), (6, 0, 102)], MergeRule(50, 10)) == [(0, 5, 6, 100, 102, 2)]


def test_a_page_step_of_one_finds_a_copy_that_is_out_of_phase() -> None:
    characters = "".join(character for character in WORK if character not in "，。")
    page = characters[13 : 13 + 640]
    for step, expected in ((1, ["work"]), (32, [])):
        engine = FrequencyEngine(max_digit=7, page_step=step)
        engine.add_work("work", characters)
        assert [found.work_id for found in engine.find(page)] == expected


@pytest.mark.parametrize("max_digit", [1, 3, 7, 9])
def test_homophones_change_no_window_and_the_span_is_the_passage(max_digit: int) -> None:
    characters = "".join(character for character in WORK if character not in "，。")
    engine = FrequencyEngine(max_digit=max_digit, min_matches=3)
    engine.add_work("work", characters)
    (found,) = engine.find(with_homophones(characters[64:704], 0.3))
    longest = max(found.spans, key=lambda span: len(span.page))
    assert (longest.page.start, longest.page.end, longest.work.start, longest.work.end) == (0, 640, 64, 704)
    assert found.similarity == 1.0


def test_fewer_equal_windows_than_asked_are_no_match() -> None:
    characters = "".join(character for character in WORK if character not in "，。")
    make: Callable[[int], FrequencyEngine] = lambda least: FrequencyEngine(max_digit=7, min_matches=least)  # noqa: E731
    for least, expected in ((3, ["work"]), (4, [])):
        engine = make(least)
        engine.add_work("work", characters)
        assert [found.work_id for found in engine.find(characters[64:192])] == expected


def test_what_is_as_frequent_as_in_ordinary_text_is_the_middle_of_the_range() -> None:
    counts = np.zeros((3, LETTERS), np.uint16)
    columns = [letter_number(letter) for letter in PUBLISHED_WINDOWS.letters]
    expected = np.array(PUBLISHED_WINDOWS.reference_permille) * PUBLISHED_WINDOWS.granularity / 1000
    counts[1, columns] = np.ceil(expected).astype(np.uint16)
    counts[2, columns] = 60
    for max_digit, middle in ((1, 1), (3, 2), (7, 4), (9, 5)):
        none, usual, many = digits(counts, replace(PUBLISHED_WINDOWS, max_digit=max_digit))
        assert set(usual.tolist()) == {middle}
        assert set(many.tolist()) == {max_digit}
        assert (none < middle).all()


def test_windows_that_are_half_unreadable_are_no_feature() -> None:
    _, windows, _ = _text_windows("\ufffd" * 1_000, PUBLISHED_WINDOWS)
    assert windows.size == 0
    _, windows, places = _text_windows("\ufffd" * 100 + WORK, PUBLISHED_WINDOWS)
    assert windows.size > 0
    assert places.min() >= 100 - 32
