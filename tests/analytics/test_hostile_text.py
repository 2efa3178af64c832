"""Titles, addresses and names that mean harm stay text in every format; what cannot be shown is written by number."""

import base64
import hashlib
import io
import zipfile
from dataclasses import replace

import pypdf
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from analytics.formats import FORMATS, render
from analytics.formats.comma_separated import plain_cell
from analytics.formats.pdf_document import MAX_CASES, MAX_CASES_IN_THIS_PROCESS
from analytics.phrases import Phrases
from analytics.records import CaseRow, CrawlRow, CrawlState, ExclusionRow, PageRow
from analytics.report import Report, build_report
from core.errors import BadInput, RetryLater
from core.plain_text import clean_line
from core.states import Rejection, Verdict
from tests.support import parsed_reports as parsed
from tests.support import report_rows as rows
from tests.support.examples import examples


def hostile_case(number: int, text: str) -> CaseRow:
    return rows.decided(
        number,
        Verdict.CONFIRMED,
        work_title=text,
        chapter_title=text,
        site_name=text,
        site_host=text,
        page_title=text,
        page_url=text if number % 2 else f"javascript:{text}",
        reviewer=text,
        excerpt=text,
    )


def hostile_report(texts: tuple[str, ...], language: str = "zh-hans") -> Report:
    cases = [hostile_case(n, text) for n, text in enumerate(texts, 1)]
    pages = [PageRow(text, rows.SINCE, 3, 1) for text in texts]
    exclusions = [ExclusionRow(text, "", Rejection.ROBOTS, 1) for text in texts]
    crawls = [CrawlRow(text, cases[0].opened_at, None, 1, 0, CrawlState.RUNNING) for text in texts]
    return build_report(rows.scope(language), cases, pages, exclusions, crawls)


@pytest.fixture(scope="module")
def report() -> Report:
    return hostile_report(rows.HOSTILE_TITLES)


def test_no_csv_cell_begins_like_a_formula(report: Report) -> None:
    cells = [cell for line in parsed.from_csv(render(report, "csv")) for cell in line]
    assert not [cell for cell in cells if cell.startswith(tuple("=+-@\t\r\n＝＋－＠"))]
    assert any(cell.startswith("'=HYPERLINK") for cell in cells)
    assert any(cell.startswith("'-2+3") for cell in cells)


def test_no_xlsx_cell_is_a_formula_or_a_link(report: Report) -> None:
    content = render(report, "xlsx")
    with zipfile.ZipFile(io.BytesIO(content)) as book:
        sheets = [book.read(name) for name in book.namelist() if name.startswith("xl/worksheets/sheet")]
    assert len(sheets) == 5
    assert not any(b"<f>" in sheet or b"<hyperlink" in sheet for sheet in sheets)
    cells = [cell for sheet in parsed.from_xlsx(content).values() for line in sheet for cell in line]
    assert '=HYPERLINK("http://evil.example","点我")' in cells


def test_html_runs_nothing_and_links_only_to_web_addresses(report: Report) -> None:
    content = render(replace(report, cases=(*report.cases, rows.case(99))), "html")
    page = parsed.from_html(content)
    assert page.xpath("//script | //iframe | //object | //@style | //@*[starts-with(name(), 'on')]") == []
    assert [picture.partition(";")[0] for picture in page.xpath("//img/@src")] == ["data:image/svg+xml"] * 2
    assert page.xpath("//a/@href") == ["https://www.kuaidu.example/book/8812/99.html"]
    assert "<script>alert(1)</script>" in page.text_content()
    policy = page.xpath('//meta[@http-equiv="Content-Security-Policy"]/@content')[0]
    style = page.xpath("//style")[0].text
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert base64.b64encode(hashlib.sha256(style.encode()).digest()).decode() in policy


def test_pdf_shows_markup_as_text_and_evaluates_none_of_it(report: Report) -> None:
    text = parsed.from_pdf(render(report, "pdf"))
    assert '#eval("1+1")#panic("boom")$x$*bold*_it_@ref<label>\\`raw`[a](b)' in text
    assert "<script>alert(1)</script>" in text
    assert "[U+202E]倒写[U+202C]" in text
    assert "表情[U+1F600]" in text
    assert text.count("w") >= 400 * 6  # no very long word is cut off or lost


def test_no_text_runs_over_the_edge_of_a_page(report: Report) -> None:
    heights: list[float] = []
    for page in pypdf.PdfReader(io.BytesIO(render(report, "pdf"))).pages:
        assert not {"/Annots", "/AA"} & page.keys(), "it has no action and no link"
        page.extract_text(
            visitor_text=lambda text, cm, tm, *_: heights.append(_height(cm, tm)) if text.strip() else None
        )
    assert len(heights) > 500
    assert 20 < min(heights) < max(heights) < 842 - 20  # points; A4 is 842 high


@pytest.mark.parametrize("name", FORMATS)
def test_no_format_carries_a_control_or_a_mark_that_turns_the_writing(report: Report, name: str) -> None:
    turning = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f")
    text = parsed.text_of(name, render(report, name))
    assert not turning & set(text)
    assert not {c for c in text if ord(c) < 32 and c not in "\r\n"}
    assert "[U+202E]" in text


@examples(300)
@given(st.text(st.characters(), max_size=60))
@example("\ud800\x00\ufffe")
def test_any_text_becomes_one_line_that_every_format_can_hold(text: str) -> None:
    line = clean_line(text)
    line.encode()
    assert line == line.strip()
    assert not {c for c in line if ord(c) < 32 or 0x7F <= ord(c) < 0xA0 or c in "\u2028\u2029\ufffe\uffff"}
    assert clean_line(line) == line
    assert not str(plain_cell(line, Phrases("en"))).startswith(("=", "+", "-", "@"))


@examples(12)
@given(st.lists(st.text(st.characters(), max_size=40), min_size=1, max_size=6))
def test_any_title_can_be_reported_in_every_format(texts: list[str]) -> None:
    report = hostile_report(tuple(texts), "en")
    for name in FORMATS:
        assert len(render(report, name)) > 500


@pytest.mark.usefixtures("processes")
def test_a_long_pdf_is_set_apart_and_has_every_case() -> None:
    count = MAX_CASES_IN_THIS_PROCESS + 1
    text = parsed.from_pdf(render(build_report(rows.scope(), [rows.case(n) for n in range(1, count + 1)]), "pdf"))
    assert all(f"/8812/{n}.html" in text for n in range(1, count + 1))
    assert "第1页，共" in text


@pytest.mark.usefixtures("processes")
def test_a_pdf_that_cannot_be_set_or_is_too_long_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    report = build_report(rows.scope(), [rows.case(n) for n in range(MAX_CASES + 1)])
    with pytest.raises(BadInput, match="choose a shorter period, or XLSX or CSV"):
        render(report, "pdf")
    monkeypatch.setattr("sys.executable", "/bin/false")
    report = build_report(rows.scope(), [rows.case(n) for n in range(1, MAX_CASES_IN_THIS_PROCESS + 2)])
    with pytest.raises(RetryLater, match="201 cases was not finished"):
        render(report, "pdf")


def _height(cm: list[float], tm: list[float]) -> float:
    """Where a piece of text stands above the page's lower edge, in points."""
    return tm[4] * cm[1] + tm[5] * cm[3] + cm[5]
