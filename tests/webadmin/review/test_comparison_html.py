"""The markup of a comparison: nothing of a crawled text acts, nothing is lost."""

import re
from html.parser import HTMLParser

import pytest
from django.template import Context, Template
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from core.hidden_characters import glyphs, spell_hidden
from core.matches import ChangeKind
from tests.webadmin.review.test_comparison import span
from webadmin.review.pages.case_page.change_summary import count_changes
from webadmin.review.pages.case_page.comparison import compare
from webadmin.review.pages.case_page.comparison_html import CONTEXT_CHARS, column_html
from webadmin.review.pages.case_page.text_map import ticks
from webadmin.ui.pages.visible_text import visible

UNSEEN = "\u202e\u200b\u2066\ufeff\x07\ue000\ufffe\u2800\u3164\U000e0041\ud800"
texts = st.text(alphabet=st.one_of(st.sampled_from("甲乙<>&\"'\n" + UNSEEN), st.characters()), max_size=80)


class _Reader(HTMLParser):
    """Reads markup as a browser would: its text and its elements."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""
        self.tags: list[str] = []
        self.handlers: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.handlers += [name for name, _value in attrs if name.startswith(("on", "x-", "@", ":"))]

    def handle_data(self, data: str) -> None:
        self.text += data


def read(markup: str) -> _Reader:
    reader = _Reader()
    reader.feed(markup)
    reader.close()
    return reader


@given(texts)
def test_a_crawled_text_becomes_text_and_marks_and_nothing_else(text: str) -> None:
    reader = read(visible(text))
    shown = "".join(run.text for run in glyphs(text) if not run.label)
    assert reader.text == shown
    assert set(reader.tags) <= {"span"}
    assert not reader.handlers


@given(texts)
def test_no_character_that_hides_or_turns_text_reaches_the_screen(text: str) -> None:
    for written in (visible(text), spell_hidden(text)):
        assert not set(written) & set(UNSEEN)
        written.encode("utf-8")


def test_a_turned_text_shows_a_mark_with_its_name() -> None:
    markup = visible("甲\u202e乙")
    assert 'data-mark="RLO"' in markup
    assert "U+202E RIGHT-TO-LEFT OVERRIDE" in markup
    assert visible("甲" + "\u200b\u200c" * 500).count("<span") == 1, "a thousand in a row are one mark"


def test_a_hostile_page_text_stays_text_inside_a_passage() -> None:
    page, work = '<script>x</script>" onclick="y', "甲乙"
    comparison = compare(page, work, [span(page, work, (0, 10), (0, 2), ["replaced", 0, 8, 0, 1])])
    reader = read(column_html(comparison.page))
    assert reader.text == page
    assert set(reader.tags) == {"div", "span"}
    assert not reader.handlers


def test_long_text_between_passages_is_folded_and_keeps_its_context() -> None:
    work = "甲乙"
    page = "甲乙" + "前" * 300 + "甲乙" + "后" * 300
    markup = column_html(
        compare(page, work, [span(page, work, (0, 2), (0, 2)), span(page, work, (302, 304), (0, 2))]).page
    )
    block = r'<div class="zw-block">([^<]*)</div>'
    folded = re.findall(rf'<details class="zw-fold"><summary>[^<]*</summary>{block}</details>', markup)
    assert folded == ["前" * (300 - 2 * CONTEXT_CHARS), "后" * (300 - CONTEXT_CHARS)]
    assert markup.count("前") == markup.count("后") == 300
    short = "甲乙" + "前" * 100 + "甲乙"
    assert "<details" not in column_html(compare(short, work, [span(short, work, (0, 2), (0, 2))]).page)


def test_both_sides_of_a_change_carry_the_same_number_and_say_what_it_did() -> None:
    page, work = "度口", "渡口"
    comparison = compare(page, work, [span(page, work, (0, 2), (0, 2), ["homophone", 0, 1, 0, 1])])
    for column in (comparison.page, comparison.work):
        markup = column_html(column)
        assert 'data-changes="1-1"' in markup
        assert "渡" in re.findall(r'title="([^"]*)"', markup)[0]
        assert "度" in re.findall(r'title="([^"]*)"', markup)[0]


def test_signs_of_a_moved_piece_say_how_it_begins_and_add_no_text() -> None:
    work, page = '前甲<b>"乙', '甲<b>"乙前'
    moved = span(page, work, (0, 7), (0, 7), ["moved", 6, 7, 0, 1], ["homophone", 6, 7, 0, 1])
    comparison = compare(page, work, [moved])
    assert [link.begins for link in comparison.links] == [work, ""]
    for column, text in ((comparison.page, page), (comparison.work, work)):
        markup = column_html(column)
        reader = read(markup)
        assert reader.text == text
        assert set(reader.tags) == {"div", "span"}
        assert not reader.handlers
        assert markup.count("zw-moved zw-gap") == markup.count('data-changes="1-1"') == 1
        assert markup.index('data-changes="1-1"') < markup.index('data-changes="1-2"')
        assert "前甲&lt;b&gt;&quot;乙…" in markup


def test_moved_pieces_are_counted_without_pairs() -> None:
    work, page = "前甲乙后", "甲乙前后"
    made = span(page, work, (0, 4), (0, 4), ["moved", 2, 2, 0, 0], ["moved", 3, 3, 3, 3])
    (counted,) = count_changes(compare(page, work, [made]).links)
    assert (counted.kind, counted.count, counted.examples, counted.more) == (ChangeKind.MOVED, 2, (), 0)


def test_text_that_is_no_longer_stored_is_said_to_be_missing() -> None:
    page, work = "前" * 40 + "甲乙", "甲乙"
    markup = column_html(compare(None, work, [span(page, work, (40, 42), (0, 2))]).page)
    assert "zw-missing" in markup
    assert "甲乙" in markup


def test_the_map_shows_changes_on_both_sides_and_stays_small() -> None:
    text = "甲" * 100_000
    changes = [["homophone", at, at + 1, at, at + 1] for at in range(0, 100_000, 20)]
    other = ["replaced", 50_010, 50_011, 50_010, 50_011]
    made = ticks(compare(text, text, [span(text, text, (0, 100_000), (0, 100_000), *changes, other)]))
    by_kind = {each.kind: each.path for each in made}
    assert by_kind[ChangeKind.REPLACED] == "M0,500h6M34,500h6"
    assert by_kind[ChangeKind.HOMOPHONE].count("M") == 2 * 1_001


@pytest.mark.parametrize(
    ("text", "english", "chinese"),
    [
        (" ", "space", "空格"),
        ("\u3000\u3000", "wide space×2", "全角空格×2"),
        ("\n", "line break", "换行"),
        (" \t", "space tab×2", "空格 制表符×2"),
        ("\x0b", "U+000B", "U+000B"),
    ],
)
def test_a_text_of_spaces_is_named_in_the_legend(text: str, english: str, chinese: str) -> None:
    for language, expected in (("en", english), ("zh-hans", chinese)):
        with translation.override(language):
            written = Template("{% load zhuiwen %}{{ text|example }}").render(Context({"text": text}))
        assert f'data-mark="{expected}"' in written
