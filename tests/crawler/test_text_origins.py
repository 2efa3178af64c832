"""Where each character of a clean text stood in the raw one, whatever was undone between them."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.marks import SURROUNDING, Mark, RawPlaces, rebuild_text
from core.obfuscations import Obfuscation
from core.text import TextRange
from crawler.obfuscation import text_origins
from crawler.obfuscation.text_origins import MAX_MARKS, Origins, constant_kind, join_raw_parts, restore_origins

_TEXTS = st.text(alphabet="风雨渡口\n。，x", max_size=40)


def _marks(*texts: str) -> tuple[str, str, Sequence[Mark]]:
    origins = Origins.from_text(texts[0])
    for number, text in enumerate(texts[1:]):
        origins.step(text, constant_kind(f"kind{number}"))
    return texts[0], texts[-1], origins.marks()


@given(st.lists(_TEXTS, min_size=1, max_size=4))
def test_marks_lead_from_the_raw_text_to_the_clean_one_and_back(texts: list[str]) -> None:
    raw, text, marks = _marks(*texts)
    assert rebuild_text(raw, text, marks) == text
    covered = [place for mark in marks for place in range(mark.raw.start, mark.raw.end)]
    assert len(covered) == len(set(covered)), "no character of the raw text is in two marks"
    again = restore_origins(raw, text, marks)
    assert again.marks() == marks


@given(st.lists(_TEXTS, min_size=2, max_size=3))
def test_each_range_of_the_clean_text_stands_in_its_range_of_the_raw_one(texts: list[str]) -> None:
    raw, text, marks = _marks(*texts)
    places = RawPlaces(marks, len(text))
    written = {place for mark in marks if not len(mark.raw) for place in range(mark.text.start, mark.text.end)}
    changed = {place for mark in marks for place in range(mark.text.start, mark.text.end)}
    for place in range(len(text)):
        found = places.find_range(place, place + 1)
        assert found.end <= len(raw)
        if place not in changed:
            assert raw[found.start : found.end] == text[place]
        elif place in written:
            assert len(found) == 0
    if text and not written:
        whole = places.find_range(0, len(text))
        assert all(whole.start <= places.find_range(at, at + 1).start for at in range(len(text)))


def test_what_was_hidden_between_characters_is_a_mark_of_its_own() -> None:
    _, _, marks = _marks("渡口的x风，\n雨yy停了。", "渡口的风，\n雨停了。")
    assert [(mark.raw, mark.text) for mark in marks] == [
        (TextRange(3, 4), TextRange(3, 3)),
        (TextRange(8, 10), TextRange(7, 7)),
    ]


def test_a_character_that_was_drawn_as_another_keeps_its_place() -> None:
    raw, text = "甲风乙停。", "渡风口停。"
    _, _, marks = _marks(raw, text)
    places = RawPlaces(marks, len(text))
    assert [places.find_range(at, at + 1) for at in range(3)] == [TextRange(at, at + 1) for at in range(3)]


def test_lines_in_another_order_are_found_where_they_stand() -> None:
    raw, text = "雨停了。\n渡口的风很大。\n船来了。", "渡口的风很大。\n船来了。\n雨停了。"
    _, _, marks = _marks(raw, text)
    assert {mark.kind for mark in marks} == {Obfuscation.REORDERED.value, "kind0"}
    places = RawPlaces(marks, len(text))
    for line in text.split("\n"):
        found = places.find_range(text.index(line), text.index(line) + len(line))
        assert raw[found.start : found.end] == line


def test_two_parts_of_a_text_stand_one_behind_the_other() -> None:
    parts = [_marks("渡x口", "渡口"), _marks("风y雨", "风雨")]
    raw, marks = join_raw_parts(parts, "渡口\n风雨")
    assert raw == "渡x口\n风y雨"
    assert [(mark.raw, mark.text) for mark in marks] == [
        (TextRange(1, 2), TextRange(1, 1)),
        (TextRange(5, 6), TextRange(4, 4)),
    ]
    raw, marks = join_raw_parts(parts, "渡口风雨")
    assert rebuild_text(raw, "渡口风雨", marks) == "渡口风雨"
    assert [mark.kind for mark in marks] == ["kind0", SURROUNDING, "kind0"]


def test_a_text_with_noise_without_end_is_one_mark() -> None:
    text = "风" * (MAX_MARKS + 2)
    raw, _, marks = _marks("\u200b".join(text), text)
    assert marks == (Mark("kind0", TextRange(0, len(raw)), TextRange(0, len(text))),)
    assert RawPlaces(marks, len(text)).find_range(5, 6) == TextRange(0, len(raw))


def test_a_text_beyond_all_measure_is_one_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_origins, "MAX_CHARS", 5)
    _, _, marks = _marks("渡口x的风很大", "渡口的风很大")
    assert marks == (Mark("kind0", TextRange(0, 7), TextRange(0, 6)),)
