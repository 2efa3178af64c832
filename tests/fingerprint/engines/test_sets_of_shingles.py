"""Exact copies, k-shingles, sets of words, CRC-32 shingles, DSC and the 84 functions."""

import json
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerprint.engines.crc_shingles import CrcShingleEngine, canonical_words
from fingerprint.engines.dsc import DscEngine, kept_shingles
from fingerprint.engines.feature_engine import FeatureIndex
from fingerprint.engines.functions84 import (
    Functions84Engine,
    mega_shingles,
    minima,
    super_shingles,
)
from fingerprint.engines.jaccard import k_shingle_engine, shingle_set, word_jaccard_engine, word_set
from fingerprint.engines.tokens import shingle_hashes, tokenize
from tests.support.corpus_texts import shared_file, story, with_random_characters

TEXT = story(1)
SETS = st.lists(st.integers(0, 40).map(lambda number: number << 58), max_size=12)


def numbered_words(first: int, count: int) -> list[str]:
    return [
        "w" + "".join(chr(ord("a") + int(digit)) for digit in str(number)) for number in range(first, first + count)
    ]


def test_a_rose_is_a_rose_is_a_rose_has_three_shingles_of_four_words() -> None:
    shingles = shingle_set("a rose is a rose is a rose", 4)
    expected = ["a rose is a", "rose is a rose", "is a rose is"]
    assert set(shingles.tolist()) == {int(shingle_hashes(tokenize(each).ids, 4)[0]) for each in expected}
    assert shingles.size == 3


def test_the_jaccard_index_of_k_shingles_is_that_of_the_sets() -> None:
    page = with_random_characters(TEXT[:1_000], 0.05)
    ours, theirs = set(shingle_set(TEXT[:1_000], 3).tolist()), set(shingle_set(page, 3).tolist())
    engine = k_shingle_engine(3, min_jaccard=0.0)
    engine.add_work("work", TEXT[:1_000])
    (found,) = engine.find(page)
    assert found.similarity == pytest.approx(len(ours & theirs) / len(ours | theirs))
    assert k_shingle_engine(3, min_jaccard=found.similarity) is not None


def test_sets_of_words_are_duplicates_above_four_fifths_and_not_at_it() -> None:
    engine = word_jaccard_engine()
    engine.add_work("at", " ".join(numbered_words(0, 10)))
    assert word_set(" ".join(numbered_words(0, 10))).size == 10
    assert engine.find(" ".join(numbered_words(0, 8))) == []
    above = engine.find(" ".join(numbered_words(0, 9)))
    assert [(found.work_id, found.similarity) for found in above] == [("at", pytest.approx(0.9))]


@pytest.mark.parametrize(("example", "shared", "of", "per_cent"), [(0, 1, 4, 25.0), (1, 4, 23, 17.39)])
def test_the_published_examples_of_crc_shingles(example: int, shared: int, of: int, per_cent: float) -> None:
    published = json.loads(shared_file("published_examples.json").read_text("utf-8"))
    texts = published["crc32 shingles of 3 words"]["examples"][example]
    assert max(len(canonical_words(texts[each])) for each in "ab") == texts["of"] == of
    for work, page in ("ab", "ba"):
        engine = CrcShingleEngine()
        engine.add_work(work, texts[work])
        (found,) = engine.find(texts[page])
        assert found.similarity == shared / of
        assert round(100 * found.similarity, 2) == per_cent


@given(st.lists(SETS, min_size=1, max_size=6), SETS)
def test_the_index_counts_shared_features_as_sets_do(chapters: list[list[int]], page: list[int]) -> None:
    index = FeatureIndex()
    plain = {}
    for number, chapter in enumerate(chapters):
        index.add_features(np.unique(np.array(chapter, np.uint64)))
        if number == len(chapters) // 2:
            index.count_shared(np.array([1], np.uint64))  # a look-up between additions
        if shared := len(set(chapter) & set(page)):
            plain[number] = shared
    found, counts = index.count_shared(np.unique(np.array(page, np.uint64)))
    assert dict(zip(found.tolist(), counts.tolist(), strict=True)) == plain
    assert index.sizes.tolist() == [len(set(chapter)) for chapter in chapters]


def test_dsc_reports_the_share_of_the_pages_kept_shingles() -> None:
    engine = DscEngine(min_containment=0.0)
    engine.add_work("work", TEXT)
    page = TEXT[:800] + story(9)[:800]
    kept = set(kept_shingles(page).tolist())
    (found,) = engine.find(page)
    assert found.similarity == len(kept & set(kept_shingles(TEXT).tolist())) / len(kept)
    assert 0.3 < found.similarity < 0.7


@pytest.mark.parametrize("changed", [0, 41, 83])
def test_one_changed_minimum_changes_one_super_shingle_and_five_mega_shingles(changed: int) -> None:
    least = minima(TEXT)
    other = least.copy()
    other[changed] ^= np.uint64(1)
    supers, others = super_shingles(least), super_shingles(other)
    assert (supers != others).sum() == 1
    assert (mega_shingles(supers) != mega_shingles(others)).sum() == 5


def test_two_super_shingles_agree_exactly_where_a_mega_shingle_does() -> None:
    rng = random.Random(4)
    engines = {kind: Functions84Engine(kind, least) for kind, least in (("super", 2), ("mega", 1), ("minima", 17))}
    for number in range(12):
        for engine in engines.values():
            engine.add_work(f"work-{number}", story(number)[:1_500])
    found = dict.fromkeys(engines, 0)
    for number in range(12):
        page = with_random_characters(story(number)[:1_500], rng.choice([0, 0.003, 0.01]), seed=number)
        works = {kind: [match.work_id for match in engine.find(page)] for kind, engine in engines.items()}
        assert works["super"] == works["mega"]
        assert set(works["super"]) <= set(works["minima"])
        for kind, matched in works.items():
            found[kind] += len(matched)
    assert 0 < found["super"] < found["minima"] == 12
