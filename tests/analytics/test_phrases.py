"""Both languages are complete, and everything that a report shows has its words."""

import re
from pathlib import Path
from string import Formatter

import pytest

from analytics import tables
from analytics.phrasebook import NOTICES, PHRASES
from analytics.phrases import Phrases
from analytics.records import LANGUAGES
from analytics.report import build_report
from core.terms import TERMS
from core.words import Words
from tests.support import report_rows as rows

ALL = {
    **PHRASES,
    **{f"{type(key).__name__}.{key}": words for group in (*TERMS.values(), NOTICES) for key, words in group.items()},
}


@pytest.mark.parametrize("words", ALL.values(), ids=ALL)
def test_both_languages_say_something_and_fill_the_same_places(words: Words) -> None:
    assert words.en.strip()
    assert words.zh.strip()
    assert _places(words.en) == _places(words.zh)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_member_of_every_enumeration_has_words_of_its_own(language: str) -> None:
    phrases = Phrases(language)
    for group in TERMS:
        assert len({phrases.term(member) for member in group}) == len(group), group


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_figure_table_and_column_has_a_phrase(language: str) -> None:
    phrases = Phrases(language)
    report = build_report(rows.scope(language), [rows.case()])
    for table in (*tables.measure_tables(report), tables.cases(report)):
        assert phrases[f"table.{table.key}"]
        labels = [phrases[f"column.{column.key}"] for column in table.columns]
        assert len(set(labels)) == len(labels), table.key
    assert all(phrases[f"column.{figure.key}"] for figure in tables.summary_figures(report))
    assert all(phrases[f"scope.{figure.key}"] for figure in tables.scope_figures(report))


def test_chinese_is_chinese() -> None:
    without = [key for key, words in ALL.items() if not re.search("[\u4e00-\u9fff]", words.zh)]
    assert without == ["html_lang", "list_separator", "nothing"]


def test_no_phrase_is_left_that_nothing_says() -> None:
    package = Path(tables.__file__).parent
    sources = [*package.rglob("*.py"), *package.rglob("*.typ")]
    text = "".join(path.read_text() for path in sources if path.stem != "phrasebook")
    plain = [key for key in PHRASES if not key.startswith(("column.", "scope.", "table."))]
    assert [
        key for key in plain if not re.search(rf"""["']{re.escape(key)}["']|words\.{re.escape(key)}\b""", text)
    ] == []


def _places(text: str) -> set[str | None]:
    return {name for _, name, _, _ in Formatter().parse(text)} - {None}
