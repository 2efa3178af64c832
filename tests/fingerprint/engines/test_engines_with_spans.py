"""Winnowing and the plain index of the frequency fingerprint."""

from dataclasses import replace

import numpy as np
import pytest

from fingerprint.algorithms import PUBLISHED_WINDOWS
from fingerprint.engines import located_works
from fingerprint.engines.frequency import FrequencyEngine, digits
from fingerprint.engines.located_works import FeatureHits, MergeRule, PositionIndex, merge_hits
from fingerprint.engines.winnowing import WinnowingEngine
from fingerprint.letters import LETTERS, letter_number
from tests.support.corpus_texts import story, with_homophones

WORK = story(1, 120)
OTHER = story(2, 120)
ANY = {"max_gap": 100, "max_drift": 5, "min_to_match": 1, "min_to_show": 1}
FOLDED = {"k=5 w=4": (5, 4), "k=8 w=8": (8, 8)}


def in_traditional(text: str) -> str:
    return text.replace("学", "學").replace("树", "樹").replace("灯", "燈").replace("边", "邊").replace("渡", "渡")


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
