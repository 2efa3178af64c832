"""Test what every engine of the catalogue keeps to, whatever it is given."""

from __future__ import annotations

import inspect
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from core.wording import has_words
from fingerprint.engines import catalogue
from fingerprint.engines.catalogue import ENGINES, MODULES
from fingerprint.engines.chapters import best_works
from fingerprint.engines.engine import EngineEntry
from tests.support.corpus_texts import story

if TYPE_CHECKING:
    from fingerprint.engines.engine import Engine

EVERY_ENGINE = pytest.mark.parametrize("entry", ENGINES.values(), ids=lambda entry: entry.name)
OF_DOCUMENTS = [entry for entry in ENGINES.values() if not entry.gives_spans]
CHAPTER_CHARS = 2_500
HAN = re.compile("[\u4e00-\u9fff]")
WORKS = {f"work-{seed}": story(seed, 120)[:CHAPTER_CHARS] for seed in range(1, 9)}
COPY = "work-3"
# They go by words alone, of which invented stories share many.
BY_WORDS = ("winnowing-5-4", "boolean", "scam", "dscam")

FEATURELESS = {
    "empty": "",
    "line ends": "\n\r\n \t",
    "punctuation": "，。！？……——“”《》、；：" * 40,
    "zero-width": "\u200b\u200d\ufeff" * 100,
    "lone surrogates": "\ud800\udfff\udc00" * 100,
    "replacement characters": "\ufffd" * 300,
}
POOR = {
    "one character": "字",
    "shorter than any window": "短文，",
    "no Chinese": "There is no Chinese in this text at all, whatever one does with it. " * 20,
    "surrogates among characters": "字\ud800" * 3,
    "one character often": "字" * 20_000,
    "two characters in turn": "哈。" * 5_000,
    "another script": "こんにちは、さようなら。" * 100,
    "characters nobody can read": "\ue000\ufffd□" * 400,
}


@cache
def filled(name: str) -> Engine:
    engine = ENGINES[name].make()
    for work_id, text in WORKS.items():
        engine.add_work(work_id, text)
    return engine


def test_names_are_kebab_case_and_every_entry_says_what_it_is() -> None:
    for name, entry in ENGINES.items():
        assert name == entry.name
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name), name
        assert "zhuiwen" not in name
        assert name != "all"
        assert has_words(entry.summary.code), name
        assert entry.source, name


def test_every_module_with_an_engine_stands_in_the_catalogue() -> None:
    folder = Path(catalogue.__file__).parent
    with_entries = {path.stem for path in folder.glob("*.py") if re.search(r"(?m)^ENTRIES\b", path.read_text("utf-8"))}
    assert with_entries == set(MODULES), "an engine is found by its module's name in MODULES of the catalogue"
    assert len(MODULES) == len(set(MODULES))


@EVERY_ENGINE
def test_an_entry_describes_each_parameter_and_departure_in_both_languages(entry: EngineEntry) -> None:
    assert list(entry.parameters) == list(entry.defaults)
    assert inspect.Parameter.empty not in entry.defaults.values()
    assert entry.departures
    for words in (entry.summary, *entry.parameters.values(), *entry.departures):
        assert not HAN.search(str(words).replace("不 and 一", "")), words
        assert HAN.search(words.in_language("zh")), words


@EVERY_ENGINE
def test_a_parameter_as_it_is_shown_is_the_one_that_the_engine_is_made_with(entry: EngineEntry) -> None:
    engine = entry.make(**entry.defaults)
    for work_id, text in WORKS.items():
        engine.add_work(work_id, text)
    assert engine.find(WORKS[COPY]) == filled(entry.name).find(WORKS[COPY])


@pytest.mark.parametrize("entry", OF_DOCUMENTS, ids=lambda entry: entry.name)
def test_a_page_longer_than_the_chapters_is_cut_as_works_are(entry: EngineEntry) -> None:
    pieces = [story(99, 120)[:CHAPTER_CHARS], WORKS[COPY], WORKS["work-5"], story(98, 120)[:300]]
    engine = filled(entry.name)
    found = engine.find("".join(pieces))
    assert found == best_works(each for piece in pieces for each in engine.find(piece))
    assert {COPY, "work-5"} <= {each.work_id for each in found}


@EVERY_ENGINE
def test_no_work_is_more_similar_than_the_whole_copy_and_spans_are_in_range(entry: EngineEntry) -> None:
    found = filled(entry.name).find(WORKS[COPY])
    assert {match.work_id: match.similarity for match in found}[COPY] == found[0].similarity
    assert len({match.work_id for match in found}) == len(found)
    similarities = [match.similarity for match in found]
    assert similarities == sorted(similarities, reverse=True)
    assert all(0 <= similarity <= 1 for similarity in similarities)
    for match in found:
        assert bool(match.spans) == entry.gives_spans
        for span in match.spans:
            assert 0 <= span.page.start < span.page.end <= len(WORKS[COPY])
            assert 0 <= span.work.start < span.work.end <= len(WORKS[match.work_id])


@EVERY_ENGINE
def test_works_with_the_same_text_are_both_found_with_the_same_similarity(entry: EngineEntry) -> None:
    engine = entry.make()
    for work_id, text in {**WORKS, "reprint": WORKS[COPY]}.items():
        engine.add_work(work_id, text)
    found = {match.work_id: match.similarity for match in engine.find(WORKS[COPY])}
    assert found["reprint"] == found[COPY]


@pytest.mark.parametrize("name", sorted(set(ENGINES) - set(BY_WORDS)))
def test_a_copy_is_found_in_its_work_alone_and_a_text_by_somebody_else_nowhere(name: str) -> None:
    assert [found.work_id for found in filled(name).find(WORKS[COPY])] == [COPY]
    assert filled(name).find(story(77, 120)[:CHAPTER_CHARS]) == []


@EVERY_ENGINE
def test_works_without_content_are_never_found(entry: EngineEntry) -> None:
    engine = entry.make()
    for work_id, text in {**FEATURELESS, **POOR, **WORKS}.items():
        engine.add_work(work_id, text)
    assert {match.work_id for match in engine.find(WORKS[COPY])} <= set(WORKS)
    assert all(engine.find(text) == [] for text in FEATURELESS.values())


@EVERY_ENGINE
def test_works_can_be_added_after_a_page_was_looked_up(entry: EngineEntry) -> None:
    engine = entry.make()
    assert engine.find(WORKS[COPY]) == []
    others = [work_id for work_id in WORKS if work_id != COPY]
    for work_id in others:
        engine.add_work(work_id, WORKS[work_id])
    assert COPY not in {match.work_id for match in engine.find(WORKS[COPY])}
    engine.add_work(COPY, WORKS[COPY])
    assert COPY in {match.work_id for match in engine.find(WORKS[COPY])}
