"""What is read on pages of our own in real-world layouts, and on pages made after extraction was finished."""

from datetime import timedelta, timezone
from statistics import fmean

import pytest

from core.pages import Reading
from crawler.reading import Rejected, read_page
from laboratory.text_scores import text_score
from tests.crawler.layouts import Layout, layouts
from tests.crawler.unseen_layouts import unseen_layouts

CHINA = timezone(timedelta(hours=8))
WITH_TEXT = [layout for layout in layouts() if layout.text]
LISTS = [layout for layout in layouts() if not layout.text]
UNSEEN = unseen_layouts()
MIN_F1, MIN_MEAN_F1 = 0.97, 0.99
MIN_UNSEEN_F1, MIN_MEAN_UNSEEN_F1 = 0.94, 0.95


def read(layout: Layout) -> Reading:
    reading = read_page(layout.body, {}, "http://site.example/1.html")
    assert isinstance(reading, Reading), layout.name
    return reading


def f1(layout: Layout) -> float:
    return text_score(read(layout).text, layout.text).f1


@pytest.mark.parametrize("layout", WITH_TEXT, ids=lambda layout: layout.name)
def test_the_text_title_author_date_and_chapter_of_a_layout_are_read(layout: Layout) -> None:
    reading = read(layout)
    day = reading.published.astimezone(CHINA).date().isoformat() if reading.published else ""
    found = (reading.title, reading.author, day, reading.chapter_number)
    assert found == (layout.title, layout.author, layout.published, layout.chapter_number)
    assert f1(layout) >= MIN_F1


@pytest.mark.parametrize("layout", LISTS, ids=lambda layout: layout.name)
def test_a_page_without_a_text_of_its_own_gives_none(layout: Layout) -> None:
    assert isinstance(read_page(layout.body, {}, "http://site.example/"), Rejected)


@pytest.mark.parametrize("layout", UNSEEN, ids=lambda layout: layout.name)
def test_a_layout_that_extraction_was_not_made_with_is_read(layout: Layout) -> None:
    assert f1(layout) >= MIN_UNSEEN_F1


def test_the_means_over_layouts_are_what_is_promised() -> None:
    assert len(layouts()) + len(UNSEEN) >= 45
    assert fmean(map(f1, WITH_TEXT)) >= MIN_MEAN_F1
    assert fmean(map(f1, UNSEEN)) >= MIN_MEAN_UNSEEN_F1
