"""A page's text with nothing undone: its marks, its passages, and what neither hides."""

import re
from html import unescape

import pytest
from django.utils import translation

from core.marks import Mark
from core.pages import Reading, SurroundingLine
from core.text import TextRange
from core.zones import Zone
from tests.webadmin.review.test_comparison import span
from webadmin.review.pages.case_page.comparison import compare
from webadmin.review.pages.case_page.page_column import RawTextMarkup, mark_raw_text

TEXT = "甲甲\n乙乙\n丙丙\n"
RAW = "甲盗甲\n乙乙广告\n丙丙\n"
HIDDEN = Mark("hidden_text", TextRange(1, 2), TextRange(1, 1))
ADVERT = Mark("site_advertisement", TextRange(6, 8), TextRange(5, 5))


def came(*marks: Mark, raw: str = RAW, text: str = TEXT) -> RawTextMarkup:
    page = compare(text, text, [span(text, text, (0, len(text)), (0, len(text)))]).page
    with translation.override("en"):
        return mark_raw_text(Reading(title="某页", text=text, raw_text=raw, marks=marks), page)


def plain(shown: RawTextMarkup) -> str:
    return unescape(re.sub("<[^>]*>", "", shown.html))


def marked(shown: RawTextMarkup) -> list[tuple[str, str]]:
    """The class and the text of each mark, in order."""
    return re.findall(r'<span class="zw-came ([\w -]+)"[^>]*>([^<]*)</span>', shown.html)


@pytest.mark.parametrize("marks", [(HIDDEN, ADVERT), (ADVERT, HIDDEN)])
def test_marks_stand_where_they_are_in_whatever_order_they_were_stored(marks: tuple[Mark, ...]) -> None:
    shown = came(*marks)
    assert marked(shown) == [("zw-came-hidden_text", "盗"), ("zw-came-site_advertisement", "广告")]
    assert plain(shown).split() == RAW.split()


def test_of_a_passage_of_several_lines_the_first_alone_is_stopped_at_and_named() -> None:
    html = came(HIDDEN, ADVERT).html
    assert html.count('data-passages="1"') == 3
    assert html.count('data-no="1"') == html.count('tabindex="0"') == 1
    assert html.index("data-no") < html.index("甲")


def test_a_comparison_with_what_stands_beside_the_text_has_that_behind_it() -> None:
    surroundings = (SurroundingLine(Zone.COMMENT, "评论里的字", after=3),)
    reading = Reading(title="某页", text=TEXT, raw_text=RAW, marks=(HIDDEN, ADVERT), surroundings=surroundings)
    whole = reading.whole_text
    at = whole.index("评论")
    page = compare(whole, "评论里的字", [span(whole, "评论里的字", (at, at + 5), (0, 5))]).page
    shown = mark_raw_text(reading, page)
    assert plain(shown).split() == [*RAW.split(), "评论里的字"]
    assert re.findall(r'data-pair="1">([^<]*)<', shown.html) == ["评论里的字"]
