"""All formats say the same, in both languages, also when there is nothing to say."""

import io
from datetime import datetime
from typing import Any

import openpyxl
import pytest

from analytics import tables
from analytics.formats import FORMATS, render
from analytics.formats.comma_separated import plain_cell
from analytics.phrases import Phrases
from analytics.report import Report, ReportNotice, build_report
from analytics.tables import CellKind
from analytics.view import lay_out
from analytics.wording import column_label, row_texts, scope_lines, summary_lines
from core.errors import BadInput
from core.obfuscations import Obfuscation
from tests.support import parsed_reports as parsed
from tests.support import report_rows as rows

LANGUAGES = ("zh-hans", "en")
BY_HAND = {
    "opened": 15,
    "confirmed": 4,
    "dismissed": 3,
    "open": 7,
    "set_aside": 1,
    "pages_checked": 4390,
    "excluded": 9,
}


@pytest.fixture(params=LANGUAGES, scope="module")
def report(request: pytest.FixtureRequest) -> Report:
    return build_report(
        rows.scope(request.param), rows.month_of_cases(), rows.month_of_pages(), rows.month_of_exclusions(),
        rows.month_of_crawls(), rows.month_of_checks(),
    )  # fmt: skip


@pytest.fixture(scope="module")
def phrases(report: Report) -> Phrases:
    return Phrases(report.scope.language)


def test_json_has_every_figure_and_case(report: Report) -> None:
    content = parsed.from_json(render(report, "json"))
    assert (content["format"], content["version"], content["language"]) == ("zhuiwen.report", 1, report.scope.language)
    assert {key: content["summary"][key] for key in BY_HAND} == BY_HAND
    assert content["summary"]["precision"] == 0.571
    for table in (*tables.measure_tables(report), tables.cases(report)):
        assert len(content[table.key]) == len(table.rows) > 0
        for written, record in zip(content[table.key], table.records(), strict=True):
            assert written == {key: _as_json(value) for key, value in record.items()}


def test_csv_has_the_cases_first_and_every_figure_below(report: Report, phrases: Phrases) -> None:
    header, *lines = parsed.from_csv(render(report, "csv"))
    assert {len(line) for line in lines} == {len(header)}
    cases = tables.cases(report)
    assert [line[1] for line in lines[:15]] == [str(case.case_id) for case in report.cases]
    for line, row in zip(lines, cases.rows, strict=False):
        assert line[0] == phrases["table.cases"]
        assert line[4:] == [str(plain_cell(value, phrases)) for value in row[1:]]
    figures = {tuple(line[:3]): line[3] for line in lines[15:]}
    for figure in tables.summary_figures(report):
        assert figures[phrases["table.summary"], "", phrases[f"column.{figure.key}"]] == str(figure.value)
    for table in tables.measure_tables(report):
        for name, *values in table.rows:
            item = str(plain_cell(name, phrases)) or phrases["verdict.none"]
            for column, value in zip(table.columns[1:], values, strict=True):
                key = (phrases[f"table.{table.key}"], item, phrases[f"column.{column.key}"])
                assert figures[key] == str(plain_cell(value, phrases))


def test_xlsx_has_real_numbers_and_dates_on_five_sheets(report: Report, phrases: Phrases) -> None:
    sheets = parsed.from_xlsx(render(report, "xlsx"))
    assert list(sheets) == [phrases[f"table.{key}"] for key in ("summary", "sites", "works", "days", "cases")]
    by_key = {table.key: table for table in (*tables.measure_tables(report), tables.cases(report))}
    for key in ("sites", "works", "days", "cases"):
        table = by_key[key]
        written = sheets[phrases[f"table.{key}"]]
        assert written[0] == [phrases[f"column.{column.key}"] for column in table.columns]
        for line, row in zip(written[1:], table.rows, strict=True):
            cells = [*line, *[None] * (len(row) - len(line))]
            assert cells == [_as_xlsx(c.key, c.kind, v, phrases) for c, v in zip(table.columns, row, strict=True)]
    summary = sheets[phrases["table.summary"]]
    for label, value in ((phrases[f"column.{f.key}"], f.value) for f in tables.summary_figures(report)):
        assert [label, value] in summary
    for key in ("classes", "obfuscations", "verdicts", "exclusions", "crawls"):
        for row in by_key[key].rows:
            line = [_as_xlsx(c.key, c.kind, v, phrases) for c, v in zip(by_key[key].columns, row, strict=True)]
            assert line in summary, key


def test_html_has_every_figure_and_case(report: Report, phrases: Phrases) -> None:
    page = parsed.from_html(render(report, "html"))
    assert parsed.html_definitions(page, "summary") == dict(summary_lines(tables.summary_figures(report), phrases))
    assert parsed.html_definitions(page, "scope") == dict(scope_lines(tables.scope_figures(report), phrases))
    for table in tables.measure_tables(report):
        written = list(parsed.html_rows(page, table.key))
        for line, row in zip(written, table.rows, strict=True):
            texts = row_texts(table, row, phrases)
            cells = dict(zip(table.columns, texts, strict=True))
            counts = [
                t for c, t in cells.items() if c.kind in (CellKind.COUNT, CellKind.SHARE) and c.key != "work_chars"
            ]
            assert line[0].startswith(texts[0])
            assert line[0].endswith(next((t for c, t in cells.items() if c.key == "work_chars"), ""))
            assert line[-len(counts) :] == counts
    for case, row in zip(report.cases, tables.cases(report).rows, strict=True):
        text = page.xpath(f'//tbody[@id="case-{case.case_id}"]')[0].text_content()
        assert all(part in text for part in _said(tables.cases(report), row, phrases))


def test_pdf_has_every_figure_and_case(report: Report, phrases: Phrases) -> None:
    text = parsed.from_pdf(render(report, "pdf"))
    for label, value in summary_lines(tables.summary_figures(report), phrases):
        assert _squeezed(label) + _squeezed(value) in text
    for table in tables.measure_tables(report):
        dropped = {"rights_holder"}
        for row in table.rows:
            texts = row_texts(table, row, phrases)
            shown = [
                (column_label(c, phrases) if c.key == "work_chars" else "") + t
                for c, t in zip(table.columns, texts, strict=True)
                if c.key not in dropped and t != phrases["nothing"]
            ]
            assert _squeezed("".join(shown)) in text, table.key
    for row in tables.cases(report).rows:
        for part in _said(tables.cases(report), row, phrases):
            assert _squeezed(part) in text


@pytest.mark.parametrize("name", FORMATS)
def test_all_formats_name_a_site_without_a_finding_and_are_the_same_each_time(report: Report, name: str) -> None:
    made = render(report, name)
    assert "静读书屋" in parsed.text_of(name, made)
    assert render(report, name) == made


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_format_of_an_empty_period_says_so(name: str, language: str) -> None:
    text = _squeezed(parsed.text_of(name, render(build_report(rows.scope(language), []), name)))
    said = "nothing_checked" if name == "json" else Phrases(language).term(ReportNotice.NOTHING_CHECKED)
    assert _squeezed(said) in text


def test_shares_are_cut_once_and_alike() -> None:
    report = build_report(rows.scope(), [rows.case(similarity=0.99996, page_containment=0.123456)])
    assert parsed.from_json(render(report, "json"))["cases"][0]["similarity"] == 0.999
    assert {"0.999", "0.123"} <= set(parsed.from_csv(render(report, "csv"))[1])
    assert {0.999, 0.123} <= set(parsed.from_xlsx(render(report, "xlsx"))["线索与案件"][1])
    for text in (render(report, "html").decode(), parsed.from_pdf(render(report, "pdf"))):
        assert "99.9%" in text
        assert "12.3%" in text
    for share, shown in ((1.0, "0%"), (0.99996, "0.0%"), (0.0004, '"<0.1%"')):
        made = render(build_report(rows.scope(), [rows.case(similarity=share)]), "xlsx")
        book = openpyxl.load_workbook(io.BytesIO(made))
        assert shown in {cell.number_format for cell in book["线索与案件"][2]}


def test_an_unknown_format_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(BadInput, match="choose one of pdf, xlsx, csv, html, json"):
        render(build_report(rows.scope(), []), "docx")


def _said(table: tables.ReportTable, row: tuple[tables.Cell, ...], phrases: Phrases) -> list[str]:
    """Return what a case's row must say where one rights holder reads it."""
    pairs = zip(table.columns, row, row_texts(table, row, phrases), strict=True)
    return [text for column, value, text in pairs if value not in (None, "", ()) and column.key != "rights_holder"]


def _as_json(value: tables.Cell) -> Any:
    if isinstance(value, tuple):
        return [str(member) for member in value]
    return value.isoformat() if hasattr(value, "isoformat") else value


def _as_xlsx(key: str, kind: CellKind, value: tables.Cell, phrases: Phrases) -> Any:
    if value is None and key == "verdict":
        return phrases["verdict.none"]
    if value is None or value in ("", ()):
        return None
    if kind is CellKind.DAY:
        return datetime.combine(value, datetime.min.time())  # type: ignore[arg-type]
    if kind is CellKind.MOMENT:
        return value.replace(tzinfo=None)  # type: ignore[union-attr,call-arg]
    return value if isinstance(value, int | float) else plain_cell(value, phrases)


def _squeezed(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize(("language", "said"), [("zh-hans", "由机器从图片中识别"), ("en", "by a program")])
def test_a_report_says_where_pages_were_read_from_pictures(language: str, said: str) -> None:
    for obfuscations, is_said in (((Obfuscation.TEXT_PICTURE,), True), ((Obfuscation.HOMOPHONE,), False)):
        made = build_report(rows.scope(language), [rows.case(obfuscations=obfuscations)], [], [], [], [])
        assert (said in render(made, "html").decode()) is is_said
        assert any(said in note for note in lay_out(made).notes) is is_said
