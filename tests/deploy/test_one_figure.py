"""One case wherever it is shown: the same digits on the desk, in reports, on the command line and in the evidence."""

from __future__ import annotations

import io
import json
import re
import zipfile
from difflib import SequenceMatcher
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import openpyxl
import pytest

from core.counting import TextLetters, count_characters
from core.shares import cut_share, format_percentage
from tests.deploy.test_cli_evidence import SCALE, STORE_MATCH_AND_STAMP, installed, stamping
from tests.support import parsed_reports as parsed

if TYPE_CHECKING:
    from tests.support.command_line import CommandLine

__all__ = ["installed", "stamping"]

OWN = "转载来的文章，请记住本站的网址，收藏起来以后每天来看。" * 6

COPIED = (SCALE[:700] + SCALE[900:]).replace("的", "地")
PAGE = f"{SCALE[:120]}\n{OWN}\n{COPIED}\n{OWN[::-1]}"

DESK = """
import json
from webadmin.accounts.models import User
from django.test import Client
admin, _ = User.objects.get_or_create(username="admin", defaults={"is_staff": True, "is_superuser": True})
client = Client(SERVER_NAME="127.0.0.1")
client.force_login(admin, backend="django.contrib.auth.backends.ModelBackend")
client.cookies["django_language"] = "en"
cases, case = "/admin/cases/case/", f"/admin/cases/case/{sys.argv[1]}/change/"
chosen = {"action": "export_csv", "_selected_action": [sys.argv[1]]}
pages = {"case": client.get(case), "list": client.get(cases), "works": client.get("/admin/works/work/"),
         "work": client.get("/admin/works/work/1/change/"), "chapter": client.get("/admin/works/work/1/read/1/"),
         "first": client.get("/admin/dashboard/"), "export": client.post(cases, chosen)}
assert {page.status_code for page in pages.values()} == {200}, pages
print(json.dumps({name: page.getvalue().decode("utf-8-sig") for name, page in pages.items()}))
"""

EXCERPTS = """
import json
from webadmin.cases.models import CaseMatch
(match,) = CaseMatch.objects.filter(case=sys.argv[1])
print(json.dumps([span["page_excerpt"] for span in match.spans]))
"""


@pytest.fixture(scope="module")
def case(installed: CommandLine) -> str:
    """A page with most of a chapter, some of it in other characters, twice the beginning, and words of its own."""
    given = ("http://127.0.0.1:8801/one.html", "stamped")
    return installed.in_django(STORE_MATCH_AND_STAMP, *given, stdin=PAGE.encode())


@pytest.fixture(scope="module")
def figures(installed: CommandLine, case: str) -> dict[str, Any]:
    """Return what a program is told: the figures that all others are held against."""
    told: dict[str, Any]
    (told,) = installed("cases", "--json").json()
    return told


@pytest.fixture(scope="module")
def desk(installed: CommandLine, case: str) -> dict[str, str]:
    pages: dict[str, str] = json.loads(installed.in_django(DESK, case).splitlines()[-1])
    return pages


def shares(figures: dict[str, Any]) -> list[str]:
    return [format_percentage(figures[name]) for name in ("similarity", "work_containment", "page_containment")]


def counts(figures: dict[str, Any]) -> list[str]:
    return [f"{figures[name]:,}" for name in ("taken_chars", "matched_chars")]


def test_the_figures_are_such_that_rounding_would_show(figures: dict[str, Any]) -> None:
    assert all(0 < figures[name] < 1 for name in ("similarity", "work_containment", "page_containment"))
    assert figures["taken_chars"] < figures["matched_chars"], "the page has the beginning twice"
    assert figures["work_containment"] == cut_share(figures["taken_chars"] / figures["work_chars"])


def test_the_longest_run_has_no_other_characters_in_it(
    installed: CommandLine, case: str, figures: dict[str, Any]
) -> None:
    excerpts = json.loads(installed.in_django(EXCERPTS, case).splitlines()[-1])
    work, *passages = (TextLetters.from_text(text).text for text in (SCALE, *excerpts))
    most = max(SequenceMatcher(None, each, work, autojunk=False).find_longest_match().size for each in passages)
    assert figures["longest_equal_run_chars"] == most < figures["taken_chars"] / 2


def test_the_desk_shows_them(desk: dict[str, str], figures: dict[str, Any]) -> None:
    similarity, of_work, of_page = shares(figures)
    taken, on_page = counts(figures)
    above = re.findall(r"<dt title=[^>]*>([^<]*)</dt><dd>([^<]*)</dd>", desk["case"])
    shown = dict(re.findall(r"<dt>([^<]*)</dt><dd><strong>([^<]*)</strong>", desk["case"]))
    assert set(above) <= set(shown.items())
    assert len(above) == 4
    wanted = {
        "Similarity": similarity,
        "Share of the work": of_work,
        "Share of the page": of_page,
        "Characters taken from the work": taken,
        "Characters on the page": on_page,
        "Longest run of matching characters": f"{figures['longest_equal_run_chars']:,}",
    }
    assert {unescape(name): value for name, value in shown.items() if name in wanted} == wanted
    assert similarity in desk["list"]
    assert taken in desk["list"]
    cells = re.findall(r'<td class="zw-num" data-name="[^"]*">([^<]*)</td>', desk["first"])
    assert [taken, of_work, on_page] == cells[1:4]
    assert taken in desk["works"]
    length = f"{figures['work_chars']:,}"
    assert all(length in desk[page] for page in ("works", "work", "chapter")), "a text has one length"
    assert f"{count_characters(PAGE):,} characters" in desk["case"]
    assert of_work in desk["works"]
    numbers = {str(figures[name]) for name in ("similarity", "work_containment", "page_containment", "taken_chars")}
    assert numbers <= set(desk["export"].replace("\r", "").replace("\n", ",").split(","))


def test_the_command_line_says_them(installed: CommandLine, figures: dict[str, Any]) -> None:
    taken, on_page = counts(figures)
    listed = installed("cases")
    assert shares(figures)[0] in listed.out
    assert f"each counted once: {taken}; on all pages, added up: {on_page}" in listed.err
    (work,) = [each for each in installed("work", "list", "--json").json() if each["cases"]]
    assert (work["taken_chars"], work["share_taken"]) == (figures["taken_chars"], figures["work_containment"])
    assert work["characters"] == work["work_chars"] == figures["work_chars"] == count_characters(SCALE)


def test_reports_of_every_format_have_them(installed: CommandLine, figures: dict[str, Any], tmp_path: Path) -> None:
    written = {}
    for kind in ("json", "csv", "xlsx", "html", "pdf"):
        path = tmp_path / f"report.{kind}"
        done = installed("report", "--format", kind, "--language", "en", "--out", path)
        assert done.code == 0, done.err
        written[kind] = path.read_bytes()
    names = ("similarity", "page_containment", "work_containment", "taken_chars", "matched_chars")
    numbers, words = [figures[name] for name in names], [*shares(figures), *counts(figures)]
    report = parsed.from_json(written["json"])
    assert [report["cases"][0][name] for name in names] == numbers
    (work,) = report["works"]
    taken, on_pages = figures["taken_chars"], figures["matched_chars"]
    assert (work["chars_taken"], work["share_taken"]) == (taken, figures["work_containment"])
    assert (report["summary"]["chars_taken"], report["summary"]["chars_on_pages"]) == (taken, on_pages)
    assert set(map(str, numbers)) <= set(parsed.from_csv(written["csv"])[1])
    assert set(numbers) <= set(parsed.from_xlsx(written["xlsx"])["Cases"][1])
    formats = {cell.number_format for cell in openpyxl.load_workbook(io.BytesIO(written["xlsx"]))["Cases"][2]}
    assert "0.0%" in formats
    assert "0.00%" not in formats
    assert [word for word in words if word not in written["html"].decode()] == []
    assert [word for word in words if word not in parsed.from_pdf(written["pdf"])] == []


def test_the_evidence_has_them(installed: CommandLine, case: str, figures: dict[str, Any], tmp_path: Path) -> None:
    out = tmp_path / "case.zip"
    done = installed("evidence", "export", case, "--out", out, "--no-seal")
    assert done.code == 0, done.err
    names = ("similarity", "page_containment", "work_containment", "taken_chars", "matched_chars")
    with zipfile.ZipFile(out) as export:
        said = json.loads(export.read("case.json"))
        explained = export.read("README.html").decode()
        bundle = next(name for name in export.namelist() if name.endswith(".wacz"))
        with zipfile.ZipFile(io.BytesIO(export.read(bundle))) as opened:
            finding = json.loads(opened.read("evidence/finding.json"))
    assert {name: said["facts"][name] for name in names} == {name: figures[name] for name in names}
    assert said["bundles"][0]["similarity"] == figures["similarity"]
    assert (finding["similarity"], finding["matched_chars"]) == (figures["similarity"], figures["matched_chars"])
    assert finding["page_containment"] == figures["page_containment"]
    assert finding["passages"][0]["similarity"] == cut_share(finding["passages"][0]["similarity"])
    text = re.sub(r"<[^>]*>", " ", explained)
    assert finding["longest_equal_run_chars"] == figures["longest_equal_run_chars"]
    for word in (shares(figures)[0], *(f"{figures[name]:,}" for name in ("matched_chars", "longest_equal_run_chars"))):
        assert text.count(word) >= 2, "in both languages"
