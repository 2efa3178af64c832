"""Cases of the real corpora, where these are present."""

from functools import cache

import pytest

from laboratory.cases import build, corpora, news
from laboratory.cases.case_set import CaseSet
from laboratory.cases.conditions import SIZES
from laboratory.cases.shelf import Shelf
from laboratory.cases.sources import Sources
from laboratory.scores.detection_quality import Case
from tests.support.corpus_texts import SHARED_CORPORA

SEED = 2026

pytestmark = pytest.mark.skipif(
    not (SHARED_CORPORA / "editions_dev.jsonl.gz").exists(),
    reason=f"{SHARED_CORPORA} is not there: the corpora are no part of the repository",
)


@cache
def sources() -> Sources:
    return corpora.sources(SHARED_CORPORA, SEED)


@cache
def small() -> CaseSet:
    return build.built(sources(), SIZES["small"], SEED, {"natural", "negative", "chapter"}, lambda _: None)


def of_class(name: str) -> list[Case]:
    return [case for case in small().cases if case.case_class == name]


@pytest.mark.usefixtures("long_computation")
def test_the_whole_mother_has_some_hundred_and_sixty_works_and_fifteen_million_characters():
    assert 150 <= len(sources().works) <= 175
    assert sum(len(work.text) for work in sources().works) > 14_000_000
    assert len({work.work_id for work in sources().works}) == len(sources().works)


def test_every_chapter_lies_within_its_work_one_behind_the_other():
    for work in sources().works:
        ends = [0, *(chapter.end for chapter in work.chapters)]
        assert all(end <= chapter.start for end, chapter in zip(ends, work.chapters, strict=False))
        assert work.chapters[-1].end == len(work.text)


def test_no_text_stands_on_both_sides():
    inside = {work.text[chapter.start : chapter.end] for work in sources().works for chapter in work.chapters}
    assert not any(each.text in inside for each in sources().outside)
    assert not any(copy.text in inside for copy in sources().copies if copy.case_class == "reuse")


def test_works_with_two_editions_inside_give_no_made_pages():
    twice = [work for work in sources().works if not work.is_unique]
    assert len(twice) >= 6
    assert {work.title for work in twice}.isdisjoint(work.title for work in sources().works if work.is_unique)


def test_natural_pages_name_chapters_of_the_same_number_in_works_that_are_inside():
    titles = {work.work_id: work.title for work in sources().works}
    natural = [copy for copy in sources().copies if copy.case_class == "natural"]
    assert len(natural) > 1_000
    assert all(len({titles[each.work_id] for each in copy.passages}) == 1 for copy in natural)
    assert any(len(copy.passages) > 1 for copy in natural)


def test_labelled_reuse_stands_in_both_texts():
    reuse = [copy for copy in sources().copies if copy.case_class == "reuse"]
    named = {each.work_id for copy in reuse for each in copy.passages}
    works = [work for work in sources().works if work.work_id in named]
    shelf = Shelf([work.text for work in works])
    numbers = {work.work_id: number for number, work in enumerate(works)}
    assert len(reuse) > 150
    for copy in reuse[::5]:
        for each in copy.passages:
            page = copy.text[each.page.start : each.page.end]
            assert shelf.contained(page, numbers[each.work_id]) > 0.3
            assert each.work.end <= len(works[numbers[each.work_id]].text)


@pytest.mark.usefixtures("long_computation")
def test_small_cases_keep_to_their_size_and_have_natural_pages():
    assert len(small().works) <= 20
    assert sum(len(work.text) for work in small().works) <= 3_000_000
    assert len(of_class("natural")) == 100
    assert all(case.passages and not case.is_span_scored for case in of_class("natural"))
    assert len(of_class("negative")) > 100
    assert len(of_class("chapter")) == 30
    assert small().material == "corpora"


def test_news_items_that_repeat_each_other_are_known():
    items = news.items(SHARED_CORPORA, 600)
    repeating = [item for item in items if item.partners]
    assert repeating
    assert sum(item.is_innocent for item in items) > 400
    assert not any(item.partners for item in items if item.is_innocent)
    assert all(item.item_id not in item.partners for item in items)
