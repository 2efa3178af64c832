"""The five formats say the same, in both languages, also when there is nothing to say."""

from datetime import datetime
from typing import Any

import pytest

from analytics import tables
from analytics.formats import FORMATS, MEDIA_TYPES, render
from analytics.formats.comma_separated import plain_cell
from analytics.formats.json_data import schema
from analytics.phrases import Phrases
from analytics.report import Report, build_report
from analytics.tables import Kind
from analytics.wording import row_texts, scope_lines, summary_lines
from core.errors import BadInput
from tests.support import parsed_reports as parsed
from tests.support import report_rows as rows

LANGUAGES = ("zh-hans", "en")
BY_HAND = {"opened": 14, "confirmed": 4, "dismissed": 3, "open": 7, "pages_checked": 5290, "excluded": 1560}


@pytest.fixture(params=LANGUAGES, scope="module")
def report(request: pytest.FixtureRequest) -> Report:
    return build_report(
        rows.scope(request.param), rows.month_of_cases(), rows.month_of_pages(), rows.month_of_exclusions(),
        rows.month_of_crawls(),
    )  # fmt: skip


@pytest.fixture(scope="module")
def phrases(report: Report) -> Phrases:
    return Phrases(report.scope.language)


def test_json_has_every_figure_and_case(report: Report) -> None:
    content = parsed.from_json(render(report, "json"))
    assert (content["format"], content["version"], content["language"]) == ("zhuiwen.report", 1, report.scope.language)
    assert {key: content["summary"][key] for key in BY_HAND} == BY_HAND
    assert content["summary"]["precision"] == 0.5714
    for table in (*tables.measure_tables(report), tables.cases(report)):
        assert len(content[table.key]) == len(table.rows) > 0
        for written, record in zip(content[table.key], table.records(), strict=True):
            assert written == {key: _as_json(value) for key, value in record.items()}


def test_json_is_as_its_schema_says(report: Report) -> None:
    content, described = parsed.from_json(render(report, "json")), schema(report)
    assert set(content) == set(described["required"])
    for key, part in described["properties"].items():
        kinds = part.get("type")
        records = content[key] if kinds == "array" else [content[key]] if kinds == "object" else []
        fields = part["items"] if kinds == "array" else part
        for record in records:
            assert set(record) == set(fields["required"])
            for name, value in record.items():
                assert _is_of(value, fields["properties"][name]["type"]), (key, name, value)


def test_csv_has_the_cases_first_and_every_figure_below(report: Report, phrases: Phrases) -> None:
    header, *lines = parsed.from_csv(render(report, "csv"))
    assert {len(line) for line in lines} == {len(header)}
    cases = tables.cases(report)
    assert [line[1] for line in lines[:14]] == [str(case.case_id) for case in report.cases]
    for line, row in zip(lines, cases.rows, strict=False):
        assert line[0] == phrases["table.cases"]
        assert line[4:] == [str(plain_cell(value, phrases)) for value in row[1:]]
    figures = {tuple(line[:3]): line[3] for line in lines[14:]}
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
    for key in ("classes", "disguises", "verdicts", "exclusions", "crawls"):
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
            counts = [t for c, t in zip(table.columns, texts, strict=True) if c.kind in (Kind.COUNT, Kind.SHARE)]
            assert line[0].startswith(texts[0])
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
                t for c, t in zip(table.columns, texts, strict=True) if c.key not in dropped and t != phrases["nothing"]
            ]
            assert _squeezed("".join(shown)) in text, table.key
    for row in tables.cases(report).rows:
        for part in _said(tables.cases(report), row, phrases):
            assert _squeezed(part) in text


def test_every_format_of_an_empty_period_says_so() -> None:
    for language in LANGUAGES:
        report, sentence = build_report(rows.scope(language), []), Phrases(language)["notice.nothing_checked"]
        assert parsed.from_json(render(report, "json"))["notice"] == "nothing_checked"
        assert any(sentence in line for line in parsed.from_csv(render(report, "csv")))
        assert [sentence] in next(iter(parsed.from_xlsx(render(report, "xlsx")).values()))
        assert parsed.from_html(render(report, "html")).findtext('.//p[@class="notice"]') == sentence
        assert _squeezed(sentence) in parsed.from_pdf(render(report, "pdf"))


def test_a_site_checked_without_a_finding_is_in_every_format(report: Report) -> None:
    for name in FORMATS:
        content = render(report, name)
        text = {"pdf": parsed.from_pdf, "xlsx": lambda c: str(parsed.from_xlsx(c))}.get(name, bytes.decode)(content)
        assert "静读书屋" in text


def test_shares_are_rounded_once_and_alike() -> None:
    report = build_report(rows.scope(), [rows.case(similarity=0.123456)])
    assert parsed.from_json(render(report, "json"))["cases"][0]["similarity"] == 0.1235
    assert "0.1235" in parsed.from_csv(render(report, "csv"))[1]
    assert 0.1235 in parsed.from_xlsx(render(report, "xlsx"))["案件"][1]
    assert "12.35%" in render(report, "html").decode()
    assert "12.35%" in parsed.from_pdf(render(report, "pdf"))


def test_an_unknown_format_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(BadInput, match="pdf, xlsx, csv, html, json"):
        render(build_report(rows.scope(), []), "docx")
    assert MEDIA_TYPES.keys() == FORMATS.keys()


def test_the_same_report_gives_the_same_bytes(report: Report) -> None:
    for name in ("pdf", "csv", "html", "json"):
        assert render(report, name) == render(report, name)


def _said(table: tables.Table, row: tuple[tables.Cell, ...], phrases: Phrases) -> list[str]:
    """What a case's row must say where one rights holder reads it."""
    pairs = zip(table.columns, row, row_texts(table, row, phrases), strict=True)
    return [text for column, value, text in pairs if value not in (None, "", ()) and column.key != "rights_holder"]


def _as_json(value: tables.Cell) -> Any:
    if isinstance(value, tuple):
        return [str(member) for member in value]
    return value.isoformat() if hasattr(value, "isoformat") else value


def _as_xlsx(key: str, kind: Kind, value: tables.Cell, phrases: Phrases) -> Any:
    if value is None and key == "verdict":
        return phrases["verdict.none"]
    if value is None or value in ("", ()):
        return None
    if kind is Kind.DAY:
        return datetime.combine(value, datetime.min.time())  # type: ignore[arg-type]
    if kind is Kind.MOMENT:
        return value.replace(tzinfo=None)  # type: ignore[union-attr,call-arg]
    return value if isinstance(value, int | float) else plain_cell(value, phrases)


def _is_of(value: Any, kinds: str | list[str]) -> bool:
    types = {"string": str, "integer": int, "number": int | float, "array": list, "null": type(None)}
    return isinstance(value, tuple(types[kind] for kind in ([kinds] if isinstance(kinds, str) else kinds)))


def _squeezed(text: str) -> str:
    return "".join(text.split())
