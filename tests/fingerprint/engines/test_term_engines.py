"""The engines that compare the words of texts: TF-IDF, I-Match, the Boolean model, eRulemaking, SCAM."""

import itertools
import math
import random
from collections import Counter

import numpy as np
import pytest

from fingerprint.engines.boolean_model import BooleanModel, dissimilarity
from fingerprint.engines.chapter_words import word_counts
from fingerprint.engines.erulemaking import ERulemaking
from fingerprint.engines.imatch import IMatch
from fingerprint.engines.scam import ROUNDING, Scam
from fingerprint.engines.tfidf import TfIdf
from fingerprint.readings import syllable_ids

HAN = [chr(0x4E00 + number) for number in range(900) if syllable_ids(chr(0x4E00 + number))[0]]


def prose(seed: int, chars: int = 600, kinds: int = 300) -> str:
    """Characters of which some are far more frequent than others; another seed has other ones."""
    rng = random.Random(seed)
    own = rng.sample(HAN, kinds)
    return "".join(own[int(kinds * rng.random() ** 3)] for _ in range(chars))


def features(*words: int, counts: list[int] | None = None) -> tuple[np.ndarray, np.ndarray]:
    return np.array(words, np.uint64), np.array(counts or [1] * len(words), np.int32)


def change_words(text: str, share: float, seed: int = 1) -> str:
    rng = random.Random(seed)
    return "".join(chr(rng.randrange(0x6000, 0x7000)) if rng.random() < share else each for each in text)


def plain_counts(text: str) -> Counter[str]:
    return Counter(first + second for first, second in itertools.pairwise(text))


# Boolean model


def test_the_worked_example_of_the_boolean_model() -> None:
    page, work = features(1, 2, 3, 4), features(1, 2, 5, 6, 7)
    assert round(dissimilarity(page, work), 3) == 0.714
    assert round(1 - dissimilarity(page, work), 3) == 0.286


def test_texts_whose_numbers_of_features_differ_by_more_than_d_are_not_compared() -> None:
    text = prose(1, 2400)
    page = text[:2250]
    difference = word_counts(text, 2)[0].size - word_counts(page, 2)[0].size
    assert difference > 1
    for limit, is_found in ((difference, True), (difference - 1, False)):
        engine = BooleanModel(max_count_difference=limit)
        engine.add_work("w", text)
        assert bool(engine.find(page)) == is_found


# TF-IDF


def test_the_cosine_of_the_top_terms_equals_the_plain_definition() -> None:
    works = {f"w{seed}": prose(seed, 700, 60) for seed in range(6)}
    engine = TfIdf(top_terms=10**6, min_cosine=1e-9)
    for work_id, text in works.items():
        engine.add_work(work_id, text)
    page = works["w1"][:300] + works["w4"][200:500]
    counts = {work_id: plain_counts(text) for work_id, text in works.items()}
    frequency = Counter(word for each in counts.values() for word in each)

    def vector(of: Counter[str]) -> dict[str, float]:
        return {word: count * math.log(len(works) / frequency.get(word, 1)) for word, count in of.items()}

    def cosine(first: dict[str, float], second: dict[str, float]) -> float:
        product = sum(weight * second.get(word, 0) for word, weight in first.items())
        return product / math.hypot(*first.values()) / math.hypot(*second.values())

    expected = {work_id: cosine(vector(plain_counts(page)), vector(each)) for work_id, each in counts.items()}
    found = {each.work_id: each.similarity for each in engine.find(page)}
    assert found == pytest.approx({work_id: value for work_id, value in expected.items() if value > 0}, abs=1e-5)


# I-Match


def test_one_more_work_can_change_what_i_match_finds() -> None:
    engine = IMatch()
    text = prose(60, 300)
    for work_id in ("first", "second"):
        engine.add_work(work_id, text)
    for seed in range(10):
        engine.add_work(f"w{seed}", prose(seed, 600, 40))
    page = text + "，" + prose(61, 30)
    assert [found.work_id for found in engine.find(page)] == ["first", "second"]
    for work_id in ("third", "fourth"):
        engine.add_work(work_id, prose(61, 30))  # now its words are of middle frequency too
    assert engine.find(page) == []


# eRulemaking


def test_form_letters_gather_round_the_most_repeated_text() -> None:
    engine = ERulemaking()
    letter = prose(1, 900)
    engine.add_work("edited", change_words(letter, 0.02, 5))
    for number in range(3):
        engine.add_work(f"letter {number}", letter)
    engine.add_work("other", prose(2, 900))
    found = engine.find(change_words(letter, 0.02, 6))
    assert [each.work_id for each in found] == ["edited", "letter 0", "letter 1", "letter 2"]
    assert len({each.similarity for each in found}) == 1  # all by their seed


def test_the_features_of_erulemaking_are_the_words_that_the_fewest_texts_have() -> None:
    common = prose(1, 900)
    engine = ERulemaking(features=30)
    for number in range(6):
        engine.add_work(f"w{number}", common + prose(10 + number, 100))
    assert [found.work_id for found in engine.find(common + prose(13, 100))] == ["w3"]
    assert engine.find(common + prose(77, 100)) == []
    every_word = ERulemaking(features=10_000)
    for number in range(6):
        every_word.add_work(f"w{number}", common + prose(10 + number, 100))
    assert len(every_word.find(common + prose(13, 100))) == 6  # what they have in common outweighs their own


# SCAM


def higher_containment(page: dict[str, int], work: dict[str, int]) -> float:
    """The published measure, at an epsilon of 2.5."""
    close = [word for word in page.keys() & work.keys() if page[word] / work[word] + work[word] / page[word] < 2.5]
    products = sum(page[word] * work[word] for word in close)
    return max(min(1.0, products / sum(count * count for count in text.values())) for text in (page, work))


@pytest.mark.parametrize("registries", [1, 3, 50])
def test_scam_finds_by_the_higher_containment_whatever_the_number_of_registries(registries: int) -> None:
    engine = Scam(registries=registries)
    works = {f"w{seed}": prose(seed, 1200, 60) for seed in range(5)}
    for work_id, text in works.items():
        engine.add_work(work_id, text)
    page = works["w2"][:500] + prose(90, 20)
    measured = {id_: higher_containment(plain_counts(page), plain_counts(text)) for id_, text in works.items()}
    expected = {work_id: value for work_id, value in measured.items() if value >= 0.6}
    assert {found.work_id: found.similarity for found in engine.find(page)} == pytest.approx(expected)


def test_dscam_asks_the_registries_alone_whose_words_allow_a_copy() -> None:
    engine = Scam(registries=16)
    for seed in range(16):
        engine.add_work(f"w{seed}", prose(seed, 2400, 200))
    words = word_counts(change_words(prose(3, 2400, 200), 0.05))
    (chosen,) = engine.choose_registries(*words)
    assert {found.work_id for found in chosen.find(*words)} == {"w3"}
    assert engine.choose_registries(*word_counts("天地玄黄，宇宙洪荒")) == []


@pytest.mark.parametrize("seed", range(3))
def test_no_chapter_is_more_similar_than_the_word_statistics_of_its_registry_allow(seed: int) -> None:
    engine = Scam(registries=4, min_similarity=0.01, chapter_chars=500)
    for each in range(12):
        engine.add_work(f"w{each}", prose(each % 5, 700 + 90 * each, 80))
    page = word_counts(prose(seed % 5, 300)[:200] + prose(seed, 900, 80))
    similarities = []
    for registry in engine.choose_registries(*page):
        best = max((found.similarity for found in registry.find(*page)), default=0)
        assert best <= registry.highest_possible(*page) + ROUNDING
        similarities.append(best)
    assert max(similarities) > 0.1
