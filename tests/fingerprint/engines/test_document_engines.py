"""What holds for every engine that compares what it chooses of a text."""

import itertools
import random
from functools import cache

import pytest

from fingerprint.engines import (
    boolean_model,
    cops,
    erulemaking,
    imatch,
    koala,
    mdr,
    nshash,
    punctuation_strings,
    scam,
    sif,
    tfidf,
)
from fingerprint.engines.chapters import CHAPTER_CHARS
from fingerprint.engines.engine import Engine, EngineEntry

MODULES = (nshash, imatch, punctuation_strings, tfidf, erulemaking, boolean_model, sif, cops, scam, koala, mdr)
ENTRIES = [entry for module in MODULES for entry in module.ENTRIES]

EVERY_ENGINE = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
OPENINGS = [first + second for first in "不一又便" for second in "知见说道来去听想走看问坐起回到开"]


@cache
def tale(seed: int, sentences: int = 200) -> str:
    """Invented sentences in the words of one author: another seed, other words, but for the commonest."""
    rng = random.Random(seed)
    words = ["".join(chr(0x4E00 + rng.randrange(6000)) for _ in range(2)) for _ in range(600)]
    clauses = ["".join([rng.choice(OPENINGS), *rng.choices(words, k=rng.randint(3, 7))]) for _ in range(2 * sentences)]
    return "".join(clause + mark for clause, mark in zip(clauses, itertools.cycle("，。"), strict=False))


def filled(entry: EngineEntry) -> Engine:
    engine = entry.make()
    for seed in range(4):
        engine.add_work(f"work {seed}", tale(seed))
    return engine


@EVERY_ENGINE
def test_a_chapter_as_it_stands_is_found_in_its_work_alone(entry: EngineEntry) -> None:
    engine = filled(entry)
    page = tale(2)[CHAPTER_CHARS : 2 * CHAPTER_CHARS]
    found = engine.find(page)
    assert [each.work_id for each in found] == ["work 2"]
    assert 0.9 <= found[0].similarity <= 1


@EVERY_ENGINE
def test_a_text_by_somebody_else_is_found_nowhere(entry: EngineEntry) -> None:
    assert filled(entry).find(tale(77)[:CHAPTER_CHARS]) == []


@EVERY_ENGINE
def test_spans_are_given_by_the_engines_that_say_so_and_lie_in_both_texts(entry: EngineEntry) -> None:
    engine = filled(entry)
    page = "编者按：" + tale(2)[300:2000]
    found = engine.find(page)
    if not entry.gives_spans:
        assert all(not each.spans for each in found)
        return
    assert [each.work_id for each in found] == ["work 2"]
    assert found[0].spans
    for span in found[0].spans:
        assert tale(2)[span.work.start : span.work.end] == page[span.page.start : span.page.end] != ""
