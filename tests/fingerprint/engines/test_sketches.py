"""Simhash and its tables, MinHash with LSH."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerprint.engines.minhash_lsh import MinHashLshEngine, _text_features
from fingerprint.engines.simhash import (
    FIVE_BLOCKS,
    BlockTables,
    SimhashEngine,
    distance,
    equal_blocks,
    simhash,
)
from tests.support.corpus_texts import story, with_random_characters
from tests.support.examples import examples

CAT, CATS, ICE = "the cat sat on the mat", "the cat sat on a mat", "we all scream for ice cream"
# The 32-bit fingerprints that the example was published with.
PUBLISHED = (851459198, 847263864, 984968088)
LAYOUTS = {
    "6 blocks of 64 bits, 3 differ": (equal_blocks(64, 6), 3),
    "5 blocks of 64 bits, 4 differ": (FIVE_BLOCKS, 4),
    "4 blocks of 32 bits, 3 differ": (equal_blocks(32, 4), 3),
}


def ruby_hash(text: str, seed: int) -> int:
    """String#hash of Ruby 1.9 on 32 bits: MurmurHash with constants of its own, of which a Fixnum keeps 31 bits."""
    content, value = text.encode(), seed + 0xDEADBEEF
    for start in range(0, len(content), 4):
        value = (value + int.from_bytes(content[start : start + 4], "little")) * 0x7FD652AD & 0xFFFFFFFF
        value ^= value >> 16
    for shift in (10, 17):
        value = value * 0x7FD652AD & 0xFFFFFFFF
        value ^= value >> shift
    return (value & 0x7FFFFFFF ^ 0x40000000) - 0x40000000


def test_the_simhash_of_the_published_example_is_the_published_one() -> None:
    """Each different pair of characters counts once, hashed by the Ruby that drew the seed 0x862be6e7."""

    def fingerprint(text: str) -> int:
        features = {ruby_hash(text[start : start + 2], 0x862BE6E7) for start in range(len(text) - 1)}
        return simhash(np.array(sorted(features), np.int64).astype(np.uint64), 32)

    assert tuple(map(fingerprint, (CAT, CATS, ICE))) == PUBLISHED


def test_there_is_a_table_for_each_choice_of_leading_blocks() -> None:
    assert {name: len(BlockTables(*layout).choices) for name, layout in LAYOUTS.items()} == {
        "6 blocks of 64 bits, 3 differ": 20,
        "5 blocks of 64 bits, 4 differ": 5,
        "4 blocks of 32 bits, 3 differ": 4,
    }
    with pytest.raises(ValueError, match="4 blocks cannot find fingerprints that differ in 4 bits"):
        BlockTables(equal_blocks(32, 4), 4)


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@examples(60)
@given(st.data())
def test_tables_find_all_within_the_distance_and_nothing_else(
    layout: tuple[tuple[int, ...], int], data: st.DataObject
) -> None:
    blocks, max_distance = layout
    bits = sum(blocks)
    page = data.draw(st.integers(0, 2**bits - 1))
    flips = st.sets(st.integers(0, bits - 1), max_size=8)
    stored = [page ^ sum(1 << place for place in each) for each in data.draw(st.lists(flips, max_size=8))]
    tables = BlockTables(blocks, max_distance)
    for fingerprint in stored:
        tables.add_fingerprint(fingerprint)
    expected = [(number, distance(page, each)) for number, each in enumerate(stored)]
    assert tables.find_similar(page) == [(number, bits) for number, bits in expected if bits <= max_distance]


def test_a_simhash_engine_finds_a_chapter_with_a_changed_word_and_no_other_text() -> None:
    engine = SimhashEngine()
    for seed in range(20):
        engine.add_work(f"work-{seed}", story(seed, 120)[:2_500])
    page = story(3, 120)[:2_500]
    assert [found.work_id for found in engine.find(page[:700] + "木" + page[701:])] == ["work-3"]
    assert engine.find(story(77, 120)[:2_500]) == []


def test_bands_and_rows_are_those_of_a_threshold_of_one_half() -> None:
    bands, rows = MinHashLshEngine().bands_and_rows
    assert (bands, rows) == (25, 5)
    chance = {jaccard: 1 - (1 - jaccard**rows) ** bands for jaccard in (0.2, 0.5, 0.8)}
    assert chance[0.2] < 0.01
    assert 0.5 < chance[0.5] < 0.6
    assert chance[0.8] > 0.99
    thresholds = [MinHashLshEngine(threshold).bands_and_rows for threshold in (0.2, 0.5, 0.8)]
    assert all(lower[1] < higher[1] for lower, higher in pairwise(thresholds))


def test_a_sketch_made_in_batches_has_the_least_hashes_of_all_features() -> None:
    text = story(2, 1_500)
    features = _text_features(text, 5)
    assert features.size > 3 * 4_096
    engine = MinHashLshEngine(chapter_chars=len(text), permutations=16)
    engine.add_work("work", text)
    hashes = [
        [(int(each) * int(factor) + int(summand)) % 2**64 >> 32 for each in features]
        for factor, summand in zip(engine._factors, engine._summands, strict=True)
    ]
    assert engine._sketches[0].tolist() == [min(each) for each in hashes]
    assert engine.find(text)[0].similarity == 1.0


def test_minhash_finds_what_is_above_the_threshold_and_estimates_how_much() -> None:
    engine = MinHashLshEngine()
    for seed in range(10):
        engine.add_work(f"work-{seed}", story(seed, 120)[:2_500])
    (found,) = engine.find(with_random_characters(story(4, 120)[:2_500], 0.02))
    assert found.work_id == "work-4"
    assert 0.65 < found.similarity < 0.95
    assert engine.find(with_random_characters(story(4, 120)[:2_500], 0.25)) == []
