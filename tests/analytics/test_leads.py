"""Leads stand in a chapter of their own, in every format, under what they are not; no figure of copies knows them."""

from dataclasses import replace

import pytest

from analytics.formats import FORMATS, render
from analytics.records import LeadRow
from analytics.report import Report, build_report
from tests.support import parsed_reports as parsed
from tests.support import report_rows as rows

CAUTION = {
    "en": "It does not prove copying",
    "zh-hans": "本结果为语义的统计比对",
}
# What says more than such a comparison can.
NEVER = ("洗稿", "抄袭", "plagiari", "theft", "stolen")


def report(language: str = "en") -> Report:
    return report_with(rows.month_of_leads(), language)


def report_with(leads: list[LeadRow] | None, language: str = "en") -> Report:
    return build_report(
        rows.scope(language), rows.month_of_cases(), rows.month_of_pages(), rows.month_of_exclusions(),
        rows.month_of_crawls(), rows.month_of_checks(), leads,
    )  # fmt: skip


def test_they_are_counted_by_class_and_state() -> None:
    made = report()
    assert [lead.lead_id for lead in made.leads] == [1, 2, 3, 4]
    assert made.lead_counts == (("reworded", (1, 1, 1)), ("translated", (1, 0, 0)))


def test_no_figure_but_their_own_knows_them() -> None:
    made, without = report(), report_with(None)
    assert replace(made, leads=(), has_leads=False) == without
    content, bare = (parsed.from_json(render(each, "json")) for each in (made, without))
    own = {"leads", "lead_counts", "lead_caution"}
    assert {key: value for key, value in content.items() if key not in own} == {
        key: value for key, value in bare.items() if key not in own
    }


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_has_the_chapter_under_its_wording(name: str) -> None:
    language = "en" if name in {"csv", "xlsx"} else "zh-hans"
    text = "".join(parsed.text_of(name, render(report(language), name)).split())
    assert "".join(CAUTION[language].split()) in text
    assert "码头旧事" in text
    assert "10,461" in text
    assert not [word for word in NEVER if word in text]


@pytest.mark.parametrize("name", ["csv", "html", "xlsx"])
def test_nothing_is_said_where_nobody_looks_for_them(name: str) -> None:
    text = "".join(parsed.text_of(name, render(report_with(None), name)).split())
    assert "".join(CAUTION["en"].split()) not in text
    looked = "".join(parsed.text_of(name, render(report_with([]), name)).split())
    assert "".join(CAUTION["en"].split()) in looked


def test_the_page_has_sentences_and_verdicts_and_no_share() -> None:
    page = parsed.from_html(render(report("en"), "html"))
    cells = list(parsed.html_rows(page, "leads"))
    assert cells[:2] == [["suspected rewrite", "1", "1", "1"], ["suspected translation", "1", "0", "0"]]
    first, second = cells[2:4]
    assert first[2].startswith("14 of 17, 11 in the same order")
    assert second[3].startswith("high")
    assert "4 of 10,461 unrelated passages" in second[3]
    assert "沈一帆 2026-11-08" in second[4]
    assert "%" not in page.xpath('//section[@id="leads"]')[0].text_content()


def test_hostile_text_is_text() -> None:
    hostile = [
        rows.lead(n, page_title=title, page_url=f"javascript:{n}") for n, title in enumerate(rows.HOSTILE_TITLES)
    ]
    made = report_with(list(hostile))
    chapter = parsed.from_html(render(made, "html")).xpath('//section[@id="leads"]')[0]
    assert chapter.xpath(".//script | .//a") == []
    assert "<script>alert(1)</script>" in chapter.text_content()
    cells = [cell for row in parsed.from_csv(render(made, "csv")) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    assert "码头旧事" not in parsed.from_pdf(render(made, "pdf"))
