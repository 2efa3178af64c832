"""Both languages are complete."""

import re
from pathlib import Path
from string import Formatter

import pytest

from analytics import tables
from analytics.phrases import BY_LANGUAGE, TERM_GROUPS, Phrases
from analytics.phrases_en import ENGLISH
from analytics.phrases_zh import CHINESE
from analytics.report import build_report
from tests.support import report_rows as rows


def test_both_languages_have_the_same_phrases_and_none_is_empty() -> None:
    assert CHINESE.keys() == ENGLISH.keys()
    assert all(text.strip() for phrases in BY_LANGUAGE.values() for text in phrases.values())


def test_both_languages_fill_the_same_places() -> None:
    for key, text in ENGLISH.items():
        assert _places(text) == _places(CHINESE[key]), key


@pytest.mark.parametrize("language", BY_LANGUAGE)
def test_every_member_of_every_enumeration_has_a_phrase(language: str) -> None:
    phrases = Phrases(language)
    for group in TERM_GROUPS:
        assert len({phrases.term(member) for member in group}) == len(group), group


@pytest.mark.parametrize("language", BY_LANGUAGE)
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
    without = [key for key, text in CHINESE.items() if not re.search("[\u4e00-\u9fff]", text)]
    assert without == ["html_lang", "list_separator", "nothing"]


def test_no_phrase_is_left_that_nothing_says() -> None:
    package = Path(tables.__file__).parent
    sources = [*package.rglob("*.py"), *package.rglob("*.typ")]
    text = "".join(path.read_text() for path in sources if not path.stem.startswith("phrases_"))
    groups = ("column.", "scope.", "table.", "notice.", *(f"{group}." for group in TERM_GROUPS.values()))
    plain = [key for key in ENGLISH if not key.startswith(groups)]
    assert [key for key in plain if not re.search(f"""["']{re.escape(key)}["']""", text)] == []


def _places(text: str) -> set[str | None]:
    return {name for _, name, _, _ in Formatter().parse(text)} - {None}
