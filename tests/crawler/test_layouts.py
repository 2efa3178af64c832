"""Test what is read on pages of our own in real-world layouts, and on pages made after extraction was finished."""

from datetime import timedelta, timezone
from statistics import fmean

import pytest

from crawler.opening import Rejected
from crawler.reading import read_page
from tests.crawler.case_folders import Case, cases
from tests.crawler.texts import f1, read

CHINA = timezone(timedelta(hours=8))
WITH_TEXT, LISTS, UNSEEN = cases("articles"), cases("lists"), cases("unseen-articles")
MIN_F1, MIN_MEAN_F1 = 0.97, 0.99
MIN_UNSEEN_F1, MIN_MEAN_UNSEEN_F1 = 0.94, 0.95


@pytest.mark.parametrize("case", WITH_TEXT, ids=lambda case: case.name)
def test_the_text_title_author_date_and_chapter_of_a_layout_are_read(case: Case) -> None:
    reading = read(case.body)
    day = reading.published.astimezone(CHINA).date().isoformat() if reading.published else ""
    found = (reading.title, reading.author, day, reading.chapter_number)
    assert found == tuple(case.expected[name] for name in ("title", "author", "published", "chapter_number"))
    assert f1(case) >= MIN_F1


@pytest.mark.parametrize("case", LISTS, ids=lambda case: case.name)
def test_a_page_without_a_text_of_its_own_gives_none(case: Case) -> None:
    reading = read_page(case.body, {}, "http://site.example/")
    assert isinstance(reading, Rejected) or reading.text == ""


@pytest.mark.parametrize("case", UNSEEN, ids=lambda case: case.name)
def test_a_layout_that_extraction_was_not_made_with_is_read(case: Case) -> None:
    assert f1(case) >= MIN_UNSEEN_F1


def test_the_means_over_layouts_are_what_is_promised() -> None:
    assert len(WITH_TEXT) + len(LISTS) + len(UNSEEN) >= 45
    assert fmean(map(f1, WITH_TEXT)) >= MIN_MEAN_F1
    assert fmean(map(f1, UNSEEN)) >= MIN_MEAN_UNSEEN_F1
