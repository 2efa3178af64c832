"""Both languages are complete, and everything that a report shows has its words."""

import re
from pathlib import Path

import pytest

from analytics import tables
from analytics.phrases import Phrases
from analytics.records import LANGUAGES
from analytics.report import build_report
from tests.support import report_rows as rows
from webadmin.translation import messages

PHRASES = {code.removeprefix("phrase."): words for code, words in messages().items() if code.startswith("phrase.")}


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


def test_no_phrase_is_left_that_nothing_says() -> None:
    package = Path(tables.__file__).parent
    sources = [*package.rglob("*.py"), *package.rglob("*.typ")]
    text = "".join(path.read_text() for path in sources)
    plain = [key for key in PHRASES if not key.startswith(("column.", "scope.", "table.", "notice."))]
    assert [
        key for key in plain if not re.search(rf"""["']{re.escape(key)}["']|words\.{re.escape(key)}\b""", text)
    ] == []
