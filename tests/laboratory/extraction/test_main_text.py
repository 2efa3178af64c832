"""`bench extract`: how a reading is scored, what is measured, and what is reached on the shared saved pages."""

import json
from pathlib import Path
from statistics import fmean

import pytest

from laboratory.cases.build import SHARED_CORPORA
from laboratory.extraction.extractors import product_reading
from laboratory.extraction.main_text import TARGET_F1, section
from laboratory.extraction.saved_pages import ARCHIVE
from laboratory.extraction.saved_pages import saved_pages as read_saved_pages
from laboratory.extraction.text_scores import text_score
from tests.crawler.case_folders import cases
from tests.support.command_line import CommandLine

NEEDS_CORPORA = pytest.mark.skipif(not (SHARED_CORPORA / ARCHIVE).exists(), reason="the shared corpora are not here")


@pytest.fixture
def saved_pages(tmp_path: Path) -> Path:
    """Six pages of our own with a manifest, one of them without a reference."""
    folder = tmp_path / "saved"
    folder.mkdir()
    records = []
    for number, case in enumerate(cases("articles")[:6]):
        (folder / f"{number}.html").write_bytes(case.body)
        reference, encoding = "" if number == 5 else case.text, case.expected["encoding"]
        kind = "none" if number == 5 else "hand-labelled"
        record = {"file": f"{number}.html", "encoding": encoding, "text": reference, "text_kind": kind}
        records.append({**record, "page_kind": "news", "zones": {"comment": "沈知微说：我也在那里。"}})
    (folder / "manifest.jsonl").write_text("\n".join(json.dumps(record) for record in records), encoding="utf-8")
    return folder


def test_the_product_and_its_peers_are_measured_on_the_same_pages(saved_pages: Path) -> None:
    measured = section(saved_pages, 1, 1, lambda _: None)
    found = {each["name"]: each for each in measured.record["extractors"]}
    assert next(iter(found)) == "zhuiwen"
    assert {"trafilatura", "readability-lxml", "gne"} <= found.keys() | {
        each["name"] for each in measured.record["absent"]
    }
    assert {each["labelled_pages"] for each in found.values()} == {5}
    assert {each["pages_read"] for each in found.values()} == {6}
    assert found["zhuiwen"]["f1"] > 0.97
    assert len(measured.record["confidence"]) == 5
    assert all(score["taken"].keys() == {"main", "comment", "all beside"} for score in found["zhuiwen"]["scores"])
    titles = {table.title for table in measured.tables}
    assert "F1 by kind of page" in titles
    assert any(title.startswith("Share of each part") for title in titles)


@pytest.mark.usefixtures("processes")
def test_the_command_prints_tables_and_writes_all_figures(tmp_path: Path, saved_pages: Path) -> None:
    out = tmp_path / "extract.json"
    done = CommandLine(tmp_path)("bench", "extract", "--parts", "text", "--pages", saved_pages, "--json", out)
    assert done.code == 0, done.err
    assert "F1 over character pairs" in done.out
    assert json.loads(out.read_text())["text"]["target_f1"] == TARGET_F1
    refused = CommandLine(tmp_path)("bench", "extract", "--parts", "films")
    assert "there is no part films" in refused.complaints[-1]


@pytest.mark.usefixtures("long_computation")
@NEEDS_CORPORA
def test_the_shared_saved_pages_are_read_as_well_as_is_asked_for() -> None:
    readings = [(product_reading(page), page.text) for page in read_saved_pages(SHARED_CORPORA / ARCHIVE) if page.text]
    scores = [text_score(reading.text if reading else "", text).f1 for reading, text in readings]
    assert fmean(scores) >= TARGET_F1
